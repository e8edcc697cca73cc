//! The program `pool`, as a user runs it.

use raddle_common::testing::{Program, Ran};

fn refused(line: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let pool = Program::at(env!("CARGO_BIN_EXE_pool"));
    let ran = Ran::new(pool.command(folder.path(), line).output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}\n{}", ran.err);
    ran.err
}

#[test]
fn the_old_name_of_the_simulator_says_where_it_is() {
    for line in
        ["simulate", "simulate synth:jobs:n=160,seed=1", "simulate pollux:6 --policy las,optimus,ones"]
    {
        let error = refused(line);
        assert!(error.contains("`cargo run -p raddle-pool-sim -- SPEC`"), "{line}\n{error}");
        assert_eq!(error.lines().count(), 1, "{line}\n{error}");
    }
}

#[test]
fn policies_of_the_simulator_alone_are_refused() {
    for (line, words) in [
        (
            "run jobs.toml --out p --policy oasis",
            "policy `oasis` does not exist here: choose from greedy, drf",
        ),
        ("run jobs.toml --out p --policy las", "policy `las` does not exist here: use `greedy`, which ends"),
        ("run jobs.toml --out p --policy optimus", "the simulator, raddle-pool-sim, compares them"),
        ("run jobs.toml --out p --policy ones", "use `greedy`"),
        ("run jobs.toml --out p --policy tiresias", "use `greedy`"),
        ("run jobs.toml --out p --policy greedi", "choose from greedy, drf, fifo, pdors"),
    ] {
        let error = refused(line);
        assert!(error.contains(words), "{line}\n{error}");
    }
}
