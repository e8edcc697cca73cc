//! [`attempt`]: one request and its outcome.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};

use raddle_cli::Error;
use sha2::{Digest as _, Sha256};

use super::asked::Asked;
use super::bar::Bar;
use crate::digest::{BLOCK, add_file, hexadecimal};
use crate::part::{Origin, Part};
use crate::transport::{Answer, Client};

/// Limit on the bytes of a file whose size is not stated.
const MOST: u64 = 1 << 37;

/// Why a request did not deliver the file.
pub(super) enum Failure {
    /// A failure of this machine, such as a full disk: another address would not help.
    Here(Error),
    /// The connection ended after some bytes had arrived: the same address is tried again.
    Cut(String),
    /// The server failed: the next address is tried.
    There(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Here(error)
    }
}

/// Requests the file, or its remaining bytes, from an address; returns the SHA-256 of the complete file.
pub(super) fn attempt(asked: Asked<'_>, address: &str, client: &dyn Client) -> Result<String, Failure> {
    let part = Part::of(asked.place);
    let here = part.here().filter(|(bytes, from)| *bytes > 0 && from.address == address);
    if let Some((bytes, from)) = &here
        && from.bytes == Some(*bytes)
        && asked.bytes.is_none_or(|expected| expected == *bytes)
    {
        // The part was complete when an earlier process ended.
        let mut hash = Sha256::new();
        add_file(&mut hash, &part.path).map_err(|why| Error::write(&part.path, why))?;
        return settled(asked, &part, hexadecimal(hash));
    }
    let here = here.and_then(|(bytes, from)| Some((bytes, from.tag?)));
    let from = here.as_ref().map(|(bytes, tag)| (*bytes, tag.as_str()));
    let answer = client.get(address, from).map_err(Failure::There)?;
    match (answer.status, here) {
        (206, Some((bytes, tag)))
            if answer.range.is_some_and(|(first, _)| first == bytes)
                && answer.tag.as_ref().is_none_or(|now| *now == tag) =>
        {
            let total = answer.range.and_then(|(_, total)| total);
            check(asked, total)?;
            let mut hash = Sha256::new();
            add_file(&mut hash, &part.path).map_err(|why| Error::write(&part.path, why))?;
            let file = part.go_on()?;
            receive(asked, &part, file, hash, bytes, total, answer)
        }
        (200, _) => {
            let total = answer.length;
            check(asked, total)?;
            let from = Origin { address: address.into(), tag: answer.tag.clone(), bytes: total };
            let file = part.begin(&from)?;
            receive(asked, &part, file, Sha256::new(), 0, total, answer)
        }
        // The server cannot continue from here: the stored bytes belong to another version of the file.
        (206 | 416, Some(_)) => {
            part.discard()?;
            Err(Failure::Cut("it has another file now".into()))
        }
        (status, _) => Err(Failure::There(format!("the server answers {}", named(status)))),
    }
}

/// Refuses an answer whose size differs from the known one.
fn check(asked: Asked<'_>, total: Option<u64>) -> Result<(), Failure> {
    match (asked.bytes, total) {
        (Some(expected), Some(total)) if expected != total => {
            Err(Failure::There(format!("it has {total} bytes, not {expected}")))
        }
        (None, Some(total)) if total > MOST => Err(Failure::There(format!("it has {total} bytes: too many"))),
        _ => Ok(()),
    }
}

/// Writes and digests the bytes of an answer.
fn receive(
    asked: Asked<'_>,
    part: &Part,
    mut file: File,
    mut hash: Sha256,
    begun: u64,
    total: Option<u64>,
    mut answer: Answer,
) -> Result<String, Failure> {
    let most = total.or(asked.bytes).unwrap_or(MOST);
    let name = asked.place.file_name().unwrap_or_default().to_string_lossy();
    let bar = Bar::new(&name, total.or(asked.bytes), begun);
    let mut bytes = begun;
    let mut block = vec![0; BLOCK];
    let cut = |bytes: u64, why: &str| {
        let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
        let why = format!("{why} after {bytes}{of} bytes");
        if bytes > begun { Failure::Cut(why) } else { Failure::There(why) }
    };
    loop {
        let count = match answer.body.read(&mut block) {
            Ok(0) => break,
            Ok(count) => count,
            Err(why) if why.kind() == ErrorKind::Interrupted => continue,
            Err(why) if matches!(why.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => {
                return Err(Failure::There(format!("it sends nothing more after {bytes} bytes")));
            }
            Err(why) => return Err(cut(bytes, &format!("the connection ended ({why})"))),
        };
        if bytes + count as u64 > most {
            part.discard()?;
            return Err(Failure::There(format!("it sends more than {most} bytes")));
        }
        file.write_all(&block[..count]).map_err(|why| full(asked, part, why))?;
        hash.update(&block[..count]);
        bytes += count as u64;
        bar.add(count);
    }
    if let Some(expected) = total.or(asked.bytes)
        && bytes != expected
    {
        return Err(cut(bytes, "it ended"));
    }
    settled(asked, part, hexadecimal(hash))
}

/// Makes the error for a full disk or another failed write.
fn full(asked: Asked<'_>, part: &Part, why: std::io::Error) -> Failure {
    let from = asked.addresses.join(" or ");
    let kept = format!(
        "cannot write: {why}; what was fetched from {from} is kept, and the next fetch continues from there"
    );
    Failure::Here(Error::failed(format!("{}: {kept}", part.path.display())))
}

/// Moves the complete part to its final name if its digest is right.
fn settled(asked: Asked<'_>, part: &Part, sha256: String) -> Result<String, Failure> {
    match asked.sha256 {
        Some(expected) if expected != sha256 => {
            part.discard()?;
            Err(Failure::There(format!("its SHA-256 is {sha256}, not {expected}")))
        }
        _ => {
            part.finish(asked.place)?;
            Ok(sha256)
        }
    }
}

/// Formats an HTTP status, with its meaning for those that users meet.
fn named(status: u16) -> String {
    let meaning = match status {
        401 | 403 => " (not allowed)",
        404 | 410 => " (not found)",
        429 => " (too many requests)",
        500.. => " (at fault itself)",
        _ => "",
    };
    format!("{status}{meaning}")
}
