//! What a fit is given: ratings that were checked once, the chunks that they are dealt out in, and memory for them.

pub(crate) mod by_parts;
pub(crate) mod chunk;
pub(crate) mod mmap_arrays;
pub(crate) mod problem;
