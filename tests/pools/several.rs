//! Jobs of several fits, which cannot be held: killed with their pool, they go on.

use std::fs;

use super::{Running, assert_done};
use crate::commands::run;
use crate::launch::versions;
use crate::launched::digest;

const LINES: [&str; 4] = [
    "lasso cv synth:groups:n=120,p=300,s=10 --points 20 --ratio 100 --folds 4 --checkpoint-every 1",
    "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 6 --refit",
    "mf fit ratings.tsv --rank 4 --shards 4 --epochs 12 --changes ratings.changes",
    "lda fit corpus.txt --topics 4 --epochs 8 --shards 4 --changes corpus.changes",
];

#[test]
fn a_job_of_several_fits_goes_on_when_its_pool_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    versions::data(folder);
    for (at, line) in LINES.into_iter().enumerate() {
        let alone = run(folder, &format!("{line} --quiet --workers 1 --out alone{at}"));
        assert!([Some(0), Some(3)].contains(&alone.code), "{line}: {}", alone.err);
        let expected = vec![(format!("job{at}"), digest(&folder.join(format!("alone{at}"))))];
        fs::write(folder.join("jobs.toml"), format!("[[job]]\nrun = \"{line} --out job{at}\"\n")).unwrap();
        let mut pool = Running::begin(folder, "pool run jobs.toml --workers 2 --policy fifo --out nightly");
        // As soon as its run has begun, its line without `--resume` would be refused the folder.
        pool.until("the run", |_| folder.join(format!("job{at}/run.json")).exists());
        for (process, _) in pool.processes() {
            // It may have ended meanwhile.
            let _ = std::process::Command::new("kill").args(["-9", &process]).output();
        }
        pool.kill();
        let ran = run(folder, "pool run --out nightly");
        assert_eq!(ran.code, Some(0), "{line}: {}{}", ran.out, ran.err);
        assert_done(folder, &expected);
        drop(pool);
        fs::remove_dir_all(folder.join("nightly")).unwrap();
    }
}
