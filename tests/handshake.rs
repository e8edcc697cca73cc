//! Tests of obstacles between a process and its run: strangers, networks that go, launchers that stop,
//! signals while it starts; and of the messages about them. Counts and seconds of the long forms are in
//! `tests/README.md`.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use raddle::cluster::{AdminClient, Invitation};
use serde_json::Value;

use crate::commands::{binary, built_from_other_sources, command, ends, next, number, pause};
use crate::launched::{
    Joined, Launched, WATCHDOG, alone, coordinator, digest, is_alive, launch, report, signal, slow,
};

/// A fit of a few small documents, which takes a while where it is slowed down.
const LINE: &str = "lda fit texts.txt --topics 4 --epochs 40 --shards 4 --validation none";

/// A fit of each program, which lasts as long.
const FITS: [&str; 3] = [
    LINE,
    "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 40 --shards 4 --validation none",
    "lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 40 --tol 1e-15",
];

/// Runs a test of a fault on the fit of one program, or with `RADDLE_EVERY_PROGRAM=1` on all of them: each in
/// a folder of its own, with tasks that take `slower` times as long.
fn on_fits(one: usize, slower: u64, test: impl Fn(&Path, &str)) {
    let every = number("RADDLE_EVERY_PROGRAM", 0) == 1;
    for (of, fit) in FITS.into_iter().enumerate() {
        if every || of == one {
            println!("{fit}");
            let folder = tempfile::tempdir().unwrap();
            texts(folder.path(), slower);
            test(folder.path(), fit);
        }
    }
}

/// Writes the documents, and the factor by which every epoch is slowed down.
fn texts(folder: &Path, slower: u64) {
    let words =
        "the cat sat mat dog ate homework saw house tree river green blue quick slow paper ink pen code wire";
    let words: Vec<&str> = words.split(' ').collect();
    let mut state = 7;
    let mut document =
        |_| (0..12).map(|_| words[next(&mut state) as usize % words.len()]).collect::<Vec<_>>().join(" ");
    let documents: Vec<String> = (0..60).map(&mut document).collect();
    fs::write(folder.join("texts.txt"), documents.join("\n")).unwrap();
    slow(folder, slower);
}

/// Does something again and again, as often as it can, until it is dropped.
struct Meanwhile {
    over: Arc<AtomicBool>,
    count: Arc<AtomicU64>,
    threads: Vec<thread::JoinHandle<()>>,
}

impl Meanwhile {
    fn of(threads: usize, work: impl Fn() + Clone + Send + 'static) -> Self {
        let (over, count): (Arc<AtomicBool>, Arc<AtomicU64>) = Default::default();
        let one = |_| {
            let (work, over, count) = (work.clone(), Arc::clone(&over), Arc::clone(&count));
            thread::spawn(move || {
                while !over.load(Ordering::Acquire) {
                    work();
                    count.fetch_add(1, Ordering::AcqRel);
                }
            })
        };
        let threads = (0..threads).map(one).collect();
        Self { over, count, threads }
    }

    /// Connections that send nothing, made again as they are closed.
    fn strangers(at: SocketAddr, count: usize) -> Self {
        let connect = move || {
            let socket = TcpStream::connect_timeout(&at, Duration::from_secs(1)).ok()?;
            socket.set_nonblocking(true).ok()?;
            Some(socket)
        };
        let sockets: Vec<Option<TcpStream>> = (0..count).map(|_| connect()).collect();
        let sockets = Arc::new(std::sync::Mutex::new(sockets));
        Self::of(1, move || {
            for socket in sockets.lock().unwrap().iter_mut() {
                let is_open = |mut socket: &TcpStream| matches!(socket.read(&mut [0]), Err(why) if why.kind() == ErrorKind::WouldBlock);
                if !socket.as_ref().is_some_and(is_open) {
                    *socket = connect();
                }
            }
        })
    }

    /// Requests for the status of a run.
    fn polls(run: &Path) -> Self {
        let admin = AdminClient::new(Invitation::read(&run.join("coordinator")).unwrap());
        // The answers do not matter here.
        Self::of(2, move || drop(admin.status()))
    }
}

impl Drop for Meanwhile {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        self.threads.drain(..).for_each(|thread| thread.join().unwrap());
    }
}

