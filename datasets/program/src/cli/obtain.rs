//! [`obtain`]: a file of a set, from its download to what the programs read.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Duration;

use raddle::cli::{Error, say};

use super::ask::Wanted;
use super::fetch::other_bytes;
use super::interrupted;
use crate::convert::{convert, most};
use crate::digest::Digested;
use crate::download::{Asked, download};
use crate::entry::{Converter, DataFile, Download, Entry};
use crate::place;
use crate::transport::{Client, client};

/// The network as the line has it.
pub(super) struct Network<'a> {
    /// Addresses to try first.
    pub(super) from: &'a [String],
    /// Time for which a server may say nothing.
    pub(super) silence: Duration,
}

impl Network<'_> {
    /// The client of this build.
    pub(super) fn client(&self) -> Result<Box<dyn Client>, Error> {
        client(self.silence).ok_or_else(|| Error::failed(NO_CLIENT))?.map_err(Error::usage)
    }

    /// Refuses to ask about what this build cannot fetch, and says what to put where.
    pub(super) fn check(&self, entry: &Entry, wanted: &[Wanted<'_>]) -> Result<(), Error> {
        if client(self.silence).is_some() {
            return self.client().map(|_| ());
        }
        let by_hand = wanted.iter().map(|it| {
            let first = it.download.addresses.first().copied().unwrap_or_default();
            format!("put {first} there as {}", it.place.display())
        });
        let by_hand = by_hand.collect::<Vec<_>>().join(", ");
        let name = entry.name;
        let licence = format!("licence: {} ({})", entry.licence, entry.licence_address);
        Err(Error::failed(format!(
            "{name}: {NO_CLIENT}; or {by_hand}, and give this line again, which converts it; {licence}"
        )))
    }

    /// The addresses of a download, in the order in which they are tried: one that is given as a folder has the file in it.
    pub(super) fn addresses(&self, download: &Download) -> Vec<String> {
        let given = self.from.iter().map(|address| match address.ends_with('/') {
            true => format!("{address}{}", download.name),
            false => address.clone(),
        });
        given.chain(download.addresses.iter().map(|&address| address.into())).collect()
    }
}

const NO_CLIENT: &str = "this build has no client of http: take a program of a release, or build one with \
     `cargo build --release --features raddle-data/fetch`";

/// The place of a download.
pub(super) fn original(file: &DataFile, download: &Download, folder: &Path) -> PathBuf {
    let path = folder.join(file.file);
    match download.converter {
        Converter::Kept => path,
        _ => path.with_file_name(download.name),
    }
}

/// Fetches a file that is not here, unless its download is, and makes it readable.
pub(super) fn obtain(
    entry: &Entry,
    file: &DataFile,
    folder: &Path,
    network: &Network<'_>,
) -> Result<(), Error> {
    let Some(from) = &file.download else { return Ok(()) };
    let path = folder.join(file.file);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|why| Error::write(parent, why))?;
    }
    let original = original(file, from, folder);
    let pins = place::pinned(&path).unwrap_or_default();
    let pin = pins.iter().find(|(_, name)| name == from.name).map(|(digest, _)| digest.clone());
    let expected = from.sha256.map(str::to_owned).or(pin.clone());
    let was_here = original.is_file();
    let found = if was_here {
        let found = place::digest(&original)?;
        match expected {
            Some(expected) if expected != found => return Err(other_bytes(&original, &found, &expected)),
            _ => found,
        }
    } else {
        let addresses = network.addresses(from);
        interrupted::tell(&addresses, &original)?;
        let sha256 = expected.as_deref();
        let asked = Asked { addresses: &addresses, place: &original, bytes: from.bytes, sha256 };
        download(asked, &*network.client()?).map_err(|error| match (&pin, error.status().code()) {
            (Some(_), 1) => {
                Error::failed(format!("{error} (the SHA-256 of the first fetch: {}.sha256)", path.display()))
            }
            _ => error,
        })?
    };
    let made = match from.converter {
        Converter::Kept => found.clone(),
        _ => {
            let made = converted(entry, file, from, &original, &path)?;
            if !was_here {
                place::remove(&original)?;
            }
            made
        }
    };
    let said = match (from.sha256, file.sha256) {
        (Some(_), Some(_)) => "as published",
        (Some(_), None) => "of the published download",
        (None, _) if pin.is_some() => "as at the first fetch",
        (None, _) => "first fetch: its digest is pinned in the .sha256 beside it",
    };
    if file.sha256.is_none() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        place::pin(&path, &[(&made, &name), (&found, from.name)])?;
    }
    say(&format!("{}: {} ({said})", entry.name, path.display()))
}

/// Makes what the programs read, and gives its SHA-256.
fn converted(
    entry: &Entry,
    file: &DataFile,
    from: &Download,
    original: &Path,
    path: &Path,
) -> Result<String, Error> {
    let making = place::beside(path, ".making");
    let bytes = fs::metadata(original).map_or(0, |about| about.len());
    let to = File::create(&making).map_err(|why| Error::write(&making, why))?;
    let mut to = Digested::new(BufWriter::new(to), most(bytes));
    let written = convert(from.converter, original, &mut to);
    let (to, made) = to.finish();
    let written = written.and_then(|()| to.into_inner().map(|_| ()).map_err(|why| why.to_string()));
    if let Err(why) = written {
        place::remove(&making)?;
        return Err(Error::failed(format!("{}: cannot be converted: {why}", original.display())));
    }
    match file.sha256 {
        Some(expected) if expected != made => {
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let kept = path.with_extension(format!("fetched.{ending}"));
            place::rename(&making, &kept)?;
            let name = entry.name;
            Err(Error::failed(format!(
                "{name}: the download is as published, but it converts to other bytes than those by which {name} is known: \
                 SHA-256 {made}, not {expected}: they are kept as {}: read them by that path",
                kept.display()
            )))
        }
        _ => {
            place::rename(&making, path)?;
            Ok(made)
        }
    }
}
