//! `raddle status` of any folder: alive, ended, dead, or no run; and watched, which changes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::commands::{binary, command, ends, pause, run};
use crate::launched::Launched;

/// A run that is not over after this time never is.
const WATCHDOG: Duration = Duration::from_secs(120);
/// A fit that goes on until it is stopped.
const ENDLESS: &str =
    "lda fit --topics 20 --epochs 100000 --validation none --out run --checkpoint-every 1 --quiet";

/// Process that is ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(folder: &Path, line: &str) -> Running {
    Running(command(folder, line).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap())
}

/// Sends a signal, such as `-INT` for Ctrl-C.
fn signal(running: &Running, signal: &str) {
    let sent = std::process::Command::new("kill").args([signal, &running.0.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

/// Waits until something is true.
fn until(what: &str, mut is: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < WATCHDOG, "{what} never came");
        pause();
    }
}

fn epochs(folder: &Path) -> usize {
    fs::read_to_string(folder.join("run/trace.jsonl")).unwrap_or_default().lines().count()
}

fn status(folder: &Path) -> Value {
    serde_json::from_str(&ends(folder, "raddle status run --json", 0).out).unwrap()
}

#[test]
fn a_run_is_alive_then_dead_and_its_resumption_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut running = start(folder, ENDLESS);
    until("an epoch", || epochs(folder) > 3);
    let alive = status(folder);
    assert_eq!((&alive["state"], &alive["process"]), (&"running".into(), &running.0.id().into()));
    assert!(
        alive["epoch"].as_u64().unwrap() >= 2 && alive["updates_per_second"].as_f64().unwrap() > 0.0,
        "{alive}"
    );
    assert!(ends(folder, "raddle status run", 0).out.starts_with("lda fit: running (process "));
    running.0.kill().unwrap();
    running.0.wait().unwrap();
    assert_eq!(status(folder)["state"], "dead");
    let said = ends(folder, "raddle status run", 0).out;
    assert!(
        said.contains("no process here runs it, and it has no model; to continue: `lda fit --resume run`"),
        "{said}"
    );
    // Who watches learns it, too.
    let watched = ends(folder, "raddle status run --watch", 1);
    assert!(watched.out.contains("dead: no process here runs it"), "{}", watched.out);
    ends(folder, "lda fit --resume run --time-limit 0.001 --quiet", 3);
    let ended = status(folder);
    assert_eq!(
        (&ended["state"], &ended["status"], &ended["ending"]),
        (&"ended".into(), &3.into(), &"limit".into())
    );
    assert_eq!(
        ended["epoch"],
        *serde_json::from_slice::<Value>(&fs::read(folder.join("run/report.json")).unwrap())
            .unwrap()
            .get("epochs")
            .unwrap()
    );
}

#[test]
fn explained_rounds_are_those_of_the_run_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let fit = "lasso fit synth:groups:n=100,p=300,s=20 --schedule priority --tol 1e-12 --checkpoint-every 1 \
               --out run --quiet";
    let explained = || -> Vec<u64> {
        let text = fs::read_to_string(folder.join("run/explain.jsonl")).unwrap_or_default();
        let line = |line: &str| serde_json::from_str::<Value>(line).unwrap()["epoch"].as_u64().unwrap();
        text.lines().map(line).collect()
    };
    ends(folder, &format!("{fit} --explain"), 0);
    let whole = explained();
    assert!(whole.len() >= 3 && whole.windows(2).all(|pair| pair[0] < pair[1]), "{whole:?}");
    // A run that is cut short and resumed has each epoch once.
    ends(folder, &format!("{fit} --explain --force --time-limit 0.000001"), 3);
    assert!(explained().len() < whole.len());
    ends(folder, "lasso fit --resume run --explain --quiet", 0);
    assert_eq!(explained(), whole);
    // One that explains nothing leaves nothing.
    ends(folder, &format!("{fit} --force"), 0);
    assert!(!folder.join("run/explain.jsonl").exists());
}

