//! [`obtain`]: fetches one file of a set and converts it for the programs.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use raddle_cli::{Error, say};
use raddle_datasets::registry::{Converter, Download, PublicSet, SetFile};

use super::interrupted;
use super::network::{Network, original};
use crate::convert::{convert, most};
use crate::digest::Digested;
use crate::download::{Asked, download};
use crate::place;

/// Fetches a file that the folder lacks, unless its download is there, and converts it.
pub(super) fn obtain(
    entry: &PublicSet,
    file: &SetFile,
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
            Some(expected) if expected != found => {
                return Err(place::other_bytes(&original, &found, &expected));
            }
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
        (None, _) => "first fetch: its digest is pinned in the .sha256 next to it",
    };
    if file.sha256.is_none() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        place::pin(&path, &[(&made, &name), (&found, from.name)])?;
    }
    say(&format!("{}: {} ({said})", entry.name, path.display()))
}

/// Converts a download to the file that the programs read; returns the SHA-256 of that file.
fn converted(
    entry: &PublicSet,
    file: &SetFile,
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
                "{name}: the download is as published, but the converted file is not the one known as \
                 {name}: its SHA-256 is {made}, not {expected}: it is kept as {}: read it by that path",
                kept.display()
            )))
        }
        _ => {
            place::rename(&making, path)?;
            Ok(made)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::catalogue::named;

    #[test]
    fn other_rows_than_those_of_a_known_set_are_kept_under_another_name() {
        let folder = tempfile::tempdir().unwrap();
        let [original, path] = ["ml-100k.zip", "ml-100k.tsv"].map(|name| folder.path().join(name));
        let mut archive = ZipWriter::new(File::create(&original).unwrap());
        archive.start_file("ml-100k/u.data", SimpleFileOptions::default()).unwrap();
        archive.write_all(b"9\t7\t5\t881250949\n").unwrap();
        archive.finish().unwrap();
        let entry = named("ml-100k").unwrap();
        let file = &entry.files[0];
        let made = |file: &SetFile| converted(entry, file, file.download.as_ref().unwrap(), &original, &path);
        let why = made(file).unwrap_err().to_string();
        let kept = folder.path().join("ml-100k.fetched.tsv");
        assert!(
            why.contains(&kept.display().to_string()) && why.contains("not the one known as ml-100k"),
            "{why}"
        );
        assert_eq!(fs::read(&kept).unwrap(), b"0\t0\t5\n");
        assert!(!path.exists());
        // Where the digest is not known it is what the programs read.
        made(&SetFile { sha256: None, ..file.clone() }).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"0\t0\t5\n");
    }
}
