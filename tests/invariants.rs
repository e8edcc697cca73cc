//! The invariants of ARCHITECTURE.md that the text of the code shows: words that are absent from all files
//! but a few.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::commands::root;
use crate::comparisons;

/// Every Rust file below a folder of the repository, but for tests and the command lines.
fn files(folder: &str) -> Vec<PathBuf> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.file_name().unwrap().to_str().unwrap() {
                "tests" | "tests.rs" | "cli" | "simulation" => {}
                _ if path.is_dir() => below(&path, found),
                name if name.ends_with(".rs") => found.push(path),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    below(&root().join(folder), &mut found);
    assert!(found.len() > 3, "{folder} has {} files: were they found?", found.len());
    found
}

/// The code of a file: no comments, and nothing of its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The names of files of a folder whose code has one of these words, below that folder.
fn naming(folder: &str, words: &[&str]) -> Vec<String> {
    let root = root().join(folder);
    let mut found: Vec<String> = files(folder)
        .iter()
        .filter(|path| {
            let code = code(path);
            words.iter().any(|word| code.contains(word))
        })
        .map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    found
}

const ALGORITHMS: [&str; 8] = [
    "algorithms/common/src",
    "algorithms/kernels/src",
    "algorithms/lasso/src",
    "algorithms/mf/src",
    "algorithms/lda/src",
    "algorithms/linear/src",
    "algorithms/pool/src",
    "algorithms/tabular/src",
];

#[test]
fn timely_is_named_in_nine_files_and_differential_in_one() {
    let files = [
        "changes/flow.rs",
        "cluster/net/frames.rs",
        "generation/alarm.rs",
        "generation/parcel.rs",
        "generation/ports.rs",
        "generation/start.rs",
        "generation/wiring.rs",
        "operator/mod.rs",
        "operator/trained.rs",
    ];
    assert_eq!(naming("src", &["timely::"]), files);
    assert_eq!(naming("src", &["differential_dataflow"]), ["changes/flow.rs"]);
    for folder in ALGORITHMS.iter().skip(1).chain(&["datasets/src"]) {
        assert_eq!(naming(folder, &["timely::", "differential_dataflow"]), [""; 0], "{folder}");
    }
}

#[test]
fn the_clock_is_read_for_reports_limits_and_waiting_alone() {
    let clocks = naming("src", &["Instant", "SystemTime"]);
    let allowed = [
        "base/fork_join.rs",
        "base/slowdown.rs",
        "base/stop.rs",
        "checkpoint/due.rs",
        "checkpoint/folder.rs",
        "cluster/checkpoints.rs",
        "cluster/client/peers.rs",
        "cluster/holder.rs",
        "cluster/net/listener.rs",
        "cluster/net/wire.rs",
        "cluster/server/admission.rs",
        "cluster/server/clock.rs",
        "engine/distributed.rs",
        "engine/for_operator.rs",
        "engine/functions.rs",
        "engine/history.rs",
        "engine/member/ends.rs",
        "engine/member/mod.rs",
        "engine/relay.rs",
        "engine/run.rs",
        "generation/slots.rs",
        "generation/start.rs",
        "run/cancellation.rs",
        "run/hub/answers.rs",
        "run/hub/state.rs",
        "run/local_state.rs",
        "run/place/mod.rs",
        "run/place/plan.rs",
        "run/place/spent.rs",
        "run/requests.rs",
        "run/settings.rs",
    ];
    assert_eq!(clocks, allowed, "a schedule, a program or a placement that reads a clock does not replay");
}

#[test]
fn no_library_ends_its_process() {
    for folder in ["src", "datasets/src"].iter().chain(&ALGORITHMS) {
        assert_eq!(naming(folder, &["process::exit", "process::abort"]), [""; 0], "{folder}");
    }
}

#[test]
fn unsafe_code_is_where_the_page_says() {
    let found: Vec<String> = ["src", "datasets/src"]
        .iter()
        .chain(&ALGORITHMS[1..])
        .flat_map(|folder| {
            naming(folder, &["allow(unsafe_code"]).into_iter().map(move |file| format!("{folder}/{file}"))
        })
        .filter(|file| !file.starts_with("algorithms/kernels/"))
        .collect();
    assert_eq!(
        found,
        ["src/base/fork_join.rs", "src/base/simd_level.rs", "datasets/src/bytes/stored.rs"],
        "unsafe code outside kernels"
    );
}

