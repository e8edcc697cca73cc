//! [`Source`]: the bytes of a file or of standard input, as they are stored and as the text they hold.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memmap2::Mmap;
use sha2::{Digest, Sha256};

use crate::bytes::blocks::{Blocks, LONGEST_LINE, too_long};
use crate::bytes::encoding::{BYTE_ORDER_MARK, TextEncoding};
use crate::bytes::inflate::Packing;
use crate::bytes::{line_ends, memory};
use crate::error::ReadError;

/// Stored bytes that are in memory at once where they are read once.
const WINDOW: usize = 1 << 18;

/// Bytes that are taken from a pipe at a time.
const PORTION: u64 = 1 << 20;

const EMPTY: &str = "the file is empty: was the download or the conversion cut short?";

const NOTHING: &str = "nothing came: pipe the data in, or name a file (processes that a launch or a pool starts have no standard input)";

/// Name of standard input as data.
pub(crate) const STDIN: &str = "-";

/// Name of standard input in messages.
const STDIN_NAME: &str = "standard input";

/// `true` if users mean a file by this, or standard input.
pub(crate) fn names_a_file(source: &str) -> bool {
    source == STDIN || source.contains(['/', '\\', '.']) || Path::new(source).exists()
}

/// A file's name up to its first point: `mice` for `lasso/mice.svm.gz`.
pub(crate) fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let end =
        name.char_indices().find(|&(at, letter)| letter == '.' && at > 0).map_or(name.len(), |(at, _)| at);
    name[..end].to_owned()
}

/// A file's bytes as stored.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    stored: Stored,
    packing: Packing,
    /// The content as UTF-8, where it is stored in another encoding.
    decoded: Option<String>,
    digest: OnceLock<String>,
}

enum Stored {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Source {
    /// Opens a file, or takes all of standard input.
    pub(crate) fn open(path: &Path) -> Result<Self, ReadError> {
        let (path, stored) = match path == Path::new(STDIN) {
            true => (Path::new(STDIN_NAME), endless(io::stdin().lock(), Path::new(STDIN_NAME))?),
            false => (path, open(path)?),
        };
        let source = Self::of(path, stored);
        match source.stored().is_empty() {
            true if source.is_stdin() => Err(ReadError::file(&source.path, NOTHING)),
            true => Err(ReadError::file(path, EMPTY)),
            false => Ok(source),
        }
    }

    /// Opens a text that is in this encoding; without one, in UTF-8, or in UTF-16 if it begins with its mark.
    pub(crate) fn open_text(path: &Path, encoding: Option<TextEncoding>) -> Result<Self, ReadError> {
        let mut source = Self::open(path)?;
        let beginning = source.beginning(4)?;
        let encoding = encoding.or_else(|| TextEncoding::marked(&beginning));
        if let Some(encoding) = encoding.filter(|encoding| !encoding.is_utf8()) {
            let text = encoding.decode(&source.content()?);
            let text = text.map_err(|(line, why)| ReadError::at(&source.path, line + 1, why))?;
            source.decoded = Some(text);
        }
        Ok(source)
    }

    /// Source of the same bytes, with this text as their content.
    #[cfg(feature = "parquet")]
    pub(crate) fn with_text(self, text: String) -> Self {
        Self { decoded: Some(text), ..self }
    }

    /// Bytes that are part of the program, under a name.
    pub(crate) fn embedded(name: &str, bytes: &[u8]) -> Self {
        Self::of(Path::new(name), Stored::Owned(bytes.to_vec()))
    }

    fn of(path: &Path, stored: Stored) -> Self {
        let mut source = Self {
            path: path.into(),
            stored,
            packing: Packing::None,
            decoded: None,
            digest: OnceLock::new(),
        };
        source.packing = Packing::of(source.stored());
        source
    }

    pub(crate) fn stored(&self) -> &[u8] {
        match &self.stored {
            Stored::Mapped(map) => map,
            Stored::Owned(bytes) => bytes,
        }
    }

    /// `true` if the data came by standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        self.path == Path::new(STDIN_NAME)
    }

