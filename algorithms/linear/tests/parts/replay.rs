//! A run in parts is a pure function of data, parameters and seed, however it is carried out.

use super::*;

const PLANS: [&str; 5] = ["1", "4", "16", "0:16,2:4", "auto"];

fn settings(plan: &str, loss: Loss) -> InParts {
    InParts::new(Linear::params().loss(loss).c(3.0).tolerance(1e-13), plan.parse().unwrap())
}

#[test]
fn runs_in_parts_replay_to_the_bit() {
    let problem = clouds(150);
    for plan in PLANS {
        let settings = settings(plan, Loss::Hinge);
        raddle::replay::check(|| settings.engine(&problem).unwrap().epochs(7)).unwrap();
    }
    for loss in [Loss::SquaredHinge, Loss::Logistic] {
        let settings = settings("4", loss).shares(vec![1.0, 0.2, 1.0, 3.0]);
        raddle::replay::check(|| settings.engine(&problem).unwrap().epochs(4)).unwrap();
    }
}

#[test]
fn digests_are_those_of_any_number_of_workers() {
    let problem = clouds(150);
    let mut all = std::collections::BTreeSet::new();
    for plan in PLANS {
        let settings = settings(plan, Loss::Hinge);
        let digest = |workers: usize, serialized: bool, rescale: &[(u64, usize)]| {
            let run = settings.fit_with(&problem, |engine| {
                engine.workers(workers).serialized(serialized).rescale(rescale).epochs(5)
            });
            run.unwrap().digest()
        };
        let one = digest(1, false, &[]);
        for workers in [2, 3, 4, 7] {
            assert_eq!(digest(workers, false, &[]), one, "{plan} on {workers} workers");
        }
        assert_eq!(digest(4, true, &[]), one, "{plan} by bytes");
        assert_eq!(digest(2, false, &[(1, 7), (2, 1), (4, 3)]), one, "{plan} rescaled");
        let folder = tempfile::tempdir().unwrap();
        let part = |epochs| settings.engine(&problem).unwrap().identity("the same").epochs(epochs);
        part(3).workers(3).checkpoint(1, folder.path()).run().unwrap();
        let resumed = part(5).workers(2).resume(folder.path()).run().unwrap();
        assert_eq!(settings.finish(&problem, resumed).unwrap().digest(), one, "{plan} resumed");
        all.insert(one);
    }
    // How many parts there are is mathematics.
    assert!(all.len() >= 4, "{all:?}");
}
