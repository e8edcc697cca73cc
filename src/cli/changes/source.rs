//! Sources of changes: a file, cut into versions by its own lines, or standard input, cut by arrival.

use std::io::{self, Read as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;
use std::{fs, thread};

use super::super::exit::Error;
use super::lines::{Lines, Text, Version, is_cut};

/// Source of changes.
#[derive(Debug)]
pub(super) enum Source {
    File(File),
    Standard(Standard),
}

impl Source {
    /// Returns the text of the next version; `None` at the end, or if `is_over` returns `true` while nothing
    /// arrives.
    pub(super) fn next(&mut self, is_over: impl Fn() -> bool) -> Result<Option<Text>, Error> {
        match self {
            Self::File(file) if is_over() => {
                file.left.clear();
                Ok(None)
            }
            Self::File(file) => Ok(file.next()),
            Self::Standard(standard) => standard.next(is_over),
        }
    }

    /// Returns the name of the source in errors.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(file) => file.name.clone(),
            Self::Standard(_) => "standard input".into(),
        }
    }
}

/// A file of changes.
#[derive(Debug)]
pub(super) struct File {
    name: String,
    left: Vec<u8>,
    line: u64,
}

impl File {
    pub(super) fn read(name: &str) -> Result<Self, Error> {
        let left = fs::read(name).map_err(|why| Error::input(format!("--changes {name}: {why}")))?;
        Ok(Self { name: name.into(), left, line: 1 })
    }

    fn next(&mut self) -> Option<Text> {
        cut(&mut self.left, &mut self.line)
    }

    /// Skips the versions that a run has accepted before; the file must start with them.
    pub(super) fn skip(&mut self, taken: &[Version]) -> Result<(), Error> {
        for version in taken {
            let same = loop {
                let Some(text) = self.next() else { break false };
                let found = Lines::of(&text);
                if found.wrong.is_some() || !found.lines.is_empty() {
                    let signs = |version: &[super::ChangeLine]| -> Vec<(bool, String)> {
                        version.iter().map(|line| (line.inserts, line.text.clone())).collect()
                    };
                    break signs(&found.lines) == signs(&version.lines);
                }
            };
            if !same {
                return Err(Error::input(format!(
                    "--changes {}: it does not begin with the versions that the run has taken in, first in \
                     version {}: add what is new behind them, or give it on standard input with --changes -",
                    self.name, version.number
                )));
            }
        }
        Ok(())
    }
}

/// Takes the lines up to the next cut, or all remaining lines.
fn cut(left: &mut Vec<u8>, line: &mut u64) -> Option<Text> {
    if left.is_empty() {
        return None;
    }
    let (mut end, mut lines) = (0, 0);
    for text in left.split_inclusive(|&byte| byte == b'\n') {
        end += text.len();
        lines += 1;
        if is_cut(text) {
            break;
        }
    }
    let rest = left.split_off(end);
    let text = Text { bytes: std::mem::replace(left, rest), first: *line };
    *line += lines;
    Some(text)
}

/// Standard input, read as it arrives.
#[derive(Debug)]
pub(super) struct Standard {
    arriving: Receiver<io::Result<Vec<u8>>>,
    /// Bytes that have arrived and are in no version yet.
    bytes: Vec<u8>,
    problem: Option<io::Error>,
    line: u64,
}

/// Interval at which a wait for changes checks whether the run is asked to end.
const POLL: Duration = Duration::from_millis(50);

impl Standard {
    /// Starts a thread that reads standard input; it ends with the input, or with the process.
    pub(super) fn begin() -> Self {
        let (sender, arriving) = mpsc::channel();
        thread::spawn(move || {
            let mut piece = vec![0; 1 << 16];
            loop {
                let read = match io::stdin().lock().read(&mut piece) {
                    Ok(0) => return,
                    Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                    read => read.map(|count| piece[..count].to_vec()),
                };
                let is_over = read.is_err();
                if sender.send(read).is_err() || is_over {
                    return;
                }
            }
        });
        Self { arriving, bytes: Vec::new(), problem: None, line: 1 }
    }

    fn next(&mut self, is_over: impl Fn() -> bool) -> Result<Option<Text>, Error> {
        let mut arrived = self.arriving.try_recv();
        while !is_over() {
            // A version is all that has arrived.
            while let Ok(piece) = arrived {
                piece.map_or_else(|why| self.problem = Some(why), |piece| self.bytes.extend(piece));
                arrived = self.arriving.try_recv();
            }
            // A line that is not whole yet waits for its end.
            let has_ended = matches!(arrived, Err(TryRecvError::Disconnected));
            let whole = match has_ended {
                true => self.bytes.len(),
                false => self.bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1),
            };
            if whole > 0 {
                let rest = self.bytes.split_off(whole);
                let text = cut(&mut self.bytes, &mut self.line);
                self.bytes.extend(rest);
                return Ok(text);
            }
            if let Some(why) = self.problem.take() {
                return Err(Error::failed(format!("standard input: {why}")));
            }
            if has_ended {
                return Ok(None);
            }
            arrived = self.arriving.recv_timeout(POLL).map_err(|why| match why {
                RecvTimeoutError::Timeout => TryRecvError::Empty,
                RecvTimeoutError::Disconnected => TryRecvError::Disconnected,
            });
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_cut_by_its_own_lines() {
        let mut file = File { name: "f".into(), left: b"+ a\n= 1 1 0\n\n- a\n=\n+ b".to_vec(), line: 1 };
        let mut next = || file.next().map(|text| (String::from_utf8(text.bytes).unwrap(), text.first));
        assert_eq!(next(), Some(("+ a\n= 1 1 0\n".into(), 1)));
        assert_eq!(next(), Some(("\n- a\n=\n".into(), 3)));
        assert_eq!(next(), Some(("+ b".into(), 6)));
        assert_eq!(next(), None);
    }
}
