//! [`Screen`]: progress on stderr.

mod line_rate;

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use raddle::EpochRecord;
use raddle::command_line_support::lock;

use self::line_rate::LineRate;
use super::options::TrainOptions;
use super::report::Timed;
use crate::number::number;

/// Display of the progress of a run: a bar on a terminal, else lines, at most ten a second and the last;
/// nothing with `--quiet`. Clones share one display.
#[derive(Debug, Clone)]
pub struct Screen {
    /// The bar; hidden unless stderr is a terminal.
    bar: ProgressBar,
    is_quiet: bool,
    /// Name of the metric on the screen, if it differs from the metric's own.
    metric: Option<String>,
    explain: bool,
    /// Name of the part that is running, if there are several.
    stage: Arc<Mutex<Option<String>>>,
    rate: Arc<Mutex<LineRate>>,
}

impl Screen {
    /// Makes the screen that these options ask for.
    pub fn new(options: &TrainOptions) -> Self {
        let is_shown = !options.quiet && io::stderr().is_terminal();
        let bar = if is_shown { bar(options.epochs) } else { ProgressBar::hidden() };
        let (is_quiet, explain) = (options.quiet, options.explain);
        Self { bar, is_quiet, metric: None, explain, stage: Arc::default(), rate: Arc::default() }
    }

    /// Returns a screen on which one of several parts shows its progress, under its own name.
    pub(super) fn apart(&self) -> Self {
        let rate = self.with_rate(|rate| rate.apart());
        Self { stage: Arc::default(), rate: Arc::new(Mutex::new(rate)), ..self.clone() }
    }

    /// Sets the name of the metric in the progress, such as `gap`. Default: the metric's own name.
    pub fn set_metric_name(&mut self, name: &str) {
        self.metric = Some(name.into());
    }

    /// Shows the part of the run that is running outside of epochs, such as reading.
    pub fn part(&self, part: Timed) {
        self.bar.set_message(part.label());
    }

    /// Shows an epoch; `before` epochs were completed in earlier parts of the run. Parts with names count
    /// their own epochs.
    pub fn epoch(&self, record: &EpochRecord, before: u64) {
        if self.explain {
            record.log.iter().for_each(|round| self.note(&round.to_string()));
        }
        if self.is_quiet {
            return;
        }
        let line = match &*lock(&self.stage) {
            Some(stage) => format!("{stage}  {}", self.line(record, record.epoch)),
            None => self.line(record, before + record.epoch),
        };
        if self.bar.is_hidden() {
            let offered = self.with_rate(|rate| rate.offer(Instant::now(), line));
            offered.into_iter().for_each(|line| self.note(&line));
        } else {
            self.bar.set_position(record.epoch);
            self.bar.set_message(line);
        }
        if let Some(note) = &record.note {
            self.stage(note);
        }
    }

    /// Sets the name of the part that starts, such as `fold 2 of 5`: its epochs are shown with it.
    pub fn stage(&self, text: &str) {
        self.flush();
        *lock(&self.stage) = Some(text.into());
    }

    /// Shows the last epoch, if it has not been shown.
    pub(super) fn flush(&self) {
        self.with_rate(LineRate::last).into_iter().for_each(|line| self.note(&line));
    }

    fn with_rate<T>(&self, act: impl FnOnce(&mut LineRate) -> T) -> T {
        act(&mut lock(&self.rate))
    }

    /// Writes a line to stderr, above the bar if there is one.
    pub fn note(&self, line: &str) {
        // No reader is left if stderr is closed.
        let _ = self.bar.suspend(|| writeln!(io::stderr(), "{line}"));
    }

    /// Shows a note in addition to the progress; nothing with `--quiet`.
    pub fn tell(&self, text: &str) {
        if !self.is_quiet {
            self.note(text);
        }
    }

    /// Warns of a fault that ends nothing; even with `--quiet`.
    pub fn warn(&self, text: &str) {
        self.note(&format!("warning: {text}"));
    }

    /// Removes the bar.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&self, record: &EpochRecord, epoch: u64) -> String {
        let EpochRecord { metric, position, updates, seconds, rolled_back, .. } = record;
        let position = position.as_ref().map_or(String::new(), |position| format!("  {position}"));
        let back = if *rolled_back { "  rolled back" } else { "" };
        let metric = metric.as_ref();
        let metric = metric.map_or(String::new(), |metric| {
            format!("  {} {}", self.metric.as_ref().unwrap_or(&metric.name), number(metric.value))
        });
        format!("epoch {epoch}{position}{metric}  updates {updates}  {seconds:.2} s{back}")
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

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::Metric;

    #[test]
    fn an_epoch_is_a_line() {
        let screen = screen();
        let metric = Some(Metric::new("relative-duality-gap", 1.2e-4, "training data"));
        let record = EpochRecord { epoch: 3, metric, updates: 17, seconds: 0.123, ..Default::default() };
        assert_eq!(screen.line(&record, 3), "epoch 3  gap 0.00012  updates 17  0.12 s");
        let position = Some("point 3 of 50".to_owned());
        let record = EpochRecord { position, ..record };
        assert_eq!(screen.line(&record, 3), "epoch 3  point 3 of 50  gap 0.00012  updates 17  0.12 s");
        let record = EpochRecord { position: None, rolled_back: true, ..record };
        assert!(screen.line(&record, 3).ends_with("rolled back"));
        let record = EpochRecord { metric: None, rolled_back: false, ..record };
        assert_eq!(screen.line(&record, 3), "epoch 3  updates 17  0.12 s");
        // Without a name from the program the metric has its own, even where another is measured at the time.
        let metric = Some(Metric::new("relative-change", 1.5, "the factors"));
        let record = EpochRecord { metric, ..record };
        let screen = Screen { metric: None, ..screen };
        assert_eq!(screen.line(&record, 3), "epoch 3  relative-change 1.5  updates 17  0.12 s");
    }

    fn screen() -> Screen {
        Screen {
            bar: ProgressBar::hidden(),
            is_quiet: true,
            metric: Some("gap".into()),
            explain: false,
            stage: Arc::default(),
            rate: Arc::default(),
        }
    }
}
