//! `raddle data path`: prints the path of a set in the data folder.

use clap::Args;
use raddle_cli::{Error, ExitStatus, say};
use raddle_datasets::registry::PublicSet;

use crate::provenance::Provenance;
use crate::{catalogue, place};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Name of the dataset.
    #[arg(value_name = "NAME")]
    name: String,
}

/// Prints the path of the set's main file, the one that a command line names.
pub(super) fn path(options: &Options) -> Result<ExitStatus, Error> {
    let entry = catalogue::named(&options.name)?;
    let folder = place::folder(None)?;
    let file = entry.files.first().and_then(|file| place::here(file, &folder));
    let (path, _) = file.ok_or_else(|| not_here(entry, &folder))?;
    say(&path.display().to_string())?;
    Ok(ExitStatus::Done)
}

/// Makes the error for a set that the folder lacks, which says how to get it.
pub(super) fn not_here(entry: &PublicSet, folder: &std::path::Path) -> Error {
    let name = entry.name;
    let how = match Provenance::from_set(entry) {
        Provenance::File => format!(
            "it cannot be fetched: put {} there, made as `raddle data list {name}` says, or set RADDLE_DATA",
            entry.files.iter().map(|file| file.file).collect::<Vec<_>>().join(" and ")
        ),
        _ => format!("`raddle data fetch {name}` fetches it; or set RADDLE_DATA"),
    };
    Error::input(format!("{name}: it is not in {}: {how}", folder.display()))
}
