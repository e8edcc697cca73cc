//! Input of a fit: ratings that were checked once, the chunks that they are cut into, and memory for them;
//! and what their mean and biases alone predict.

pub(crate) mod baseline;
pub(crate) mod by_parts;
pub(crate) mod chunk;
pub(crate) mod mmap_arrays;
pub(crate) mod problem;
