//! [`Run`]: a run as the page shows it, with the seconds and updates of each epoch since it began.

use raddle::EpochRecord;
use serde_json::Value;

use crate::run_folder::snapshot::RunSnapshot;

/// Run of a page.
pub(super) struct Run {
    /// Name that tells it from the other runs of the page.
    pub(super) name: String,
    pub(super) snapshot: RunSnapshot,
    /// Seconds from the start of the run to the end of each epoch of the trace. The parts of a run that was
    /// resumed, each of which counts from its own start, follow each other.
    pub(super) seconds: Vec<f64>,
    /// Variables updated up to the end of each epoch of the trace.
    pub(super) updates: Vec<f64>,
}

impl Run {
    pub(super) fn new(name: String, snapshot: RunSnapshot) -> Self {
        let seconds = cumulated_seconds(&snapshot.trace);
        let updates = snapshot.trace.iter().scan(0.0, |sum, epoch| {
            *sum += epoch.updates as f64;
            Some(*sum)
        });
        Self { updates: updates.collect(), name, seconds, snapshot }
    }

    /// Field of the report, by its path; null where there is none.
    pub(super) fn field(&self, path: &[&str]) -> &Value {
        self.snapshot.field(path)
    }

    /// The program, by the report or by the request of a run that has none.
    pub(super) fn program(&self) -> &str {
        match self.field(&["program"]).as_str().unwrap_or(&self.snapshot.begun.program) {
            "" => "unknown program",
            program => program,
        }
    }

    /// Title of its results.
    pub(super) fn title(&self) -> String {
        if let Some(summary) = self.snapshot.summary.as_ref().filter(|summary| !summary.title.is_empty()) {
            return summary.title.clone();
        }
        let data = self.field(&["data", "path"]).as_str().unwrap_or_default();
        [self.program(), &self.snapshot.begun.verb, data]
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Name of the metric that the trace was judged by last, if it was.
    pub(super) fn metric(&self) -> Option<&str> {
        self.snapshot.metric().map(|metric| metric.name.as_str())
    }
}

fn cumulated_seconds(trace: &[EpochRecord]) -> Vec<f64> {
    let (mut before, mut last) = (0.0, 0.0);
    let since_start = |epoch: &EpochRecord| {
        if epoch.seconds < last {
            before += last;
        }
        last = epoch.seconds;
        before + epoch.seconds
    };
    trace.iter().map(since_start).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_resumed_run_follow_each_other() {
        let seconds = [0.0, 1.0, 2.5, 0.25, 1.0, 0.5];
        let trace = seconds.map(|seconds| EpochRecord { seconds, ..EpochRecord::default() });
        assert_eq!(cumulated_seconds(&trace), [0.0, 1.0, 2.5, 2.75, 3.5, 4.0]);
    }
}
