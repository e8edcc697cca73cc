//! Names the ways in which a file can be read; each has its own file of columns.

use std::path::Path;

use crate::bytes::source::{Source, short_digest};
use crate::dialect::is_tabs;
use crate::error::ReadError;
use crate::table::Options;

/// Returns the way in which a file is read, as a part of a file name; it includes the content of other files
/// that are read.
pub(crate) fn variant(options: &Options, path: &Path) -> Result<String, ReadError> {
    let Options {
        format,
        y,
        zero_based,
        width,
        dialect,
        columns,
        classes,
        beside,
        repeat,
        held_out,
        threads: _,
        cache: _,
    } = options;
    let mut all = format!("{format:?} {y:?} {zero_based} {width:?} {dialect:?} {} ", is_tabs(path));
    all += &format!("{columns:?} {classes:?} {beside:?} {repeat:?} {held_out:?}");
    for name in y.iter().chain(beside.iter().map(|beside| &beside.name)) {
        if Path::new(name).is_file() {
            all += &format!(" {}", Source::open(Path::new(name))?.digest());
        }
    }
    Ok(short_digest(all.as_bytes()))
}
