//! Reports: their keys, their line for the screen, and their exit status.

use serde_json::json;

use super::combine::without_boundary;
use super::*;

/// Report of a small run of one generation.
pub(crate) fn small_run(ending: Ending, metric: Metric) -> RunReport {
    let (epoch, workers, processes, bytes_moved, pause, shards_moved) = (0, 2, 1, 0, 0.0, 1);
    let generation =
        GenerationRecord { epoch, workers, processes, pause, shards_moved, bytes_moved, members: Vec::new() };
    let generations = vec![generation];
    let (epochs, rounds, tasks, updates, candidates, rejected) = (3, 1, 2, 3, 4, 5);
    let (seconds, shards, threads, run) = (0.5, 8, 2, without_boundary(Ending::Interrupted));
    RunReport {
        ending,
        metric,
        epochs,
        rounds,
        tasks,
        updates,
        candidates,
        rejected,
        seconds,
        shards,
        threads,
        generations,
        ..run
    }
}

fn run() -> RunReport {
    let metric = Metric::new("relative-duality-gap", 1e-7, "training data").target(1e-6).certified();
    RunReport { objective: Some(1.5), tasks: 5, ..small_run(Ending::Target, metric) }
}

#[test]
fn the_keys_are_the_documented_ones() {
    let records = Records::new(5, [("missing response".into(), 1)].into());
    let (sizes, notes) = ([("rows".into(), 4)].into(), vec!["a header is taken".into()]);
    let data = Data { path: "mice".into(), sizes, records, notes, ..Data::default() };
    let about = About { program: "lasso".into(), data, workers: 2, ..About::default() };
    let metric = |value| Some(Metric { value, ..run().metric });
    let epochs = [
        EpochRecord { workers: 2, metric: metric(1.0), ..EpochRecord::default() },
        EpochRecord { epoch: 1, workers: 2, seconds: 0.25, metric: metric(0.1), ..EpochRecord::default() },
    ];
    let report = serde_json::to_value(Report::new(about, &run(), &epochs).result("lambda", 0.5)).unwrap();
    for key in "program version parameters data workers processes shards seed seconds epochs rounds tasks \
                candidates rejected updates bytes_on_wire metric model_digest peak_memory_bytes \
                generations profile ending objective rollbacks threads idle_workers cpu_over_wall"
        .split_whitespace()
    {
        assert!(report.get(key).is_some(), "{key}");
    }
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&report["data"]), ["digest", "format", "nonzeros", "path", "sizes"]);
    assert_eq!(report["records"], json!({"read": 5, "used": 4, "left_out": {"missing response": 1}}));
    assert_eq!(report["notes"], json!(["a header is taken"]));
    assert_eq!(keys(&report["seconds"]), ["certify", "fit", "prepare", "read", "write"]);
    assert_eq!(keys(&report["metric"]), ["certified", "name", "on", "target", "value"]);
    assert_eq!(
        report["generations"],
        json!([{"epoch": 0, "workers": 2, "processes": 1, "pause": 0.0, "shards_moved": 1, "bytes_moved": 0,
            "members": []}])
    );
    assert_eq!(report["profile"], json!({"2": {"seconds_per_epoch": 0.25, "progress": 1.0}}));
    assert_eq!((&report["tasks"], &report["processes"]), (&json!(5), &json!(1)));
    assert_eq!((&report["ending"], &report["results"]["lambda"]), (&json!("target"), &json!(0.5)));
}

#[test]
fn the_conclusion_is_plain() {
    let mut report = Report::new(About::default(), &run(), &[]);
    let done = "done: relative-duality-gap 1e-7 on training data (target 1e-6); 3 epochs, 0.000 s";
    assert_eq!(report.conclusion(), done);
    report.epochs = 1;
    assert!(report.conclusion().ends_with("; 1 epoch, 0.000 s"), "{}", report.conclusion());
    (report.ending, report.metric.value) = (Ending::Limit(Limit::Time), 1e-5);
    let conclusion = report.conclusion();
    assert!(conclusion.starts_with("stopped at the time limit: "), "{conclusion}");
    assert!(conclusion.contains("(target 1e-6 not reached)"), "{conclusion}");
    assert_eq!(report.status(), ExitStatus::Limit);
}

#[test]
fn a_target_that_nobody_gave_is_not_printed_and_a_missed_one_is_not_done() {
    let mut report = Report::new(About::default(), &run(), &[]);
    (report.ending, report.metric) = (Ending::Converged, Metric::new("rmse", 0.5, "validation data"));
    assert_eq!(report.conclusion(), "done: rmse 0.5 on validation data; 3 epochs, 0.000 s");
    assert_eq!(report.status(), ExitStatus::Done);
    report.metric.target = Some(0.25);
    let conclusion = report.conclusion();
    assert!(conclusion.starts_with("stopped: no further epoch comes closer: rmse 0.5"), "{conclusion}");
    assert!(conclusion.contains("(target 0.25 not reached)"), "{conclusion}");
    assert_eq!(report.status(), ExitStatus::Limit);
    (report.ending, report.metric.value) = (Ending::Interrupted, f64::NAN);
    assert!(report.conclusion().starts_with("interrupted: rmse not measured on"), "{}", report.conclusion());
}

#[test]
fn seconds_add_up_by_phase() {
    let mut seconds = Seconds::default();
    seconds.add(Timed::Fit, 1.0);
    seconds.add(Timed::Fit, 0.5);
    seconds.add(Timed::Read, 0.25);
    assert_eq!(seconds, Seconds { read: 0.25, fit: 1.5, ..Seconds::default() });
}
