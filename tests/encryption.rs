//! Encrypted connections of a run: nothing of it can be read on the way, and who changes what is on the way
//! ends the generation, by name. "Another machine" is `raddle join` behind a proxy.

use std::collections::HashSet;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use raddle_common::testing::not_empty;

use crate::commands::{command, ends, run};
use crate::launched::{
    Joined, Launched, Proxy, Tampering, alone, coordinator, digest, free_port, launch, report, slow,
};

/// A run of each program on a file.
pub(crate) const LINES: [(&str, &str); 4] = [
    ("lasso", "lasso fit table.csv --y y --ratio 20 --shards 4 --schedule cyclic --epochs 60"),
    ("mf", "mf fit ratings.tsv --rank 8 --solver als --epochs 12 --shards 4 --validation none"),
    ("lda", "lda fit words.txt --topics 8 --epochs 40 --shards 4 --validation none"),
    ("linear", "linear fit table.csv --y y --loss hinge --C 0.01 --parts 4 --epochs 40"),
];

/// Numbers of a file that are never the same.
fn number(at: usize) -> f64 {
    ((at * at + 17 * at) % 10_007) as f64 / 97.0
}

pub(crate) fn write_data(folder: &Path) {
    let row = |at: usize| {
        let values: Vec<String> = (0..30).map(|column| format!("{:.6}", number(31 * at + column))).collect();
        format!("{},{}\n", values.join(","), at % 2)
    };
    let names: Vec<String> = (0..30).map(|column| format!("column{column}")).collect();
    let rows: String = (0..200).map(row).collect();
    fs::write(folder.join("table.csv"), format!("{},y\n{rows}", names.join(","))).unwrap();
    let rating = |at: usize| format!("user{}\titem{}\t{:.5}\n", at % 61, (7 * at) % 43, number(at) / 20.0);
    fs::write(folder.join("ratings.tsv"), (0..2_400).map(rating).collect::<String>()).unwrap();
    let document = |at: usize| {
        let words: Vec<String> =
            (0..40).map(|word| format!("word{}", (at * 13 + word * word) % 211)).collect();
        words.join(" ") + "\n"
    };
    fs::write(folder.join("words.txt"), (0..300).map(document).collect::<String>()).unwrap();
}

/// A launched process and two that join it before the first epoch: `raddle join` on "other machines", which
/// reach the coordinator and each other by proxies.
struct Apart {
    run: Launched,
    joined: [Joined; 2],
    /// Way to the coordinator.
    control: Proxy,
    /// Way of process 2 to process 1.
    link: Proxy,
}

impl Apart {
    fn begin(folder: &Path, line: &str, how: &str) -> Self {
        let launch = format!("launch {how} --wait-for 3 --wait 60 --deadline 20 --balance off");
        let run = Launched::begin(folder, &line.replace("launch", &launch));
        let control = Proxy::to(coordinator(&run.run));
        let inside = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let link = Proxy::to(inside);
        let joined = [(0, format!("--listen {inside} --advertise {}", link.address)), (1, String::new())];
        let joined = joined.map(|(rank, more)| {
            let line =
                format!("raddle join {} --token-file run/token --deadline 60 {how} {more}", control.address);
            let mut join = command(folder, &line);
            join.env("RADDLE_RANK", rank.to_string());
            Joined::of(join)
        });
        Self { run, joined, control, link }
    }
}

/// All bytes that came by on the way in a run of three, its digest, and its token as text and as bytes.
fn seen_on_the_way(folder: &Path, line: &str, how: &str) -> (Vec<Vec<u8>>, String, [Vec<u8>; 2]) {
    let Apart { run, joined, control, link } = Apart::begin(folder, &launch(1, line), how);
    let text = fs::read_to_string(folder.join("run/token")).unwrap().trim().to_owned();
    let bytes = (0..32).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect();
    let place = run.run.clone();
    let (code, said) = run.end();
    assert!(code == Some(0) || code == Some(3), "{said}");
    drop(joined);
    let found = report(&place);
    assert_eq!(found["generations"][0]["processes"], 3, "{said}");
    let (told, linked) = (control.seen(), link.seen());
    assert!(!linked.is_empty(), "process 2 never reached process 1 by the proxy");
    (told.into_iter().chain(linked).collect(), digest(&place), [text.into_bytes(), bytes])
}

/// Returns the sequences of eight bytes in a file that could reveal something: zeros are left out.
fn eights(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.windows(8).filter(|eight| eight.iter().filter(|&&byte| byte != 0).count() > 4)
}

/// Files of numbers of a model.
fn numbers(folder: &Path) -> Vec<Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // Behind the header, which every such file has.
    let numbers = files.filter(|path| path.extension().is_some_and(|end| end == "npy"));
    numbers.map(|path| fs::read(path).unwrap().split_off(128)).collect()
}

