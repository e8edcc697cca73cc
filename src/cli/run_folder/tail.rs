//! [`Tail`]: the lines of a file that another process appends to.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

/// Reader of a growing file, which hands out each whole line once.
#[derive(Debug)]
pub(crate) struct Tail {
    pub(super) path: PathBuf,
    /// Bytes of the lines that were handed out.
    read: u64,
    /// Inode number of the file that these bytes were read from.
    file: u64,
    /// The last line that was handed out, with its line end. If another line is in its place, the file was
    /// cut and written again.
    last: Vec<u8>,
}

/// Lines of a file since the last call.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct NewLines {
    pub(crate) lines: Vec<String>,
    /// `true` if the file was cut or replaced: these are its lines from the first on.
    pub(crate) anew: bool,
    /// `true` if the file ends in the middle of a line, which is not handed out.
    pub(crate) cut: bool,
}

impl Tail {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, read: 0, file: 0, last: Vec::new() }
    }

    /// Reads the whole lines that were appended since the last call. A file that is missing has none.
    pub(crate) fn next(&mut self) -> io::Result<NewLines> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(why) if matches!(why.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                let anew = std::mem::take(&mut self.read) > 0;
                self.last.clear();
                return Ok(NewLines { anew, ..NewLines::default() });
            }
            Err(why) => return Err(why),
        };
        let about = file.metadata()?;
        let mut bytes = Vec::new();
        let mut anew = self.read > 0 && (about.len() < self.read || number(&about) != self.file);
        self.file = number(&about);
        if !anew {
            file.seek(SeekFrom::Start(self.read - self.last.len() as u64))?;
            file.read_to_end(&mut bytes)?;
            anew = !bytes.starts_with(&self.last);
        }
        if anew {
            self.read = 0;
            self.last.clear();
            bytes.clear();
            file.seek(SeekFrom::Start(0))?;
            file.read_to_end(&mut bytes)?;
        }
        let new = &bytes[self.last.len()..];
        let whole = new.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let is_cut = whole < new.len();
        let text = String::from_utf8_lossy(&new[..whole]);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        self.read += whole as u64;
        if whole > 0 {
            let last = new[..whole - 1].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            self.last = new[last..whole].to_vec();
        }
        Ok(NewLines { lines, anew, cut: is_cut })
    }
}

/// Returns the number that distinguishes a file from one that has taken its name.
#[cfg(unix)]
fn number(about: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(about)
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    #[test]
    fn each_whole_line_is_handed_out_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let mut tail = Tail::new(path.clone());
        assert_eq!(tail.next().unwrap(), NewLines::default());
        let append = |text: &str| {
            let mut file = fs::OpenOptions::new().create(true).append(true).open(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        };
        append("one\ntw");
        let of = |lines: &[&str], cut| NewLines {
            lines: lines.iter().map(|&line| line.into()).collect(),
            anew: false,
            cut,
        };
        assert_eq!(tail.next().unwrap(), of(&["one"], true));
        append("o\nthree\n");
        assert_eq!(tail.next().unwrap(), of(&["two", "three"], false));
        assert_eq!(tail.next().unwrap(), of(&[], false));
        fs::write(&path, "new\n").unwrap();
        assert_eq!(tail.next().unwrap(), NewLines { anew: true, ..of(&["new"], false) });
        // The file is cut within what was read, and longer at the next call.
        fs::write(&path, "old\nand more\n").unwrap();
        assert_eq!(tail.next().unwrap(), NewLines { anew: true, ..of(&["old", "and more"], false) });
        append("last\n");
        assert_eq!(tail.next().unwrap(), of(&["last"], false));
        fs::write(&path, "new\n").unwrap();
        append("and more than was there\n");
        let expected = NewLines { anew: true, ..of(&["new", "and more than was there"], false) };
        assert_eq!(tail.next().unwrap(), expected);
        assert_eq!(tail.next().unwrap(), of(&[], false));
        // Another file by the name, however long.
        let other = folder.path().join("other");
        fs::write(&other, "another, which is longer\n").unwrap();
        fs::rename(&other, &path).unwrap();
        let expected = NewLines { anew: true, ..of(&["another, which is longer"], false) };
        assert_eq!(tail.next().unwrap(), expected);
    }
}
