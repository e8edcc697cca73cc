//! Files with the token of a run.

use std::fs;
use std::path::Path;

use raddle::cluster::Token;

use crate::exit::Error;

/// Reads the token from a file that no other user can read: its holder is trusted with everything.
pub(super) fn read_token(file: &Path) -> Result<Token, Error> {
    let refuse = |why: &dyn std::fmt::Display| Error::usage(format!("{}: {why}", file.display()));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(file).map_err(|why| refuse(&why))?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            let file = file.display();
            let why = format!("others can read it, or write it (mode {mode:03o}): chmod 600 {file}");
            return Err(refuse(&why));
        }
    }
    let text = fs::read_to_string(file).map_err(|why| refuse(&why))?;
    Token::parse(text.trim()).ok_or_else(|| refuse(&"it holds no token of a run"))
}
