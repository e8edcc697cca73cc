//! Models of the bundled programs survive: a write that is killed, and files that are damaged.
//! `tests/README.md` has the commands of the long forms.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::commands::{Ran, command, ends, json, next, number, run};

/// A program, the fit of a small model of it, and the commands that use it.
const SMALL: [(&str, &str, &[&str]); 5] = [
    (
        "lasso",
        "lasso fit data.csv --y y --ratio 50",
        &["lasso predict run data.csv", "lasso fit data.csv --y y --init run"],
    ),
    ("lasso", "lasso path data.csv --y y --points 3", &["lasso predict run data.csv --point 2"]),
    (
        "mf",
        "mf fit ratings.tsv --rank 2 --epochs 2 --validation none",
        &[
            "mf predict run ratings.tsv",
            "mf recommend run --top 2",
            "mf similar run 1",
            "mf fold-in run ratings.tsv",
            "mf fit ratings.tsv --rank 2 --epochs 1 --validation none --init run",
        ],
    ),
    (
        "lda",
        "lda fit notes.txt --topics 2 --epochs 3 --validation none",
        &[
            "lda infer run notes.txt",
            "lda topics run",
            "lda fit notes.txt --epochs 1 --validation none --init run",
        ],
    ),
    (
        "linear",
        "linear fit data.csv --y a",
        &["linear predict run data.csv", "linear fit data.csv --y a --init run"],
    ),
];

fn write_data(folder: &Path) {
    let rows: String = (0..12).map(|i| format!("{},{},{}\n", i % 5, (i * i) % 7, i)).collect();
    fs::write(folder.join("data.csv"), format!("a,b,y\n{rows}")).unwrap();
    let ratings = (0..20).map(|i| format!("{}\t{}\t{}\n", i % 4, (i * 3) % 5, 1 + i % 5));
    fs::write(folder.join("ratings.tsv"), ratings.collect::<String>()).unwrap();
    let notes = ["the ship sails the sea", "the sea and the ship", "bread and butter", "butter the bread"];
    fs::write(folder.join("notes.txt"), notes.join("\n")).unwrap();
}

/// Uses a model whose file was damaged: it must be refused by the file's name.
fn refused(folder: &Path, uses: &[&str], file: &str, how: &str) {
    for line in uses {
        let Ran { code, out, err } = run(folder, line);
        assert_eq!(code, Some(2), "{line}: {file} {how}\n{out}\n{err}");
        assert!(err.contains(file) && out.is_empty(), "{line}: {file} {how}\n{out}\n{err}");
    }
}

#[test]
fn a_damaged_file_of_a_model_is_refused_by_its_name() {
    let flips = number("RADDLE_FLIPS", 4);
    for (program, fit, uses) in SMALL {
        let folder = tempfile::tempdir().unwrap();
        write_data(folder.path());
        ends(folder.path(), &format!("{fit} --quiet --out run"), 0);
        let run = folder.path().join("run");
        uses.iter().for_each(|line| drop(ends(folder.path(), line, 0)));
        let about = json(&run.join("model.json"));
        let mut files: Vec<String> = about["files"].as_object().unwrap().keys().cloned().collect();
        assert!(!files.is_empty(), "{program}");
        files.push("model.json".into());
        for file in &files {
            let path = run.join(file);
            let whole = fs::read(&path).unwrap();
            for at in chosen(whole.len(), flips) {
                let mut flipped = whole.clone();
                flipped[at] ^= 1 << (at % 8);
                fs::write(&path, flipped).unwrap();
                // The first command sees every byte, the others some.
                let uses = if at.is_multiple_of(64) || flips < 100 { uses } else { &uses[..1] };
                refused(folder.path(), uses, file, &format!("with byte {at} flipped"));
            }
            for quarter in 0..4 {
                fs::write(&path, &whole[..whole.len() * quarter / 4]).unwrap();
                refused(folder.path(), uses, file, &format!("cut at quarter {quarter}"));
            }
            fs::remove_file(&path).unwrap();
            refused(folder.path(), uses, file, "removed");
            fs::write(&path, whole).unwrap();
        }
        uses.iter().for_each(|line| drop(ends(folder.path(), line, 0)));
    }
}

#[test]
fn a_model_of_another_program_is_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    write_data(folder.path());
    for (number, (owner, fit, _)) in SMALL.iter().enumerate() {
        let run = format!("run.{number}");
        ends(folder.path(), &format!("{fit} --quiet --out {run}"), 0);
        for (program, _, uses) in SMALL.iter().filter(|(program, ..)| program != owner) {
            for line in *uses {
                let line = line.replace(" run", &format!(" {run}"));
                let said = ends(folder.path(), &line, 2).err;
                let whose =
                    format!("{run}/model.json: a model of {owner}, not of {program}: give it to `{owner}`");
                assert!(said.contains(&whose), "{line}: {said}");
            }
        }
        // A run that goes on, too.
        let other = if *owner == "lasso" { "mf" } else { "lasso" };
        let said = ends(folder.path(), &format!("{other} --resume {run}"), 2).err;
        assert!(said.contains(&format!("it is a run of {owner}, not of {other}")), "{said}");
    }
}