#[test]
fn nothing_of_a_run_can_be_read_on_the_way() {
    let mut models_in_clear = 0;
    for (name, line) in LINES {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write_data(folder);
        slow(folder, 1);
        let (expected, _) = alone(folder, line);
        let data = line.split(' ').nth(2).unwrap();
        for how in ["--encrypt", "--plain"] {
            let (seen, found, token) = seen_on_the_way(folder, line, how);
            assert_eq!(found, expected, "{name} {how}");
            let bytes = seen.iter().map(Vec::len).sum::<usize>();
            assert!(bytes > 5_000, "{name} {how}: {bytes} bytes came by");
            let seen: HashSet<&[u8]> = seen.iter().flat_map(|bytes| bytes.windows(8)).collect();
            let (name_of_data, data) = (data.as_bytes().to_vec(), fs::read(folder.join(data)).unwrap());
            let model = numbers(&folder.join("run"));
            // The name of the data is told to who joins.
            let secrets = [name_of_data, data].into_iter().chain(token).chain(model);
            let parts =
                |secret: Vec<u8>| not_empty(eights(&secret)).filter(|eight| seen.contains(eight)).count();
            let there: Vec<usize> = secrets.map(parts).collect();
            if how == "--encrypt" {
                assert!(not_empty(&there).all(|&count| count == 0), "{name}: {there:?}");
            } else {
                assert!(there[0] > 0, "{name}: what is in clear can be read: {there:?}");
                models_in_clear += there[4..].iter().filter(|&&count| count > 0).count();
            }
        }
    }
    // Else nothing was compared.
    assert!(models_in_clear > 0);
}

#[test]
fn who_changes_what_is_on_the_way_ends_the_generation_by_name() {
    const LINE: &str = "lda fit words.txt --topics 4 --epochs 12 --shards 4 --validation none";
    let folder = tempfile::tempdir().unwrap();
    write_data(folder.path());
    let (expected, _) = alone(folder.path(), LINE);
    for (how, why) in [
        (Tampering::Flip, "what it sent did not arrive as it was"),
        (Tampering::Repeat, "what it sent did not arrive as it was"),
        (Tampering::Swap, "what it sent did not arrive as it was"),
        (Tampering::Drop, "what it sent did not arrive as it was"),
        (Tampering::Cut, "its connection broke"),
    ] {
        // The trace of an earlier run would be taken for this one's.
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        write_data(folder);
        slow(folder, 400);
        let line = launch(1, &format!("{LINE} --checkpoint-every 4"));
        let Apart { mut run, joined: _joined, control: _control, link } =
            Apart::begin(folder, &line, "--encrypt");
        // The generation runs: the next one has connections of its own.
        run.await_epoch(2);
        assert!(link.tamper(how) > 0);
        slow(folder, 1);
        let line = run.await_line("process 1 is lost");
        assert!(line.contains(why), "{how:?}: {line}");
        let place = run.run.clone();
        let (code, said) = run.end();
        assert_eq!(code, Some(0), "{how:?}: {said}");
        assert_eq!(digest(&place), expected, "{how:?}");
        assert_eq!(report(&place)["model_digest"], expected.as_str());
    }
}

#[test]
fn a_connection_is_in_clear_only_where_both_ends_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_data(folder);
    let (name, line) = LINES[1];
    let (expected, _) = alone(folder, line);
    // The launcher's processes want none; the one that joins does.
    slow(folder, 1);
    let begun = launch(1, line).replace("launch", "launch --plain --wait-for 2 --wait 60 --balance off");
    let launched = Launched::begin(folder, &begun);
    let control = Proxy::to(coordinator(&launched.run));
    let join = format!("raddle join {} --token-file run/token --deadline 60 --encrypt", control.address);
    let _joined = Joined::begin(folder, &join);
    let place = launched.run.clone();
    assert_eq!(launched.end().0, Some(0));
    assert_eq!(report(&place)["generations"][0]["processes"], 2);
    assert_eq!(digest(&place), expected, "{name}");
    let seen = control.seen();
    // The plan of a generation names the addresses of its processes.
    let told = |bytes: &Vec<u8>| bytes.windows(10).any(|word| word == b"127.0.0.1:");
    assert!(not_empty(&seen).all(|bytes| !told(bytes)), "the coordinator's messages can be read");
    let said = run(folder, "raddle launch --plain --encrypt -- lda fit --out other").err;
    assert!(said.contains("--plain") && said.contains("--encrypt"), "{said}");
    assert_eq!(ends(folder, "raddle status run --json", 0).code, Some(0));
}
