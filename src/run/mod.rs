//! State machines of a generation, and their state: the hub that hands out rounds, the places where tasks
//! run, the messages between them, and the placement of shards. This module does not use timely, and can be
//! driven step by step in a test.

pub(crate) mod cancellation;
pub(crate) mod fingerprints;
pub(crate) mod hub;
pub(crate) mod local_state;
pub(crate) mod merging;
pub(crate) mod message;
mod overdue;
pub(crate) mod place;
pub mod placement;
pub(crate) mod places;
pub(crate) mod process_merger;
pub(crate) mod record;
pub(crate) mod requests;
pub(crate) mod saved_state;
pub(crate) mod settings;
pub(crate) mod snapshot;
pub(crate) mod traffic;
