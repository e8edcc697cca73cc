//! A launcher without processes of its own, as on a login node: all processes have joined, and may have been
//! there first.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::commands::{command, ends, next, number, pause, run};
use crate::launched::{
    Joined, Launched, alone, await_running, coordinator, digest, free_port, report, signal, slow,
};

/// A fit of each program.
const LINES: [&str; 4] = [
    "lasso fit synth:groups:n=200,p=300,s=20 --schedule cyclic --shards 6 --epochs 20",
    "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 8 --shards 6",
    "lda fit --topics 8 --epochs 12 --shards 6",
    "linear fit diabetes --loss hinge --C 0.01 --parts 4 --epochs 6 --shards 8",
];

/// Line of `raddle join` with the token in `secret`, at a port at which no launcher listens yet.
fn join(port: u16) -> String {
    format!("raddle join 127.0.0.1:{port} --token-file secret --deadline 60 --wait 60")
}

/// Returns the line of a launcher on this port that waits for this number of processes.
fn launch(port: u16, count: usize, line: &str) -> String {
    format!(
        "raddle launch --processes 0 --wait-for {count} --wait 60 --balance off --listen 127.0.0.1:{port} \
         --token-file secret {line}"
    )
}

fn write_secret(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let secret = folder.join("secret");
    fs::write(&secret, format!("{}\n", "5a".repeat(32))).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn three_that_were_there_first_leave_the_model_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_secret(folder);
    for line in LINES {
        let (expected, status) = alone(folder, line);
        let shown = run(folder, &format!("{line} --workers 1 --out alone --force")).out;
        let port = free_port();
        let begin = |rank: usize| -> Child {
            let mut join = command(folder, &join(port));
            join.env("RADDLE_RANK", rank.to_string()).stdout(Stdio::piped()).stderr(Stdio::piped());
            join.spawn().unwrap()
        };
        let joined = [2, 0, 1].map(begin);
        let ran = run(folder, &launch(port, 3, &format!("-- {line} --out run --force")));
        assert_eq!(ran.code, status, "{line}: {}", ran.err);
        assert_eq!(digest(&folder.join("run")), expected, "{line}");
        let report = report(&folder.join("run"));
        assert_eq!(report["generations"][0]["processes"], 3, "{line}");
        // The process that was the first shows the result, where it runs; the others show nothing.
        let said = joined.map(|join| join.wait_with_output().unwrap());
        let out: String = said.iter().map(|said| String::from_utf8_lossy(&said.stdout)).collect();
        assert_eq!(out.lines().next(), shown.lines().next(), "{line}: {said:?}");
        assert_eq!(out.lines().count(), shown.lines().count(), "{line}: {said:?}");
    }
}

/// The first process is killed, and the launcher, `RADDLE_LAUNCHER_KILLS` times, which is always started by
/// the same line.
#[test]
fn one_line_goes_on_with_those_that_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_secret(folder);
    let mut dice = number("RADDLE_KILLS_FROM", 1);
    for line in LINES {
        slow(folder, 100);
        let (expected, status) = alone(folder, line);
        let _ = fs::remove_dir_all(folder.join("run"));
        let port = free_port();
        let joined = [(); 3].map(|()| Joined::begin(folder, &join(port)));
        let begins =
            launch(port, 1, &format!("--resume-or-begin run -- {line} --slowdown slow --checkpoint-every 1"));
        for turn in 0..number("RADDLE_LAUNCHER_KILLS", 1) {
            let mut run = Launched::begin(folder, &begins);
            coordinator(&run.run);
            if turn == 0 {
                await_running(folder, 3);
                signal(&joined[0].process(), "-KILL");
            }
            let epochs = next(&mut dice) % 4;
            while run.epochs() < epochs && run.launcher.try_wait().unwrap().is_none() {
                pause();
            }
            run.launcher.kill().unwrap();
        }
        slow(folder, 1);
        let ran = run(folder, &begins);
        assert_eq!(ran.code, status, "{line}: {}", ran.err);
        assert_eq!(digest(&folder.join("run")), expected, "{line}: {}", ran.err);
    }
}

#[test]
fn a_line_that_no_process_can_begin_ends_the_launcher_with_its_status() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_secret(folder);
    let port = free_port();
    let mut joined = Joined::begin(folder, &join(port));
    let said = ends(folder, &launch(port, 1, "-- lasso fit nowhere.csv --y y --out run"), 2).err;
    assert!(said.contains("process 1 failed: nowhere.csv: cannot read"), "{said}");
    joined.await_line("nowhere.csv");
    // Nobody comes.
    let line = launch(free_port(), 1, "-- lda fit --out run").replace("--wait 60", "--wait 1");
    let said = ends(folder, &line, 1).err;
    assert!(said.contains("--wait-for 1: 0 of them are there after 1 s"), "{said}");
}