#[test]
fn strangers_keep_no_process_out_and_the_status_is_answered() {
    // Many are a while to connect, and the run is to outlast them.
    let most = number("RADDLE_STRANGERS", 150);
    on_fits(0, 800 * most.div_ceil(300), |folder, fit| {
        let (expected, status) = alone(folder, fit);
        for count in [130, most as usize] {
            let _ = fs::remove_dir_all(folder.join("run"));
            // The slow process keeps its shards, so that the run outlasts the requests.
            let line =
                launch(3, &format!("{fit} --checkpoint-every 5")).replace("launch ", "launch --balance off ");
            let mut run = Launched::begin(folder, &line);
            run.await_epoch(3);
            let strangers = Meanwhile::strangers(coordinator(&run.run), count);
            ends(folder, "raddle status run", 0);
            signal(&run.processes()[2], "-KILL");
            run.await_line("has begun");
            ends(folder, "raddle status run --json", 0);
            drop(strangers);
            let place = run.run.clone();
            let (code, said) = run.end();
            assert_eq!(code, status, "{count} strangers: {said}");
            assert_eq!(digest(&place), expected, "{count} strangers");
        }
    });
}

/// A process that is stopped is noticed while others ask for the status without a pause.
#[test]
fn polls_without_a_pause_hide_no_process_that_is_stopped() {
    on_fits(1, 300, |folder, fit| {
        let (expected, status) = alone(folder, fit);
        let line = launch(2, &format!("{fit} --checkpoint-every 5")).replace("launch", "launch --deadline 3");
        let mut run = Launched::begin(folder, &line);
        run.await_epoch(3);
        let polls = Meanwhile::polls(&run.run);
        signal(&run.processes()[1], "-STOP");
        let stopped = Instant::now();
        run.await_line("process 1 has sent nothing for 3 s");
        println!(
            "noticed after {:.2} s, {} polls",
            stopped.elapsed().as_secs_f64(),
            polls.count.load(Ordering::Acquire)
        );
        assert!(polls.count.load(Ordering::Acquire) > 100, "nobody has polled");
        run.await_line("has begun");
        drop(polls);
        let place = run.run.clone();
        assert_eq!(run.end().0, status);
        assert_eq!(digest(&place), expected);
    });
}

/// The launcher does nothing for longer than a handshake over the network may take.
#[test]
fn a_launcher_that_is_stopped_while_processes_start_goes_on() {
    on_fits(2, 1, |folder, fit| {
        let (expected, status) = alone(folder, fit);
        let mut dice = number("RADDLE_STOPS_FROM", 1);
        for stop in 0..number("RADDLE_STOPS", 1) {
            let run = Launched::begin(folder, &launch(3, fit));
            let launcher = run.launcher.id().to_string();
            // At the first process, and then anywhere.
            while stop == 0 && run.processes().is_empty() {
                pause();
            }
            thread::sleep(Duration::from_millis(if stop == 0 { 0 } else { next(&mut dice) % 100 }));
            signal(&launcher, "-STOP");
            thread::sleep(Duration::from_millis(5500 + next(&mut dice) % 2000));
            signal(&launcher, "-CONT");
            let place = run.run.clone();
            let (code, said) = run.end();
            assert_eq!(code, status, "stop {stop}: {said}");
            assert_eq!(digest(&place), expected, "stop {stop}");
        }
    });
}

/// In a network of its own, which goes and comes back: needs the right to make one.
#[test]
fn a_network_that_is_gone_for_a_while_costs_a_loss_at_most() {
    let may =
        Command::new("unshare").args(["-n", "ip", "link", "set", "lo", "up"]).stderr(Stdio::null()).status();
    if !may.is_ok_and(|status| status.success()) {
        println!("skipped: no network can be made here");
        return;
    }
    on_fits(0, 300, |folder, fit| {
        let (expected, status) = alone(folder, fit);
        let seconds = std::env::var("RADDLE_NETWORK_SECONDS").unwrap_or_else(|_| "4".into());
        for seconds in seconds.split(',').map(|seconds| seconds.parse::<f64>().unwrap()) {
            let _ = fs::remove_dir_all(folder.join("run"));
            let line = launch(3, &format!("{fit} --checkpoint-every 5"));
            let line = line.replace("raddle launch", "launch --deadline 2");
            let inside = format!("ip link set lo up && exec {} {line}", binary("raddle").display());
            let mut command = Command::new("unshare");
            command.args(["-n", "sh", "-c", &inside]).current_dir(folder);
            let mut run = Launched::of(folder, command);
            run.await_epoch(3);
            let network = |state: &str| {
                let inside = run.launcher.id().to_string();
                let ran = Command::new("nsenter")
                    .args(["-t", &inside, "-n", "ip", "link", "set", "lo", state])
                    .status();
                assert!(ran.unwrap().success());
            };
            network("down");
            thread::sleep(Duration::from_secs_f64(seconds));
            network("up");
            let place = run.run.clone();
            let (code, said) = run.end();
            assert_eq!(code, status, "gone for {seconds} s: {said}");
            assert_eq!(digest(&place), expected, "gone for {seconds} s");
        }
    });
}

