//! [`Step`]: the round that a place is working on, where rounds are handed out one by one.

use std::collections::VecDeque;

use super::spent::Spent;
use crate::program::{Program, Task};

/// The current round of a stepwise plan: tasks that wait for their blocks, and partials.
pub(super) struct Step<P: Program> {
    pub(super) round: u64,
    /// The epoch of the round, its phase, and the number of workers of the process that answer it; `None` if
    /// its partials are not merged.
    pub(super) merges: Option<(u64, P::Phase, u32)>,
    pub(super) forward: Vec<(u32, u32)>,
    pub(super) tasks: VecDeque<Task<P::Phase>>,
    pub(super) partials: Vec<(u32, P::Partial)>,
    pub(super) spent: Spent,
}
