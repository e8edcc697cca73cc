//! Models and checkpoints that were changed, and signed again, so that only their content is wrong.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use raddle_common::testing::{Checkpoint, copy_folder};
use sha2::{Digest, Sha256};

use super::Case;
use super::dice::Dice;
use super::inputs::{Inputs, MODELS};
use crate::commands::{ends, json};

/// Commands that use a model; the name of its folder stands for `MODEL`.
const USES: [(&str, &[&str]); 4] = [
    (
        "lasso",
        &[
            "lasso predict MODEL data.csv",
            "lasso predict MODEL cities.csv",
            "lasso predict MODEL data.csv --point 2",
            "lasso fit data.csv --y y --init MODEL",
            "lasso fit cities.csv --y y --missing mean --init MODEL",
        ],
    ),
    (
        "mf",
        &[
            "mf predict MODEL ratings.tsv",
            "mf predict MODEL names.csv",
            "mf recommend MODEL --top 2",
            "mf recommend MODEL --users users.txt --exclude ratings.tsv",
            "mf similar MODEL 1 --top 2",
            "mf fold-in MODEL ratings.tsv --top 2",
            "mf fold-in MODEL names.csv --out new",
            "mf fit ratings.tsv --rank 2 --epochs 2 --validation none --init MODEL",
        ],
    ),
    (
        "lda",
        &[
            "lda infer MODEL notes.txt",
            "lda infer MODEL docword.txt",
            "lda topics MODEL",
            "lda fit notes.txt --epochs 2 --validation none --init MODEL",
        ],
    ),
    (
        "linear",
        &[
            "linear predict MODEL classes.csv",
            "linear predict MODEL cities.csv --y city",
            "linear fit classes.csv --y y --init MODEL",
            "linear fit cities.csv --y city --missing mean --loss logistic --scale --init MODEL",
        ],
    ),
];

/// Runs that leave a checkpoint before their end.
const RUNS: [&str; 13] = [
    "lasso fit data.csv --y y --ratio 100",
    "lasso fit data.csv --y y --ratio 100 --schedule cyclic",
    "lasso fit data.csv --y y --ratio 100 --schedule priority --parallelism 2",
    "lasso fit classes.csv --y y --loss logistic",
    "lasso path data.csv --y y --points 4",
    "mf fit ratings.tsv --rank 2 --epochs 4",
    "mf fit ratings.tsv --rank 2 --epochs 4 --solver als",
    "mf fit ratings.tsv --rank 2 --epochs 4 --solver ccd --validation none",
    "mf fit ratings.tsv --rank 2 --epochs 4 --implicit --solver als",
    "lda fit notes.txt --topics 2 --epochs 5",
    "lda fit notes.txt --topics 150 --epochs 5 --validation none --word-priors priors.tsv",
    "linear fit classes.csv --y y --loss hinge --tol 1e-9",
    "linear fit data.csv --y a",
];

/// Beginning of `model.json`, before its own 64 digits.
const BEFORE: &str = "{\n  \"sha256\": \"";

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// Signs the text after the digits of a `model.json`.
fn signed(rest: &[u8]) -> Vec<u8> {
    let digits = hex(&[BEFORE.as_bytes(), rest].concat());
    [BEFORE.as_bytes(), digits.as_bytes(), rest].concat()
}

/// Changes mostly values, so that the rest is read.
fn change(dice: &mut Dice, bytes: &mut Vec<u8>, from: usize) {
    if dice.roll(4) == 0 { dice.change(bytes, from) } else { dice.change_values(bytes, from) }
}

/// A command on a model one of whose files was changed.
pub(crate) fn model(inputs: &Inputs, folder: &Path, dice: &mut Dice) -> Case {
    let (name, _) = MODELS[dice.roll(MODELS.len())];
    let path = folder.join(name);
    copy_folder(&inputs.folder().join(name), &path);
    let about = path.join("model.json");
    let text = fs::read_to_string(&about).unwrap();
    let mut files: Vec<String> = json(&about)["files"].as_object().unwrap().keys().cloned().collect();
    files.push("model.json".into());
    let file = &files[dice.roll(files.len())];
    let whole = fs::read(path.join(file)).unwrap();
    let rest = &text[BEFORE.len() + 64..];
    if file == "model.json" {
        let mut rest = rest.as_bytes().to_vec();
        // Mostly the program's own members, behind the list of files.
        let own = text.find("\n  },").unwrap_or(0).saturating_sub(BEFORE.len() + 64);
        let from = if dice.roll(5) == 0 { 0 } else { own };
        change(dice, &mut rest, from);
        fs::write(&about, signed(&rest)).unwrap();
    } else {
        let mut changed = whole.clone();
        // Behind the header of an array.
        change(dice, &mut changed, if file.ends_with(".npy") { 128 } else { 0 });
        fs::write(path.join(file), &changed).unwrap();
        fs::write(&about, signed(rest.replace(&hex(&whole), &hex(&changed)).as_bytes())).unwrap();
    }
    let program = name.split('.').next().unwrap();
    let (_, uses) = USES.iter().find(|(user, _)| *user == program).unwrap();
    let line = dice.of(uses).replace("MODEL", name);
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    if words[1] == "fit" {
        words.push("--time-limit=0.3".into());
    }
    if dice.roll(2) == 0 {
        words.push("--json".into());
    }
    Case { folder: folder.into(), words, stdin: None }
}

/// A run that goes on from a checkpoint that was changed.
pub(crate) fn checkpoint(inputs: &Inputs, folder: &Path, dice: &mut Dice) -> Case {
    let number = dice.roll(RUNS.len());
    let line = RUNS[number];
    // Made when a case first needs it, beside the inputs.
    let made = inputs.folder().join(format!("begun.{number}"));
    if !made.exists() {
        let rest = format!("--checkpoint-every 1 --quiet --out begun.{number}");
        ends(inputs.folder(), &format!("{line} {rest}"), 0);
    }
    let run = folder.join("begun");
    copy_folder(&made, &run);
    let asked = run.join("run.json");
    let text = fs::read_to_string(&asked).unwrap().replace(&format!("begun.{number}"), "begun");
    fs::write(&asked, &text).unwrap();
    let path = run.join("checkpoint");
    if path.is_dir() && dice.roll(10) > 0 {
        let checkpoint = Checkpoint::last(&path);
        let at = dice.roll(checkpoint.length());
        match dice.roll(10) {
            0 => checkpoint.forge_manifest(|bytes| change(dice, bytes, 0)),
            _ => checkpoint.forge(at, |bytes, at| change(dice, bytes, at)),
        }
    } else {
        let mut text = text.into_bytes();
        dice.change(&mut text, 0);
        fs::write(&asked, text).unwrap();
    }
    let program = line.split(' ').next().unwrap();
    let words = [program, "--resume=begun", "--time-limit=0.3", "--json"].map(str::to_owned).to_vec();
    Case { folder: folder.into(), words, stdin: None }
}
