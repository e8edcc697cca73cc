//! Runs that end early: limits, and Ctrl-C.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use raddle_lasso::Preparation;

use super::program::{ends, epochs, json, model, program, ran, scratch};
use crate::common::{Oracle, same_gap};

#[test]
fn a_limit_ends_with_three_and_a_model_that_says_so() {
    let folder = scratch();
    for (options, ending, said) in [
        ("--epochs 2", "limit", "stopped at the limit of epochs"),
        ("--time-limit 0", "limit", "stopped at the time limit"),
        ("--guard off --parallelism 200", "diverged", "stopped: it diverged"),
    ] {
        let line =
            format!("synth:groups:n=50,p=400,s=10 --schedule cyclic --tol 1e-9 --out run --force {options}");
        let ran = ends(folder.path(), &line, 3);
        assert!(ran.out.contains(said) && ran.out.contains("not reached"), "{}", ran.out);
        let run = folder.path().join("run");
        let (about, report) = (json(&run, "model.json"), json(&run, "report.json"));
        assert_eq!((&about["ending"], &report["ending"]), (&ending.into(), &ending.into()));
        assert_eq!(about["certified"], false);
        let gap = &report["metric"];
        assert!(gap["value"].as_f64().is_none_or(|value| value > gap["target"].as_f64().unwrap()), "{gap}");
        assert!(run.join("coef.tsv").exists());
    }
}

/// A run that does not end by itself within the time of a test; it is killed when dropped.
pub(crate) struct Alive(pub(crate) Option<Child>);

impl Drop for Alive {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130_and_a_model_and_until_then_the_folder_is_taken() {
    let folder = scratch();
    // Far from its tolerance for much longer than this test; the time limit only bounds a failure.
    let line = "synth:groups:n=100,p=1000,s=10,r=0.99 --schedule cyclic --parallelism 1 --workers 1 \
                --ratio 1e7 --tol 1e-15 --time-limit 100 --out run";
    let mut command = program(folder.path(), line);
    let mut child = Alive(Some(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()));
    let process = child.0.as_mut().unwrap();
    let mut progress = BufReader::new(process.stderr.take().unwrap()).lines();
    // It trains once epochs are on the screen and in the trace.
    loop {
        let line = progress.next().expect("the run ended before two epochs were in its trace").unwrap();
        assert!(line.starts_with("epoch "), "{line}");
        let run = folder.path().join("run");
        if run.join("trace.jsonl").exists() && epochs(&run).len() >= 2 {
            break;
        }
    }

    let refused = ends(folder.path(), "--out run", 2);
    assert!(refused.err.contains("run: its run is alive"), "{}", refused.err);
    assert!(refused.out.is_empty());

    let sent = Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let said: Vec<String> = progress.map(|line| line.unwrap()).collect();
    assert!(said.iter().any(|line| line.contains("interrupted: the run ends after this epoch")), "{said:?}");
    let ran = ran(child.0.take().unwrap().wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{}", ran.out);
    assert!(ran.out.contains("interrupted: relative-duality-gap"), "{}", ran.out);
    let run = folder.path().join("run");
    let report = json(&run, "report.json");
    assert_eq!(
        (&report["ending"], &json(&run, "model.json")["ending"]),
        (&"interrupted".into(), &"interrupted".into())
    );
    assert_eq!(epochs(&run).last().copied(), report["epochs"].as_u64());
    // The model is that of the last epoch: its gap is the one reported.
    let table = raddle_datasets::generate::table("synth:groups:n=100,p=1000,s=10,r=0.99").unwrap();
    let oracle = Oracle::new(&table.x, &table.y, Preparation::default());
    let gap =
        oracle.gap(&oracle.scaled(&model(&run).0), json(&run, "model.json")["lambda"].as_f64().unwrap());
    assert!(same_gap(report["metric"]["value"].as_f64().unwrap(), gap), "{gap:e}");
    // And the folder is free again.
    ends(folder.path(), "--out run --force", 0);
}

#[cfg(unix)]
#[test]
fn an_interrupt_between_folds_ends_with_130_and_says_that_there_is_no_model() {
    let folder = scratch();
    // Many folds of many lambdas: far from done for much longer than this test.
    let line = "cv synth:groups:n=400,p=400,s=40,r=0.5 --folds 400 --points 1000 --ratio 1e4 --workers 1 \
                --time-limit 100 --out run";
    let mut command = program(folder.path(), line);
    let mut child = Alive(Some(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()));
    let process = child.0.as_mut().unwrap();
    let mut progress = BufReader::new(process.stderr.take().unwrap()).lines();
    assert!(progress.any(|line| line.unwrap().starts_with("fold 2 of 400  epoch ")));
    let sent = Command::new("kill").args(["-INT", &process.id().to_string()]).status().unwrap();
    assert!(sent.success());
    progress.for_each(|line| drop(line.unwrap()));
    let ran = ran(child.0.take().unwrap().wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{}", ran.out);
    assert!(ran.out.contains("of 400, so no lambda is chosen and no model is written"), "{}", ran.out);
    assert!(ran.out.contains("interrupted: relative-duality-gap"), "{}", ran.out);
    let run = folder.path().join("run");
    assert!(!run.join("model.json").exists() && run.join("trace.jsonl").exists());
}
