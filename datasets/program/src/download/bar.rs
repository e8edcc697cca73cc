//! [`Bar`]: the progress of a download.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};

/// A progress line on stderr; nothing is shown where stderr is not a terminal.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// Starts a progress line for a file of `total` bytes, of which `here` were fetched before.
    pub(super) fn new(name: &str, total: Option<u64>, here: u64) -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let form = match total {
            Some(_) => "{msg} [{bar:30}] {bytes} of {total_bytes}, {bytes_per_sec}, {eta}",
            None => "{msg} {bytes}, {bytes_per_sec}",
        };
        let style = ProgressStyle::with_template(form).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = bar.with_style(style).with_message(name.to_owned()).with_position(here);
        bar.reset_eta();
        Self(bar)
    }

    /// Adds bytes that arrived.
    pub(super) fn add(&self, bytes: usize) {
        self.0.inc(bytes as u64);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