/// A machine that swaps, or moves: its process is stopped while it makes its data, and runs on behind the
/// deadline.
#[test]
fn a_joiner_that_is_stopped_before_it_has_joined_knocks_again() {
    const FIT: &str = "mf fit synth:ratings:users=3000,items=1000,n=600000 --rank 4 --epochs 2 --shards 4 \
                       --validation none";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    slow(folder, 1);
    let (expected, status) = alone(folder, FIT);
    let line = launch(1, FIT).replace("launch", "launch --deadline 2 --wait-for 2 --wait 50");
    let mut run = Launched::begin(folder, &line);
    let at = coordinator(&run.run);
    let mut joined = Joined::begin(folder, &format!("raddle join {at} --token-file run/token"));
    let process = joined.process();
    let admin = AdminClient::new(Invitation::read(&run.run.join("coordinator")).unwrap());
    // It has connected, and makes its data.
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < WATCHDOG, "it never connects");
        let members = admin.status().map(|status| status.members).unwrap_or_default();
        if let Some(member) =
            members.iter().find(|member| member.process == 1 && member.peak_memory_bytes > 0)
        {
            assert_eq!(member.state, "preparing");
            break;
        }
    }
    signal(&process, "-STOP");
    run.await_line("before it joined");
    signal(&process, "-CONT");
    joined.await_line("joins again");
    let place = run.run.clone();
    let (code, said) = run.end();
    assert_eq!(code, status, "{said}");
    assert_eq!(digest(&place), expected);
    assert_eq!(report(&place)["generations"][0]["processes"], 2, "{said}");
}

/// SIGTERM reaches a process before its handler is there, during its handshake, while it reads, and when the
/// run has begun.
#[test]
fn a_process_that_is_asked_to_leave_while_it_starts_ends_no_run() {
    on_fits(1, 1, |folder, fit| {
        let (expected, status) = alone(folder, fit);
        let mut dice = number("RADDLE_TERMS_FROM", 1);
        for term in 0..number("RADDLE_TERMS", 2) {
            let whom = (term % 3) as usize;
            let run = Launched::begin(folder, &launch(3, fit));
            while run.processes().len() <= whom {
                pause();
            }
            let process = run.processes()[whom].clone();
            // At once, then at any moment of a start.
            thread::sleep(Duration::from_millis(if term < 3 { 0 } else { next(&mut dice) % 200 }));
            // It may have ended by now.
            let _ = Command::new("kill").args(["-TERM", &process]).stderr(Stdio::null()).status();
            let place = run.run.clone();
            let (code, said) = run.end();
            assert_eq!(code, status, "process {whom}: {said}");
            assert_eq!(digest(&place), expected, "process {whom}: {said}");
        }
    });
}

/// The status of a run.
fn status(folder: &Path) -> Value {
    serde_json::from_str(&ends(folder, "raddle status run --json", 0).out).unwrap()
}

fn has_note(folder: &Path, text: &str) -> bool {
    status(folder)["notes"].as_array().unwrap().iter().any(|note| note.as_str().unwrap().contains(text))
}

fn write_private(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn another_file_of_the_same_sources_takes_part() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    texts(folder, 4);
    let run =
        Launched::begin(folder, &format!("raddle launch --processes 1 --wait-for 2 -- {LINE} --out run"));
    let at = coordinator(&run.run);
    // As for another machine: other bytes, made from what this one was made from.
    let other = folder.join("other");
    fs::create_dir(&other).unwrap();
    for program in ["raddle", "lda"] {
        fs::copy(binary(program), other.join(program)).unwrap();
    }
    fs::OpenOptions::new().append(true).open(other.join("lda")).unwrap().write_all(b"x").unwrap();
    let join = format!("join {at} --token-file run/token");
    let joined =
        Command::new(other.join("raddle")).args(join.split(' ')).current_dir(folder).output().unwrap();
    assert!(joined.status.success(), "{}", String::from_utf8_lossy(&joined.stderr));
    assert_eq!(run.end().0, Some(0));
    let members = report(&folder.join("run"))["members"].as_array().unwrap().clone();
    let machine = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    assert_eq!(members.iter().map(|member| &member["machine"]).collect::<Vec<_>>(), [&machine, &machine]);
}