#[test]
fn libraries_name_no_algorithm_and_data_name_no_engine() {
    let all = ["raddle_lasso", "raddle_mf", "raddle_lda", "raddle_linear"];
    assert_eq!(naming("src", &[&all[..], &["raddle_datasets"]].concat()), [""; 0]);
    // The program beside them is one of the command lines.
    assert_eq!(naming("datasets/src", &[&all[..], &["raddle::"]].concat()), [""; 0]);
    for folder in ["lasso", "mf", "lda", "linear"] {
        let own = format!("raddle_{folder}");
        let others: Vec<&str> = all.into_iter().filter(|name| *name != own).collect();
        assert_eq!(naming(&format!("algorithms/{folder}/src"), &others), [""; 0], "{folder}");
    }
    assert_eq!(naming("algorithms/common/src", &all), [""; 0]);
    assert_eq!(naming("algorithms/kernels/src", &all), [""; 0]);
    assert_eq!(naming("algorithms/pool/src", &all), [""; 0]);
    assert_eq!(naming("algorithms/tabular/src", &all), [""; 0]);
    // A program that is published stands on none that is tried.
    assert_eq!(naming("algorithms/pool/src", &["raddle_pool_sim"]), [""; 0]);
    assert_eq!(naming("benches/pool-sim/src", &all), [""; 0]);
}

#[test]
fn policies_the_simulator_and_the_core_of_a_pool_know_no_clock_and_no_thread() {
    let words = ["Instant", "SystemTime", "thread", "fork_join", "process::Command"];
    let mut found = naming("algorithms/pool/src", &words);
    // Processes are started there, and nowhere else.
    found.retain(|file| !file.starts_with("live/"));
    assert_eq!(found, [""; 0], "equal calls would not be decided equally");
    assert_eq!(naming("benches/pool-sim/src", &words), [""; 0], "equal jobs would not be simulated equally");
}

/// Names of the packages that this one needs with these features: of some others, those that are sought.
/// The manifests of optional ones may have to be downloaded: no build has needed them.
fn needs(package: &str, features: &[&str], sought: &[&str]) -> Vec<String> {
    let tree = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["tree", "--locked", "--edges", "normal,build", "--prefix", "none", "--package", package])
        .args(features)
        .output()
        .unwrap();
    assert!(tree.status.success(), "{package}: {}", String::from_utf8_lossy(&tree.stderr));
    let names = String::from_utf8(tree.stdout).unwrap();
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    names.lines().map(name).filter(|name| sought.contains(&name.as_str())).collect()
}

#[test]
fn libraries_bring_no_command_line() {
    let command_line = ["clap", "ctrlc", "indicatif", "strsim"];
    for package in ["raddle", "raddle-lasso", "raddle-mf", "raddle-lda", "raddle-linear", "raddle-pool"] {
        assert_eq!(needs(package, &["--no-default-features"], &command_line), [""; 0], "{package}");
        // The programs do: the names are found where they are.
        assert_eq!(needs(package, &[], &command_line).is_empty(), package == "raddle", "{package}");
    }
    assert_eq!(needs("raddle-datasets", &[], &command_line), [""; 0]);
    assert_eq!(needs("raddle-tabular", &[], &command_line), [""; 0]);
}

#[test]
fn no_program_brings_a_client_of_http_unless_it_is_asked_for() {
    let client = ["ring", "rustls", "ureq", "webpki-roots"];
    let libraries = [
        "raddle",
        "raddle-base",
        "raddle-cli",
        "raddle-lasso",
        "raddle-mf",
        "raddle-lda",
        "raddle-linear",
        "raddle-pool",
        "raddle-tabular",
        "raddle-datasets",
    ];
    for package in libraries.into_iter().chain(["raddle-data"]) {
        assert_eq!(needs(package, &[], &client), [""; 0], "{package}");
    }
    let found = needs("raddle-data", &["--features", "raddle-data/fetch"], &client);
    assert!(client.iter().all(|name| found.iter().any(|found| found == name)), "{found:?}");
}

#[test]
fn no_comparison_of_a_test_may_be_empty() {
    let found = comparisons::that_may_be_empty(root());
    assert_eq!(found, [""; 0], "use `pairs` or `not_empty` of raddle_common::testing");
    // The places are found where they stand, and nothing else.
    for (code, count) in [
        ("for (a, b) in x.iter().zip(y) { assert_eq!(a, b); }", 1),
        ("for (i, a) in (0..).zip(x) { assert!(a > i); }", 0),
        ("for (a, i) in x.iter().zip(0..) { assert!(a > i); }", 0),
        ("for (a, b) in pairs(x, y) { assert_eq!(a, b); }", 0),
        ("for (a, b) in x.iter().zip(y) { sum += a * b; }", 0),
        ("assert!(x.iter().zip(y).all(|(a, b)| a == b));", 1),
        ("assert!(ran.out.lines().all(|line| line.is_empty()));", 1),
        ("assert!(not_empty(ran.out.lines()).all(|line| line.is_empty()));", 0),
        ("// assert!(x.iter().zip(y).all(|(a, b)| a == b));", 0),
    ] {
        assert_eq!(comparisons::places(code).len(), count, "{code}");
    }
}
