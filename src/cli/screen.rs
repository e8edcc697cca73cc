//! [`Screen`]: progress on stderr, the result on stdout.

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::exit::Error;
use super::options::TrainOptions;
use super::report::Phase;
use crate::record::EpochRecord;

/// Shows how a run goes: a bar on a terminal, else a line an epoch, and nothing with `--quiet`.
#[derive(Debug, Clone)]
pub struct Screen {
    how: How,
    metric: String,
    explain: bool,
}

#[derive(Debug, Clone)]
enum How {
    Nothing,
    Lines,
    Bar(ProgressBar),
}

impl Screen {
    /// The screen these options ask for.
    pub fn new(options: &TrainOptions) -> Self {
        let how = if options.quiet {
            How::Nothing
        } else if io::stderr().is_terminal() {
            How::Bar(bar(options.epochs))
        } else {
            How::Lines
        };
        Self { how, metric: "metric".into(), explain: options.explain }
    }

    /// What the metric is called in the progress, such as `gap`.
    pub fn set_metric_name(&mut self, name: &str) {
        self.metric = name.into();
    }

    /// Shows what goes on between epochs.
    pub fn phase(&self, phase: Phase) {
        if let How::Bar(bar) = &self.how {
            bar.set_message(phase.doing());
        }
    }

    /// Shows an epoch.
    pub fn epoch(&self, record: &EpochRecord) {
        if self.explain {
            record.log.iter().for_each(|round| self.note(&round.to_string()));
        }
        match &self.how {
            How::Nothing => (),
            How::Lines => self.note(&self.line(record)),
            How::Bar(bar) => {
                bar.set_position(record.epoch);
                bar.set_message(self.line(record));
            }
        }
    }

    /// Tells which part of several begins, such as a fold; nothing with `--quiet`.
    pub fn stage(&self, text: &str) {
        if !matches!(self.how, How::Nothing) {
            self.note(text);
        }
    }

    /// Writes a line to stderr, above the bar if there is one.
    pub fn note(&self, line: &str) {
        let write = || {
            // Nobody is left to tell if stderr is closed.
            let _ = writeln!(io::stderr(), "{line}");
        };
        match &self.how {
            How::Bar(bar) => bar.suspend(write),
            _ => write(),
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let How::Bar(bar) = &self.how {
            bar.finish_and_clear();
        }
    }

    fn line(&self, record: &EpochRecord) -> String {
        let EpochRecord { epoch, metric, updates, seconds, rolled_back, .. } = record;
        let back = if *rolled_back { "  rolled back" } else { "" };
        let metric = metric.as_ref();
        let metric =
            metric.map_or(String::new(), |metric| format!("  {} {}", self.metric, short(metric.value)));
        format!("epoch {epoch}{metric}  updates {updates}  {seconds:.2} s{back}")
    }
}

fn bar(epochs: Option<u64>) -> ProgressBar {
    let (bar, template) = match epochs {
        Some(epochs) => (ProgressBar::new(epochs), "{spinner} [{bar:24}] {msg}"),
        None => (ProgressBar::new_spinner(), "{spinner} {msg}"),
    };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    let bar = bar.with_style(style.progress_chars("=> "));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A value short enough to watch: fixed where that is readable, else with an exponent.
pub(super) fn short(value: f64) -> String {
    if (0.01..1e5).contains(&value.abs()) || value == 0.0 {
        format!("{value:.4}")
    } else {
        format!("{value:.2e}")
    }
}

/// A number with what it counts: `1 epoch`, `2 epochs`.
///
/// ```
/// use raddle::cli::count;
/// assert_eq!((count(1, "row"), count(0, "row")), ("1 row".into(), "0 rows".into()));
/// ```
pub fn count(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// Writes a text and a line end to stdout; a reader that has gone away is no error.
///
/// # Errors
/// If stdout cannot be written, such as when a disk is full.
pub fn say(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{}", text.trim_end_matches('\n')).and_then(|()| out.flush()) {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => Err(Error::failed(format!("stdout: {why}"))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Metric;

    #[test]
    fn an_epoch_is_a_line() {
        let screen = Screen { how: How::Nothing, metric: "gap".into(), explain: false };
        let metric = Some(Metric::new("relative-duality-gap", 1.2e-4, "training data"));
        let record = EpochRecord { epoch: 3, metric, updates: 17, seconds: 0.123, ..Default::default() };
        assert_eq!(screen.line(&record), "epoch 3  gap 1.20e-4  updates 17  0.12 s");
        let record = EpochRecord { rolled_back: true, ..record };
        assert!(screen.line(&record).ends_with("rolled back"));
        let record = EpochRecord { metric: None, rolled_back: false, ..record };
        assert_eq!(screen.line(&record), "epoch 3  updates 17  0.12 s");
    }

    #[test]
    fn values_are_short() {
        assert_eq!(short(0.84931), "0.8493");
        assert_eq!(short(1234.5), "1234.5000");
        assert_eq!(short(0.0), "0.0000");
        assert_eq!(short(-1e-9), "-1.00e-9");
        assert_eq!((short(f64::INFINITY), short(f64::NAN)), ("inf".into(), "NaN".into()));
    }
}
