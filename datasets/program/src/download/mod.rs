//! [`download`]: fetches a file from the first address that has it, and resumes interrupted transfers.

mod asked;
mod attempt;
mod bar;

use raddle_cli::Error;

use self::attempt::{Failure, attempt};
use crate::part::Part;
use crate::transport::Client;

pub(crate) use self::asked::Asked;

/// Limit on the retries at one address; each retry must have brought new bytes.
const TIMES: usize = 5;

/// Downloads a file and returns its SHA-256. On failure there is no file at the target path; bytes that
/// arrived are kept next to it where the server can resume from them.
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
            "; what was fetched is kept next to it, and the next fetch continues from there"
        }
        _ => "",
    };
    let name = asked.place.display();
    Err(Error::failed(format!("{name}: not fetched: {}{kept}", refusals.join("; "))))
}
