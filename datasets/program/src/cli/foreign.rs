//! Options and verbs of other programs, and the hints that `raddle data` gives for them.

use raddle_cli::{ForeignWords, table};

/// The words of other programs with the answers to them, a line each, in `foreign/`.
pub(super) const FOREIGN: ForeignWords<'static> = ForeignWords {
    options: &table!("foreign/options.tsv"),
    verbs: &table!("foreign/verbs.tsv"),
    arguments: &[],
};
