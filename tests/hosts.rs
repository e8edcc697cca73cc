//! One line on several machines: `raddle launch --hosts` by a stand-in for ssh, which runs the command here.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use raddle_common::testing::pairs;

use crate::commands::{built_from_other_sources, ends, pause, run};
use crate::launched::{Launched, WATCHDOG, alone, is_alive, report, signal, slow};

/// A stand-in for ssh, whose first argument is the host: some cannot be reached, lack the program, or have
/// another build. Like ssh it ends with 255 where what it runs is killed. A host with a file of its name is
/// off as long as that is there.
const SSH: &str = r#"#!/bin/sh
host=$1
shift
if [ -e "off-$host" ]; then echo "ssh: connect to host $host port 22: No route to host" >&2; exit 255; fi
case $host in
hung) exec sleep 1000 ;;
far) echo "ssh: connect to host far port 22: No route to host" >&2; exit 255 ;;
locked) echo "me@locked: Permission denied (publickey,password)." >&2; exit 255 ;;
bare) exec sh -c "$(echo "$*" | sed "s#exec '[^']*'#exec /nowhere/raddle#")" ;;
other) exec sh -c "$(echo "$*" | sed "s#exec '[^']*'#exec '$PWD/bin/raddle'#")" ;;
esac
echo $$ >> "ssh-of-$host"
sh -c "$*" && exit 0
status=$?
[ $status -gt 128 ] && exit 255
exit $status
"#;

/// A fit of each program.
const LINES: [&str; 4] = [
    "lasso fit synth:groups:n=200,p=300,s=20 --schedule cyclic --shards 6 --epochs 20",
    "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 8 --shards 6",
    "lda fit --topics 8 --epochs 12 --shards 6",
    "linear fit diabetes --loss hinge --C 0.01 --parts 4 --epochs 6 --shards 8",
];

/// Writes the stand-in, and the file of hosts.
fn prepare(folder: &Path, hosts: &str) {
    fs::write(folder.join("ssh-here"), SSH).unwrap();
    fs::set_permissions(folder.join("ssh-here"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.join("hosts"), hosts).unwrap();
}

fn launch(line: &str, more: &str) -> String {
    format!("raddle launch --hosts hosts --ssh ./ssh-here --balance off {more} -- {line} --out run --force")
}

#[test]
fn one_line_on_three_machines_leaves_the_model_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let there = folder.display();
    prepare(folder, &format!("# two more\none 1\ntwo 2 {there}  # as many as there are here, and one\n"));
    for (line, more) in pairs(LINES, ["", "--encrypt", "--workers 2", "--processes 2"]) {
        let (expected, status) = alone(folder, line);
        let ran = run(folder, &launch(line, more));
        assert_eq!(ran.code, status, "{line}: {}", ran.err);
        let report = report(&folder.join("run"));
        assert_eq!(report["model_digest"], expected.as_str(), "{line}");
        // From the first epoch on.
        let generations = report["generations"].as_array().unwrap();
        let (processes, workers) = match more {
            "--workers 2" => (3, 5),
            "--processes 2" => (4, 5),
            _ => (3, 4),
        };
        let first = &generations[0];
        assert_eq!(
            (&first["processes"], &first["workers"]),
            (&processes.into(), &workers.into()),
            "{line} {more}"
        );
    }
}

/// Processes whose folder is this one.
fn there(folder: &Path) -> Vec<String> {
    let folder = fs::canonicalize(folder).unwrap();
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let here = all.filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder));
    let names = here.map(|process| process.file_name().unwrap().to_str().unwrap().to_owned());
    names.filter(|process| is_alive(process)).collect()
}

/// The usual deadline, within which nothing of a run is left, and the longest time for it on a machine that
/// does other things, too.
const DEADLINE: Duration = Duration::from_secs(10);
const LEFT: Duration = Duration::from_secs(30);

#[test]
fn ctrl_c_and_a_killed_launcher_leave_nobody_anywhere() {
    for (how, code) in [("-INT", Some(130)), ("-KILL", None)] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        prepare(folder, "one 1\ntwo 1\n");
        slow(folder, 20);
        let line = "lda fit --topics 8 --epochs 100000 --shards 4 --slowdown slow";
        let mut launched = Launched::begin(folder, &launch(line, ""));
        launched.await_epoch(1);
        assert_eq!(launched.await_members(3), [0, 1, 2]);
        // The launcher, its process, and for each host raddle join and its process.
        assert!(there(folder).len() >= 6, "{:?}", there(folder));
        signal(&launched.launcher.id().to_string(), how);
        let (ended, said) = launched.end();
        assert_eq!(ended, code, "{said}");
        let since = Instant::now();
        while !there(folder).is_empty() {
            assert!(since.elapsed() < LEFT, "{how}: {:?} are left", there(folder));
            pause();
        }
    }
}

