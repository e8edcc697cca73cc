//! Processes that are cut off, stopped or lost on another machine: the run goes on without them, and ends
//! with the bytes of an undisturbed one. "Another machine" is `raddle join`, whose processes the launcher
//! cannot end.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::commands::{command, ends, number};
use crate::launched::{
    Joined, Launched, Proxy, alone, coordinator, digest, free_port, launch, report, signal, slow,
};

const LINE: &str = "lda fit --topics 8 --epochs 40 --shards 4";
/// Limit of the time from a fault to the next generation: with a deadline of 3 s it takes 5 s on an idle
/// machine, and tests run at the same time.
const SOON: Duration = Duration::from_secs(30);

/// A launched run of one process, in which nothing ends soon, with a checkpoint after so many epochs.
fn begin(folder: &Path, every: u64) -> Launched {
    slow(folder, 400);
    let line = launch(1, &format!("{LINE} --checkpoint-every {every}"));
    let mut run = Launched::begin(folder, &line.replace("launch", "launch --deadline 3 --balance off"));
    run.await_epoch(1);
    run
}

/// A process of another machine, which reaches the run there.
fn join(folder: &Path, at: SocketAddr, more: &str) -> Joined {
    Joined::begin(folder, &format!("raddle join {at} --token-file run/token --deadline 60 {more}"))
}

/// Checks that a fault ends the generation and the run goes on to its end, fast from then on; returns its
/// stderr.
fn goes_on(mut run: Launched, folder: &Path, expected: &str, what: &str, happens: impl FnOnce()) -> String {
    slow(folder, 1);
    happens();
    let since = Instant::now();
    run.await_line(what);
    run.await_line("has begun");
    assert!(since.elapsed() < SOON, "{:?}", since.elapsed());
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(digest(&folder.join("run")), expected, "{said}");
    said
}

/// The connection of a process on another machine with the launcher passes nothing on.
fn cut_control((forth, back): (bool, bool), what: &str) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (expected, _) = alone(folder, LINE);
    let run = begin(folder, 1);
    let proxy = Proxy::to(coordinator(&run.run));
    let _joined = join(folder, proxy.address, "");
    assert_eq!(run.await_members(2), [0, 1]);
    let said = goes_on(run, folder, &expected, what, || assert!(proxy.cut(forth, back) > 0));
    assert!(said.contains("the run continues from its last checkpoint"), "{said}");
}

/// The connection between two processes passes nothing on, while both reach the launcher.
fn cut_link(forth: bool, back: bool) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (expected, _) = alone(folder, LINE);
    let mut run = begin(folder, 10);
    let at = coordinator(&run.run);
    let inside = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let proxy = Proxy::to(inside);
    // The end that is dialled, then the end that dials.
    let _called = join(folder, at, &format!("--listen {inside} --advertise {}", proxy.address));
    assert_eq!(run.await_members(2), [0, 1]);
    let _caller = join(folder, at, "");
    assert_eq!(run.await_members(3), [0, 1, 2]);
    // They are connected, and the generation runs: at a checkpoint the next one begins, with a connection of
    // its own.
    proxy.await_connection();
    run.await_epoch(run.epochs());
    while !(2..7).contains(&(run.epochs() % 10)) {
        run.await_epoch(run.epochs());
    }
    let said = goes_on(run, folder, &expected, "it has sent nothing for 3 s", || {
        assert!(proxy.cut(forth, back) > 0, "nobody goes by what is advertised");
    });
    // The end that receives nothing reports the other one.
    let (one, other) = if forth { (1, 2) } else { (2, 1) };
    let told = format!("process {one}: process {other} is lost: it has sent nothing for 3 s");
    assert!(said.contains(&told), "{said}");
}

#[test]
fn a_process_that_is_not_heard_by_the_launcher_is_lost() {
    cut_control((true, false), "process 1 has sent nothing for 3 s");
}

#[test]
fn a_process_that_does_not_hear_the_launcher_ends() {
    cut_control((false, true), "process 1 is gone");
}

