//! [`say`] and [`say_json`]: the result on stdout.

use std::io::{self, ErrorKind, Write as _};

use serde::Serialize;

use super::exit::Error;

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

/// Writes a value to stdout, as one line of JSON.
///
/// # Errors
/// If stdout cannot be written, or the value has no form as JSON.
pub(crate) fn say_json(value: &impl Serialize) -> Result<(), Error> {
    say(&serde_json::to_string(value).map_err(Error::failed)?)
}
