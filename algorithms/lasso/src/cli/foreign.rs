//! Option names of other libraries, and the `lasso` options that replace them.

use raddle_cli::ForeignWords;

/// The words of other libraries with the answers to them, a line each, in `foreign/`.
pub(super) const FOREIGN: ForeignWords<'static> = ForeignWords {
    options: &raddle_cli::table!("foreign/options.tsv"),
    verbs: &raddle_cli::table!("foreign/verbs.tsv"),
    arguments: &[],
};
