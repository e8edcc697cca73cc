//! Records are read as they were written.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde::de::DeserializeOwned;

use super::*;

/// Numbers that JSON can hold, and those for which it writes `null`.
fn numbers() -> impl Strategy<Value = f64> {
    prop_oneof![8 => any::<f64>(), 1 => Just(f64::NAN), 1 => Just(f64::INFINITY), 1 => Just(-0.0)]
}

fn finite() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("finite", |number| number.is_finite())
}

fn endings() -> impl Strategy<Value = Ending> {
    prop_oneof![
        Just(Ending::Target),
        Just(Ending::Converged),
        Just(Ending::Limit(Limit::Epochs)),
        Just(Ending::Limit(Limit::Time)),
        Just(Ending::Interrupted),
        Just(Ending::Diverged)
    ]
}

prop_compose! {
    fn metrics()(
        name in ".*", value in numbers(), target in option::of(finite()), on in ".*", certified: bool
    ) -> Metric {
        Metric { name, value, target, on, certified }
    }
}

prop_compose! {
    fn epoch_records()(
        counts: [u64; 6],
        seconds in finite(), measured in finite(), workers: usize,
        objective in option::of(finite()), metric in option::of(metrics()),
        position in option::of(".*"), ending in option::of(endings()), note in option::of(".*"),
        shown in btree_map(".*", numbers(), 0..3), load in vec(finite(), 0..3), rolled_back: bool,
        wanted: Option<u32>,
    ) -> EpochRecord {
        let [epoch, data_version, updates, rounds, candidates, rejected] = counts;
        EpochRecord {
            epoch, data_version, seconds, measured, workers, objective, metric, position, ending, note, shown,
            updates, rounds, candidates, rejected, rolled_back, wanted, load, cost: 0, log: Vec::new(),
        }
    }
}

prop_compose! {
    fn generation_records()(
        epoch: u64, bytes_moved: u64, counts: [usize; 3], pause in finite()
    ) -> GenerationRecord {
        let [workers, processes, shards_moved] = counts;
        let member = GenerationMember { workers, shards: processes, bytes_sent: bytes_moved, ..Default::default() };
        let members = vec![member; processes % 3];
        GenerationRecord { epoch, workers, processes, pause, shards_moved, bytes_moved, members }
    }
}

prop_compose! {
    fn process_records()(
        process: u32, peak_memory_bytes: Option<u64>, cpu_seconds in option::of(finite()), machine: String
    ) -> ProcessRecord {
        ProcessRecord { process, peak_memory_bytes, cpu_seconds, machine }
    }
}

prop_compose! {
    fn run_reports()(
        ending in endings(), metric in metrics(), objective in option::of(finite()),
        counts: [u64; 11], sizes: [usize; 3], seconds in finite(), checkpoint_seconds in finite(),
        generations in vec(generation_records(), 0..3), processes in vec(process_records(), 0..3),
        warnings in vec(".*", 0..3),
    ) -> RunReport {
        let [epochs, rounds, tasks, updates, candidates, rejected, rollbacks, wire, blocks, count, bytes] = counts;
        let [shards, threads, idle_workers] = sizes;
        RunReport {
            ending, metric, objective, epochs, rounds, tasks, updates, candidates, rejected, rollbacks, seconds,
            bytes_on_wire: wire, block_bytes_on_wire: blocks, shards, threads, idle_workers, generations,
            processes, checkpoints: CheckpointRecord { count, seconds: checkpoint_seconds, bytes }, warnings,
        }
    }
}

/// Reads a record back, and checks that it is written with the same bytes again.
fn read_back<T: Serialize + DeserializeOwned>(record: &T) -> T {
    let json = serde_json::to_string(record).unwrap();
    let read: T = serde_json::from_str(&json).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
    read
}

fn told_apart(ending: Ending) -> Ending {
    if let Ending::Limit(_) = ending { Ending::Limit(Limit::Epochs) } else { ending }
}

proptest! {
    // Fields are compared as they are shown: every bit of a number, and NaN as NaN.
    #[test]
    fn an_epoch_is_read_back_as_it_is_written(mut record in epoch_records()) {
        let read = read_back(&record);
        let finite_or_nan = |value: &mut f64| if !value.is_finite() { *value = f64::NAN };
        record.shown.values_mut().for_each(finite_or_nan);
        record.metric.iter_mut().for_each(|metric| finite_or_nan(&mut metric.value));
        record.ending = record.ending.map(told_apart);
        prop_assert_eq!(format!("{read:?}"), format!("{record:?}"));
    }

    #[test]
    fn a_report_of_a_run_is_read_back_as_it_is_written(mut report in run_reports()) {
        let read = read_back(&report);
        if !report.metric.value.is_finite() {
            report.metric.value = f64::NAN;
        }
        report.ending = told_apart(report.ending);
        prop_assert_eq!(format!("{read:?}"), format!("{report:?}"));
    }
}

#[test]
fn an_ending_of_no_name_is_refused() {
    assert!(serde_json::from_str::<Ending>("\"success\"").is_err());
}
