//! A run that is resumed, finished or not, leaves the files of one that was never stopped.

use std::fs;

use raddle_common::testing::{copy_folder, pairs};

use super::program::{ends, scratch};
use crate::common::{in_turn, random};

/// Files of a model: equal to the byte, however the run was carried out.
fn files(run: &std::path::Path) -> Vec<(&'static str, Vec<u8>)> {
    let names = ["coef.tsv", "model.json", "path.tsv"].into_iter().filter(|name| run.join(name).exists());
    names.map(|name| (name, fs::read(run.join(name)).unwrap())).collect()
}

fn digest(out: &str) -> String {
    let report: serde_json::Value = serde_json::from_str(out).unwrap();
    report["model_digest"].as_str().unwrap().to_owned()
}

#[test]
fn every_schedule_and_loss_is_resumed_to_the_same_files() {
    let folder = scratch();
    let mut next = random(3);
    let rows: String = (0..30)
        .map(|_| {
            let x: Vec<f64> = (0..60).map(|_| next()).collect();
            let y = u8::from(x[3] + x[17] - x[40] + next() > 0.0);
            format!("{},{y}\n", x.iter().map(f64::to_string).collect::<Vec<_>>().join(","))
        })
        .collect();
    let names: Vec<String> = (1..=60).map(|j| format!("x{j}")).collect();
    fs::write(folder.path().join("data.csv"), format!("{},y\n{rows}", names.join(","))).unwrap();
    let mut lines = vec![];
    for loss in ["squared", "logistic"] {
        for schedule in ["working-set", "priority", "shuffled", "cyclic"] {
            let how = if schedule == "working-set" { "--tol 1e-9" } else { "--tol 1e-2 --parallelism 3" };
            lines.push(format!("fit data.csv --loss {loss} --schedule {schedule} --ratio 20 {how}"));
        }
        lines.push(format!("path data.csv --loss {loss} --points 6 --ratio 20"));
    }
    for (turn, line) in lines.into_iter().enumerate() {
        let run = |name: &str| folder.path().join(name);
        let whole = ends(folder.path(), &format!("{line} --json --quiet --out whole --force"), 0).out;
        let plain = files(&run("whole"));
        assert!(plain.len() >= 2 && plain.iter().all(|(_, bytes)| bytes.len() > 40), "{line}");
        let same = |name: &str, out: &str, how: &str| {
            assert_eq!(digest(out), digest(&whole), "{line}: {how}");
            for ((file, bytes), (_, expected)) in pairs(files(&run(name)).iter(), &plain) {
                assert!(bytes == expected, "{line}: {how}: {file}");
            }
        };
        // Finished, with a checkpoint of its last epoch.
        ends(folder.path(), &format!("{line} --checkpoint-every 1 --quiet --out done --force"), 0);
        // Stopped: the checkpoint of the first epoch, as a killed run leaves it.
        ends(folder.path(), &format!("{line} --checkpoint-every 1 --epochs 1 --quiet --out part --force"), 3);
        copy_folder(&run("part/checkpoint"), &run("kept"));
        let options = |workers: usize| format!("--workers {workers} --json --quiet");
        for workers in in_turn([1, 2, 3, 5], turn) {
            let options = options(workers);
            let again = ends(folder.path(), &format!("{line} {options} --resume done"), 0).out;
            same("done", &again, &format!("finished, {workers} workers"));
        }
        for workers in in_turn([2, 3, 5, 1], turn) {
            let options = options(workers);
            fs::remove_dir_all(run("part/checkpoint")).unwrap();
            copy_folder(&run("kept"), &run("part/checkpoint"));
            let on = ends(folder.path(), &format!("{line} {options} --resume part"), 0).out;
            same("part", &on, &format!("stopped, {workers} workers"));
        }
    }
}
