//! Option and verb names of other libraries, and the `mf` options that replace them.

use raddle_cli::{ForeignWords, table};

/// The words of other libraries with the answers to them, a line each, in `foreign/`.
pub(super) const FOREIGN: ForeignWords<'static> = ForeignWords {
    options: &table!("foreign/options.tsv"),
    verbs: &table!("foreign/verbs.tsv"),
    arguments: &table!("foreign/arguments.tsv"),
};
