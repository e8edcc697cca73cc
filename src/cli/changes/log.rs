//! [`Log`]: `changes.log`, the versions that a run has accepted.
//!
//! The log is a file of changes itself, so that another run can read it with `--changes`. The lines of a
//! version are followed by its cut: `=` with its number, the counts of records inserted and retracted, and a
//! digest of its lines. A version without a cut, or with another digest, was never acknowledged.

use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use raddle::command_line_support::{CHANGES_LOG, Disk, Store as _, digest_of_bytes};

use super::super::exit::Error;
use super::lines::{Lines, Text, Version};

/// The log of a run, open for more versions.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// Makes a new log, which replaces an earlier one.
    pub(super) fn new(folder: &Path, program: &str, data: &str) -> Result<Self, Error> {
        let path = folder.join(CHANGES_LOG);
        let create = || {
            let mut file = File::create(&path)?;
            file.write_all(head(program, data).as_bytes())?;
            file.sync_all()?;
            Disk.sync_folder(folder)?;
            Ok(file)
        };
        let file = create().map_err(|why: std::io::Error| Error::write(&path, why))?;
        Ok(Self { path, file })
    }

    /// Opens the log of a run that is resumed, and reads its versions. Bytes after the last whole version are
    /// cut off.
    pub(super) fn resume(folder: &Path, program: &str, data: &str) -> Result<(Self, Vec<Version>), Error> {
        let path = folder.join(CHANGES_LOG);
        let Some((versions, length)) = read(&path, &head(program, data))? else {
            return Ok((Self::new(folder, program, data)?, Vec::new()));
        };
        let open = || {
            let mut file = OpenOptions::new().write(true).open(&path)?;
            file.set_len(length as u64)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().map_err(|why: std::io::Error| Error::write(&path, why))?;
        Ok((Self { path, file }, versions))
    }

    /// Reads the versions of the log that another process of the run keeps.
    pub(super) fn versions(folder: &Path, program: &str, data: &str) -> Result<Vec<Version>, Error> {
        let found = read(&folder.join(CHANGES_LOG), &head(program, data))?;
        Ok(found.map_or_else(Vec::new, |(versions, _)| versions))
    }

    /// Adds a version; returns once it is synced to the disk.
    pub(super) fn add(&mut self, version: &Version, inserted: u64, retracted: u64) -> Result<(), Error> {
        let sign = |inserts: bool| if inserts { '+' } else { '-' };
        let lines = version.lines.iter().map(|line| format!("{} {}\n", sign(line.inserts), line.text));
        let mut text: String = lines.collect();
        let digest = digest_of_bytes(text.as_bytes());
        text += &format!("= {} {inserted} {retracted} {digest}\n", version.number);
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|why| Error::write(&self.path, why))
    }
}

fn head(program: &str, data: &str) -> String {
    format!("# changes of {program}, data {data}\n")
}

/// Reads the whole versions of a log with this head, and the position at which the last of them ends. Returns
/// `None` if there is no log, or the run was killed while it made one.
fn read(path: &Path, head: &str) -> Result<Option<(Vec<Version>, usize)>, Error> {
    let text = match std::fs::read(path) {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|why| Error::input(format!("{}: {why}", path.display())))?,
    };
    if text.starts_with(head.as_bytes()) {
        return Ok(Some(versions(&text, head.len())));
    }
    if head.as_bytes().starts_with(&text) {
        return Ok(None);
    }
    Err(Error::input(format!(
        "{}: it is no log of changes of this data: give the data that the run began with",
        path.display()
    )))
}

/// Parses the whole versions after the head, and the position at which the last of them ends.
fn versions(text: &[u8], head: usize) -> (Vec<Version>, usize) {
    let (mut versions, mut at, mut line, mut end) = (Vec::new(), head, 2, head);
    let (mut first, mut begun) = (2, head);
    for text_line in text[head..].split_inclusive(|&byte| byte == b'\n') {
        at += text_line.len();
        line += 1;
        let Some(cut) = text_line.strip_prefix(b"= ") else { continue };
        let body = &text[begun..at - text_line.len()];
        let number = versions.len() as u64 + 1;
        if !is_cut_of(cut, number, body) {
            break;
        }
        let Lines { lines, wrong, .. } = Lines::of(&Text { bytes: body.to_vec(), first });
        if wrong.is_some() {
            break;
        }
        versions.push(Version { number, lines, end: line - 1, is_logged: true });
        (first, begun, end) = (line, at, at);
    }
    (versions, end)
}

/// `true` if a whole line is the cut of this version.
fn is_cut_of(cut: &[u8], number: u64, body: &[u8]) -> bool {
    let Some(cut) = cut.strip_suffix(b"\n").and_then(|cut| std::str::from_utf8(cut).ok()) else {
        return false;
    };
    let words: Vec<&str> = cut.split(' ').collect();
    words.len() == 4 && words[0] == number.to_string() && words[3] == digest_of_bytes(body)
}

#[cfg(test)]
mod tests {
    use super::super::ChangeLine;
    use super::*;

    fn version(number: u64, text: &str) -> Version {
        let lines = vec![ChangeLine { number: 1, inserts: true, text: text.into() }];
        Version { number, lines, end: 1, is_logged: false }
    }

    fn texts(versions: &[Version]) -> Vec<String> {
        versions.iter().flat_map(|version| &version.lines).map(|line| line.text.clone()).collect()
    }

    #[test]
    fn versions_come_back_and_what_was_not_acknowledged_is_cut_off_wherever_it_breaks_off() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::new(folder.path(), "mf", "d1").unwrap();
        log.add(&version(1, "a b 1"), 1, 0).unwrap();
        log.add(&version(2, "c d 2"), 1, 0).unwrap();
        let path = folder.path().join(CHANGES_LOG);
        let whole = std::fs::read(&path).unwrap();
        let first = whole.windows(2).position(|two| two == b"\n=").unwrap();
        let first = first + 2 + whole[first + 2..].iter().position(|&byte| byte == b'\n').unwrap();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            // A process that only reads the log finds the same versions, and does not cut the file.
            let read = texts(&Log::versions(folder.path(), "mf", "d1").unwrap());
            assert_eq!(std::fs::read(&path).unwrap(), whole[..length]);
            let (mut log, found) = Log::resume(folder.path(), "mf", "d1").unwrap();
            assert_eq!(read, texts(&found));
            let expected = usize::from(length > first) + usize::from(length == whole.len());
            assert_eq!(found.len(), expected, "{length} of {}", whole.len());
            // The log continues after the last whole version.
            log.add(&version(expected as u64 + 1, "new"), 1, 0).unwrap();
            let (_, again) = Log::resume(folder.path(), "mf", "d1").unwrap();
            assert_eq!(texts(&again), [texts(&found), vec!["new".into()]].concat());
        }
    }

    #[test]
    fn a_log_of_other_data_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        Log::new(folder.path(), "mf", "d1").unwrap();
        let error = Log::resume(folder.path(), "mf", "d2").unwrap_err();
        let read = Log::versions(folder.path(), "mf", "d2").unwrap_err();
        for error in [error, read] {
            assert!(
                error.to_string().contains("changes.log: it is no log of changes of this data"),
                "{error}"
            );
        }
    }
}
