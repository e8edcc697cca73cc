//! Data that change under `raddle launch`: model and log have the bytes of one process, whoever is killed.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::time::Instant;

use crate::combinations::in_turn;
use crate::commands::{ends, json, pause, run as run_line};
#[cfg(target_os = "linux")]
use crate::launched::{Launched, WATCHDOG, launch, signal, slow};

/// A line that fits data, and three versions of them: records come and go, and new users, words and columns
/// come. Behind them, how many times as long its epochs take where something is killed in one.
const LINES: [(&str, &str, u64); 4] = [
    (
        "mf fit ratings.tsv --rank 4 --shards 4 --epochs 12 --changes ratings.changes",
        "+ 3 4 5\n+ 5\t6\t2.5\n- 7 2\n=\n- 11\n=\n+ 90 3 4\n+ 90 91 1\n+ 2 91 3\n",
        40,
    ),
    (
        "mf fit ratings.tsv --rank 4 --shards 4 --epochs 6 --solver als --cold --changes ratings.changes",
        "+ 3 4 5\n+ 5\t6\t2.5\n- 7 2\n=\n- 11\n=\n+ 90 3 4\n+ 90 91 1\n+ 2 91 3\n",
        30,
    ),
    (
        "lda fit corpus.txt --topics 4 --epochs 8 --shards 4 --changes corpus.changes",
        "+ new 1:2 5:1 30:4\n- 7\n=\n- new\n- 12\n- 40\n=\n+ a 50:3 51:2 2\n+ 7 1:1 2:2 3:3\n",
        10,
    ),
    (
        "lasso fit rows.svm --schedule shuffled --shards 4 --ratio 20 --tol 1e-5 --changes rows.changes",
        "+ new 3.5 1:2 5:-1.5 12:1\n- 7\n=\n- new\n- 12\n- 40\n=\n+ a -2 13:1.5 2:2\n+ 7 1 1:1 13:-1\n",
        60,
    ),
];

/// The lines, warm and cold.
pub(crate) fn every_line() -> impl Iterator<Item = &'static str> {
    let others = [
        "mf fit ratings.tsv --rank 4 --shards 4 --epochs 6 --cold --changes ratings.changes",
        "mf fit ratings.tsv --rank 4 --shards 4 --epochs 4 --solver als --changes ratings.changes",
        "mf fit ratings.tsv --rank 4 --shards 4 --epochs 3 --solver ccd --changes ratings.changes",
        "lda fit corpus.txt --topics 4 --epochs 8 --shards 4 --cold --changes corpus.changes",
        "lasso fit rows.svm --shards 4 --ratio 20 --tol 1e-8 --cold --changes rows.changes",
        "lasso fit rows.svm --shards 4 --ratio 20 --tol 1e-8 --changes rows.changes",
    ];
    LINES.into_iter().map(|(line, ..)| line).chain(others)
}

/// Data of all lines.
pub(crate) fn data(folder: &Path) {
    let rating = |at: usize| {
        let (user, item) = (at * 7 % 40, at * 11 % 25 + at / 400);
        format!("{user}\t{item}\t{}\n", 1 + (user * item + at) % 5)
    };
    fs::write(folder.join("ratings.tsv"), (0..600).map(rating).collect::<String>()).unwrap();
    let mut entries = String::new();
    for document in 1..=60 {
        for word in 0..6 {
            writeln!(entries, "{document} {} {}", 1 + word * 8 + document % 8, 1 + (word + document) % 3)
                .unwrap();
        }
    }
    fs::write(folder.join("corpus.txt"), format!("60\n49\n360\n{entries}")).unwrap();
    let row = |at: usize| {
        let value = |column: usize| ((at * 31 + column * 17) % 23) as f64 / 4.0 - 2.6;
        let values: String = (1..=12).map(|column| format!(" {column}:{}", value(column))).collect();
        format!("{}{values}\n", 2.0 * value(1) - value(2) + ((at * 13) % 11) as f64 / 10.0)
    };
    fs::write(folder.join("rows.svm"), (0..80).map(row).collect::<String>()).unwrap();
    for (line, changes, _) in LINES {
        fs::write(folder.join(line.split(' ').next_back().unwrap()), changes).unwrap();
    }
}

/// `model.json`, which has a digest of each other file of the model, and the log.
fn files(run: &Path) -> [String; 2] {
    ["model.json", "changes.log"].map(|name| fs::read_to_string(run.join(name)).unwrap())
}

/// The files and the status of a line that runs alone.
fn alone(folder: &Path, line: &str) -> ([String; 2], Option<i32>) {
    let ran = run_line(folder, &format!("{line} --workers 1 --out alone --force"));
    let model = json(&folder.join("alone/model.json"));
    assert_eq!(model["data_version"], 3, "{line}: {}", ran.err);
    (files(&folder.join("alone")), ran.code)
}

#[test]
fn versions_on_several_processes_have_the_bytes_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    data(folder);
    for (turn, (line, ..)) in LINES.into_iter().enumerate() {
        let (expected, status) = alone(folder, line);
        for (processes, workers) in in_turn([(2, 2), (3, 1), (1, 1)], turn) {
            let how = format!("raddle launch --processes {processes} --workers {workers}");
            let ran = run_line(folder, &format!("{how} -- {line} --save-data left --out run --force"));
            assert_eq!(ran.code, status, "{line} on {processes}: {}", ran.err);
            assert!(files(&folder.join("run")) == expected, "{line} on {processes}: {}", ran.err);
            for number in 1..=3 {
                let told = ran.err.lines().filter(|text| text.starts_with(&format!("version {number}: ")));
                assert_eq!(told.count(), 1, "{}", ran.err);
            }
        }
        // What is left are the data of the last version.
        assert!(!fs::read(folder.join("left")).unwrap().is_empty());
    }
}

