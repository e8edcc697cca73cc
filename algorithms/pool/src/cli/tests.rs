//! Tests of the verbs of `pool`, with simulated jobs.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;

use clap::Parser;
use raddle_cli::{Error, ExitStatus};
use serde_json::Value;

use super::run::OpenPool;
use super::{Verb, profile, status, visit};
use crate::pool::journal::Journal;
use crate::pool::queue::Queue;
use crate::pool::{Boundary, Event, EventKind, Request, Runs};

/// Jobs of two epochs of cost 8 each; a job whose name begins with `bad` fails at once.
#[derive(Default)]
struct Two {
    told: VecDeque<EventKind>,
    workers: u32,
    queue: Option<Queue>,
}

impl Two {
    fn tell(&mut self, job: &str, epoch: u64, workers: u32) {
        let cost = if epoch == 0 { 0.0 } else { 8.0 };
        self.workers = workers;
        self.told.push_back(EventKind::Boundary(Boundary {
            job: job.into(),
            epoch,
            cost,
            seconds: cost / f64::from(workers),
            workers,
            metric: None,
            target: None,
            epochs: Some(2),
            wanted: None,
            is_last: epoch == 2,
        }));
        if epoch == 2 {
            self.end(job, 0);
        }
    }

    fn end(&mut self, job: &str, status: i32) {
        self.told.push_back(EventKind::Ended {
            job: job.into(),
            status,
            cost: 0.0,
            said: "no such file".into(),
        });
    }
}

impl Runs for Two {
    fn start(&mut self, job: &Request, workers: u32) {
        match job.name.starts_with("bad") {
            true => self.end(&job.name, 2),
            false => self.tell(&job.name, 1, workers),
        }
    }

    fn go_on(&mut self, job: &str, workers: u32) {
        self.tell(job, 2, workers);
    }

    fn pause(&mut self, job: &str) {
        self.end(job, 130);
    }

    fn cancel(&mut self, job: &str) {
        self.told.retain(|what| what.job() != Some(job));
        self.end(job, 130);
    }

    fn now(&self) -> f64 {
        0.0
    }

    fn next(&mut self, until: Option<f64>) -> Event {
        let wish = self.queue.as_mut().and_then(|queue| queue.oldest().unwrap());
        let what = wish.or_else(|| self.told.pop_front()).unwrap_or(EventKind::Time);
        Event { at: until.unwrap_or(0.0), what }
    }
}

/// A folder with a program that can be held, and a file of jobs.
fn folder(jobs: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("lasso"), "").unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let job = |(name, rest): &(&str, &str)| {
        format!("[[job]]\nrun = \"{} fit --out {}\"\n{rest}\n", at("lasso"), at(name))
    };
    fs::write(folder.path().join("jobs.toml"), jobs.iter().map(job).collect::<String>()).unwrap();
    folder
}

/// Parses a command line, in which `@` is the folder.
fn verb(folder: &Path, line: &str) -> Verb {
    let at = format!("{}/", folder.display());
    let words = line.split(' ').map(|word| word.replace('@', &at));
    Verb::try_parse_from(std::iter::once("pool".to_owned()).chain(words)).unwrap()
}

fn run(folder: &Path, line: &str) -> Result<ExitStatus, Error> {
    let Verb::Run(options) = verb(folder, line) else { panic!("{line}") };
    let queue = folder.join("pool/queue").is_dir().then(|| Queue::of(&folder.join("pool")).unwrap());
    OpenPool::open(&options, 0.0)?.carry(&mut Two { queue, ..Two::default() })
}

fn visited(folder: &Path, line: &str) -> Result<ExitStatus, Error> {
    match verb(folder, line) {
        Verb::Add(options) => visit::add(&options),
        Verb::Cancel(options) => visit::cancel(&options),
        Verb::Status(options) => status::status(&options),
        Verb::Profile(options) => profile::profile(&options),
        _ => panic!("{line}"),
    }
}

fn json(folder: &Path, name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.join("pool").join(name)).unwrap()).unwrap()
}

const COUNTED: &str =
    "run @jobs.toml --out @pool --workers 4 --clock counted --seconds-per-cost 1 --quiet --policy";