/// Runs with checkpoints, a file that they read, and a change of it. The last two are files beside the data.
const GOES_ON: [(&str, &str, (&str, &str)); 8] = [
    ("lasso fit data.csv --y y --ratio 50", "data.csv", ("0,0,0\n", "0,1,0\n")),
    ("lasso path data.csv --y y --points 3", "data.csv", ("0,0,0\n", "0,1,0\n")),
    ("mf fit ratings.tsv --rank 2 --epochs 2 --validation none", "ratings.tsv", ("0\t0\t1\n", "0\t0\t2\n")),
    ("mf fit ratings.tsv --rank 2 --epochs 2 --solver ccd", "ratings.tsv", ("0\t0\t1\n", "0\t0\t2\n")),
    ("lda fit notes.txt --topics 2 --epochs 3", "notes.txt", ("bread and butter", "bread and bread")),
    ("linear fit data.csv --y a", "data.csv", ("0,0,0\n", "0,1,0\n")),
    ("lasso fit data.csv --y y.txt --ratio 50", "y.txt", ("11\n", "12\n")),
    ("lda fit notes.txt --topics 2 --epochs 3 --word-priors priors.txt", "priors.txt", ("ship 2", "ship 3")),
];

#[test]
fn a_run_does_not_go_on_with_other_data_under_the_same_name() {
    for (number, (fit, file, (then, now))) in GOES_ON.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        write_data(folder.path());
        fs::write(folder.path().join("y.txt"), (0..12).map(|y| format!("{y}\n")).collect::<String>())
            .unwrap();
        fs::write(folder.path().join("priors.txt"), "1 ship 2\n2 bread 1\n").unwrap();
        ends(folder.path(), &format!("{fit} --quiet --checkpoint-every 1 --out run"), 0);
        assert!(folder.path().join("run/checkpoint").exists(), "{fit}");
        let program = fit.split(' ').next().unwrap();
        let resume = format!("{program} --resume run --quiet");
        ends(folder.path(), &resume, 0);
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(then), "{file}");
        fs::write(&path, text.replace(then, now)).unwrap();
        let said = ends(folder.path(), &resume, 2).err;
        assert!(said.contains("run/checkpoint/") && said.contains(": it belongs to a run"), "{fit}: {said}");
        if number >= 6 {
            // Both digests, in words that name the option.
            assert!(said.contains(" there, `") && said.contains(file), "{fit}: {said}");
            continue;
        }
        let digest = |report: &serde_json::Value| report["data"]["digest"].as_str().unwrap().to_owned();
        let was = digest(&json(&folder.path().join("run/report.json")));
        let fresh = ends(folder.path(), &format!("{fit} --quiet --json"), 0).out;
        let is = digest(&serde_json::from_str(&fresh).unwrap());
        let whole = format!(
            "on other data: what that run read has the digest {was}, what is read now has {is}: give the data"
        );
        assert!(said.contains(&whole) && said.contains("or begin a new run"), "{fit}: {said}");
    }
}

/// A checkpoint belongs to a run by the options that the report lists: none may be missing there.
#[test]
fn the_report_lists_every_option_of_the_help() {
    let fits = SMALL.iter().map(|(_, fit, _)| *fit);
    for fit in fits {
        let folder = tempfile::tempdir().unwrap();
        write_data(folder.path());
        let report = ends(folder.path(), &format!("{fit} --quiet --json"), 0).out;
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let verb: Vec<&str> = fit.split(' ').take(2).collect();
        let help = ends(folder.path(), &format!("{} --help", verb.join(" ")), 0).out;
        let options = help.lines().filter_map(|line| {
            // What is further in is text.
            let line = line.strip_prefix("      ").or_else(|| line.strip_prefix("  "))?;
            let long =
                if line.starts_with("--") { line } else { line.strip_prefix('-')?.split_once(", ")?.1 };
            let name = long.strip_prefix("--")?;
            Some(name.split([' ', '=', '[', '<']).next()?.replace('-', "_"))
        });
        let options: Vec<String> = options.filter(|name| name != "help" && name != "version").collect();
        assert!(options.len() > 20 && options.contains(&"seed".into()), "{fit}: {options:?}");
        let listed = report["parameters"].as_object().unwrap();
        // These are listed where they are given, so that checkpoints of runs without them are still theirs.
        let given = ["lambdas", "phrases", "by", "links", "lag", "sum", "least_rows"];
        let is_listed = |name: &String| listed.contains_key(name) || given.contains(&&**name);
        let missing: Vec<&String> = options.iter().filter(|&name| !is_listed(name)).collect();
        assert!(missing.is_empty(), "{fit}: {missing:?}");
        assert!(listed.contains_key("data"), "{fit}");
    }
}

