//! [`to_stdout`]: what a verb prints besides its result.

use std::io::{self, BufWriter, ErrorKind, Write};

/// Writes to stdout. A reader that has read enough, such as `head`, is no failure.
///
/// # Errors
/// If stdout cannot be written.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(why) if why.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
