//! [`Records`]: the bytes of a connection after its handshake. They cross as records, each of which is
//! verified before any byte of it is used.
//!
//! ```text
//! head: length (2 bytes, little-endian), sealed
//! body: so many bytes, sealed                       for each record
//! ```
//!
//! Each sealed part ends with a tag: under [`Keys`] 16 bytes, which prove that the other end has sent it, and
//! the bytes before it are encrypted; in clear 8 bytes, a checksum. Heads and bodies are numbered in each
//! direction, and the tag covers the number: a record that is changed, repeated, left out or out of order is
//! refused, and so is everything after it. A length has a tag of its own, so that a changed length does not
//! make the reader wait for bytes that never come.
//!
//! A record without content is a heartbeat: it says only that its sender is there.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::Mutex;

use super::cipher::{Keys, corrupt_record};
use super::sum::{SUM, sum};
use crate::base::sync::lock;

/// Number of bytes of a length.
const LENGTH: usize = 2;
/// Limit of the content of a record, in bytes: that of a message of the Noise protocol, less its tag.
pub(crate) const CONTENT: usize = 65_535 - 16;
/// Minimum size of the buffer to read into, in bytes.
const ROOM: usize = 1 << 13;

/// Kind of the tags of a connection.
#[derive(Debug)]
pub(crate) enum Seal {
    /// Checksums, on a connection in clear.
    Sums,
    /// Tags of a cipher.
    Keys(Keys),
}

/// Seal and position of a connection, in both directions.
#[derive(Debug)]
pub(crate) struct Records {
    seal: Seal,
    sent: Mutex<Sent>,
    received: Mutex<Received>,
}

/// Number of the next head or body to send, and a buffer for a record.
#[derive(Debug, Default)]
struct Sent {
    number: u64,
    out: Vec<u8>,
}

/// Number of the next head or body to receive, bytes that have arrived, and content that has not been read.
#[derive(Debug, Default)]
struct Received {
    number: u64,
    bytes: Vec<u8>,
    there: Range<usize>,
    /// Length of the content whose head has been read.
    length: Option<usize>,
    content: Vec<u8>,
    unread: Range<usize>,
}

impl Seal {
    /// Number of bytes of a tag.
    fn tag(&self) -> usize {
        match self {
            Self::Sums => SUM,
            Self::Keys(_) => Keys::TAG,
        }
    }

    /// Seals content into bytes that are longer by a tag.
    fn close(&self, number: u64, content: &[u8], into: &mut [u8]) -> io::Result<()> {
        match self {
            Self::Sums => {
                let (bytes, tag) = into.split_at_mut(content.len());
                bytes.copy_from_slice(content);
                tag.copy_from_slice(&sum(number, content).to_le_bytes());
                Ok(())
            }
            Self::Keys(keys) => keys.close(number, content, into),
        }
    }

    /// Opens sealed bytes into `into`, which is shorter by a tag.
    fn open(&self, number: u64, sealed: &[u8], into: &mut [u8]) -> io::Result<()> {
        match self {
            Self::Sums => {
                let (content, tag) = sealed.split_at(sealed.len() - SUM);
                if sum(number, content).to_le_bytes() != tag {
                    return Err(corrupt_record());
                }
                into[..content.len()].copy_from_slice(content);
                Ok(())
            }
            Self::Keys(keys) => keys.open(number, sealed, into),
        }
    }
}

impl Records {
    /// Returns bytes that both ends of an encrypted connection have, and no other connection.
    pub(crate) fn binding(&self) -> Option<[u8; 32]> {
        match &self.seal {
            Seal::Sums => None,
            Seal::Keys(keys) => Some(keys.binding),
        }
    }

    pub(crate) fn new(seal: Seal) -> Self {
        Self { seal, sent: Mutex::default(), received: Mutex::default() }
    }

    /// Sends the first of these bytes, as many as a record holds, in one write; returns how many. With none
    /// of them it sends a heartbeat.
    pub(crate) fn write(&self, mut to: impl Write, bytes: &[u8]) -> io::Result<usize> {
        let content = &bytes[..bytes.len().min(CONTENT)];
        let mut sent = lock(&self.sent);
        let Sent { number, out } = &mut *sent;
        let tag = self.seal.tag();
        out.resize(LENGTH + tag + content.len() + tag, 0);
        let (head, body) = out.split_at_mut(LENGTH + tag);
        self.seal.close(*number, &(content.len() as u16).to_le_bytes(), head)?;
        self.seal.close(*number + 1, content, body)?;
        *number += 2;
        #[cfg(debug_assertions)]
        record(content)?;
        to.write_all(out)?;
        Ok(content.len())
    }

    /// Reads content that has arrived, and waits if there is none; returns 0 if the connection ends between
    /// two records.
    pub(crate) fn read(&self, mut from: impl Read, to: &mut [u8]) -> io::Result<usize> {
        let mut received = lock(&self.received);
        while received.unread.is_empty() && !to.is_empty() {
            if self.open(&mut received)? {
                continue;
            }
            let wanted = self.wanted(&received);
            let Received { bytes, there, length, .. } = &mut *received;
            bytes.copy_within(there.clone(), 0);
            *there = 0..there.len();
            // Room for the next record of this size, too.
            if bytes.len() < wanted.max(ROOM) {
                bytes.resize((2 * wanted).max(ROOM), 0);
            }
            match from.read(&mut bytes[there.end..])? {
                0 if there.end == 0 && length.is_none() => return Ok(0),
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => there.end += count,
            }
        }
        let Received { content, unread, .. } = &mut *received;
        let count = to.len().min(unread.len());
        to[..count].copy_from_slice(&content[unread.start..unread.start + count]);
        unread.start += count;
        Ok(count)
    }

    /// Number of bytes of the next head or body.
    fn wanted(&self, received: &Received) -> usize {
        received.length.unwrap_or(LENGTH) + self.seal.tag()
    }

    /// Opens the next head or body, if it has arrived whole.
    fn open(&self, received: &mut Received) -> io::Result<bool> {
        let wanted = self.wanted(received);
        let Received { number, bytes, there, length, content, unread } = received;
        let Some(sealed) = bytes[there.clone()].get(..wanted) else { return Ok(false) };
        if content.len() < wanted {
            content.resize(wanted, 0);
        }
        self.seal.open(*number, sealed, content)?;
        (*number, there.start) = (*number + 1, there.start + wanted);
        *length = match length.take() {
            None => {
                let length = usize::from(u16::from_le_bytes([content[0], content[1]]));
                Some(length).filter(|&length| length <= CONTENT)
            }
            Some(found) => {
                *unread = 0..found;
                return Ok(true);
            }
        };
        if length.is_some() { Ok(true) } else { Err(corrupt_record()) }
    }
}

/// Appends what is sent, before it is sealed, to a file of this process in the folder that `RADDLE_RECORD`
/// names: for tests of what crosses. Programs as they are released have no such function.
#[cfg(debug_assertions)]
fn record(content: &[u8]) -> io::Result<()> {
    use std::sync::LazyLock;

    static SENT: LazyLock<Option<Mutex<std::fs::File>>> = LazyLock::new(|| {
        let path = std::path::PathBuf::from(std::env::var_os("RADDLE_RECORD")?);
        let file = path.join(std::process::id().to_string());
        std::fs::File::options().create(true).append(true).open(file).ok().map(Mutex::new)
    });
    SENT.as_ref().map_or(Ok(()), |file| lock(file).write_all(content))
}

#[cfg(test)]
mod tests;
