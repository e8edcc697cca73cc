//! SHA-256 digests of files.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// Bytes read at a time.
pub(crate) const BLOCK: usize = 1 << 16;

/// Formats a digest as 64 hexadecimal digits.
pub(crate) fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the SHA-256 of a file's bytes as stored.
pub(crate) fn of_file(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    add_file(&mut hash, path)?;
    Ok(hexadecimal(hash))
}

/// Adds the bytes of a file to a hash; returns their number.
pub(crate) fn add_file(hash: &mut Sha256, path: &Path) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let mut block = vec![0; BLOCK];
    let mut bytes = 0;
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(bytes),
            Ok(count) => {
                hash.update(&block[..count]);
                bytes += count as u64;
            }
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
}

/// A writer that digests the bytes that pass through it and fails beyond a limit.
pub(crate) struct Digested<W> {
    to: W,
    hash: Sha256,
    left: u64,
}

impl<W: Write> Digested<W> {
    /// Wraps a writer, with a limit on the bytes that pass.
    pub(crate) fn new(to: W, most: u64) -> Self {
        Self { to, hash: Sha256::new(), left: most }
    }

    /// Returns the inner writer and the SHA-256 of the bytes that passed.
    pub(crate) fn finish(self) -> (W, String) {
        (self.to, hexadecimal(self.hash))
    }
}

impl<W: Write> Write for Digested<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() as u64 > self.left {
            return Err(io::Error::other(
                "it unpacks to far more than such a file contains: it is not unpacked",
            ));
        }
        let count = self.to.write(bytes)?;
        self.hash.update(&bytes[..count]);
        self.left -= count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
