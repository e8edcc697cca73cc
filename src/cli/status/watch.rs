//! `raddle status --watch`: follows a run until it ends.

use std::io::{IsTerminal as _, stdout};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::folder_status::{FolderStatus, State};
use crate::exit::{Error, ExitStatus};
use crate::run_folder::snapshot::RunSnapshot;
use crate::say::say;

/// Interval at which the folder is read.
const PAUSE: Duration = Duration::from_millis(200);

/// Shows the run until it ends. Returns its exit status, or that of a failure if the run dies.
pub(super) fn watch(run: &Path, json: bool) -> Result<u8, Error> {
    let mut run = RunSnapshot::read(run)?;
    let in_place = !json && stdout().is_terminal();
    let mut shown = String::new();
    loop {
        let status = FolderStatus::new(&run);
        let text = match (json, in_place) {
            (true, _) => status.json()?,
            (_, true) => clipped(&status.text()),
            _ => status.line(),
        };
        if text != shown {
            say(&over(&text, if in_place { shown.lines().count() } else { 0 }))?;
            shown = text;
        }
        match status.state {
            State::Running => {}
            State::Ended => return Ok(status.status.unwrap_or(ExitStatus::Done.code())),
            State::Dead => return Ok(ExitStatus::Failed.code()),
            State::Unknown => {
                return Err(Error::failed(
                    "it cannot be seen from here whether its process lives: watch it on its own machine, \
                     which must run Linux",
                ));
            }
        }
        thread::sleep(PAUSE);
        run.refresh()?;
    }
}

/// Cuts the lines of a text to the width of the terminal, so that each takes one row.
fn clipped(text: &str) -> String {
    let width = width();
    let lines = text.lines().map(|line| line.chars().take(width).collect::<String>());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns a text that replaces this number of lines above the cursor. It sets no colours.
fn over(text: &str, lines: usize) -> String {
    match lines {
        0 => text.to_owned(),
        // Up, to the first column; what is left of the old text is erased.
        _ => format!("\u{1b}[{lines}F\u{1b}[J{text}"),
    }
}

/// Returns the columns of the terminal.
fn width() -> usize {
    #[cfg(unix)]
    let columns = rustix::termios::tcgetwinsize(stdout()).map_or(0, |size| size.ws_col);
    #[cfg(not(unix))]
    let columns = 0_u16;
    // A terminal that does not say how wide it is has 0 columns.
    if columns == 0 { 80 } else { usize::from(columns) }
}
