//! [`combine`]: several runs of an engine, such as those along a path, reported as one.

use crate::record::{Ending, RunReport};

/// Takes `next` into `total`: counts and seconds add up, generations follow each other, and ending and certificate are
/// those of the run that is furthest from done.
pub fn combine(total: &mut RunReport, next: &RunReport) {
    let RunReport { ending, certificate, objective, generations, .. } = next;
    let distance = |report: &RunReport| report.certificate.value / report.certificate.target;
    if (gravity(*ending), distance(next)) > (gravity(total.ending), distance(total)) {
        (total.ending, total.certificate, total.objective) = (*ending, certificate.clone(), *objective);
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
    total.idle_workers = total.idle_workers.max(next.idle_workers);
}

/// How far from done a run ended.
fn gravity(ending: Ending) -> u8 {
    match ending {
        Ending::Reached => 0,
        Ending::Epochs => 1,
        Ending::Time => 2,
        Ending::Stalled => 3,
        Ending::Diverged => 4,
        Ending::Interrupted => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Certificate;
    use crate::record::GenerationRecord;

    fn run(ending: Ending, gap: f64, epochs: u64) -> RunReport {
        RunReport {
            ending,
            certificate: Certificate::new("gap", gap, 1e-6, "training data"),
            objective: None,
            epochs,
            rounds: 1,
            tasks: 2,
            updates: 3,
            candidates: 4,
            rejected: 5,
            rollbacks: 0,
            seconds: 0.5,
            bytes_on_wire: 0,
            block_bytes_on_wire: 0,
            shards: 8,
            threads: 2,
            idle_workers: 0,
            generations: vec![GenerationRecord { epoch: 0, workers: 2, pause: 0.0, shards_moved: 0 }],
        }
    }

    #[test]
    fn counts_add_up_and_generations_follow() {
        let mut total = run(Ending::Reached, 1e-7, 3);
        combine(&mut total, &run(Ending::Reached, 5e-7, 4));
        assert_eq!((total.epochs, total.rounds, total.updates, total.seconds), (7, 2, 6, 1.0));
        assert_eq!(total.generations.iter().map(|generation| generation.epoch).collect::<Vec<_>>(), [0, 3]);
        assert_eq!(total.certificate.value, 5e-7);
    }

    #[test]
    fn the_run_furthest_from_done_speaks_for_all() {
        let mut total = run(Ending::Reached, 1e-7, 3);
        combine(&mut total, &run(Ending::Epochs, 1e-3, 4));
        combine(&mut total, &run(Ending::Reached, 9e-7, 4));
        assert_eq!((total.ending, total.certificate.value), (Ending::Epochs, 1e-3));
        assert!(!total.certificate.reached);
    }
}
