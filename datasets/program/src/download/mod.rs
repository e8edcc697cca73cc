//! [`download`]: a file from the first address that has it, gone on where it was cut.

mod attempt;
mod bar;

use std::path::Path;

use raddle::cli::Error;

use self::attempt::{Failure, attempt};
use crate::part::Part;
use crate::transport::Client;

/// A file that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// Addresses, tried in turn.
    pub(crate) addresses: &'a [String],
    /// The place that it goes to.
    pub(crate) place: &'a Path,
    /// Its bytes, if they are known.
    pub(crate) bytes: Option<u64>,
    /// Its SHA-256, if it is known.
    pub(crate) sha256: Option<&'a str>,
}

/// Times that a connection that ends too early is made again, each with bytes that were not there before.
const TIMES: usize = 5;

/// Fetches a file to its place, and gives its SHA-256. If it fails there is no file at the place; what has come is kept
/// beside it where the server may go on from there.
pub(crate) fn download(asked: Asked<'_>, client: &dyn Client) -> Result<String, Error> {
    let mut refusals = Vec::new();
    for address in asked.addresses {
        for time in 1.. {
            let (why, comes_on) = match attempt(asked, address, client) {
                Ok(sha256) => return Ok(sha256),
                Err(Failure::Here(error)) => return Err(error),
                Err(Failure::Cut(why)) => (why, true),
                Err(Failure::There(why)) => (why, false),
            };
            if !comes_on || time == TIMES {
                refusals.push(format!("{address}: {why}"));
                break;
            }
        }
    }
    let kept = match Part::of(asked.place).here() {
        Some((bytes, _)) if bytes > 0 => {
            "; what has come is kept beside it, and the next fetch goes on from there"
        }
        _ => "",
    };
    let name = asked.place.display();
    Err(Error::failed(format!("{name}: not fetched: {}{kept}", refusals.join("; "))))
}
