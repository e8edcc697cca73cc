//! [`combine`]: several runs of an engine, such as those along a path, reported as one.

use raddle::{CheckpointRecord, Ending, Limit, Metric, RunReport};

/// Takes `next` into `total`: counts and seconds add up, generations follow each other, and ending and metric
/// are those of the run that is furthest from done.
pub fn combine(total: &mut RunReport, next: &RunReport) {
    let RunReport { ending, metric, objective, generations, .. } = next;
    let distance = |report: &RunReport| report.metric.value / report.metric.target.unwrap_or(1.0);
    if (gravity(*ending), distance(next)) > (gravity(total.ending), distance(total)) {
        (total.ending, total.metric, total.objective) = (*ending, metric.clone(), *objective);
    }
    let before = total.epochs;
    total.generations.extend(generations.iter().cloned().map(|mut generation| {
        generation.epoch += before;
        generation
    }));
    total.epochs += next.epochs;
    total.rounds += next.rounds;
    total.tasks += next.tasks;
    total.updates += next.updates;
    total.candidates += next.candidates;
    total.rejected += next.rejected;
    total.rollbacks += next.rollbacks;
    total.seconds += next.seconds;
    total.bytes_on_wire += next.bytes_on_wire;
    total.block_bytes_on_wire += next.block_bytes_on_wire;
    total.shards = total.shards.max(next.shards);
    total.threads = total.threads.max(next.threads);
    total.checkpoints.count += next.checkpoints.count;
    total.checkpoints.seconds += next.checkpoints.seconds;
    total.checkpoints.bytes = total.checkpoints.bytes.max(next.checkpoints.bytes);
    for text in &next.warnings {
        if !total.warnings.contains(text) {
            total.warnings.push(text.clone());
        }
    }
    total.idle_workers = total.idle_workers.max(next.idle_workers);
}

/// Returns the counts over all runs, with the ending, metric and objective of the model's run.
pub fn ended_as(total: RunReport, model: &RunReport) -> RunReport {
    let RunReport { ending, metric, objective, .. } = model.clone();
    RunReport { ending, metric, objective, ..total }
}

/// Distance of an ending from done: the larger, the farther.
fn gravity(ending: Ending) -> u8 {
    match ending {
        Ending::Target => 0,
        Ending::Converged => 1,
        Ending::Limit(Limit::Epochs) => 2,
        Ending::Limit(Limit::Time) => 3,
        Ending::Diverged => 4,
        Ending::Interrupted => 5,
    }
}

/// Makes the report of a run that was asked to end before its first boundary: nothing was measured, and its
/// metric has no name.
pub(crate) fn without_boundary(ending: Ending) -> RunReport {
    RunReport {
        ending,
        metric: Metric::new("", f64::NAN, ""),
        objective: None,
        epochs: 0,
        rounds: 0,
        tasks: 0,
        updates: 0,
        candidates: 0,
        rejected: 0,
        rollbacks: 0,
        seconds: 0.0,
        bytes_on_wire: 0,
        block_bytes_on_wire: 0,
        shards: 0,
        threads: 1,
        idle_workers: 0,
        generations: Vec::new(),
        processes: Vec::new(),
        checkpoints: CheckpointRecord::default(),
        warnings: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::small_run;
    use super::*;

    fn run(ending: Ending, gap: f64, epochs: u64) -> RunReport {
        let metric = Metric::new("gap", gap, "training data").target(1e-6).certified();
        RunReport { epochs, ..small_run(ending, metric) }
    }

    #[test]
    fn counts_add_up_and_generations_follow() {
        let mut total = run(Ending::Target, 1e-7, 3);
        combine(&mut total, &run(Ending::Target, 5e-7, 4));
        assert_eq!((total.epochs, total.rounds, total.updates, total.seconds), (7, 2, 6, 1.0));
        assert_eq!(total.generations.iter().map(|generation| generation.epoch).collect::<Vec<_>>(), [0, 3]);
        assert_eq!(total.metric.value, 5e-7);
    }

    #[test]
    fn the_run_furthest_from_done_speaks_for_all() {
        let mut total = run(Ending::Target, 1e-7, 3);
        combine(&mut total, &run(Ending::Limit(Limit::Epochs), 1e-3, 4));
        combine(&mut total, &run(Ending::Target, 9e-7, 4));
        assert_eq!((total.ending, total.metric.value), (Ending::Limit(Limit::Epochs), 1e-3));
        assert!(total.metric.is_missed());
    }
}