#[test]
fn a_link_between_processes_that_is_cut_in_one_direction_is_a_loss() {
    cut_link(true, false);
}

#[test]
fn a_link_between_processes_that_is_cut_in_the_other_direction_is_a_loss() {
    cut_link(false, true);
}

/// All files of a folder that are read: those of a checkpoint without a manifest are not.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let is_part = path.file_name().unwrap().to_str().unwrap().starts_with("part.");
            match path.is_dir() {
                true => folders.push(path),
                false if is_part && !folder.join("manifest").exists() => {}
                false => drop(found.insert(path.clone(), fs::read(path).unwrap())),
            }
        }
    }
    found
}

#[test]
fn a_process_that_was_stopped_ends_once_it_goes_on_and_changes_nothing_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (expected, _) = alone(folder, LINE);
    let mut run = begin(folder, 1);
    let at = coordinator(&run.run);
    let mut joined = [join(folder, at, ""), join(folder, at, "")];
    run.await_members(3);
    let processes = [joined[0].process(), joined[1].process()];
    // Fast enough that the run is over before the other one goes on.
    slow(folder, 20);
    processes.iter().for_each(|process| signal(process, "-STOP"));
    let stopped = Instant::now();
    run.await_line("has sent nothing for 3 s");
    run.await_line("has begun");
    assert!(stopped.elapsed() < SOON, "{:?}", stopped.elapsed());
    // One goes on while the next generation runs, the other one when the run is over.
    signal(&processes[0], "-CONT");
    joined[0].await_line("ended with status 75, and joins again");
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(digest(&folder.join("run")), expected, "{said}");
    let before = files(&folder.join("run"));
    assert!(before.keys().any(|path| path.ends_with("manifest")), "{:?}", before.keys());
    signal(&processes[1], "-CONT");
    joined[1].await_line("ended with status 75");
    assert!(files(&folder.join("run")) == before);
}

#[test]
fn a_process_that_joined_and_was_lost_comes_back_at_a_boundary() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (expected, _) = alone(folder, LINE);
    let mut run = begin(folder, 1);
    let mut joined = join(folder, coordinator(&run.run), "");
    assert_eq!(run.await_members(2), [0, 1]);
    // Slow enough that it is there in time.
    slow(folder, 100);
    signal(&joined.process(), "-KILL");
    run.await_line("process 1 is gone");
    joined.await_line("was killed by signal 9, and joins again");
    run.await_line("has begun");
    // Numbers are given anew with each attempt.
    assert_eq!(run.await_members(2), [0, 1]);
    let place = run.run.clone();
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(digest(&place), expected, "{said}");
    let generations = report(&place)["generations"].as_array().unwrap().clone();
    assert_eq!(generations.last().unwrap()["processes"], 2, "{generations:?}");
}

/// A run of each program that takes a while where it is slowed down.
const LINES: [&str; 3] = [
    "lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 60 --tol 1e-14",
    "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 60 --shards 4",
    "lda fit --topics 8 --epochs 60 --shards 4",
];

/// The launcher is killed and started again; the process of another machine comes back by itself:
/// `RADDLE_RETURNS` times.
#[test]
fn who_has_joined_comes_back_to_a_launcher_that_is_started_again() {
    for turn in 0..number("RADDLE_RETURNS", 1) as usize {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let line = LINES[turn % LINES.len()];
        let (expected, status) = alone(folder, line);
        slow(folder, 400);
        let begun =
            launch(1, &format!("{line} --checkpoint-every 1")).replace("launch", "launch --balance off");
        let mut first = Launched::begin(folder, &begun);
        first.await_epoch(1);
        let at = coordinator(&first.run);
        // A copy of the token, as on another machine.
        fs::copy(folder.join("run/token"), folder.join("token")).unwrap();
        let mut joined = Joined::begin(folder, &format!("raddle join {at} --token-file token --deadline 60"));
        first.await_members(2);
        // Processes that begin from here on are fast.
        slow(folder, 1);
        first.launcher.kill().unwrap();
        drop(first);
        joined.await_line("ended with status 75, and joins again");
        let program = line.split(' ').next().unwrap();
        // For the Lasso, epochs are a limit: of one sitting.
        let more = if program == "lasso" { " --epochs 60" } else { "" };
        let again = "raddle launch --processes 1 --wait-for 2 --wait 60 --balance off --resume run";
        let second = Launched::begin(folder, &format!("{again} -- {program} fit --slowdown slow{more}"));
        let place = second.run.clone();
        let (code, said) = second.end();
        assert_eq!(code, status, "{line}: {said}");
        assert_eq!(digest(&place), expected, "{line}: {said}");
        // It knew the port of the first one alone.
        let report = report(&place);
        assert_eq!(report["generations"].as_array().unwrap().last().unwrap()["processes"], 2, "{report}");
        // Nobody has to find a run that is done.
        for name in ["token", "address"] {
            assert!(!place.join(name).exists(), "{name}");
        }
    }
}