/// Positions in a file, evenly spaced; all of them if there are no more than asked for.
fn chosen(length: usize, flips: u64) -> Vec<usize> {
    let flips = (flips as usize).min(length);
    (0..flips).map(|number| number * length / flips + length / flips / 2).collect()
}

/// Two models that are written over each other, in turn.
struct Fits {
    lines: [String; 2],
    said: [String; 2],
    digests: [String; 2],
}

/// Epochs of each of two runs, and their form in its `run.json`.
const EPOCHS: [(u64, &str); 2] = [(3, "\"3\""), (4, "\"4\"")];

const DATA: &str = "synth:ratings:users=300,items=120,n=4000";
const FIT: &str = "mf fit synth:ratings:users=300,items=120,n=4000 --rank 24 --validation none --quiet \
                   --checkpoint-every 1";

impl Fits {
    fn new(folder: &Path) -> Self {
        let lines = EPOCHS.map(|(epochs, _)| format!("{FIT} --epochs {epochs} --out run --force"));
        let fitted = |line: &String| {
            ends(folder, line, 0);
            let said = ends(folder, &format!("mf predict run {DATA}"), 0).out;
            let report = json(&folder.join("run/report.json"));
            (said, report["model_digest"].as_str().unwrap().to_owned())
        };
        let [(old, old_digest), (new, new_digest)] = [fitted(&lines[0]), fitted(&lines[1])];
        assert_ne!(old, new);
        Self { lines, said: [old, new], digests: [old_digest, new_digest] }
    }
}

#[test]
fn a_fit_that_is_killed_while_it_writes_leaves_the_old_model_or_the_new_one() {
    let kills = number("RADDLE_KILLS", 8);
    let folder = tempfile::tempdir().unwrap();
    let fits = Fits::new(folder.path());
    let (staging, run) = (folder.path().join("run/.raddle-staging"), folder.path().join("run"));
    // How long a write takes, from its first file to the end.
    let mut writing = Duration::ZERO;
    let mut seed = number("RADDLE_SEED", 1);
    let (mut landed, mut met) = ([0_u64; 2], [0_u64; 3]);
    while met.iter().sum::<u64>() < kills {
        let turn = (met.iter().sum::<u64>() % 2) as usize;
        // Until the first kill, runs are timed.
        let is_timed = writing.is_zero();
        let mut child = command(folder.path(), &fits.lines[turn]).stdout(Stdio::null()).spawn().unwrap();
        // Files that an earlier kill left are gone once this run trains.
        let trains =
            || fs::read_to_string(run.join("run.json")).is_ok_and(|text| text.contains(EPOCHS[turn].1));
        while !(trains() && staging.exists()) && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        let start = Instant::now();
        if is_timed {
            assert!(child.wait().unwrap().success());
            writing = start.elapsed();
            continue;
        }
        let moment = writing.mul_f64(next(&mut seed) as f64 / u64::MAX as f64);
        while start.elapsed() < moment {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Gathering, between the commit and its completion, or over.
        let left = if staging.exists() { 0 } else { usize::from(!run.join(".next").exists()) + 1 };
        met[left] += 1;
        let said = ends(folder.path(), &format!("mf predict run {DATA}"), 0).out;
        let whole = fits.said.iter().position(|known| *known == said);
        let whole = whole.unwrap_or_else(|| panic!("kill {}: another model", met.iter().sum::<u64>()));
        landed[usize::from(whole == turn)] += 1;
        // A start from it is one from that model, and the run that was killed goes on to its own.
        if met.iter().sum::<u64>().is_multiple_of(5) {
            let from =
                format!("mf fit {DATA} --rank 24 --epochs 1 --validation none --init run --json --quiet");
            ends(folder.path(), &from, 0);
            let resumed = ends(folder.path(), "mf --resume run --json --quiet", 0).out;
            let report: serde_json::Value = serde_json::from_str(&resumed).unwrap();
            assert_eq!(report["model_digest"], fits.digests[turn].as_str());
        }
    }
    println!(
        "{kills} kills: {} while files were gathered, {} before a commit was complete, {} after; the model \
         was the killed run's own {} times, else the other whole",
        met[0], met[1], met[2], landed[1]
    );
    assert!(met[0] > 0, "no kill met the writing: {met:?}");
}