#[test]
fn a_curve_shows_where_the_metric_went() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ends(
        folder,
        "mf fit synth:ratings:users=60,items=40,n=900,rank=2 --rank 2 --epochs 6 --out run --quiet",
        0,
    );
    let said = ends(folder, "raddle status run", 0).out;
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("mf fit: ended with status 0: "), "{said}");
    assert!(lines[1].contains("epoch ") && lines[1].contains(" updates/s"), "{said}");
    assert!(lines[2].starts_with("rmse "), "{said}");
    let curve = lines[3];
    assert!(
        curve.starts_with('█')
            && curve.contains('▁')
            && curve.chars().all(|block| "▁▂▃▄▅▆▇█".contains(block)),
        "{said}"
    );
}

#[test]
fn what_is_no_run_or_broken_is_named_with_the_cure() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("empty")).unwrap();
    for verb in ["status", "status --watch", "report --out page.html"] {
        let said = |run: &str| ends(folder, &format!("raddle {verb} {run}"), 2).err;
        assert!(
            said("missing").contains("missing: no such folder: give the --out folder of a run"),
            "{verb}"
        );
        assert!(said("empty").contains("empty: no run: it has none of run.json"), "{verb}");
    }
    ends(folder, "lasso fit diabetes --out run --quiet", 0);
    let trace = folder.join("run/trace.jsonl");
    let whole = fs::read_to_string(&trace).unwrap();
    let epochs = whole.lines().count();
    // A line cut by a kill is left out and said.
    fs::write(&trace, &whole[..whole.len() - 20]).unwrap();
    let said = ends(folder, "raddle status run", 0).out;
    assert!(
        said.contains(&format!("note: trace.jsonl ends in the middle of line {epochs}, which is left out")),
        "{said}"
    );
    ends(folder, "raddle report run --out page.html", 0);
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().contains("ends in the middle of line"));
    // A broken one in the middle is refused.
    fs::write(&trace, format!("{{\"epoch\":\n{whole}")).unwrap();
    for verb in ["status run", "report run --out page.html"] {
        let said = ends(folder, &format!("raddle {verb}"), 2).err;
        assert!(said.contains("run/trace.jsonl, line 1: not what a run wrote"), "{said}");
    }
    // Without a trace there is still the report.
    fs::remove_file(&trace).unwrap();
    assert!(ends(folder, "raddle status run", 0).out.starts_with("lasso fit: ended with status 0"));
    ends(folder, "raddle report run --out page.html", 0);
}

#[test]
fn elsewhere_than_on_a_terminal_a_watch_writes_a_line_a_change_and_ends_with_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut running = start(folder, ENDLESS);
    until("a trace", || epochs(folder) > 0);
    let mut watch = start(folder, "raddle status run --watch");
    let of_line = |line: &String| line.strip_prefix("epoch ")?.split(' ').next()?.parse::<u64>().ok();
    let (mut lines, mut seen) = (Vec::new(), Vec::new());
    for line in BufReader::new(watch.0.stdout.take().unwrap()).lines().map(Result::unwrap) {
        seen.extend(of_line(&line));
        lines.push(line);
        // The run ends once two of its epochs have been seen, however fast it is.
        if seen.len() == 2 && lines.last().is_some_and(|line| of_line(line).is_some()) {
            signal(&running, "-TERM");
        }
    }
    assert_eq!(running.0.wait().unwrap().code(), Some(130));
    assert_eq!(watch.0.wait().unwrap().code(), Some(130));
    assert!(lines.last().unwrap().contains("ended with status 130"), "{lines:?}");
    assert!(lines.iter().all(|line| !line.contains('\u{1b}')), "{lines:?}");
    assert!(seen.len() >= 2 && seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
    // Nothing of a run changes by that.
    let fit = "lda fit --topics 20 --epochs 20 --validation none --quiet";
    let mut running = start(folder, &format!("{fit} --out watched"));
    until("a trace", || folder.join("watched/trace.jsonl").exists());
    ends(folder, "raddle status watched --watch", 0);
    assert_eq!(running.0.wait().unwrap().code(), Some(0));
    ends(folder, &format!("{fit} --out alone"), 0);
    let digest = |run: &str| -> Value {
        let report: Value =
            serde_json::from_slice(&fs::read(folder.join(run).join("report.json")).unwrap()).unwrap();
        report["model_digest"].clone()
    };
    assert_eq!(digest("watched"), digest("alone"));
}

