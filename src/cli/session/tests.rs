//! A session around a small program, and the files that it leaves.

use std::fs;
use std::path::Path;

use clap::Parser;
use raddle::schedule::{Cyclic, Variables};
use raddle::{
    Aggregate, Conclude, Ending, Engine, Evaluate, Limit, Metric, Outcome, Parts, Program, TaskOf, Update,
    Verdict,
};
use serde::Serialize;

use super::*;
use crate::report::picture::{Member, Picture, PictureKind, Series, Tick};
use crate::{Free, Records, identity};

/// A program that halves a number in each epoch.
struct Halving;

impl Program for Halving {
    raddle::program!(Replica = f64; update);

    fn aggregate(&self, _: Aggregate<'_, Self>) {}
    fn commit(&self, (): &(), number: &mut f64) {
        *number /= 2.0;
    }
    fn evaluate(&self, _: Evaluate<'_, Self>) {}
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<()> {
        Verdict::new(Metric::new("number", *at.replica, "itself").target(0.1))
    }
}

impl Update for Halving {
    fn update(&self, _: TaskOf<'_, Self>) {}
}

fn engine() -> Engine<Halving> {
    let schedule = Cyclic::new(Variables::anywhere(vec![1], 1), 1);
    Engine::new(Halving, schedule, Parts::new(vec![()], 1.0)).identity("halving")
}

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    train: TrainOptions,
}

fn session(line: &[&str]) -> Session {
    let line = [&["halving", "--quiet", "--workers", "1"], line].concat();
    Session::begin("halving", "1.0", &Line::parse_from(line).train).unwrap()
}

fn epochs(run: &Path) -> Vec<u64> {
    let trace = fs::read_to_string(run.join("trace.jsonl")).unwrap();
    let epoch = |line| serde_json::from_str::<serde_json::Value>(line).unwrap()["epoch"].as_u64().unwrap();
    trace.lines().map(epoch).collect()
}

#[test]
fn a_run_leaves_its_folder_complete() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let mut session = session(&["--out", run.to_str().unwrap(), "--checkpoint-every", "1"]);
    let outcome = session.run(engine()).unwrap();
    session.write("number", |out| io::Write::write_all(out, b"0.0625")).unwrap();
    let report = session.report(&(), Data::default(), String::new(), &outcome.report, &outcome.trace);
    session.save(&mut report.unwrap(), &Summary::default(), "done").unwrap();
    assert_eq!(epochs(&run), [0, 1, 2, 3, 4]);
    let report: serde_json::Value =
        serde_json::from_slice(&fs::read(run.join("report.json")).unwrap()).unwrap();
    assert_eq!((&report["ending"], &report["epochs"]), (&"target".into(), &4.into()));
    assert!(report["seconds"]["fit"].as_f64() > Some(0.0) && report["wall_seconds"].as_f64() > Some(0.0));
    assert!(run.join("number").exists() && run.join("summary.json").exists());
}

/// A program whose author has added an option and done nothing else.
#[derive(Parser, Serialize)]
struct Twisted {
    #[arg(long, default_value_t = 0)]
    twist: u32,
    #[command(flatten)]
    #[serde(flatten)]
    train: TrainOptions,
}

#[test]
fn an_option_that_was_added_keeps_another_run_from_going_on() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().to_str().unwrap();
    let fit = |line: &[&str]| {
        let options = Twisted::parse_from([&["twisted", "--quiet", "--workers", "1"], line].concat());
        let mut session = Session::begin("twisted", "1.0", &options.train).unwrap();
        let free = Free { neutral: &[], limits: &["epochs"] };
        let identity = identity("twisted", &options, free, &[("data", "17")]).unwrap();
        session.run(engine().identity(identity)).map(|outcome| outcome.report.ending)
    };
    let begun = fit(&["--twist", "1", "--out", run, "--epochs", "2", "--checkpoint-every", "2"]).unwrap();
    assert_eq!(begun, Ending::Limit(Limit::Epochs));
    for other in [&["--resume", run, "--twist", "2"][..], &["--resume", run]] {
        let refused = fit(other).unwrap_err().to_string();
        assert!(refused.contains("it belongs to a run") && refused.contains("`twist 1` there"), "{refused}");
    }
    assert_eq!(fit(&["--resume", run, "--twist", "1"]).unwrap(), Ending::Target);
}

