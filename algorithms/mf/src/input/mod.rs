//! Input of a fit: checked ratings in memory or in a file, the chunks that they are cut into, and memory for
//! them; and the baselines of mean and biases.

pub(crate) mod baseline;
pub(crate) mod chunk;
pub(crate) mod mmap_arrays;
pub(crate) mod problem;
pub(crate) mod source;
#[cfg(test)]
pub(crate) mod tests;
