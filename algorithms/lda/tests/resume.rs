//! A run that is resumed ends with the files of one that was never interrupted, to the byte: finished,
//! stopped at a limit or killed, with any number of workers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::combinations::in_turn;
use crate::common::{command, ends, json, model, write};

type Files = BTreeMap<String, Vec<u8>>;

/// A corpus whose topics are started on a part of the documents: it has enough tokens for that, in few
/// entries.
fn large() -> String {
    let (documents, words) = (80u64, 60u64);
    let mut text = format!("{documents}\n{words}\n{}\n", documents * words / 2);
    for document in 0..documents {
        for word in (0..words).filter(|word| (word + document) % 2 == 0) {
            let count = 60 + 400 * u64::from(word / 15 == document / 20) + (document * word) % 9;
            writeln!(text, "{} {} {count}", document + 1, word + 1).unwrap();
        }
    }
    text
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "docword.large.txt", &large());
    folder
}

/// The kinds of runs: when counts are synchronised, which priors, and on how many documents they start.
fn kinds() -> impl Iterator<Item = String> {
    let runs = ["docword.large.txt --progressive on --epochs 6", "pydoc --progressive off --epochs 5"];
    let priors = ["", "--fixed-priors"];
    let sync = ["epoch", "round"];
    runs.into_iter().flat_map(move |run| {
        priors.into_iter().flat_map(move |priors| {
            sync.map(|sync| format!("{run} {priors} --sync {sync} --topics 6 --seed 3 --quiet"))
        })
    })
}

/// Files and digest of a run.
fn left(folder: &Path, run: &str) -> (String, Files) {
    let report = json(&folder.join(run).join("report.json"));
    (report["model_digest"].as_str().unwrap().to_owned(), model(&folder.join(run)))
}

/// Copies a run, and resumes the copy with a number of workers whose turn it is: all must end as the whole
/// run did.
fn resumes(turn: usize, folder: &Path, kind: &str, stopped: &str, whole: &(String, Files)) {
    for workers in in_turn([1, 2, 3, 5], turn) {
        let copy = folder.join("copy");
        raddle_common::testing::copy_folder(&folder.join(stopped), &copy);
        ends(folder, &format!("fit {kind} --resume copy --workers {workers}"), 0);
        let (digest, files) = left(folder, "copy");
        assert_eq!(digest, whole.0, "{stopped}, {kind}, {workers} workers");
        assert_eq!(files.keys().collect::<Vec<_>>(), whole.1.keys().collect::<Vec<_>>());
        let other = files.iter().find(|&(name, bytes)| whole.1[name] != *bytes);
        assert!(other.is_none(), "{stopped}, {kind}, {workers} workers: {}", other.unwrap().0);
        fs::remove_dir_all(&copy).unwrap();
    }
}

#[test]
fn finished_and_limited_runs_that_are_resumed_end_with_the_same_files() {
    let folder = folder();
    let folder = folder.path();
    for (number, kind) in kinds().enumerate() {
        let [whole, limited] = ["whole", "limited"].map(|name| format!("{name}{number}"));
        ends(folder, &format!("fit {kind} --out {whole} --checkpoint-every 2 --workers 2"), 0);
        let files = left(folder, &whole);
        resumes(number, folder, kind.as_str(), &whole, &files);
        ends(
            folder,
            &format!("fit {kind} --out {limited} --time-limit 0 --checkpoint-every 1 --workers 2"),
            3,
        );
        assert_ne!(left(folder, &limited).0, files.0, "{kind}: nothing was left to do");
        resumes(number + 1, folder, kind.as_str(), &limited, &files);
    }
    // Otherwise the kinds would be one.
    let digests: Vec<String> = (0..8).map(|number| left(folder, &format!("whole{number}")).0).collect();
    assert!((1..8).all(|at| !digests[..at].contains(&digests[at])), "{digests:?}");
}

#[test]
fn a_run_that_reached_its_target_goes_on_to_a_tighter_one() {
    let folder = folder();
    let folder = folder.path();
    let line = "fit pydoc --topics 6 --seed 3 --evaluate-every 1";
    // Metrics of the first run on the way say which targets are reached, and when.
    ends(folder, &format!("{line} --epochs 8 --out probe"), 0);
    let trace = fs::read_to_string(folder.join("probe").join("trace.jsonl")).unwrap();
    let found = trace.lines().filter_map(|line| {
        let boundary: serde_json::Value = serde_json::from_str(line).unwrap();
        (boundary["metric"]["name"] == "perplexity").then(|| boundary["metric"]["value"].as_f64().unwrap())
    });
    let found: Vec<f64> = found.collect();
    let (loose, tight) = (found[0], found.iter().copied().fold(f64::INFINITY, f64::min));
    assert!(tight < loose, "{found:?}");
    ends(folder, &format!("{line} --target {tight} --out whole"), 0);
    let files = left(folder, "whole");
    for (turn, checkpoints) in ["--checkpoint-every 1", ""].into_iter().enumerate() {
        ends(folder, &format!("{line} --target {loose} {checkpoints} --out early --force"), 0);
        assert_ne!(left(folder, "early").0, files.0);
        resumes(turn + 1, folder, &format!("pydoc --target {tight}"), "early", &files);
    }
}

#[test]
fn a_killed_run_that_is_resumed_ends_with_the_same_files() {
    let folder = folder();
    let folder = folder.path();
    for (turn, kind) in kinds().enumerate() {
        let kind = format!("{kind} --evaluate-every 1");
        ends(folder, &format!("fit {kind} --out whole --force --workers 2"), 0);
        let files = left(folder, "whole");
        // Killed as soon as there is a checkpoint; seldom the run is over by then.
        let is_killed = (0..20).any(|_| {
            let _ = fs::remove_dir_all(folder.join("killed"));
            let line = format!("fit {kind} --out killed --checkpoint-every 1 --workers 2");
            let mut child =
                command(folder, &line).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
            while !folder.join("killed/checkpoint").exists() && child.try_wait().unwrap().is_none() {
                #[allow(clippy::disallowed_methods, reason = "a file is waited for")]
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            child.kill().unwrap();
            child.wait().unwrap();
            folder.join("killed/checkpoint").exists() && !folder.join("killed/report.json").exists()
        });
        assert!(is_killed, "{kind}: every run was over before it was killed");
        resumes(turn + 2, folder, &kind, "killed", &files);
    }
}
