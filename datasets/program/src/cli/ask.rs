//! Consent: shows the licence and the size of a set before the first byte is fetched.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};

use raddle_cli::Error;
use raddle_datasets::registry::PublicSet;

use super::network::Wanted;
use crate::place;

/// Shows the title, licence and sizes of a set and asks whether to fetch it; `is_given`: `--yes` was given.
pub(super) fn about(entry: &PublicSet, wanted: &[Wanted<'_>], is_given: bool) -> Result<(), Error> {
    let mut text =
        format!("{}: {}\nlicence: {}\n  {}\n", entry.name, entry.title, entry.licence, entry.licence_address);
    for it in wanted {
        let bytes = it.download.bytes.map_or_else(|| "size not known".into(), place::bytes);
        let digest = match it.download.sha256 {
            Some(_) => "its digest is known",
            None => "its digest is not published: that of the first fetch is pinned",
        };
        // Writing into a string does not fail.
        let _ = writeln!(text, "{}: {bytes}; {digest}\n  {}", it.download.name, it.addresses.join("\n  "));
    }
    consent(&text, is_given)
}

/// Shows an address and asks whether to fetch it; `is_given`: `--yes` was given.
pub(super) fn about_file(address: &str, is_given: bool) -> Result<(), Error> {
    consent(&format!("{address}\nlicence and size: not known; see the page that has it\n"), is_given)
}

fn consent(text: &str, is_given: bool) -> Result<(), Error> {
    let mut screen = io::stderr().lock();
    // No reader is left if stderr is closed.
    let _ = write!(screen, "{text}");
    if is_given {
        return Ok(());
    }
    if !(io::stdin().is_terminal() && screen.is_terminal()) {
        return Err(Error::usage("there is no terminal to ask whether to fetch this: add --yes"));
    }
    let _ = write!(screen, "fetch it? [y/N] ");
    let _ = screen.flush();
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(|why| Error::failed(format!("standard input: {why}")))?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Error::usage("nothing is fetched")),
    }
}
