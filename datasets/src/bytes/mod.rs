//! The bytes of a file: compression, encoding, lines, cells and numbers.

pub(crate) mod blocks;
pub(crate) mod encoding;
pub(crate) mod foreign;
pub(crate) mod inflate;
pub(crate) mod line_ends;
pub(crate) mod market;
pub(crate) mod memory;
pub(crate) mod number;
pub(crate) mod parallel;
pub(crate) mod quoting;
pub(crate) mod source;
mod stored;
