//! Schedules beyond one process: with a process that joins, the first one leaving and another one killed,
//! each leaves the model of one process.

use std::fs;

use crate::commands::run;
use crate::launched::{Joined, Launched, alone, await_running, coordinator, digest, launch, signal, slow};

/// A fit under each schedule that a program has.
const LINES: [&str; 12] = [
    "lasso fit synth:groups:n=200,p=300,s=20 --schedule auto --shards 6 --epochs 30",
    "lasso fit synth:groups:n=200,p=300,s=20 --schedule working-set --shards 6 --epochs 30",
    "lasso fit synth:groups:n=200,p=300,s=20 --schedule priority --shards 6 --epochs 30",
    "lasso fit synth:groups:n=200,p=300,s=20 --schedule cyclic --shards 6 --epochs 30",
    "lasso fit synth:groups:n=200,p=300,s=20 --schedule shuffled --shards 6 --epochs 30",
    "lasso fit synth:groups:n=200,p=300,s=20 --schedule priority --staleness 2 --shards 6 --epochs 30",
    "lasso fit two.csv --y kind --loss logistic --schedule priority --ratio 20 --shards 6 --epochs 30",
    "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 12 --schedule auto --shards 6",
    "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 12 --schedule rotation --shards 6",
    "mf fit synth:ratings:users=300,items=120,n=9000 --rank 8 --epochs 12 --schedule priority --shards 6",
    "lda fit --topics 8 --epochs 20 --schedule rotation --shards 6",
    "lda fit --topics 8 --epochs 20 --schedule auto --shards 6",
];

#[test]
fn each_leaves_the_model_of_one_process_whoever_joins_leaves_or_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    super::launch::two_classes(folder);
    for line in LINES {
        slow(folder, 1);
        let (expected, status) = alone(folder, line);
        for (processes, workers) in [(1, 1), (2, 1), (3, 2)] {
            let how = format!("raddle launch --processes {processes} --workers {workers} --balance off");
            let ran = run(folder, &format!("{how} -- {line} --out run --force"));
            assert_eq!(ran.code, status, "{line}: {}", ran.err);
            let what = format!("{line} on {processes} processes of {workers}");
            assert_eq!(digest(&folder.join("run")), expected, "{what}");
        }
        // The working set needs few epochs, and short ones: whoever joins must be in before the last.
        let is_short = line.contains("--schedule auto") || line.contains("working-set");
        slow(folder, if line.starts_with("lasso") && is_short { 4000 } else { 400 });
        let begun =
            launch(2, &format!("{line} --checkpoint-every 1")).replace("launch", "launch --balance off");
        let _ = fs::remove_dir_all(folder.join("run"));
        let mut begun = Launched::begin(folder, &begun);
        begun.await_epoch(1);
        let at = coordinator(&begun.run);
        let _joined =
            Joined::begin(folder, &format!("raddle join {at} --token-file run/token --deadline 60"));
        await_running(folder, 3);
        signal(&begun.processes()[0], "-TERM");
        await_running(folder, 2);
        signal(&begun.processes()[1], "-KILL");
        begun.await_line("the run continues from its last checkpoint");
        slow(folder, 1);
        let (code, said) = begun.end();
        assert_eq!(code, status, "{line}: {said}");
        assert_eq!(digest(&folder.join("run")), expected, "{line}: {said}");
    }
}