#[test]
fn who_does_not_fit_is_told_why_at_once_and_so_are_launcher_and_status() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    texts(folder, 1);
    let line = LINE.replace("--epochs 40", "--epochs 1000000");
    let mut run = Launched::begin(folder, &format!("raddle launch --processes 2 -- {line} --out run"));
    run.await_epoch(2);
    let join = format!("join {} --token-file", coordinator(&run.run));
    let other = folder.join("other");
    built_from_other_sources(&other, "lda");
    let mut another = Command::new(other.join("raddle"));
    let said = another.args(join.split(' ')).arg("run/token").current_dir(folder).output().unwrap();
    let (code, said) = (said.status.code(), String::from_utf8(said.stderr).unwrap());
    assert!(code == Some(2) && said.contains("another build"), "{code:?}: {said}");
    run.await_line("another build");
    assert!(has_note(folder, "another build"));
    assert_eq!(status(folder)["members"].as_array().unwrap().len(), 2, "it has no place any more");
    // A token of another run, and one that others can read.
    write_private(&folder.join("wrong"), &"0".repeat(64));
    let ran = ends(folder, &format!("raddle {join} wrong"), 2);
    assert!(ran.err.contains("does not hold this token"), "{}", ran.err);
    run.await_line("its token is not the run's");
    assert!(has_note(folder, "its token is not the run's"));
    fs::copy(folder.join("run/token"), folder.join("open")).unwrap();
    fs::set_permissions(folder.join("open"), fs::Permissions::from_mode(0o644)).unwrap();
    let ran = ends(folder, &format!("raddle {join} open"), 2);
    assert!(ran.err.contains("chmod 600 open"), "{}", ran.err);
    for secret in ["token", "coordinator", "proof"] {
        let mode = fs::metadata(run.run.join(secret)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{secret}");
    }
    signal(&run.launcher.id().to_string(), "-INT");
    assert_eq!(run.end().0, Some(130));
}

#[test]
fn a_joiner_without_the_data_says_why_to_the_launcher_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("texts.txt"), "the cat sat on the mat\nthe dog saw the cat\n".repeat(40)).unwrap();
    let line = "lda fit texts.txt --topics 4 --epochs 100000 --validation none --out run";
    let mut run = Launched::begin(folder, &format!("raddle launch --processes 2 -- {line}"));
    run.await_epoch(2);
    let elsewhere = tempfile::tempdir().unwrap();
    let token = folder.join("run/token");
    let join = format!("raddle join {} --token-file {}", coordinator(&run.run), token.display());
    let ran = ends(elsewhere.path(), &join, 2);
    assert!(ran.err.contains("texts.txt"), "{}", ran.err);
    assert!(run.await_line("does not join").contains("texts.txt"));
    signal(&run.launcher.id().to_string(), "-INT");
    assert_eq!(run.end().0, Some(130));
}

#[test]
fn a_supervisor_that_is_killed_leaves_no_token_and_its_process_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    texts(folder, 300);
    let line = LINE.replace("--epochs 40", "--epochs 60");
    let (expected, _) = alone(folder, &line);
    let run = Launched::begin(folder, &launch(2, &line));
    let temporary = folder.join("temporary");
    fs::create_dir(&temporary).unwrap();
    // The token is there before the address.
    let mut join = command(folder, &format!("raddle join {} --token-file run/token", coordinator(&run.run)));
    let token = fs::read_to_string(run.run.join("token")).unwrap();
    join.env("TMPDIR", &temporary);
    let mut joined = Joined::of(join);
    let process = joined.process();
    run.await_members(3);
    joined.kill();
    let killed = Instant::now();
    while is_alive(&process) {
        assert!(killed.elapsed() < WATCHDOG, "its process goes on without it");
        pause();
    }
    let mut folders = vec![temporary];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                    assert!(!text.contains(token.trim()), "{}", path.display());
                }
            }
        }
    }
    let left = fs::read_dir(folder.join("temporary")).unwrap().count();
    assert_eq!(left, 0, "its process removes the folder that it was given");
    let place = run.run.clone();
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(digest(&place), expected);
    let generations = report(&place)["generations"].clone();
    assert!(generations.as_array().unwrap().iter().any(|one| one["processes"] == 3), "{generations}");
}

