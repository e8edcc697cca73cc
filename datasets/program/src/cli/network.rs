//! [`Network`]: addresses and the client of a fetch.

use std::path::{Path, PathBuf};
use std::time::Duration;

use raddle::cli::Error;

use crate::entry::{Converter, DataFile, Download, Entry};
use crate::transport::{Client, client};

/// A download that is not here.
pub(super) struct Wanted<'a> {
    pub(super) download: &'a Download,
    /// The place that it goes to.
    pub(super) place: PathBuf,
    /// Its addresses, in the order in which they are tried.
    pub(super) addresses: Vec<String>,
}

impl<'a> Wanted<'a> {
    /// The download of a file, if it is not here.
    pub(super) fn of(file: &'a DataFile, folder: &Path, network: &Network<'_>) -> Option<Self> {
        let download = file.download.as_ref()?;
        let place = original(file, download, folder);
        let addresses = network.addresses(download);
        (!place.is_file()).then_some(Self { download, place, addresses })
    }
}

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

    /// The addresses of a download, in the order in which they are tried: one that is given as a folder has
    /// the file in it.
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
