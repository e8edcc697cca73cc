//! Every example runs to its end and prints something.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// The names of the examples, from their sources.
fn names() -> Vec<String> {
    let sources = fs::read_dir(crate::commands::root().join("examples")).unwrap();
    let paths = sources.map(|entry| entry.unwrap().path());
    let rust = paths.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    rust.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

/// Returns the folder in which `cargo test` has built the examples: next to that of this test's binary.
fn built() -> PathBuf {
    let here = env::current_exe().unwrap();
    here.ancestors().nth(2).unwrap().join("examples")
}

#[test]
fn every_example_runs() {
    let names = names();
    assert!(!names.is_empty(), "there are examples");
    for name in names {
        let program = built().join(format!("{name}{}", env::consts::EXE_SUFFIX));
        assert!(
            program.is_file(),
            "{}: not built: `cargo test` builds the examples, unless it is given a test's name",
            program.display()
        );
        let output = Command::new(&program).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{name}: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!said.trim().is_empty(), "{name} says nothing");
    }
}
