//! Files with a secret: the token of a run, the private key of a party.

use std::fs;
use std::path::Path;

use raddle::cluster::Token;
use raddle::parties::PrivateKey;

use crate::exit::Error;

/// Reads the token from a file that no other user can read: its holder is trusted with everything.
pub(super) fn read_token(file: &Path) -> Result<Token, Error> {
    read(file, "it holds no token of a run", Token::parse)
}

/// Reads a private key from a file that no other user can read.
pub(super) fn read_key(file: &Path) -> Result<PrivateKey, Error> {
    read(file, "it holds no private key: make one with raddle key", PrivateKey::parse)
}

/// Reads a secret from a file that only its owner may be able to read.
fn read<T>(file: &Path, none: &str, parse: fn(&str) -> Option<T>) -> Result<T, Error> {
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
    parse(text.trim()).ok_or_else(|| refuse(&none))
}