#[test]
fn a_host_that_cannot_take_part_is_told_by_name_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("elsewhere")).unwrap();
    built_from_other_sources(&folder.join("bin"), "lasso");
    let table = |times: usize| {
        let row = |at: usize| format!("{},{},{}\n", at * 7 % 40, at * 11 % 17, times * at % 23);
        format!("a,b,y\n{}", (0..60).map(row).collect::<String>())
    };
    fs::write(folder.join("table.csv"), table(3)).unwrap();
    let line = "lasso fit table.csv --y y --ratio 3 --shards 3";
    let elsewhere = folder.join("elsewhere");
    let missing = format!("missing 1 {}\n", elsewhere.display());
    for (hosts, code, told) in [
        ("near 1\nfar 1\n", 1, &["far: it cannot be reached", "No route to host", "not tried again"][..]),
        ("locked 1\n", 2, &["locked: it asks for a password", "Permission denied"]),
        ("near 1 /nowhere\n", 2, &["near: it has no such folder"]),
        ("bare 1\n", 2, &["bare: raddle is not there: install the same build"]),
        ("other 1\n", 2, &["other: it has another build"]),
        (missing.as_str(), 2, &["missing: ", "table.csv"]),
        ("one 1\none 2\n", 2, &["hosts:2: one is in line 1 already"]),
        ("one\n", 2, &["hosts:1: one: give its number of workers"]),
        ("# none\n", 2, &["hosts: it names no host"]),
    ] {
        prepare(folder, hosts);
        let said = ends(folder, &launch(line, "--wait 2"), code).err;
        assert!(told.iter().all(|told| said.contains(told)), "{hosts}: {said}");
    }
    // Where the data are other ones.
    fs::write(elsewhere.join("table.csv"), table(5)).unwrap();
    fs::create_dir(elsewhere.join("run")).unwrap();
    prepare(folder, &missing.replace("missing", "stale"));
    let said = ends(folder, &launch(line, ""), 2).err;
    assert!(said.contains("stale: ") && said.contains("other data"), "{said}");
    prepare(folder, "near 1\n");
    let said = ends(folder, &launch(line, "").replace("./ssh-here", "./no-ssh"), 2).err;
    assert!(said.contains("--ssh ./no-ssh"), "{said}");
    let said = ends(folder, &launch(line, "--wait-for 4 --wait 1"), 1).err;
    assert!(said.contains("--wait-for 4: 2 of them are there after 1 s"), "{said}");
    // A lasting cause of one of more than are waited for is told, and the run begins.
    prepare(folder, "near 1\nlocked 1\n");
    let ran = run(folder, &launch(line, "--wait-for 2"));
    assert!(
        matches!(ran.code, Some(0 | 3)) && ran.err.contains("locked: it asks for a password"),
        "{}",
        ran.err
    );
}

/// A machine that is off at the beginning and comes later, and one whose ssh, or whose process, is killed:
/// the run goes on with it, and the bytes are those of one process.
#[test]
fn a_machine_that_is_off_or_lost_is_tried_again() {
    let line = "lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 200 --tol \
                1e-15 --slowdown slow";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder, "one 1\ntwo 1\n");
    fs::write(folder.join("off-two"), "").unwrap();
    slow(folder, 1);
    let (expected, status) = alone(folder, line);
    slow(folder, 200);
    let mut launched = Launched::begin(folder, &launch(line, "--wait-for 2 --wait 60"));
    launched.await_line(
        "two: it cannot be reached: ssh: connect to host two port 22: No route to host: tried again in 1 s",
    );
    fs::remove_file(folder.join("off-two")).unwrap();
    launched.await_members(3);
    // The ssh of one is killed: the command that it runs loses its input, and leaves.
    let ssh = fs::read_to_string(folder.join("ssh-of-one")).unwrap();
    signal(ssh.lines().last().unwrap(), "-KILL");
    launched.await_line("one: its raddle join was killed, or the connection to it broke");
    let again = |count: usize| {
        let since = Instant::now();
        while fs::read_to_string(folder.join("ssh-of-one")).unwrap().lines().count() < count {
            assert!(since.elapsed() < WATCHDOG, "it is not started again");
            pause();
        }
    };
    again(2);
    launched.await_members(3);
    slow(folder, 1);
    let place = launched.run.clone();
    let (code, said) = launched.end();
    assert_eq!(code, status, "{said}");
    assert_eq!(report(&place)["model_digest"], expected.as_str(), "{said}");
}

/// Neither Ctrl-C nor the death of the launcher leaves an ssh behind that hangs, as over a network that is
/// gone.
#[test]
fn an_ssh_that_hangs_holds_up_nobody_and_outlives_no_launcher() {
    for (how, code) in [("-INT", Some(130)), ("-KILL", None)] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        prepare(folder, "hung 1\n");
        let launched = Launched::begin(folder, &launch(LINES[2], "--deadline 10"));
        while there(folder).len() < 4 {
            pause();
        }
        let since = Instant::now();
        signal(&launched.launcher.id().to_string(), how);
        let (ended, said) = launched.end();
        let at_once = since.elapsed() < DEADLINE;
        // Of a launcher that is killed this is the end of its process, too.
        assert!(at_once || how == "-KILL", "{how}: {:?}: {said}", since.elapsed());
        assert_eq!(ended, code, "{said}");
        assert_eq!(code == Some(130), said.contains("the run has not started, and ends at once"), "{said}");
        while !there(folder).is_empty() {
            assert!(since.elapsed() < LEFT, "{how}: {:?} are left", there(folder));
            pause();
        }
    }
}
