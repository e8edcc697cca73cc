//! The registry: public sets by name, and their files on this machine.
//!
//! The files are not shipped. `RADDLE_DATA` names the folder that has them, with one subfolder per kind of
//! data (`lasso/mice.svm.gz`); the default is `$XDG_CACHE_HOME/raddle` or `~/.cache/raddle`, with the same
//! layout.

pub mod embedded;
mod folder;
mod load;
mod real;
mod sets;

pub use crate::error::RegistryError;
pub use folder::data_folder;
pub(crate) use folder::{as_path, compare, not_found};
pub(crate) use load::{corpus_of, path_of, paths_of_corpus, ratings_of, reading, table_of};
pub use load::{load, load_corpus, load_ratings, locate};
pub use real::{real, real_corpus, real_folder, real_ratings};
pub use sets::{
    BestKnown, Cells, Converter, Download, PublicSet, Reading, SetFile, SetKind, public_sets, verified_names,
    verified_set, verified_sets,
};
