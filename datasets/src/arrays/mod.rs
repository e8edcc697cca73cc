//! Arrays in files: numpy's formats, and files that are read piece by piece.

pub mod npy;
pub mod npz;
pub mod pairs;
pub(crate) mod pieces;
