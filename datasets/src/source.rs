//! The bytes of a file: mapped where that works, inflated where needed, cut into blocks of whole lines.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use flate2::bufread::MultiGzDecoder;
use memmap2::Mmap;
use sha2::{Digest, Sha256};

use crate::error::ReadError;
use crate::parallel::Flaw;

/// Text handed to one parse task: small enough to stay in a core's cache between inflating and parsing.
const BLOCK: usize = 1 << 20;

/// Stored bytes that are in memory at once where they are read once.
const WINDOW: usize = 1 << 18;

const EMPTY: &str = "the file is empty: was the download or the conversion cut short?";

/// A file's bytes as stored.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    stored: Stored,
    digest: OnceLock<String>,
}

enum Stored {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Source {
    pub(crate) fn open(path: &Path) -> Result<Self, ReadError> {
        let stored = open(path).map_err(|source| ReadError::io(path, source))?;
        let source = Self { path: path.into(), stored, digest: OnceLock::new() };
        match source.stored().is_empty() {
            true => Err(ReadError::file(path, EMPTY)),
            false => Ok(source),
        }
    }

    /// Bytes that are part of the program, under a name.
    pub(crate) fn embedded(name: &str, bytes: &[u8]) -> Self {
        Self { path: name.into(), stored: Stored::Owned(bytes.to_vec()), digest: Default::default() }
    }

    pub(crate) fn stored(&self) -> &[u8] {
        match &self.stored {
            Stored::Mapped(map) => map,
            Stored::Owned(bytes) => bytes,
        }
    }

    /// SHA-256 of the bytes as stored, as 64 hexadecimal digits.
    pub(crate) fn digest(&self) -> String {
        let digest = || {
            let mut sum = Sha256::new();
            for part in self.stored().chunks(WINDOW) {
                sum.update(part);
                self.forget(part);
            }
            hexadecimal(&sum.finalize())
        };
        self.digest.get_or_init(digest).clone()
    }

    /// Lets go of the memory behind bytes that were read, if they are mapped; whoever asks again reads the file again.
    pub(crate) fn forget(&self, bytes: &[u8]) {
        #[cfg(unix)]
        if let Stored::Mapped(map) = &self.stored
            && map.as_ptr_range().contains(&bytes.as_ptr())
        {
            let start = bytes.as_ptr().addr() - map.as_ptr().addr();
            // SAFETY: the map is shared, of a file, and read only: its pages come back from the file as they were.
            #[allow(unsafe_code)]
            let forgotten =
                unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, bytes.len()) };
            // Where the system refuses, the memory stays taken, which is all that can happen.
            let _ = forgotten;
        }
    }

    pub(crate) fn is_gzip(&self) -> bool {
        self.stored().starts_with(&[0x1f, 0x8b])
    }

    /// The whole content, inflated when it is gzip.
    pub(crate) fn content(&self) -> Result<Cow<'_, [u8]>, ReadError> {
        if !self.is_gzip() {
            return Ok(Cow::Borrowed(self.stored()));
        }
        let mut content = Vec::new();
        match MultiGzDecoder::new(self.stored()).read_to_end(&mut content) {
            Ok(_) => Ok(Cow::Owned(content)),
            Err(error) => {
                let (line, message) = broken_gzip(&content, &error);
                Err(ReadError::at(&self.path, 1 + line, message))
            }
        }
    }

    /// The first bytes of the content, at most `length`: what recognising a format needs.
    ///
    /// Fails only where not one byte can be had; a later break is for the reader that meets it.
    pub(crate) fn beginning(&self, length: usize) -> Result<Vec<u8>, ReadError> {
        let mut beginning = Vec::new();
        let read = match self.is_gzip() {
            true => MultiGzDecoder::new(self.stored()).take(length as u64).read_to_end(&mut beginning),
            false => self.stored().take(length as u64).read_to_end(&mut beginning),
        };
        match read {
            _ if !beginning.is_empty() => Ok(beginning),
            Ok(_) => Err(ReadError::file(&self.path, EMPTY)),
            Err(error) => Err(ReadError::at(&self.path, 1, broken_gzip(&[], &error).1)),
        }
    }

    /// The content as blocks of whole lines, inflated while they are taken.
    pub(crate) fn blocks(&self) -> Blocks<'_> {
        match self.is_gzip() {
            true => {
                let stored = Window { source: self, bytes: self.stored(), read: 0 };
                Blocks::Gzip { inflate: Box::new(MultiGzDecoder::new(stored)), carry: Vec::new() }
            }
            false => Blocks::Text(self.stored()),
        }
    }
}

