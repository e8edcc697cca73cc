//! Mistakes that the compiler finds: its message names the verb or the type of the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

/// A program without a mistake.
const RIGHT: &str = r#"
use raddle::prelude::*;

pub struct Sum;

impl Program for Sum {
    raddle::program!(Shard = Vec<f64>, Replica = f64, Partial = f64; update);

    fn aggregate(&self, at: Aggregate<'_, Self>) -> f64 { at.partials.sum() }
    fn commit(&self, change: &f64, sum: &mut f64) { *sum = *change; }
    fn evaluate(&self, at: Evaluate<'_, Self>) -> f64 { at.shard.iter().sum() }
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<f64> {
        Metric::new("sum", *at.replica, "all numbers").into()
    }
}

impl Update for Sum {
    fn update(&self, at: TaskOf<'_, Self>) -> f64 { at.shard.iter().sum() }
}
"#;

/// Folder of the library that this test is linked with.
fn built() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// The libraries there, of this build and of others, the last one first.
fn libraries() -> Vec<PathBuf> {
    let files = fs::read_dir(built()).unwrap().map(|file| file.unwrap().path());
    let mut libraries: Vec<PathBuf> = files
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with("libraddle-") && name.ends_with(".rlib")
        })
        .collect();
    let age =
        |path: &PathBuf| path.metadata().and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    libraries.sort_by_key(|path| std::cmp::Reverse(age(path)));
    libraries
}

/// The compiler's message for a program that uses this library; empty if it accepts it.
fn compile(library: &Path, source: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.rs");
    fs::write(&file, source).unwrap();
    let ran = Command::new("rustc")
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "--cap-lints=allow"])
        .arg("--extern")
        .arg(format!("raddle={}", library.display()))
        .arg("-L")
        .arg(format!("dependency={}", built().display()))
        .arg("--out-dir")
        .arg(folder.path())
        .arg(&file)
        .output()
        .unwrap();
    if ran.status.success() { String::new() } else { String::from_utf8(ran.stderr).unwrap() }
}

/// The compiler's message about `src/base/machine.rs` on a machine of this kind, by a line of `cfg`; the
/// library of such a machine is not needed for it.
fn compile_for(machine: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let ran = Command::new("rustc")
        .args([
            "--crate-type=lib",
            "--emit=metadata",
            "--allow=explicit_builtin_cfgs_in_flags",
            "--cfg",
            machine,
        ])
        .arg("--out-dir")
        .arg(folder.path())
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../src/base/machine.rs"))
        .output()
        .unwrap();
    String::from_utf8(ran.stderr).unwrap()
}

#[test]
fn machines_with_other_bytes_are_refused_where_raddle_is_compiled() {
    assert_eq!(compile_for("target_pointer_width=\"64\""), "");
    for (machine, sentence) in [
        ("target_endian=\"big\"", "build it for a machine that is little-endian"),
        ("target_pointer_width=\"32\"", "build it for a machine of 64 bits"),
        ("target_pointer_width=\"16\"", "build it for a machine of 64 bits"),
    ] {
        let said = compile_for(machine);
        assert!(said.contains(sentence), "{machine}: {said}");
    }
}

#[test]
fn a_program_that_does_not_compile_is_told_which_verb_or_type_is_wrong() {
    // One of another build may lack what it stands on.
    let libraries = libraries();
    let library = libraries.iter().find(|library| compile(library, RIGHT).is_empty());
    let library = library.unwrap_or_else(|| panic!("{}", compile(&libraries[0], RIGHT)));
    for (right, wrong, expected) in [
        // The list.
        ("; update)", "; updat)", "no method named `updat` found for struct `Verbs"),
        ("; update)", "; update, fold)", "`Sum` names the verb `fold`, but does not implement `Fold`"),
        ("; update)", "; update, merge)", "`Sum` names the verb `merge`, but does not implement `Merge`"),
        ("; update)", "; update, enough)", "`Sum` names the verb `enough`, but does not implement `Enough`"),
        ("; update)", ")", "the list of verbs is missing: `program!(Shard = .., Replica = ..; update)`"),
        ("Shard =", "Shards =", "`Shards` is no type of a program: these are Shard, Block, Pinned, Replica"),
        ("Partial =", "Shard = u64, Partial =", "the name `Shard` is defined multiple times"),
        ("Replica = f64, ", "", "method `commit` has an incompatible type for trait"),
        ("Vec<f64>, ", "Sum, ", "`Sum` cannot be written as bytes and read back"),
        // The verbs.
        ("fn evaluate", "fn evalute", "method `evalute` is not a member of trait `Program`"),
        ("fn evaluate", "fn evalute", "missing: `evaluate`"),
        (
            "at: Evaluate<'_, Self>",
            "shard: &Vec<f64>",
            "method `evaluate` has an incompatible type for trait",
        ),
        (
            "-> f64 { at.partials",
            "-> Vec<f64> { at.partials",
            "method `aggregate` has an incompatible type for trait",
        ),
        ("impl Update", "impl UpdateBlock", "not all trait items implemented, missing: `update_block`"),
    ] {
        assert!(RIGHT.contains(right), "{right} is not in the program");
        let said = compile(library, &RIGHT.replacen(right, wrong, 1));
        assert!(said.contains(expected), "{wrong}: {expected} is not in\n{said}");
    }
}
