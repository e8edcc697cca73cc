//! `raddle data fetch`: fetches a set by its name, or a file by its address.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use raddle_cli::{Error, ExitStatus, between, say};
use raddle_datasets::registry::{PublicSet, SetFile};

use super::network::{Network, Wanted};
use super::obtain::obtain;
use super::path::not_here;
use super::{ask, interrupted};
use crate::download::{Asked, download};
use crate::provenance::Provenance;
use crate::{catalogue, place};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Name of a dataset, or URL of a file.
    #[arg(value_name = "NAME|URL")]
    what: String,
    /// Folder to fetch to. Default: the data folder; a URL has no default.
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Accept the licence and the size without a question. Both are still shown.
    #[arg(long)]
    yes: bool,
    /// URL to try before the known ones. It may be given several times. The SHA-256 is checked whatever the
    /// URL. For a dataset of several files, give the URL of their folder, with a / at the end.
    #[arg(long, value_name = "URL")]
    from: Vec<String>,
    /// SHA-256 that the file at a URL must have. Not for a dataset.
    #[arg(long, value_name = "HEX")]
    sha256: Option<String>,
    /// Seconds to wait for a server that sends nothing.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = between::<1, 3600>)]
    timeout: usize,
}

/// Runs the verb.
pub(super) fn fetch(options: &Options) -> Result<ExitStatus, Error> {
    let network = Network { from: &options.from, silence: Duration::from_secs(options.timeout as u64) };
    for address in &options.from {
        check(address)?;
    }
    if options.what.contains("://") {
        return file(options, &network);
    }
    if options.sha256.is_some() {
        return Err(Error::usage("--sha256 is for an address: the digest of a set is known"));
    }
    set(options, catalogue::named(&options.what)?, &network)
}

fn set(options: &Options, entry: &PublicSet, network: &Network<'_>) -> Result<ExitStatus, Error> {
    let folder = place::folder(options.to.as_deref())?;
    let mut lacking = lacking(entry, &folder)?;
    if lacking.is_empty() {
        let file = entry.files.first().and_then(|file| place::here(file, &folder));
        let path = file.map(|(path, _)| path.display().to_string()).unwrap_or_default();
        say(&format!("{}: it is here: {path}", entry.name))?;
        return Ok(ExitStatus::Done);
    }
    if Provenance::from_set(entry) == Provenance::File {
        return Err(not_here(entry, &folder));
    }
    let wanted: Vec<Wanted<'_>> =
        lacking.iter().filter_map(|file| Wanted::of(file, &folder, network)).collect();
    if !wanted.is_empty() {
        network.check(entry, &wanted)?;
        ask::about(entry, &wanted, options.yes)?;
    }
    let _held = place::hold(&folder)?;
    // Another may have fetched it since.
    lacking.retain(|file| place::here(file, &folder).is_none());
    for file in lacking {
        obtain(entry, file, &folder, network)?;
    }
    Ok(ExitStatus::Done)
}

/// Returns the files of a set that the folder lacks.
///
/// # Errors
/// If a file that the folder has does not have the digest that is known or pinned.
fn lacking<'a>(entry: &'a PublicSet, folder: &Path) -> Result<Vec<&'a SetFile>, Error> {
    let mut lacking = Vec::new();
    for file in &entry.files {
        let Some((path, expected)) = place::here(file, folder) else {
            lacking.push(file);
            continue;
        };
        let Some(expected) = expected else { continue };
        let found = place::digest(&path)?;
        if found != expected {
            return Err(place::other_bytes(&path, &found, &expected));
        }
    }
    Ok(lacking)
}

/// Fetches the file at an address.
fn file(options: &Options, network: &Network<'_>) -> Result<ExitStatus, Error> {
    let address = &options.what;
    check(address)?;
    let folder = options
        .to
        .as_deref()
        .ok_or_else(|| Error::usage(format!("{address}: add --to DIR, the folder that the file goes to")))?;
    let is_digest = |text: &String| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(text) = options.sha256.as_ref().filter(|text| !is_digest(text)) {
        return Err(Error::usage(format!("--sha256 {text}: give 64 hexadecimal digits")));
    }
    let sha256 = options.sha256.as_ref().map(|text| text.to_ascii_lowercase());
    let folder = place::folder(Some(folder))?;
    let path = folder.join(name_in(address)?);
    if path.exists() {
        return compare(&path, sha256.as_deref());
    }
    let client = network.client()?;
    ask::about_file(address, options.yes)?;
    let _held = place::hold(&folder)?;
    if path.exists() {
        return compare(&path, sha256.as_deref());
    }
    let addresses: Vec<String> = options.from.iter().chain([address]).cloned().collect();
    interrupted::tell(&addresses, &path)?;
    let asked = Asked { addresses: &addresses, place: &path, bytes: None, sha256: sha256.as_deref() };
    let found = download(asked, &*client)?;
    say(&format!("{} (SHA-256 {found})", path.display()))?;
    Ok(ExitStatus::Done)
}

/// Ends a fetch whose target exists: compares its digest with `--sha256`, or refuses without one.
fn compare(path: &Path, sha256: Option<&str>) -> Result<ExitStatus, Error> {
    let found = place::digest(path)?;
    match sha256 {
        Some(expected) if expected == found => {
            say(&format!("{}: it is here", path.display()))?;
            Ok(ExitStatus::Done)
        }
        Some(expected) => Err(place::other_bytes(path, &found, expected)),
        None => {
            let why = "a file with this name is there: move it away, or give its --sha256 to compare it";
            Err(Error::input(format!("{}: {why}", path.display())))
        }
    }
}

fn check(address: &str) -> Result<(), Error> {
    match address.starts_with("https://") || address.starts_with("http://") {
        true => Ok(()),
        false => Err(Error::usage(format!("{address}: an address begins with https:// or http://"))),
    }
}

/// Returns the last component of an address's path, which becomes the name of the file.
fn name_in(address: &str) -> Result<&str, Error> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, path)| path);
    let name = path.split_once('/').and_then(|(_, path)| path.rsplit('/').next()).unwrap_or_default();
    let is_name = |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains(['\\', '%', ':']);
    match is_name(name) {
        true => Ok(name),
        false => Err(Error::usage(format!("{address}: it does not end with a file name"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_file() {
        for (address, name) in
            [("https://a.org/b/c.zip", "c.zip"), ("http://a.org:80/c.tar.gz?raw=1#x", "c.tar.gz")]
        {
            assert_eq!(name_in(address).unwrap(), name);
        }
        for address in
            ["https://a.org", "https://a.org/", "https://a.org/b/", "https://a.org/b/..", "http://a/%2e"]
        {
            assert!(name_in(address).unwrap_err().to_string().contains("with a file name"), "{address}");
        }
        assert!(check("ftp://a.org/b").is_err() && check("http://a.org/b").is_ok());
    }
}
