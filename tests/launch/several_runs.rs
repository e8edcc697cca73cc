//! Commands of several runs: they are refused under `raddle launch`, with what to do.

use crate::commands::ends;

#[test]
fn what_takes_several_runs_names_the_pool() {
    let folder = tempfile::tempdir().unwrap();
    for (line, what) in [
        ("lasso cv diabetes", "this command"),
        ("linear cv diabetes", "this command"),
        ("mf cv synth:ratings:users=60,items=40,n=900", "this command"),
        ("mf fit synth:ratings:users=60,items=40,n=900 --refit", "--refit"),
    ] {
        let ran = ends(folder.path(), &format!("raddle launch -- {line}"), 2);
        let said = format!(
            "{what} takes several runs, and raddle launch carries out one: start it without raddle launch, \
             or as a job of a pool, raddle pool run JOBS --out DIR"
        );
        assert!(ran.err.contains(&said), "{line}: {}", ran.err);
    }
}
