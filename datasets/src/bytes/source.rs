//! [`Source`]: a file or standard input, as the bytes that are stored and as the text that they contain.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::bytes::blocks::Blocks;
use crate::bytes::encoding::{BYTE_ORDER_MARK, TextEncoding};
use crate::bytes::inflate::Packing;
use crate::bytes::stored::{Stored, WINDOW, Window};
use crate::bytes::{line_ends, memory};
use crate::error::ReadError;

const EMPTY: &str = "the file is empty: was the download or the conversion cut short?";

const NOTHING: &str = "nothing came: pipe the data in, or name a file (processes that a launch or a pool starts have no standard input)";

/// Name of standard input on a command line.
pub(crate) const STDIN: &str = "-";

/// Name of standard input in messages.
const STDIN_NAME: &str = "standard input";

/// Returns `true` if a user who writes this means a file or standard input.
pub(crate) fn names_a_file(source: &str) -> bool {
    source == STDIN || source.contains(['/', '\\', '.']) || Path::new(source).exists()
}

/// Returns a file's name up to its first point: `mice` for `lasso/mice.svm.gz`.
pub(crate) fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let end =
        name.char_indices().find(|&(at, letter)| letter == '.' && at > 0).map_or(name.len(), |(at, _)| at);
    name[..end].to_owned()
}

/// The stored bytes of a file.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    stored: Stored,
    packing: Packing,
    /// The content as UTF-8, if it is stored in another encoding.
    decoded: Option<String>,
    digest: OnceLock<String>,
}

impl Source {
    /// Opens a file, or reads all of standard input.
    pub(crate) fn open(path: &Path) -> Result<Self, ReadError> {
        let (path, stored) = match path == Path::new(STDIN) {
            true => (Path::new(STDIN_NAME), Stored::endless(io::stdin().lock(), Path::new(STDIN_NAME))?),
            false => (path, Stored::open(path)?),
        };
        let source = Self::of(path, stored);
        match source.stored().is_empty() {
            true if source.is_stdin() => Err(ReadError::file(&source.path, NOTHING)),
            true => Err(ReadError::file(path, EMPTY)),
            false => Ok(source),
        }
    }

    /// Opens a text in this encoding; without one, in UTF-8, or in UTF-16 if it starts with that byte order
    /// mark.
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

    /// Returns a source of the same bytes with this text as its content.
    #[cfg(feature = "parquet")]
    pub(crate) fn with_text(self, text: String) -> Self {
        Self { decoded: Some(text), ..self }
    }

    /// Makes a source of bytes that are part of the program.
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
        &self.stored
    }

    /// Returns `true` if the data came from standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        self.path == Path::new(STDIN_NAME)
    }

    pub(crate) fn is_packed(&self) -> bool {
        self.packing != Packing::None
    }

    /// Returns the SHA-256 of the stored bytes as 64 hexadecimal digits.
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

    /// Releases the memory of bytes that were read, if they are mapped; reading them again reads the file
    /// again.
    pub(crate) fn forget(&self, bytes: &[u8]) {
        self.stored.forget(bytes);
    }

    /// Returns the whole content, decompressed and decoded.
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
                Err(ReadError::file(&self.path, memory::too_large(most, "inflated, the file has")))
            }
            Ok(_) => Ok(Cow::Owned(content)),
            Err(error) => {
                let (line, message) = self.packing.broken(&content, &error);
                Err(ReadError::at(&self.path, 1 + line, message))
            }
        }
    }

    /// Returns the whole content, with lines that end with LF or CR LF.
    pub(crate) fn text(&self) -> Result<Cow<'_, [u8]>, ReadError> {
        let mut text = self.content()?;
        if line_ends::has_lone(&text) {
            line_ends::unify(text.to_mut(), None);
        }
        Ok(text)
    }

    /// Returns the first bytes of the content, at most `length`, without the UTF-8 byte order mark and with
    /// lines that end with LF or CR LF: enough to recognise a format.
    ///
    /// # Errors
    /// If not one byte can be read; later damage is left to the reader that meets it.
    pub(crate) fn beginning(&self, length: usize) -> Result<Vec<u8>, ReadError> {
        let mut beginning = self.first_bytes(length)?;
        line_ends::unify(&mut beginning, None);
        Ok(beginning)
    }

    /// Returns the first bytes of the content with the file's own line ends.
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

    /// Returns the content as blocks of whole lines, decompressed block by block, without the UTF-8 mark.
    pub(crate) fn blocks(&self) -> Blocks<'_> {
        match (&self.decoded, self.packing) {
            (Some(text), _) => Blocks::text(text.as_bytes()),
            (None, Packing::None) => Blocks::text(self.stored()),
            (None, packing) => Blocks::inflated(packing, packing.reader(Window::new(&self.stored))),
        }
    }
}

/// Returns the SHA-256 as 64 hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Returns the first 16 digits of the SHA-256, which distinguish files of the same data.
pub(crate) fn short_digest(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes)[..8])
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a small text file that an option names: decompressed, decoded if a byte order mark says UTF-16,
/// without the mark, with lines that end with LF or CR LF. An empty file gives an empty text.
///
/// # Errors
/// If the file cannot be read, or is not UTF-8; then the error names the line.
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