#[test]
fn who_joins_may_be_there_before_the_launcher_which_may_be_given_its_token() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (expected, _) = alone(folder, LINE);
    slow(folder, 1);
    let (port, secret) = (free_port(), folder.join("secret"));
    let join = format!("raddle join 127.0.0.1:{port} --token-file secret --deadline 60 --wait 60");
    let _joined = Joined::begin(folder, &join);
    fs::write(&secret, format!("{}\n", "5a".repeat(32))).unwrap();
    let begun = launch(1, LINE).replace(
        "launch",
        &format!("launch --wait-for 2 --wait 60 --listen 127.0.0.1:{port} --token-file secret"),
    );
    // Others could read it.
    let refused = ends(folder, &begun, 2).err;
    assert!(refused.contains("secret") && refused.contains("chmod 600"), "{refused}");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let run = Launched::begin(folder, &begun);
    let place = run.run.clone();
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(digest(&place), expected);
    assert_eq!(report(&place)["generations"][0]["processes"], 2);
    fs::write(&secret, "5a5a").unwrap();
    let refused = ends(folder, &begun, 2).err;
    assert!(refused.contains("secret: it holds no token"), "{refused}");
    // Who waits for nobody is told so at once.
    fs::write(&secret, "5a".repeat(32)).unwrap();
    let refused = ends(folder, &join.replace("--wait 60", "--wait 0.2"), 2).err;
    assert!(refused.contains("no run answers"), "{refused}");
}

#[test]
fn who_joins_has_its_own_path_of_the_data_and_where_and_who_it_is_from_its_environment() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "the cat sat on the mat\na dog ate my homework and the cat\nthe dog saw the cat\n".repeat(40);
    fs::write(folder.join("texts.txt"), &text).unwrap();
    let line = "lda fit texts.txt --topics 4 --epochs 40 --shards 4 --validation none";
    let (expected, _) = alone(folder, line);
    slow(folder, 400);
    let mut run = Launched::begin(folder, &launch(1, line).replace("launch", "launch --balance off"));
    run.await_epoch(1);
    fs::rename(folder.join("texts.txt"), folder.join("mine.txt")).unwrap();
    let mut join =
        command(folder, "raddle join --token-file run/token --deadline 60 --workers 2 --data mine.txt");
    join.env("RADDLE_COORDINATOR", coordinator(&run.run).to_string()).env("RADDLE_RANK", "4");
    let _joined = Joined::of(join);
    assert_eq!(run.await_members(2), [0, 5]);
    let status: Value = serde_json::from_str(&ends(folder, "raddle status run --json", 0).out).unwrap();
    let workers: Vec<&Value> =
        status["members"].as_array().unwrap().iter().map(|one| &one["workers"]).collect();
    assert_eq!(workers, [1, 2]);
    slow(folder, 1);
    let place = run.run.clone();
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(digest(&place), expected);
    let nowhere = ends(folder, "raddle join --token-file run/token", 2).err;
    assert!(nowhere.contains("RADDLE_COORDINATOR"), "{nowhere}");
}
