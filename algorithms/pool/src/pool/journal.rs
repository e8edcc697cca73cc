//! [`Journal`]: the log of the events of a pool, as checksummed lines of JSON.
//!
//! A line is `{"sum":"..","line":..}`. Its checksum covers the checksum of the line before it, so that a
//! changed, lost or inserted line is detected. The first line has the settings. An event is written before
//! any action follows from it. A process that is killed while it writes leaves half a line, which the next
//! process drops.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use raddle::ModelDigest;
use serde::{Deserialize, Serialize};

use super::event::{Event, EventKind};
use super::replay::Replay;
use super::runs::Keep;
use super::settings::Settings;

/// Name of the journal in the folder of a pool.
pub const NAME: &str = "journal.jsonl";

/// Version of the file format.
const FORMAT: u32 = 2;
/// Hexadecimal digits of a checksum.
const DIGITS: usize = 16;

/// A line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Pool(Head),
    Event(Event),
    Told(EventKind),
}

/// The first line of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Head {
    format: u32,
    /// Start of the pool, in seconds since the beginning of 1970; 0 by counted cost.
    pub began: f64,
    /// Settings of the pool.
    pub settings: Settings,
}

/// Reason why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{}: {why}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        why: io::Error,
    },
    /// A line is not as a pool wrote it.
    #[error(
        "{}:{line}: {message}: the pool cannot be resumed from here: give another folder with --out, or restore a copy of the \
         file from before the change",
        path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// Description of the fault.
        message: String,
    },
}

/// The journal of a pool, open for appending.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    sum: String,
}

/// A journal that was read from a file.
pub struct Opened {
    /// First line of the journal.
    pub head: Head,
    /// State of the pool after all events of the journal.
    pub replay: Replay,
    /// Note about an incomplete last line that was dropped, if there was one.
    pub note: Option<String>,
    /// Length of the complete lines in bytes, and the checksum there.
    end: (u64, String),
}

impl Journal {
    /// Creates the journal of a pool in a folder that has none. `began` is in seconds since the beginning of
    /// 1970.
    ///
    /// # Errors
    /// If the folder has a journal, or the file cannot be written.
    pub fn create(folder: &Path, began: f64, settings: &Settings) -> Result<Self, JournalError> {
        let path = folder.join(NAME);
        let file = OpenOptions::new().append(true).create_new(true).open(&path);
        let file = file.map_err(|why| JournalError::File { path: path.clone(), why })?;
        let mut journal = Self { path, file, sum: String::new() };
        journal.write(&Line::Pool(Head { format: FORMAT, began, settings: settings.clone() }))?;
        Ok(journal)
    }

    /// Reads the journal of a pool in a folder, if there is one, and changes nothing.
    ///
    /// # Errors
    /// If the file cannot be read, or a line before the last is not as a pool wrote it.
    pub fn read(folder: &Path) -> Result<Option<Opened>, JournalError> {
        let path = folder.join(NAME);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(why) if why.kind() == ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(JournalError::File { path, why }),
        };
        read(&path, &text)
    }

    /// Opens a journal that was read for appending, and cuts off an incomplete last line.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn go_on(folder: &Path, opened: &Opened) -> Result<Self, JournalError> {
        let path = folder.join(NAME);
        let (end, sum) = opened.end.clone();
        let file = OpenOptions::new().append(true).open(&path).and_then(|file| {
            file.set_len(end)?;
            Ok(file)
        });
        let file = file.map_err(|why| JournalError::File { path: path.clone(), why })?;
        Ok(Self { path, file, sum })
    }

    fn write(&mut self, line: &Line) -> Result<(), JournalError> {
        let refuse = |why: io::Error| JournalError::File { path: self.path.clone(), why };
        let text = serde_json::to_string(line).map_err(|why| refuse(why.into()))?;
        let sum = sum_of(&self.sum, &text);
        self.file.write_all(format!("{{\"sum\":\"{sum}\",\"line\":{text}}}\n").as_bytes()).map_err(refuse)?;
        self.sum = sum;
        Ok(())
    }
}

impl Keep for Journal {
    type Error = JournalError;

    fn event(&mut self, event: &Event) -> Result<(), JournalError> {
        self.write(&Line::Event(event.clone()))
    }

    fn told(&mut self, what: &EventKind) -> Result<(), JournalError> {
        self.write(&Line::Told(what.clone()))
    }
}

/// Checksum of a line, which continues the checksum of the line before it.
fn sum_of(before: &str, text: &str) -> String {
    let mut sum = ModelDigest::default().bytes(before.as_bytes()).bytes(text.as_bytes()).finish();
    sum.truncate(DIGITS);
    sum
}

fn read(path: &Path, text: &[u8]) -> Result<Option<Opened>, JournalError> {
    let mut opened: Option<Opened> = None;
    let mut at = 0;
    for (number, bytes) in (1..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
        let before = opened.as_ref().map_or("", |opened| opened.end.1.as_str());
        at += bytes.len();
        let taken = parsed(before, bytes).and_then(|(sum, line)| {
            take(&mut opened, line)?;
            Ok(sum)
        });
        match taken {
            Ok(sum) => {
                if let Some(opened) = &mut opened {
                    opened.end = (at as u64, sum);
                }
            }
            Err(_) if at == text.len() && number > 1 => {
                if let Some(opened) = &mut opened {
                    opened.note =
                        Some(format!("{}: line {number} is incomplete, and is dropped", path.display()));
                }
            }
            Err(message) => return Err(JournalError::Line { path: path.into(), line: number, message }),
        }
    }
    Ok(opened)
}

/// Checksum and content of a line.
fn parsed(before: &str, bytes: &[u8]) -> Result<(String, Line), String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not text")?;
    let line = text.strip_suffix("}\n").and_then(|text| text.strip_prefix("{\"sum\":\""));
    let (sum, line) =
        line.and_then(|text| text.split_once("\",\"line\":")).ok_or("it is not a line of a journal")?;
    if sum_of(before, line) != sum {
        return Err("its checksum, or that of the line before it, does not match".into());
    }
    let line = serde_json::from_str(line).map_err(|why| format!("another version wrote it ({why})"))?;
    Ok((sum.to_owned(), line))
}

fn take(opened: &mut Option<Opened>, line: Line) -> Result<(), String> {
    match (line, opened) {
        (Line::Pool(head), opened @ None) => {
            let replay = Replay::new(head.settings.clone()).map_err(|why| why.to_string())?;
            // Of format 1 the decisions of these alone are the same.
            let is_same = head.format == 1 && ["fifo", "drf"].contains(&&*head.settings.policy.name);
            if head.format != FORMAT && !is_same {
                return Err(format!("format {} belongs to another version", head.format));
            }
            *opened = Some(Opened { head, replay, note: None, end: (0, String::new()) });
        }
        (Line::Event(event), Some(opened)) => opened.replay.event(&event),
        (Line::Told(what), Some(opened)) => opened.replay.told(what),
        (Line::Pool(_), Some(_)) => return Err("a second pool begins".into()),
        (_, None) => return Err("no pool has begun".into()),
    }
    Ok(())
}