#[test]
fn a_launched_run_is_watched_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let launch = "raddle launch --processes 2 --workers 2 -- lda fit --topics 10 --epochs 20 --validation \
                  none --out run";
    let mut running = start(folder, launch);
    until("a trace", || epochs(folder) > 0);
    let watched = run(folder, "raddle status run --watch --json");
    let ended = running.0.wait().unwrap().code();
    assert_eq!(watched.code, ended, "{}", watched.err);
    let last: Value = serde_json::from_str(watched.out.lines().last().unwrap()).unwrap();
    assert_eq!((&last["state"], last["epoch"].as_u64()), (&"ended".into(), Some(20)));
}

/// Text of a pane of a terminal.
struct Terminal {
    socket: String,
}

impl Terminal {
    fn tmux(&self, words: &[&str]) -> String {
        let out = std::process::Command::new("tmux")
            .args(["-L", &self.socket, "-f", "/dev/null"])
            .args(words)
            .output()
            .unwrap();
        String::from_utf8_lossy(&out.stdout).into_owned()
    }

    fn text(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-t", "raddle"])
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

#[test]
fn on_a_terminal_a_watch_is_drawn_in_place_with_rising_epochs_and_ends_with_the_runs_status() {
    if std::process::Command::new("tmux").arg("-V").output().is_err() {
        println!("skipped: tmux is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut running = start(folder, &ENDLESS.replace("--checkpoint-every 1", ""));
    until("a trace", || epochs(folder) > 0);
    let terminal = Terminal { socket: format!("raddle-{}", std::process::id()) };
    let watch = format!(
        "NO_COLOR=1 {} status run --watch; echo \"status $?.\"; exec cat",
        binary("raddle").display()
    );
    terminal.tmux(&[
        "new-session",
        "-d",
        "-s",
        "raddle",
        "-x",
        "48",
        "-y",
        "20",
        "-c",
        &folder.display().to_string(),
        "sh",
        "-c",
        &watch,
    ]);
    let epoch = || -> Option<u64> {
        // With its colours and attributes, of which there are none.
        let text = terminal.tmux(&["capture-pane", "-p", "-e", "-t", "raddle"]);
        assert!(!text.contains('\u{1b}'), "NO_COLOR is set: {text}");
        assert!(text.matches("running (process").count() <= 1, "drawn twice: {text}");
        text.lines().find_map(|line| line.strip_prefix("epoch ")?.split(' ').next()?.parse().ok())
    };
    let mut seen = std::collections::BTreeSet::new();
    until("three epochs on the screen", || {
        seen.extend(epoch());
        seen.len() >= 3
    });
    // Another watch that is ended is ended alone. Not by Ctrl-C, which this process may have been told to
    // ignore.
    let mut other = start(folder, "raddle status run --watch");
    let mut first = String::new();
    BufReader::new(other.0.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
    signal(&other, "-TERM");
    assert!(!other.0.wait().unwrap().success());
    let before = epochs(folder);
    until("another epoch", || epochs(folder) > before);
    // Ctrl-C ends the run, with its model; the watch ends with its status.
    signal(&running, "-INT");
    let mut rest = String::new();
    running.0.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
    assert_eq!(running.0.wait().unwrap().code(), Some(130));
    until("the status", || terminal.text().contains("status 130."));
    let text = terminal.text();
    assert!(text.contains("lda fit: ended with status 130") && !text.contains("running"), "{text}");
}

/// Parses the samples of a page in the text format of Prometheus, each after the help and type of its metric.
fn samples(page: &str) -> BTreeMap<String, f64> {
    let (mut known, mut samples) = (Vec::new(), BTreeMap::new());
    for line in page.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').unwrap();
            assert!(["gauge", "counter"].contains(&kind), "{line}");
            known.push(name.to_owned());
        } else if !line.starts_with("# HELP ") {
            let (sample, value) = line.rsplit_once(' ').unwrap();
            let name = sample.split('{').next().unwrap();
            assert!(known.last().is_some_and(|last| last == name), "{line} has no type before it");
            let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
            assert!(name.bytes().all(is_word) && (sample == name || sample.ends_with('}')), "{line}");
            assert!(
                samples.insert(sample.to_owned(), value.parse().unwrap()).is_none(),
                "{line} is there twice"
            );
        }
    }
    samples
}

#[test]
fn the_metrics_of_a_launched_run_are_those_of_its_status() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let line = "raddle launch --processes 2 --workers 2 --balance off --metrics 127.0.0.1:0 -- \
         lda fit --topics 20 --epochs 100000 --validation none --out run";
    let mut run = Launched::begin(folder, line);
    let said = run.await_line("serves metrics at http://");
    let at = said.trim().rsplit("http://").next().unwrap().strip_suffix("/metrics").unwrap();
    run.await_epoch(2);
    run.await_members(2);
    let mut socket = TcpStream::connect(at).unwrap();
    socket.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut said = String::new();
    socket.read_to_string(&mut said).unwrap();
    let (head, page) = said.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}\r\n", page.len())), "{head}");
    let (samples, status) = (samples(page), status(folder));
    let mut process = 0;
    for member in status["members"].as_array().unwrap() {
        for (name, value) in [("workers", 2.0), ("shards", member["shards"].as_f64().unwrap())] {
            assert_eq!(samples[&format!("raddle_process_{name}{{process=\"{process}\"}}")], value);
        }
        process += 1;
    }
    assert_eq!((process, samples["raddle_workers"], samples["raddle_generation"]), (2, 4.0, 1.0));
    assert!(samples["raddle_epoch"] >= 1.0, "{samples:?}");
    run.launcher.kill().unwrap();
    let elsewhere = line.replace("127.0.0.1:0", "192.0.2.1:0").replace("--out run", "--out other");
    let refused = ends(folder, &elsewhere, 2).err;
    assert!(refused.contains("--metrics 192.0.2.1:0: everybody could read it"), "{refused}");
}

/// Edge of a graph: from, to, and its label.
type Edge = (String, String, String);

/// The nodes and edges of a graph in DOT, which is read as a parser would: words, strings, brackets, ends of
/// statements.
fn nodes_and_edges(dot: &str) -> (BTreeMap<String, String>, Vec<Edge>) {
    let (mut nodes, mut edges, mut depth) = (BTreeMap::new(), Vec::new(), 0);
    for line in dot.lines().map(str::trim) {
        if line.ends_with('{') {
            depth += 1;
        } else if line == "}" {
            depth -= 1;
        } else {
            let statement = line.strip_suffix(';').unwrap_or_else(|| panic!("{line}"));
            assert!(depth > 0 && statement.matches('"').count() % 2 == 0, "{line}");
            let (what, label) = match statement.split_once(" [") {
                Some((what, rest)) => (what, rest.strip_suffix(']').unwrap()),
                None => (statement, ""),
            };
            match what.split_once(" -> ") {
                Some((from, to)) => edges.push((from.to_owned(), to.to_owned(), label.to_owned())),
                None => drop(nodes.insert(what.to_owned(), label.to_owned())),
            }
        }
    }
    assert_eq!(depth, 0, "{dot}");
    (nodes, edges)
}

/// In a run of each program whose first process leaves, the bytes that its processes sent add up, and the
/// graph has a node for each process.
#[test]
fn the_graph_of_a_run_has_its_processes_and_the_bytes_that_crossed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for line in [
        "lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 4 --epochs 30 --tol 1e-14",
        "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 30 --shards 4",
        "lda fit --topics 8 --epochs 40 --shards 4",
        "linear fit diabetes --loss hinge --C 0.01 --tol 1e-9 --parts 4 --shards 8 --epochs 30",
    ] {
        crate::launched::slow(folder, 40);
        // The trace of the line before would be taken for this one's.
        let _ = fs::remove_dir_all(folder.join("run"));
        let launch =
            format!("raddle launch --processes 3 --balance off -- {line} --slowdown slow --out run --force");
        let mut launched = Launched::begin(folder, &launch);
        launched.await_epoch(2);
        // The run is not over meanwhile, however short it is.
        let processes = launched.processes();
        processes.iter().for_each(|process| crate::launched::signal(process, "-STOP"));
        let alive = ends(folder, "raddle graph run", 0).out;
        assert_eq!(
            nodes_and_edges(&alive).0.keys().filter(|name| name.starts_with("g1_p")).count(),
            3,
            "{alive}"
        );
        crate::launched::signal(&processes[0], "-TERM");
        processes.iter().for_each(|process| crate::launched::signal(process, "-CONT"));
        launched.await_line("process 0 leaves after this epoch");
        crate::launched::slow(folder, 1);
        let (_, said) = launched.end();
        let report = crate::launched::report(&folder.join("run"));
        let generations = report["generations"].as_array().unwrap();
        assert!(generations.iter().any(|one| one["members"][0]["process"] == 1), "{line}: {said}");
        let (dot, mut sent) = (ends(folder, "raddle graph run", 0).out, 0);
        let (nodes, edges) = nodes_and_edges(&dot);
        for (number, generation) in (1..).zip(generations) {
            for member in generation["members"].as_array().unwrap() {
                let process = &member["process"];
                let node = &nodes[&format!("g{number}_p{process}")];
                assert!(node.contains(&format!("process {process}")), "{line}: {node}");
                let (messages, bytes) = (&member["messages_sent"], member["bytes_sent"].as_u64().unwrap());
                sent += bytes;
                let label =
                    |noun: &str, count: u64| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
                let crossed = label("message", messages.as_u64().unwrap());
                let (from, to) = (format!("g{number}_p{process}"), format!("g{number}_wire"));
                let edge = edges.iter().find(|(one, other, _)| *one == from && *other == to);
                assert_eq!(edge.is_some(), bytes > 0, "{line}: {from}");
                assert!(
                    edge.is_none_or(|(_, _, told)| told.contains(&crossed)),
                    "{line}: {edge:?} {crossed}"
                );
            }
        }
        assert!(sent > 0 && report["bytes_on_wire"] == sent, "{line}: {sent} {}", report["bytes_on_wire"]);
        let json: Value = serde_json::from_str(&ends(folder, "raddle graph run --json", 0).out).unwrap();
        assert_eq!(json["bytes_on_wire"], sent, "{line}");
    }
    fs::create_dir(folder.join("none")).unwrap();
    assert!(ends(folder, "raddle graph none", 2).err.contains("none: no run"));
}