#[test]
fn a_run_goes_on_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().to_str().unwrap();
    let stopped = session(&["--out", run, "--epochs", "2", "--checkpoint-every", "2"]).run(engine()).unwrap();
    assert_eq!((stopped.report.ending, epochs(folder.path())), (Ending::Limit(Limit::Epochs), vec![0, 1, 2]));
    let outcome = session(&["--resume", run]).run(engine()).unwrap();
    assert_eq!((outcome.report.ending, outcome.parts.replica), (Ending::Target, 0.0625));
    assert_eq!(epochs(folder.path()), [0, 1, 2, 3, 4]);
}

#[test]
fn a_checkpoint_that_cannot_be_used_is_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("checkpoint"), "nonsense").unwrap();
    let mut session = session(&["--resume", folder.path().to_str().unwrap()]);
    let error = session.run(engine()).err().unwrap();
    assert_eq!(error.status(), ExitStatus::Usage);
    assert!(error.to_string().contains("damaged or not a checkpoint"), "{error}");
}

#[test]
fn several_engines_count_on() {
    let folder = tempfile::tempdir().unwrap();
    let line = ["--out", folder.path().to_str().unwrap(), "--epochs", "2", "--rescale", "1:2,3:3"];
    let mut session = session(&line);
    let workers = |outcome: Outcome<Halving>| -> Vec<usize> {
        outcome.report.generations.iter().map(|generation| generation.workers).collect()
    };
    assert_eq!(workers(session.run(engine()).unwrap()), [1, 2]);
    assert_eq!(workers(session.run(engine()).unwrap()), [2, 3]);
    assert_eq!(epochs(folder.path()), [0, 1, 2, 2, 3, 4]);
}

#[test]
fn every_field_of_a_runs_files_is_on_the_page_that_explains_them() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    // A dangling link in place of the checkpoint: writing one fails, which is a warning.
    fs::create_dir_all(&run).unwrap();
    std::os::unix::fs::symlink("missing/place", run.join("checkpoint")).unwrap();
    let mut session = session(&["--out", run.to_str().unwrap(), "--checkpoint-every", "1"]);
    let outcome = session.run(engine()).unwrap();
    session.write("number", |out| io::Write::write_all(out, b"0.0625")).unwrap();
    let records = Records::new(2, [("zero".into(), 1)].into());
    let (sizes, notes) = ([("numbers".into(), 1)].into(), vec!["a number is left out".into()]);
    let data = Data { sizes, records, notes, ..Data::default() };
    let report = session.report(&(), data, String::new(), &outcome.report, &outcome.trace).unwrap();
    let mut table = crate::Table::new("Numbers", &["number"]);
    table.row(vec![0.0625.into()]);
    let mut picture =
        Picture::new("Numbers", PictureKind::Map).mark(1.0, "one").level(1.0, "one").note("a note");
    picture.above.push(Tick::new(1.0, "one"));
    picture.contents.members.push(Member::default());
    picture = picture.series(Series::default());
    let summary = Summary::new("halving").table(table).picture(picture);
    session.finish(report, &summary, "halved").unwrap();
    let read = |name: &str| vec![fs::read_to_string(run.join(name)).unwrap()];
    let mut begun: serde_json::Value = serde_json::from_str(&read("run.json")[0]).unwrap();
    begun["options"]["epochs"] = serde_json::json!(["3"]);
    // Only programs with several positions say where they are.
    let mut trace: Vec<String> = read("trace.jsonl")[0].lines().map(str::to_owned).collect();
    trace.push("{\"position\": \"point 1 of 2\"}".into());
    // Only schedules that know it say how many workers have work.
    trace.push("{\"wanted\": 2}".into());
    // Only runs of several processes list them.
    let members = "{\"members\": [{\"process\": 0, \"peak_memory_bytes\": 1, \"cpu_seconds\": 1.0, \
                   \"machine\": \"x86_64-linux\"}]}";
    for (file, texts) in [
        ("report.json", [read("report.json"), vec![members.into()]].concat()),
        ("trace.jsonl", trace),
        ("model.json", read("model.json")),
        ("run.json", vec![begun.to_string()]),
        ("summary.json", read("summary.json")),
    ] {
        let page = page::fields(file);
        let mut written = std::collections::BTreeSet::new();
        for text in texts {
            page::collect("", &serde_json::from_str(&text).unwrap(), &page, &mut written);
        }
        assert_eq!(written, page, "{file}");
    }
}
