//! Many elastic fits on the cores there are: [`policy`] decides, at every boundary, which jobs run on how many workers.
//!
//! Policies know no thread and no clock. The same objects decide in the simulator and in a pool that runs.

pub mod policy;
pub mod simulate;

#[cfg(feature = "cli")]
pub mod cli;
