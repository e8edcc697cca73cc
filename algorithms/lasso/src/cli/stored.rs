//! Tables of which each process reads its own columns, from a file that is made of the data once.

use std::path::{Path, PathBuf};

use raddle::cli::{Data, Session, TrainOptions};
use raddle_datasets::StoredTable;

use super::data;

/// Where a table is kept, if it is read by parts: with several processes in the folder of `--cache`, or else where they share
/// files. Standard input, which is not there twice, is taken in memory.
pub(super) fn folder(cache: Option<&Path>, train: &TrainOptions, session: &Session) -> Option<PathBuf> {
    let shared = session.shared_folder().filter(|_| train.data.as_deref() != Some("-"))?;
    Some(cache.map_or(shared, Path::to_owned))
}

/// The report's entry for a stored table.
pub(super) fn describe(stored: &StoredTable) -> Data {
    data::described(stored.described(), (stored.rows(), stored.width()), stored.nonzeros())
}
