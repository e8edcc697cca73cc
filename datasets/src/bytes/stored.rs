//! [`Stored`]: the bytes of a file, which are mapped, or of a pipe; [`Window`]: reads them once.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

use crate::bytes::blocks::{LONGEST_LINE, too_long};
use crate::bytes::inflate::Packing;
use crate::bytes::{line_ends, memory};
use crate::error::ReadError;

/// Stored bytes kept in memory at once while a file is read sequentially.
pub(super) const WINDOW: usize = 1 << 18;

/// Bytes read from a pipe at a time.
const PORTION: u64 = 1 << 20;

/// Bytes as they are stored.
pub(super) enum Stored {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Deref for Stored {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

impl Stored {
    /// Opens a file, or reads all of a device or a pipe.
    pub(super) fn open(path: &Path) -> Result<Self, ReadError> {
        let failed = |source| ReadError::io(path, source);
        let file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        // Special files, such as those in /proc, have no length either.
        if !about.is_file() || about.len() == 0 {
            return Self::endless(file, path);
        }
        // SAFETY: the mapping is only read as plain bytes, and no reader's memory safety relies on two reads
        // of a byte being equal. A file that is truncated meanwhile ends the program with a signal, not with
        // undefined behaviour.
        #[allow(unsafe_code)]
        let map = unsafe { Mmap::map(&file) };
        match map {
            Ok(map) => Ok(Self::Mapped(map)),
            Err(_) => Self::endless(file, path),
        }
    }

    /// Reads all of a pipe or a device, which may be endless: lines, and the whole, are limited.
    pub(super) fn endless(mut from: impl Read, path: &Path) -> Result<Self, ReadError> {
        let (mut content, most) = (Vec::new(), memory::for_content());
        let mut line_start = 0;
        loop {
            let length = content.len();
            let read = from.by_ref().take(PORTION).read_to_end(&mut content);
            match read.map_err(|source| ReadError::io(path, source))? {
                0 => return Ok(Self::Owned(content)),
                _ if content.len() as u64 > most => {
                    return Err(ReadError::file(path, memory::too_large(most, "so far it has")));
                }
                _ => {}
            }
            if length == 0 && content.len() as u64 == PORTION && content.iter().all(|&byte| byte == 0) {
                return Err(ReadError::file(
                    path,
                    "there are only zeros: is this the right file, and a text?",
                ));
            }
            if let Some(last) = memchr::memrchr2(b'\n', b'\r', &content[length..]) {
                line_start = length + last + 1;
            }
            // Binary content has no lines to limit.
            if content.len() - line_start > LONGEST_LINE && !is_binary(&content) {
                let line = line_ends::count(&content[..line_start]) + 1;
                return Err(ReadError::at(path, line, too_long()));
            }
        }
    }

    /// Releases the memory of bytes that were read, if they are mapped; reading them again reads the file
    /// again.
    #[cfg_attr(not(unix), allow(unused_variables, reason = "the system is not asked there"))]
    pub(super) fn forget(&self, bytes: &[u8]) {
        #[cfg(unix)]
        if let Self::Mapped(map) = self
            && map.as_ptr_range().contains(&bytes.as_ptr())
        {
            let start = bytes.as_ptr().addr() - map.as_ptr().addr();
            // SAFETY: the mapping is shared, of a file, and only read: its pages come back from the file
            // unchanged.
            #[allow(unsafe_code)]
            let forgotten =
                unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, bytes.len()) };
            // If the system refuses, the memory stays in use, which does no harm.
            let _ = forgotten;
        }
    }
}

fn is_binary(content: &[u8]) -> bool {
    Packing::of(content) != Packing::None
        || [&b"\x93NUMPY"[..], b"PK\x03\x04", b"PAR1"].iter().any(|magic| content.starts_with(magic))
}

/// Stored bytes that are read once; their memory is released as the position passes them.
pub(super) struct Window<'a> {
    stored: &'a Stored,
    bytes: &'a [u8],
    /// How many of the first [`WINDOW`] bytes were passed.
    read: usize,
}

impl<'a> Window<'a> {
    pub(super) fn new(stored: &'a Stored) -> Self {
        Self { stored, bytes: stored, read: 0 }
    }
}

impl BufRead for Window<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(&self.bytes[self.read..self.bytes.len().min(WINDOW)])
    }

    fn consume(&mut self, amount: usize) {
        self.read += amount;
        let window = self.bytes.len().min(WINDOW);
        if self.read == window {
            let (passed, rest) = self.bytes.split_at(window);
            self.stored.forget(passed);
            (self.bytes, self.read) = (rest, 0);
        }
    }
}

impl Read for Window<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let amount = self.fill_buf()?.read(buffer)?;
        self.consume(amount);
        Ok(amount)
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// Bytes of a mapped file that are in memory, as the system counts them.
    fn resident(stored: &Stored) -> usize {
        let begins = format!("{:x}-", stored.as_ptr().addr());
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut lines = maps.lines().skip_while(|line| !line.starts_with(&begins));
        let size = lines.find_map(|line| line.strip_prefix("Rss:")).unwrap();
        1024 * size.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap()
    }

    #[test]
    fn the_memory_of_bytes_that_were_passed_is_released_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        std::fs::write(&path, vec![1; 4 * WINDOW]).unwrap();
        let stored = Stored::open(&path).unwrap();
        let sum = |bytes: &[u8]| bytes.iter().map(|&byte| usize::from(byte)).sum::<usize>();
        assert_eq!((sum(&stored), resident(&stored)), (4 * WINDOW, 4 * WINDOW));
        stored.forget(&stored[WINDOW..2 * WINDOW]);
        assert_eq!(resident(&stored), 3 * WINDOW);
        assert_eq!(sum(&stored), 4 * WINDOW);
    }
}
