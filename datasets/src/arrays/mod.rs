//! Arrays in files: numpy's, and pieces that are read one by one.

pub mod npy;
pub mod npz;
pub(crate) mod pieces;
