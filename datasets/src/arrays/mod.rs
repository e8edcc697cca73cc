//! Arrays in files: numpy's, and pieces that are read one by one.

pub mod npy;
pub mod npz;
pub mod pairs;
pub(crate) mod pieces;
