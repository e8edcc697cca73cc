//! [`Network`]: addresses and the client of a fetch.

use std::path::{Path, PathBuf};
use std::time::Duration;

use raddle_cli::Error;
use raddle_datasets::registry::{Converter, Download, PublicSet, SetFile};

use crate::transport::{Client, client};

/// A download whose file is not in the data folder.
pub(super) struct Wanted<'a> {
    pub(super) download: &'a Download,
    /// Path to download to.
    pub(super) place: PathBuf,
    /// Addresses of the download, in the order in which they are tried.
    pub(super) addresses: Vec<String>,
}

impl<'a> Wanted<'a> {
    /// Returns the download of a file, or `None` if the file has no download or it was fetched already.
    pub(super) fn of(file: &'a SetFile, folder: &Path, network: &Network<'_>) -> Option<Self> {
        let download = file.download.as_ref()?;
        let place = original(file, download, folder);
        let addresses = network.addresses(download);
        (!place.is_file()).then_some(Self { download, place, addresses })
    }
}

/// Network settings of the command line: `--from` and `--timeout`.
pub(super) struct Network<'a> {
    /// Addresses to try first.
    pub(super) from: &'a [String],
    /// Longest time to wait for a server that sends nothing.
    pub(super) silence: Duration,
}

impl Network<'_> {
    /// Returns the client of this build.
    pub(super) fn client(&self) -> Result<Box<dyn Client>, Error> {
        client(self.silence).ok_or_else(|| Error::failed(NO_CLIENT))?.map_err(Error::usage)
    }

    /// Fails early where this build has no http client, with a message that says which files to put where.
    pub(super) fn check(&self, entry: &PublicSet, wanted: &[Wanted<'_>]) -> Result<(), Error> {
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
            "{name}: {NO_CLIENT}; or {by_hand}, and run this command again, which converts it; {licence}"
        )))
    }

    /// Returns the addresses of a download in the order in which they are tried: those of `--from` first. One
    /// that ends with `/` is a folder, to which the name of the file is added.
    pub(super) fn addresses(&self, download: &Download) -> Vec<String> {
        let given = self.from.iter().map(|address| match address.ends_with('/') {
            true => format!("{address}{}", download.name),
            false => address.clone(),
        });
        given.chain(download.addresses.iter().map(|&address| address.into())).collect()
    }
}

const NO_CLIENT: &str = "this build has no http client: use a program of a release, or build one with \
     `cargo build --release --features raddle-data/fetch`";

/// Returns the path to which a download is saved: next to the converted file, or that file itself if nothing
/// is converted.
pub(super) fn original(file: &SetFile, download: &Download, folder: &Path) -> PathBuf {
    let path = folder.join(file.file);
    match download.converter {
        Converter::Kept => path,
        _ => path.with_file_name(download.name),
    }
}