#[test]
fn a_pool_leaves_files_that_say_what_came_of_it() {
    let folder = folder(&[("a", ""), ("b", ""), ("bad", "after = [\"a\"]")]);
    let folder = folder.path();
    assert_eq!(run(folder, &format!("{COUNTED} drf")).unwrap(), ExitStatus::Failed);
    let (begun, report, summary) =
        (json(folder, "run.json"), json(folder, "report.json"), json(folder, "summary.json"));
    assert_eq!((&begun["program"], &begun["verb"]), (&"pool".into(), &"run".into()));
    assert_eq!((&begun["ended"]["ending"], &begun["ended"]["status"]), (&"failed".into(), &1.into()));
    assert!(begun["ended"]["said"].as_str().unwrap().contains("bad: exit status 2: no such file"));
    assert_eq!((&report["results"]["done"], &report["results"]["failed"]), (&2.into(), &1.into()));
    // Two epochs of cost 8 with 2 of 4 workers each, where 40 % is serial.
    assert_eq!(report["results"]["mean_completion"], 11.2);
    let pictures = summary["pictures"].as_array().unwrap();
    let workers = pictures[0]["series"].as_array().unwrap();
    let names: Vec<&str> = workers.iter().map(|series| series["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "b", "bad"]);
    // The bar of b lies on that of a.
    assert_eq!((&workers[1]["low"][0], &workers[1]["high"][0]), (&2.0.into(), &4.0.into()));
    assert_eq!((pictures.len(), summary["tables"].as_array().unwrap().len()), (1, 1));
    // The pool is over already when it is run again.
    assert_eq!(run(folder, "run --out @pool --quiet").unwrap(), ExitStatus::Failed);
    assert_eq!(json(folder, "report.json"), report);
    assert_eq!(visited(folder, "status @pool").unwrap(), ExitStatus::Done);
}

#[test]
fn a_second_pool_on_the_folder_is_refused_with_the_process_of_the_first() {
    let folder = folder(&[("a", "")]);
    let folder = folder.path();
    let Verb::Run(options) = verb(folder, &format!("{COUNTED} greedy")) else { panic!() };
    let first = OpenPool::open(&options, 0.0).unwrap();
    let error = OpenPool::open(&options, 0.0).err().unwrap().to_string();
    assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
    drop(first);
    assert!(OpenPool::open(&options, 0.0).is_ok());
}

#[test]
fn a_pool_goes_on_with_its_own_settings_and_with_jobs_that_are_new() {
    let folder = folder(&[("a", "")]);
    let folder = folder.path();
    assert_eq!(run(folder, &format!("{COUNTED} greedy")).unwrap(), ExitStatus::Done);
    for (line, words) in [
        ("run --out @pool --workers 3", "--workers: the pool"),
        ("run --out @pool --policy fifo", "--policy: the pool"),
        ("run --out @pool --clock wall", "--clock: the pool"),
        ("run --out @none", "there is no pool to resume"),
        ("run @jobs.toml --out @new --workers 0", "--workers 0: choose 1 to"),
        ("run @jobs.toml --out @new --policy gredy", "choose from greedy, drf, fifo, pdors"),
        ("run @jobs.toml --out @new --policy fifo --knowledge none", "--knowledge has no effect"),
        ("run @jobs.toml --out @new --policy fifo --floor 0", "--floor has no effect"),
        ("run @jobs.toml --out @new --policy pdors --floor 2", "--floor 2: choose a share from 0 to 1"),
        ("run @jobs.toml --out @new --policy ones", "use `greedy`, which ends the same jobs sooner"),
        ("run @jobs.toml --out @new --seconds-per-cost 3", "--seconds-per-cost has no effect"),
        ("run @jobs.toml --out @new --policy fifo --slot 3", "--slot has no effect"),
        ("run @jobs.toml --out @new --policy pdors --slot 3 --rescale 4", "--rescale 4: choose 0 or more"),
        ("run @none.toml --out @new", "give a file of jobs"),
    ] {
        let error = run(folder, line).unwrap_err();
        assert!(error.to_string().contains(words), "{line}: {error}");
        assert!(!folder.join("new").exists() && !folder.join("none").exists(), "{line}");
    }
    let more = fs::read_to_string(folder.join("jobs.toml")).unwrap();
    fs::write(folder.join("jobs.toml"), format!("{more}{}", more.replace("/a\"", "/b\""))).unwrap();
    assert_eq!(run(folder, &format!("{COUNTED} greedy")).unwrap(), ExitStatus::Done);
    let report = json(folder, "report.json");
    assert_eq!(report["results"]["done"], 2);
    assert_eq!(report["results"]["jobs"][1]["arrived"], report["results"]["jobs"][0]["ended"]);
}

#[test]
fn jobs_are_added_and_cancelled_through_the_folder() {
    let folder = folder(&[("a", ""), ("b", "")]);
    let folder = folder.path();
    let Verb::Run(options) = verb(folder, &format!("{COUNTED} greedy")) else { panic!() };
    drop(OpenPool::open(&options, 0.0).unwrap());
    visited(folder, "add @pool --quiet -- @lasso fit --out @c").unwrap();
    visited(folder, "add @pool --quiet --after c --name d -- @lasso fit --out @x").unwrap();
    for (line, words) in [
        ("add @pool -- @lasso fit --out @c", "another of this name"),
        ("add @pool --name e -- @lasso fit --out @c", "job c has the same --out"),
        ("add @pool --after z -- @lasso fit --out @z2", "no such job"),
        ("add @pool --most 5 -- @lasso fit --out @e", "above the 4 workers"),
        ("add @pool -- @lasso fit", "no --out"),
        ("add @pool -- nothing-of-this-name fit", "no program"),
        ("add @none -- @lasso fit --out @e", "no pool: give"),
        ("cancel @pool z", "its jobs are c, d"),
        ("status @none", "no pool: give"),
    ] {
        let error = visited(folder, line).unwrap_err();
        assert!(error.to_string().contains(words), "{line}: {error}");
    }
    visited(folder, "cancel @pool --quiet d").unwrap();
    assert_eq!(run(folder, &format!("{COUNTED} greedy")).unwrap(), ExitStatus::Done);
    let report = json(folder, "report.json");
    let ends: Vec<(&str, &str)> = report["results"]["jobs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|job| (job["name"].as_str().unwrap(), job["state"].as_str().unwrap()))
        .collect();
    assert_eq!(ends, [("a", "done"), ("b", "done"), ("c", "done"), ("d", "cancelled")]);
    let error = visited(folder, "cancel @pool a").unwrap_err();
    assert!(error.to_string().contains("it is over"), "{error}");
}

#[test]
fn what_cannot_be_promised_is_refused_when_it_is_added() {
    let folder = folder(&[("a", "value = 5")]);
    let folder = folder.path();
    let profiles = "[[job]]\nname = \"a\"\nepochs = 100.0\nspeeds = [[1, 1.0]]\n[[job]]\nname = \"b\"\nepochs = 100.0\nspeeds = [[1, 1.0]]\n";
    fs::write(folder.join("profiles.toml"), profiles).unwrap();
    let line = "run @jobs.toml --out @pool --workers 1 --policy pdors --profiles @profiles.toml --quiet";
    let Verb::Run(options) = verb(folder, line) else { panic!() };
    drop(OpenPool::open(&options, 0.0).unwrap());
    let add = |deadline: u32| {
        let rest =
            format!("--value 5 --deadline {deadline}s --profiles @profiles.toml -- @lasso fit --out @b");
        visited(folder, &format!("add @pool --quiet {rest}"))
    };
    let error = add(60).unwrap_err().to_string();
    assert!(error.contains("the earliest end that could be promised is"), "{error}");
    assert_eq!(add(600).unwrap(), ExitStatus::Done);
    let error = visited(folder, "add @pool --value 5 -- @lasso fit --out @c").unwrap_err().to_string();
    assert!(error.contains("its length is unknown"), "{error}");
}

#[test]
fn a_profile_is_read_again_as_it_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let report = r#"{"epochs": 20, "seconds": {"read": 1.5, "prepare": 0.5}, "profile":
        {"1": {"seconds_per_epoch": 2.0, "progress": null}, "4": {"seconds_per_epoch": 0.5, "progress": 0.1}}}"#;
    for run in ["mf64", "empty"] {
        fs::create_dir(folder.join(run)).unwrap();
        let text = if run == "empty" { "{\"epochs\": 0}" } else { report };
        fs::write(folder.join(run).join("report.json"), text).unwrap();
    }
    assert_eq!(visited(folder, "profile @mf64").unwrap(), ExitStatus::Done);
    let profile = profile::of_run(&folder.join("mf64")).unwrap();
    let read: crate::policy::Profiles = toml::from_str(&profile::text(&profile).unwrap()).unwrap();
    assert_eq!(read.jobs, std::slice::from_ref(&profile));
    assert_eq!((profile.epochs, profile.start), (20.0, 2.0));
    assert_eq!(profile.speeds, [(1, 0.5), (4, 2.0)]);
    for (line, words) in [
        ("profile @empty", "no seconds of an epoch"),
        ("profile @none", "give the --out folder of a run that has ended"),
        ("profile @mf64 @mf64", "two runs"),
    ] {
        let error = visited(folder, line).unwrap_err();
        assert!(error.to_string().contains(words), "{line}: {error}");
    }
}

#[test]
fn the_profiles_of_a_pool_are_those_of_its_jobs_that_are_done_by_its_clock() {
    let folder = folder(&[("a", ""), ("b", ""), ("bad", "after = [\"a\"]")]);
    let folder = folder.path();
    assert_eq!(run(folder, &format!("{COUNTED} drf")).unwrap(), ExitStatus::Failed);
    assert_eq!(visited(folder, "profile @pool").unwrap(), ExitStatus::Done);
    let path = folder.join("pool");
    let opened = Journal::read(&path).unwrap().unwrap();
    let profiles = profile::of_pool(&path, &opened.replay.pool).unwrap();
    // Epochs of cost 8 with 2 of 4 workers each, where 40 % is serial.
    let told: Vec<_> = profiles.iter().map(|of| (of.name.as_str(), of.epochs)).collect();
    assert_eq!(told, [("a", 2.0), ("b", 2.0)]);
    for profile in &profiles {
        let [(2, speed)] = profile.speeds[..] else { panic!("{profile:?}") };
        assert!((speed - 1.0 / 5.6).abs() < 1e-9, "{speed}");
    }
    let error = visited(folder, "profile @pool @pool").unwrap_err();
    assert!(error.to_string().contains("two runs have the name a"), "{error}");
}