    pub(crate) fn is_packed(&self) -> bool {
        self.packing != Packing::None
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

    /// Lets go of the memory behind bytes that were read, if they are mapped; whoever asks again reads the
    /// file again.
    pub(crate) fn forget(&self, bytes: &[u8]) {
        #[cfg(unix)]
        if let Stored::Mapped(map) = &self.stored
            && map.as_ptr_range().contains(&bytes.as_ptr())
        {
            let start = bytes.as_ptr().addr() - map.as_ptr().addr();
            // SAFETY: the map is shared, of a file, and read only: its pages come back from the file as they
            // were.
            #[allow(unsafe_code)]
            let forgotten =
                unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, start, bytes.len()) };
            // Where the system refuses, the memory stays taken, which is all that can happen.
            let _ = forgotten;
        }
    }

    /// The whole content, inflated and decoded where needed.
    pub(crate) fn content(&self) -> Result<Cow<'_, [u8]>, ReadError> {
        if let Some(text) = &self.decoded {
            return Ok(Cow::Borrowed(text.as_bytes()));
        }
        if !self.is_packed() {
            return Ok(Cow::Borrowed(self.stored()));
        }
        let (mut content, most) = (Vec::new(), memory::for_content());
        match self.packing.reader(self.stored()).take(most + 1).read_to_end(&mut content) {
            Ok(_) if content.len() as u64 > most => {
                Err(ReadError::file(&self.path, too_large(most, "inflated, the file has")))
            }
            Ok(_) => Ok(Cow::Owned(content)),
            Err(error) => {
                let (line, message) = self.packing.broken(&content, &error);
                Err(ReadError::at(&self.path, 1 + line, message))
            }
        }
    }

    /// The whole content with lines that end by LF or CR LF.
    pub(crate) fn text(&self) -> Result<Cow<'_, [u8]>, ReadError> {
        let mut text = self.content()?;
        if line_ends::has_lone(&text) {
            line_ends::unify(text.to_mut(), None);
        }
        Ok(text)
    }

    /// The first bytes of the content, at most `length`, without UTF-8's mark, lines ended by LF or CR LF:
    /// what recognising a format needs.
    ///
    /// Fails only where not one byte can be had; a later break is for the reader that meets it.
    pub(crate) fn beginning(&self, length: usize) -> Result<Vec<u8>, ReadError> {
        let mut beginning = self.first_bytes(length)?;
        line_ends::unify(&mut beginning, None);
        Ok(beginning)
    }

    /// Text with lines that end as they do in the file.
    pub(crate) fn first_bytes(&self, length: usize) -> Result<Vec<u8>, ReadError> {
        let mut beginning = Vec::new();
        let read = match &self.decoded {
            Some(text) => text.as_bytes().take(length as u64).read_to_end(&mut beginning),
            None => self.packing.reader(self.stored()).take(length as u64).read_to_end(&mut beginning),
        };
        if beginning.starts_with(BYTE_ORDER_MARK) {
            beginning.drain(..BYTE_ORDER_MARK.len());
        }
        match read {
            _ if !beginning.is_empty() => Ok(beginning),
            Ok(_) => Err(ReadError::file(&self.path, EMPTY)),
            Err(error) => Err(ReadError::at(&self.path, 1, self.packing.broken(&[], &error).1)),
        }
    }

    /// The content as blocks of whole lines, inflated while they are taken, without UTF-8's mark.
    pub(crate) fn blocks(&self) -> Blocks<'_> {
        match (&self.decoded, self.packing) {
            (Some(text), _) => Blocks::text(text.as_bytes()),
            (None, Packing::None) => Blocks::text(self.stored()),
            (None, packing) => {
                let stored = Window { source: self, bytes: self.stored(), read: 0 };
                Blocks::inflated(packing, packing.reader(stored))
            }
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

/// Message where content does not fit into memory.
pub(crate) fn too_large(most: u64, what: &str) -> String {
    let most = memory::gigabytes(most);
    format!(
        "{what} more than {most}, a third of the memory that is free: give less of it, or use a larger \
         machine"
    )
}

/// Stored bytes that are read once, and forgotten as they are passed.
struct Window<'a> {
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

fn open(path: &Path) -> Result<Stored, ReadError> {
    let failed = |source| ReadError::io(path, source);
    let file = File::open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    // Files of the system such as those in /proc have no length either.
    if !about.is_file() || about.len() == 0 {
        return endless(file, path);
    }
    // SAFETY: the map is only ever read as plain bytes, no reader relies on two reads of a byte being equal
    // for its memory safety, and a file cut off while it is read ends the program by a signal, not by
    // undefined behaviour.
    #[allow(unsafe_code)]
    let map = unsafe { Mmap::map(&file) };
    match map {
        Ok(map) => Ok(Stored::Mapped(map)),
        Err(_) => endless(file, path),
    }
}

/// All of a pipe or a device, which may never end: lines, and the whole, have a bound.
fn endless(mut from: impl Read, path: &Path) -> Result<Stored, ReadError> {
    let (mut content, most) = (Vec::new(), memory::for_content());
    let mut line_start = 0;
    loop {
        let length = content.len();
        let read = from.by_ref().take(PORTION).read_to_end(&mut content);
        match read.map_err(|source| ReadError::io(path, source))? {
            0 => return Ok(Stored::Owned(content)),
            _ if content.len() as u64 > most => {
                return Err(ReadError::file(path, too_large(most, "so far it has")));
            }
            _ => {}
        }
        if length == 0 && content.len() as u64 == PORTION && content.iter().all(|&byte| byte == 0) {
            return Err(ReadError::file(path, "there are only zeros: is this the right file, and a text?"));
        }
        if let Some(last) = memchr::memrchr2(b'\n', b'\r', &content[length..]) {
            line_start = length + last + 1;
        }
        // Binary content has no lines.
        if content.len() - line_start > LONGEST_LINE && !is_binary(&content) {
            let line = line_ends::count(&content[..line_start]) + 1;
            return Err(ReadError::at(path, line, too_long()));
        }
    }
}

fn is_binary(content: &[u8]) -> bool {
    Packing::of(content) != Packing::None
        || [&b"\x93NUMPY"[..], b"PK\x03\x04", b"PAR1"].iter().any(|magic| content.starts_with(magic))
}
/// Text of a small file that an option names: inflated where it is packed, decoded where a mark says UTF-16,
/// without the mark, with lines that end by LF or CR LF. An empty file has an empty text.
///
/// # Errors
/// A file that cannot be read, and, by its line, text that is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, ReadError> {
    if fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() == 0) {
        return Ok(String::new());
    }
    let source = Source::open_text(path, None)?;
    let content = source.text()?;
    let content = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&content);
    match std::str::from_utf8(content) {
        Ok(text) => Ok(text.to_owned()),
        Err(why) => {
            let line = 1 + line_ends::count(&content[..why.valid_up_to()]);
            Err(ReadError::at(path, line, "this is not UTF-8: convert the file, with iconv for example"))
        }
    }
}