/// SHA-256 as 64 hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Stored bytes that are read once, and forgotten as they are passed.
pub(crate) struct Window<'a> {
    source: &'a Source,
    bytes: &'a [u8],
    /// How many of the first [`WINDOW`] bytes are passed.
    read: usize,
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
            self.source.forget(passed);
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

fn open(path: &Path) -> io::Result<Stored> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return fs::read(path).map(Stored::Owned);
    }
    // SAFETY: the map is only ever read as plain bytes, no reader relies on two reads of a byte being equal
    // for its memory safety, and a file cut off while it is read ends the program by a signal, not by
    // undefined behaviour.
    #[allow(unsafe_code)]
    let map = unsafe { Mmap::map(&file) };
    match map {
        Ok(map) => Ok(Stored::Mapped(map)),
        Err(_) => fs::read(path).map(Stored::Owned),
    }
}

/// The flaw of gzip data of which only `text` could be inflated.
fn broken_gzip(text: &[u8], error: &io::Error) -> Flaw {
    let message = match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            "the gzip data end too early: the file was cut off; download or compress it again".into()
        }
        _ => format!("the gzip data are damaged ({error}): download or compress the file again"),
    };
    (text.iter().filter(|&&byte| byte == b'\n').count(), message)
}

/// Text that is taken block by block; every block ends with a line's end, or with the text's.
pub(crate) enum Blocks<'a> {
    Text(&'a [u8]),
    Gzip { inflate: Box<MultiGzDecoder<Window<'a>>>, carry: Vec<u8> },
}

impl<'a> Blocks<'a> {
    /// Passes over so many bytes, which the source is known to have.
    pub(crate) fn skip(mut self, bytes: usize) -> Self {
        match &mut self {
            Self::Text(rest) => *rest = &rest[bytes.min(rest.len())..],
            Self::Gzip { inflate, .. } => {
                // What cannot be inflated now is met again by whoever takes the next block.
                let _ = io::copy(&mut inflate.by_ref().take(bytes as u64), &mut io::sink());
            }
        }
        self
    }

    /// The next block, empty at the end. `scratch` is memory to inflate into.
    pub(crate) fn next<'s>(&mut self, scratch: &'s mut Vec<u8>) -> Result<&'s [u8], Flaw>
    where
        'a: 's,
    {
        match self {
            Self::Text(rest) => {
                let (block, after) = rest.split_at(block_end(rest));
                *rest = after;
                Ok(block)
            }
            Self::Gzip { inflate, carry } => {
                scratch.clear();
                scratch.append(carry);
                loop {
                    let read = inflate.by_ref().take(BLOCK as u64).read_to_end(scratch);
                    if read.map_err(|error| broken_gzip(scratch, &error))? == 0 {
                        return Ok(scratch);
                    }
                    if let Some(last) = scratch.iter().rposition(|&byte| byte == b'\n') {
                        carry.extend_from_slice(&scratch[last + 1..]);
                        scratch.truncate(last + 1);
                        return Ok(scratch);
                    }
                }
            }
        }
    }
}

/// Where a block of about [`BLOCK`] bytes ends: behind the first line end from there on.
fn block_end(text: &[u8]) -> usize {
    match text.get(BLOCK..).and_then(|rest| rest.iter().position(|&byte| byte == b'\n')) {
        Some(more) => BLOCK + more + 1,
        None => text.len(),
    }
}
