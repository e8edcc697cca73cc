//! Ctrl-C and SIGTERM during a fetch.

use std::io::Write as _;
use std::path::Path;
use std::process;
use std::sync::{Mutex, Once, PoisonError};

use raddle_cli::{Error, ExitStatus};

use crate::place::beside;

static WORDS: Mutex<String> = Mutex::new(String::new());
static HANDLER: Once = Once::new();

/// Sets the message that is printed when a signal ends the process: which part of this file is kept, and
/// where.
pub(super) fn tell(addresses: &[String], place: &Path) -> Result<(), Error> {
    let part = beside(place, ".part");
    let from = addresses.join(" or ");
    let text = format!(
        "raddle-data: interrupted: what was fetched from {from} is kept in {}, and the next fetch continues \
         from there",
        part.display()
    );
    *WORDS.lock().unwrap_or_else(PoisonError::into_inner) = text;
    let mut installed = Ok(());
    HANDLER.call_once(|| installed = ctrlc::set_handler(end));
    installed.map_err(|why| Error::failed(format!("signals: {why}")))
}

fn end() {
    let words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    // No reader is left if stderr is closed.
    let _ = writeln!(std::io::stderr(), "{words}");
    process::exit(ExitStatus::Interrupted.code().into());
}