#[test]
fn one_line_begins_a_run_and_goes_on_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    texts(folder, 1);
    let (expected, _) = alone(folder, LINE);
    for line in ["raddle launch --resume run", "raddle launch --resume run -- lda fit"] {
        let ran = ends(folder, line, 2);
        assert!(ran.err.contains("no run was begun there") && ran.err.contains("--out run"), "{}", ran.err);
    }
    let line = format!("raddle launch --resume run -- {LINE} --out run --checkpoint-every 5");
    // Where there is no folder, and where a launcher has left one in which nothing was begun.
    for is_there in [false, true] {
        let _ = fs::remove_dir_all(folder.join("run"));
        if is_there {
            fs::create_dir(folder.join("run")).unwrap();
            fs::write(folder.join("run/coordinator"), "").unwrap();
        }
        ends(folder, &line, 0);
        assert_eq!(digest(&folder.join("run")), expected);
        // This line goes on with the run: there is nothing left to do.
        ends(folder, &line, 0);
        assert_eq!(digest(&folder.join("run")), expected);
    }
}

#[test]
fn a_folder_that_is_removed_is_told_of_and_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    texts(folder, 300);
    let (expected, _) = alone(folder, LINE);
    let mut run = Launched::begin(folder, &launch(2, &format!("{LINE} --checkpoint-every 5")));
    run.await_epoch(7);
    // A file that a process writes at the same moment may be in the way.
    while fs::remove_dir_all(&run.run).is_err_and(|why| why.kind() != ErrorKind::NotFound) {}
    run.await_line("was removed, and is made again");
    assert!(has_note(folder, "was removed"));
    let place = run.run.clone();
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(digest(&place), expected);
}

#[test]
fn a_generation_waits_until_its_number_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    texts(folder, 1);
    let (expected, _) = alone(folder, LINE);
    // A folder is in the place where the number would be written first.
    fs::create_dir_all(folder.join("run/generation.json.partial/in the way")).unwrap();
    let mut run = Launched::begin(folder, &launch(2, LINE));
    run.await_line("generation.json cannot be written");
    assert!(has_note(folder, "the run waits"));
    assert_eq!(run.epochs(), 0, "nothing is computed meanwhile");
    fs::remove_dir_all(folder.join("run/generation.json.partial")).unwrap();
    let place = run.run.clone();
    let (code, said) = run.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(digest(&place), expected);
}

#[test]
fn the_status_tells_the_memory_of_now() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    texts(folder, 1);
    let line = LINE.replace("--epochs 40", "--epochs 1000000");
    let mut run =
        Launched::begin(folder, &format!("raddle launch --processes 2 --balance off -- {line} --out run"));
    run.await_epoch(200);
    // Heartbeats send what the system counts now, not what it counted at the hand-over. The system sums
    // its peak over processors, and the sum may go down by some pages: then the lower one is to be told.
    let peak = |pid: &String| -> Option<u64> {
        let proc = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let most = proc.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim();
        Some(most.strip_suffix(" kB").unwrap().parse::<u64>().unwrap() << 10)
    };
    // Processes are numbered as they join, not as they are started: each list in its own order.
    let peaks = || {
        let mut peaks: Vec<u64> = run.processes().iter().filter_map(peak).collect();
        peaks.sort_unstable();
        peaks
    };
    let mut least = peaks();
    assert_eq!(least.len(), 2);
    let began = Instant::now();
    loop {
        least.iter_mut().zip(peaks()).for_each(|(least, now)| *least = now.min(*least));
        let status = status(folder);
        let members = status["members"].as_array().unwrap();
        let mut told: Vec<u64> =
            members.iter().map(|member| member["peak_memory_bytes"].as_u64().unwrap()).collect();
        told.sort_unstable();
        if told.len() == 2 && told.iter().zip(&least).all(|(told, least)| told >= least) {
            break;
        }
        assert!(began.elapsed() < WATCHDOG, "the status tells of {told:?}, never of {least:?} bytes");
    }
    signal(&run.launcher.id().to_string(), "-INT");
    assert_eq!(run.end().0, Some(130));
}