/// Waits until a version is being fitted.
#[cfg(target_os = "linux")]
fn await_version(run: &mut Launched, version: u64) {
    let began = Instant::now();
    let is_there = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
        record["data_version"] == version && record["note"].is_null()
    };
    while !fs::read_to_string(run.run.join("trace.jsonl")).is_ok_and(|text| text.lines().any(is_there)) {
        assert!(run.launcher.try_wait().unwrap().is_none(), "it has ended: {}", run.rest());
        assert!(began.elapsed() < WATCHDOG, "version {version} never comes");
        pause();
    }
}

/// A process of several is killed while a version is fitted, another one in each run.
#[cfg(target_os = "linux")]
#[test]
fn a_process_may_be_killed_amid_each_version() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    data(folder);
    for (at, (line, _, factor)) in LINES.into_iter().enumerate() {
        let (expected, status) = alone(folder, line);
        slow(folder, factor);
        for processes in in_turn([2, 3, 1], at) {
            let (version, whom) = ((at + processes) % 4, (at + processes / 2) % processes);
            let mut run = Launched::begin(folder, &launch(processes, line));
            await_version(&mut run, version as u64);
            signal(&run.processes()[whom], "-KILL");
            let said = run.await_line("killed by signal 9");
            assert!(said.contains(&format!("process {whom} ")), "{said}");
            let goes_on = "the unfinished version of the data starts again, from the model before it";
            assert!(version == 0 || said.contains(goes_on), "{said}");
            let (place, what) =
                (run.run.clone(), format!("{line}: {whom} of {processes} in version {version}"));
            let (code, said) = run.end();
            assert_eq!(code, status, "{what}: {said}");
            assert!(files(&place) == expected, "{what}: {said}");
            fs::remove_dir_all(place).unwrap();
        }
    }
}

/// The launcher is killed, and another one goes on with another number of processes; then the file has grown.
#[cfg(target_os = "linux")]
#[test]
fn a_launcher_may_be_killed_amid_a_version_and_a_file_may_grow() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    data(folder);
    for (at, (line, changes, factor)) in LINES.into_iter().enumerate() {
        let (expected, status) = alone(folder, line);
        slow(folder, factor);
        let file = folder.join(line.split(' ').next_back().unwrap());
        fs::write(&file, &changes[..changes.rfind("=\n").unwrap() + 2]).unwrap();
        let mut run = Launched::begin(folder, &launch(3, line));
        await_version(&mut run, 1 + at as u64 % 2);
        run.launcher.kill().unwrap();
        drop(run);
        let program = line.split(' ').next().unwrap();
        let resume = format!("raddle launch --processes 2 --resume run -- {program} fit");
        run_line(folder, &resume);
        assert_eq!(json(&folder.join("run/model.json"))["data_version"], 2, "{line}");
        fs::write(&file, changes).unwrap();
        let ran = run_line(folder, &resume);
        assert_eq!(ran.code, status, "{line}: {}", ran.err);
        assert!(files(&folder.join("run")) == expected, "{line}: {}", ran.err);
        fs::remove_dir_all(folder.join("run")).unwrap();
    }
}

/// The first process leaves amid a version: the one that has the model then brings the next one.
#[cfg(target_os = "linux")]
#[test]
fn the_first_process_may_leave_amid_a_version() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    data(folder);
    for (line, _, factor) in [LINES[0], LINES[2]] {
        let (expected, status) = alone(folder, line);
        slow(folder, factor);
        for version in [0, 1] {
            // The versions of the run before would be taken for this one's.
            let _ = fs::remove_dir_all(folder.join("run"));
            let mut run = Launched::begin(folder, &launch(2, line));
            await_version(&mut run, version);
            signal(&run.processes()[0], "-TERM");
            run.await_line("process 0 leaves after this epoch");
            let place = run.run.clone();
            let (code, said) = run.end();
            assert_eq!(code, status, "{line}: {said}");
            assert!(files(&place) == expected, "{line}, version {version}: {said}");
        }
    }
}

#[test]
fn a_bad_version_ends_the_run_with_its_line_and_the_model_before_it_stays() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    data(folder);
    fs::write(folder.join("bad.txt"), "+ 3 4 5\n=\n- nobody\n").unwrap();
    let line = "mf fit ratings.tsv --rank 4 --epochs 3 --changes bad.txt --out run";
    let ran = ends(folder, &format!("raddle launch -- {line}"), 2);
    let said = "bad.txt:3: user nobody has no rating that could be retracted; version 2 is refused";
    assert!(ran.err.contains(said), "{}", ran.err);
    assert_eq!(json(&folder.join("run/model.json"))["data_version"], 1);
    let ran = ends(folder, "raddle launch -- mf fit ratings.tsv --changes - --out other", 2);
    assert!(
        ran.err.contains("standard input (-): launched processes cannot read it: write it to a file"),
        "{}",
        ran.err
    );
}