/// A run that loses a process, is interrupted, and is resumed: its graph has the generations of all three
/// attempts, each with its processes, and what they sent as far as the generation ended.
#[test]
fn the_graph_of_a_run_remembers_attempts_before_a_loss_and_before_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    crate::launched::slow(folder, 40);
    let line = "lda fit --topics 8 --epochs 30 --shards 4 --checkpoint-every 1";
    let launch = format!("raddle launch --processes 2 --balance off -- {line} --slowdown slow --out run");
    let mut launched = Launched::begin(folder, &launch);
    launched.await_epoch(2);
    crate::launched::signal(&launched.processes()[1], "-KILL");
    launched.await_line("has begun");
    launched.await_epoch(5);
    crate::launched::signal(&launched.launcher.id().to_string(), "-INT");
    assert_eq!(launched.end().0, Some(130));
    crate::launched::slow(folder, 1);
    ends(folder, &format!("raddle launch --processes 2 --balance off --resume run -- {line} --out run"), 0);
    let (nodes, edges) = nodes_and_edges(&ends(folder, "raddle graph run", 0).out);
    let json: Value = serde_json::from_str(&ends(folder, "raddle graph run --json", 0).out).unwrap();
    let generations = json["generations"].as_array().unwrap();
    // Every checkpoint ends a generation.
    let lost: Vec<usize> =
        (0..generations.len()).filter(|&at| generations[at]["has_ended"] == false).collect();
    assert!(lost.len() == 1 && lost[0] > 0, "{json}");
    for (number, generation) in (1..).zip(generations) {
        for member in generation["members"].as_array().unwrap() {
            let node = format!("g{number}_p{}", member["process"]);
            assert!(nodes[&node].contains("1 worker, 2 shards"), "{node}: {nodes:?}");
            let sends = edges.iter().any(|(from, to, _)| *from == node && *to == format!("g{number}_wire"));
            assert_eq!(sends, member["bytes_sent"] != 0, "{node}: {edges:?}");
            assert!(sends == (number - 1 != lost[0]) || number - 1 > lost[0], "{node}: {json}");
        }
    }
    let of_last = crate::launched::report(&folder.join("run"))["generations"].as_array().unwrap().clone();
    let (earlier, last) = generations.split_at(generations.len() - of_last.len());
    assert!(earlier.len() > lost[0] + 1, "an interrupted attempt follows the lost one: {json}");
    for (placed, record) in raddle_common::testing::pairs(last, &of_last) {
        assert_eq!((&placed["epoch"], &placed["members"]), (&record["epoch"], &record["members"]));
    }
}
