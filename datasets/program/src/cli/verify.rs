//! `raddle data verify`: checks the digests of files in the data folder.

use clap::Args;
use raddle_cli::{Error, ExitStatus, count, say};

use super::path::not_here;
use crate::{catalogue, place};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Datasets to check. Default: all in the data folder.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// Compares each file with its digest, known or pinned.
pub(super) fn verify(options: &Options) -> Result<ExitStatus, Error> {
    let folder = place::folder(None)?;
    let (mut files, mut wrong) = (0, Vec::new());
    for entry in catalogue::named_or_all(&options.names)? {
        for file in &entry.files {
            let Some((path, expected)) = place::here(file, &folder) else {
                if options.names.is_empty() {
                    continue;
                }
                return Err(not_here(entry, &folder));
            };
            files += 1;
            let found = place::digest(&path)?;
            let said = match &expected {
                Some(expected) if *expected == found => "as it should be".to_owned(),
                Some(expected) => {
                    wrong.push(path.display().to_string());
                    format!("WRONG: its SHA-256 is {found}, not {expected}")
                }
                None => format!("nothing to compare with: its SHA-256 is {found}"),
            };
            say(&format!("{}: {}: {said}", entry.name, path.display()))?;
        }
    }
    match wrong.is_empty() {
        true if files == 0 => say(&format!("{}: no set is here", folder.display()))?,
        true => say(&format!("{} checked", count(files, "file")))?,
        false => {
            let why = "not the bytes that are expected: remove and fetch again";
            return Err(Error::failed(format!("{}: {why}", wrong.join(", "))));
        }
    }
    Ok(ExitStatus::Done)
}
