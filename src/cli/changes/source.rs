//! Sources of changes: a file, cut into versions by its own lines, or standard input, cut by arrival.

use std::io::{self, Read as _};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use std::{fs, thread};

use raddle::command_line_support::lock;

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

/// Bytes that have arrived on standard input.
#[derive(Debug, Default)]
struct Arrived {
    bytes: Vec<u8>,
    is_over: bool,
    problem: Option<String>,
}

/// Standard input, read as it arrives.
#[derive(Debug)]
pub(super) struct Standard {
    shared: Arc<(Mutex<Arrived>, Condvar)>,
    line: u64,
}

/// Interval at which a wait for changes checks whether the run is asked to end.
const POLL: Duration = Duration::from_millis(50);

impl Standard {
    /// Starts a thread that reads standard input; it ends with the input, or with the process.
    pub(super) fn begin() -> Self {
        let shared: Arc<(Mutex<Arrived>, Condvar)> = Arc::default();
        let to = Arc::clone(&shared);
        thread::spawn(move || {
            let mut piece = vec![0; 1 << 16];
            loop {
                let read = io::stdin().lock().read(&mut piece);
                let mut arrived = lock(&to.0);
                match read {
                    Ok(0) => arrived.is_over = true,
                    Ok(count) => arrived.bytes.extend_from_slice(&piece[..count]),
                    Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                    Err(why) => (arrived.is_over, arrived.problem) = (true, Some(why.to_string())),
                }
                to.1.notify_one();
                if arrived.is_over {
                    return;
                }
            }
        });
        Self { shared, line: 1 }
    }

    fn next(&mut self, is_over: impl Fn() -> bool) -> Result<Option<Text>, Error> {
        let (arrived, wakes) = &*self.shared;
        let mut arrived = lock(arrived);
        loop {
            if is_over() {
                return Ok(None);
            }
            // A line that is not whole yet waits for its end.
            let whole = match arrived.is_over {
                true => arrived.bytes.len(),
                false => arrived.bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1),
            };
            if whole > 0 {
                let rest = arrived.bytes.split_off(whole);
                let mut lines = std::mem::replace(&mut arrived.bytes, rest);
                let text = cut(&mut lines, &mut self.line);
                lines.append(&mut arrived.bytes);
                arrived.bytes = lines;
                return Ok(text);
            }
            if let Some(why) = arrived.problem.take() {
                return Err(Error::failed(format!("standard input: {why}")));
            }
            if arrived.is_over {
                return Ok(None);
            }
            arrived = wakes.wait_timeout(arrived, POLL).unwrap_or_else(PoisonError::into_inner).0;
        }
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
