//! `model.json`: the list of a model's files, each with its SHA-256, in front of the program's facts about
//! the model.
//!
//! The file starts with its own SHA-256: that of all its other bytes, without the 64 digits, so that a change
//! anywhere in it is detected, too.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::base::digest::hex;

/// The name of the file.
pub(crate) const NAME: &str = "model.json";
/// The layout of a model's folder.
const FORMAT: u32 = 1;
/// Text before the digits.
const BEFORE: &[u8] = b"{\n  \"sha256\": \"";
const DIGITS: usize = 64;

/// Names of files, and the SHA-256 of each.
pub(crate) type Files = BTreeMap<String, String>;

/// Start of every program's `model.json`, except for the digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(crate) program: String,
    pub(crate) version: String,
    pub(crate) format: u32,
    pub(crate) files: Files,
}

impl Head {
    pub(crate) fn new(program: &str, version: &str, files: Files) -> Self {
        Self { program: program.into(), version: version.into(), format: FORMAT, files }
    }

    /// The head of a file's content, if a run wrote it: nothing about its digits is checked.
    pub(crate) fn of(text: &[u8]) -> Option<Self> {
        text.starts_with(BEFORE).then(|| serde_json::from_slice(text).ok()).flatten()
    }

    pub(super) fn is_readable(&self) -> bool {
        self.format == FORMAT
    }

    /// Returns the text between the digits and the program's own members, if it has some.
    fn between(&self, has_own: bool) -> io::Result<String> {
        let head = serde_json::to_string_pretty(self)?;
        let head = head.strip_prefix('{').and_then(|head| head.strip_suffix("\n}")).unwrap_or_default();
        Ok(format!("\",{head}{}\n", if has_own { "," } else { "" }))
    }

    /// The program's own object, of a `model.json` that this head begins.
    pub(super) fn own_of(&self, text: &[u8]) -> Option<Vec<u8>> {
        let behind = text.get(BEFORE.len() + DIGITS..)?;
        let inside = |has_own| behind.strip_prefix(self.between(has_own).ok()?.as_bytes());
        Some([b"{", inside(true).or_else(|| inside(false))?].concat())
    }

    /// Writes `model.json` from the program's own object, which is streamed.
    pub(crate) fn write(&self, own: &Own<'_>, out: &mut impl Write) -> io::Result<()> {
        let head = self.between(!own.is_empty)?;
        let mut digest = Digesting(Sha256::new());
        digest.write_all(BEFORE)?;
        digest.write_all(head.as_bytes())?;
        own.copy(&mut digest)?;
        out.write_all(BEFORE)?;
        out.write_all(hex(&digest.0.finalize()).as_bytes())?;
        out.write_all(head.as_bytes())?;
        own.copy(out)
    }
}

/// Returns the digits with which a `model.json` starts, if they are those of its content.
pub(super) fn verified(text: &[u8]) -> Option<&str> {
    let rest = text.strip_prefix(BEFORE)?;
    let (digits, rest) = rest.split_at_checked(DIGITS)?;
    let mut digest = Sha256::new();
    digest.update(BEFORE);
    digest.update(rest);
    let digits = std::str::from_utf8(digits).ok()?;
    (hex(&digest.finalize()) == digits).then_some(digits)
}

/// Returns the SHA-256 of a file, read piece by piece.
///
/// # Errors
/// If the file cannot be read.
pub fn digest_of(file: &Path) -> io::Result<String> {
    digest_of_open(&File::open(file)?)
}

/// Returns the SHA-256 of an open file, from its position on.
pub(super) fn digest_of_open(file: &File) -> io::Result<String> {
    let mut digest = Digesting(Sha256::new());
    io::copy(&mut io::BufReader::with_capacity(1 << 18, file), &mut digest)?;
    Ok(hex(&digest.0.finalize()))
}

/// Returns the SHA-256 of bytes.
pub fn digest_of_bytes(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

struct Digesting(Sha256);

impl Write for Digesting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that holds a JSON object: the program's own members.
pub(super) struct Own<'a> {
    file: Option<&'a Path>,
    /// Position at which the members of the object start.
    inside: u64,
    is_empty: bool,
}

impl<'a> Own<'a> {
    /// Makes an object without members, for which there is no file.
    pub(crate) fn none() -> Self {
        Self { file: None, inside: 0, is_empty: true }
    }

    pub(crate) fn new(file: &'a Path) -> io::Result<Self> {
        let mut bytes = io::BufReader::new(File::open(file)?).bytes();
        let mut at = 0;
        let mut next = || -> io::Result<u8> {
            loop {
                let byte = bytes.next().unwrap_or(Err(io::ErrorKind::UnexpectedEof.into()))?;
                at += 1;
                if !byte.is_ascii_whitespace() {
                    return Ok(byte);
                }
            }
        };
        if next()? != b'{' {
            return Err(io::Error::other("model.json must be an object"));
        }
        let is_empty = next()? == b'}';
        Ok(Self { file: Some(file), inside: at - 1, is_empty })
    }

    /// Copies the object from after its first brace to its end.
    fn copy(&self, out: &mut impl Write) -> io::Result<()> {
        let Some(file) = self.file else { return out.write_all(b"}") };
        let mut file = File::open(file)?;
        file.seek(SeekFrom::Start(self.inside))?;
        io::copy(&mut io::BufReader::with_capacity(1 << 18, file), out)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(own: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("own");
        std::fs::write(&file, own).unwrap();
        let files = [("coef.tsv".to_owned(), digest_of_bytes(b"1 2\n"))].into();
        let mut out = Vec::new();
        Head::new("lasso", "1.0", files).write(&Own::new(&file).unwrap(), &mut out).unwrap();
        out
    }

    #[test]
    fn it_is_one_object_whose_head_is_found_again() {
        for own in [" {\n \"lambda\": 0.5, \"names\": [\"a\"]}\n", "{}", "{ }", "{\"lambda\":{}}"] {
            let text = written(own);
            let whole: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&text).unwrap();
            let mine: serde_json::Map<String, serde_json::Value> = serde_json::from_str(own).unwrap();
            assert!(mine.iter().all(|(key, value)| whole[key] == *value), "{own}");
            assert_eq!(whole.len(), mine.len() + 5);
            let head = Head::of(&text).unwrap();
            assert_eq!((head.program.as_str(), head.files["coef.tsv"].len()), ("lasso", 64));
            assert_eq!(verified(&text), whole["sha256"].as_str());
        }
        assert!(Own::new(Path::new("no such file")).is_err());
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_seen() {
        let text = written("{\"lambda\": 0.5}");
        for at in 0..text.len() {
            let mut changed = text.clone();
            changed[at] ^= 1;
            assert_eq!(verified(&changed), None, "byte {at}");
            assert_eq!(verified(&text[..at]), None, "cut at {at}");
        }
        assert_eq!(verified(&[text.as_slice(), b" "].concat()), None);
    }

    #[test]
    fn what_no_run_wrote_has_no_head() {
        for other in ["", "{}", "{\"program\": \"lasso\", \"version\": \"0.1.0\"}", "nonsense"] {
            assert_eq!(Head::of(other.as_bytes()), None);
        }
    }
}
