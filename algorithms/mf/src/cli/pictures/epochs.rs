//! The metric by epoch.

use std::fs;
use std::path::Path;

use raddle::EpochRecord;
use raddle_cli::{Axis, Picture, PictureKind, Series};

/// Plots the metric by epoch, from the trace in this folder, for the last version of the data. `best` is the
/// epoch of the model, if it was chosen among epochs. Empty if the trace could not be written, which the
/// session has reported.
pub(crate) fn epochs(folder: &Path, best: Option<u64>) -> Vec<Picture> {
    // Only this file has the earlier part of a resumed run.
    let text = fs::read_to_string(folder.join("trace.jsonl")).unwrap_or_default();
    let trace: Vec<EpochRecord> = text.lines().map_while(|line| serde_json::from_str(line).ok()).collect();
    let version = trace.last().map_or(0, |last| last.data_version);
    let first = trace.partition_point(|record| record.data_version < version);
    of_records(&trace[first..], best)
}

/// Plots a picture for each metric, with a line for each set on which it was measured.
fn of_records(trace: &[EpochRecord], best: Option<u64>) -> Vec<Picture> {
    let mut pictures: Vec<Picture> = Vec::new();
    let mut restarts = Vec::new();
    let first = trace.first().map_or(0, |record| record.epoch);
    for record in trace {
        let epoch = record.epoch as f64;
        if record.note.as_deref().is_some_and(|note| note.starts_with("restart")) {
            restarts.push(epoch);
        }
        let Some(metric) = record.metric.as_ref().filter(|metric| metric.value.is_finite()) else { continue };
        let at = pictures.iter().position(|picture| picture.y.label == metric.name).unwrap_or_else(|| {
            let picture = Picture::new(format!("{} by epoch", metric.name), PictureKind::Lines);
            pictures.push(picture.axes(Axis::linear("epoch"), Axis::linear(&*metric.name)));
            pictures.len() - 1
        });
        let all = &mut pictures[at].series;
        let at = all.iter().position(|series| series.name == metric.on).unwrap_or_else(|| {
            all.push(Series::new(&*metric.on, Vec::new(), Vec::new()));
            all.len() - 1
        });
        // A boundary between generations is recorded by both.
        if all[at].x.last() != Some(&epoch) {
            all[at].x.push(epoch);
            all[at].y.push(metric.value);
        }
    }
    // A single point is no line: a search has only the boundary before the first epoch.
    pictures.iter_mut().for_each(|picture| picture.series.retain(|series| series.x.len() > 1));
    pictures.retain(|picture| !picture.series.is_empty());
    for picture in &mut pictures {
        let of = std::mem::take(picture);
        let of = restarts.iter().fold(of, |of, &epoch| of.mark(epoch, "restart"));
        *picture = best.into_iter().fold(of, |of, best| of.mark((first + best) as f64, "best"));
    }
    pictures
}

#[cfg(test)]
mod tests {
    use raddle::Metric;

    use super::*;

    fn record(epoch: u64, name: &str, value: f64, on: &str) -> EpochRecord {
        EpochRecord { epoch, metric: Some(Metric::new(name, value, on)), ..EpochRecord::default() }
    }

    #[test]
    fn what_was_not_measured_is_left_out_and_what_was_measured_once_is_no_line() {
        let mut trace = vec![
            record(7, "rmse", f64::NAN, "validation data"),
            record(8, "rmse", 0.9, "validation data"),
            record(8, "rmse", 0.9, "validation data"),
            record(9, "rmse", 0.8, "validation data"),
            record(9, "rmse", 1.5, "training data"),
            record(10, "rmse", 0.7, "training data"),
            record(11, "loss", 0.5, "training data"),
        ];
        trace[3].note = Some("restart: 10 epochs from new factors".into());
        trace.push(EpochRecord { epoch: 12, ..EpochRecord::default() });
        let [picture] = &of_records(&trace, Some(2))[..] else { panic!("one picture") };
        let [held_out, training] = &picture.series[..] else { panic!("{picture:?}") };
        assert_eq!((&held_out.x, &held_out.y), (&vec![8.0, 9.0], &vec![0.9, 0.8]));
        assert_eq!((&training.x, &training.y), (&vec![9.0, 10.0], &vec![1.5, 0.7]));
        assert_eq!((&*picture.title, &*training.name), ("rmse by epoch", "training data"));
        let marks: Vec<(f64, &str)> = picture.marks.iter().map(|mark| (mark.at, &*mark.label)).collect();
        assert_eq!(marks, [(9.0, "restart"), (9.0, "best")]);
        assert!(of_records(&[], None).is_empty() && epochs(Path::new("no/such/folder"), None).is_empty());
    }
}
