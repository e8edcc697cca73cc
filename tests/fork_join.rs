//! The workers of a run help the first one: nothing of it shows in a result, and a failure ends the run.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use raddle::schedule::{Cyclic, Variables};
use raddle::{
    Aggregate, Conclude, Engine, Evaluate, Metric, Parts, Program, TaskOf, Update, Verdict, fork_join,
};

use crate::programs::without_a_hang;

const COLUMNS: usize = 64;

/// Each round, every element of a matrix becomes a mix of those left of it in its row and the shards'
/// answers: much work for the first worker alone, row by row.
struct Mixer {
    /// Maximum of the threads that took part in the work.
    threads: Arc<AtomicUsize>,
    /// A row whose work fails, if any.
    bad: Option<usize>,
}

impl Program for Mixer {
    raddle::program!(Pinned = Vec<f64>, Replica = f64, Partial = f64; update);

    fn aggregate(&self, at: Aggregate<'_, Self>) -> f64 {
        self.threads.fetch_max(fork_join::count(), Ordering::Relaxed);
        let said: f64 = at.partials.sum();
        fork_join::each(1 << 20, at.pinned.chunks_mut(COLUMNS).enumerate(), |(row, elements)| {
            assert!(self.bad != Some(row), "a row that fails");
            let mut before = said;
            for element in elements {
                before = (0.5 * before + *element).sin();
                *element = before;
            }
        });
        at.pinned.iter().sum::<f64>() / at.pinned.len() as f64
    }

    fn commit(&self, mean: &f64, replica: &mut f64) {
        *replica = *mean;
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> f64 {
        *at.replica
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<f64> {
        let left = 20.0 - at.boundary.epoch as f64;
        Verdict::new(Metric::new("epochs left", left, "nothing").target(0.5))
    }
}

impl Update for Mixer {
    fn update(&self, at: TaskOf<'_, Self>) -> f64 {
        at.task.variables.iter().map(|&variable| f64::from(variable) * at.replica + 1.0).sum()
    }
}

fn run(workers: usize, bad: Option<usize>) -> Result<(Vec<u64>, usize), raddle::EngineError> {
    let most = Arc::new(AtomicUsize::new(0));
    let variables = Variables::in_ranges(vec![1; 12], vec![0, 3, 6, 9, 12]);
    let matrix = (0..500 * COLUMNS).map(|at| at as f64 / 100.0).collect();
    let parts = Parts { shards: vec![(); 4], blocks: Vec::new(), pinned: matrix, replica: 0.5 };
    let program = Mixer { threads: Arc::clone(&most), bad };
    let outcome = Engine::new(program, Cyclic::new(variables, 6), parts).workers(workers).run()?;
    let bits = outcome.parts.pinned.iter().map(|value| value.to_bits()).collect();
    Ok((bits, most.load(Ordering::Relaxed)))
}

#[test]
fn hands_are_the_workers_for_which_there_are_cores_and_change_no_bit() {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (alone, threads) = without_a_hang(|| run(1, None)).unwrap();
    assert_eq!(threads, 1);
    for workers in [2, 3, 7] {
        let (bits, threads) = without_a_hang(move || run(workers, None)).unwrap();
        assert_eq!(threads, workers.min(cores).min(4), "no more workers than shards");
        assert!(bits == alone, "{workers} workers");
    }
}

#[test]
fn a_failure_in_any_hand_ends_the_run() {
    for bad in [0, 1, 250, 499] {
        let error = without_a_hang(move || run(2, Some(bad))).unwrap_err();
        assert!(error.to_string().contains("a row that fails"), "{error}");
    }
}
