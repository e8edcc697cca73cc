//! The registry: public sets by name, and their files on this machine.
//!
//! The files are not shipped. `RADDLE_DATA` names the folder that has them, with one subfolder per kind of
//! data (`lasso/mice.svm.gz`); the default is `$XDG_CACHE_HOME/raddle` or `~/.cache/raddle`, with the same
//! layout.

mod absent;
mod corpora;
pub mod embedded;
mod fetched;
mod folder;
mod ratings;
mod real;
mod tables;

pub use crate::error::RegistryError;
pub(crate) use absent::{absent, as_path};
pub use corpora::{CORPORA, CorpusEntry, load_corpus};
pub(crate) use corpora::{corpus_entry, paths_of_corpus, unknown_corpus};
pub use fetched::{FETCHED, FetchedSet, SetKind};
pub(crate) use folder::compare;
pub use folder::data_folder;
pub use ratings::{RATINGS, RatingsEntry, load_ratings, ratings_entry};
pub(crate) use ratings::{load_ratings_with, path_of_ratings, reading, unknown_ratings};
pub use real::{real, real_corpus, real_folder, real_ratings};
pub use tables::{ENTRIES, Entry, Mode, entry, load, locate};
pub(crate) use tables::{load_with, unknown};
