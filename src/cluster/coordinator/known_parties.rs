//! [`Parties`]: what an attempt leaves to the next one about the parties of a run.

use std::collections::{BTreeMap, BTreeSet};

/// Fate of a run that loses a party.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnLeave {
    /// Begin again once the party is back.
    #[default]
    Wait,
    /// Begin again with the others.
    Without,
}

/// The parties of a run, by the number of each, as the attempts before have left them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parties {
    pub(super) on_leave: OnLeave,
    /// The parties that the run goes on without.
    pub(super) gone: BTreeSet<u32>,
    /// Digest of the data of each party that has taken part.
    pub(super) data: BTreeMap<u32, String>,
}

impl Parties {
    pub(crate) fn new(on_leave: OnLeave) -> Self {
        Self { on_leave, ..Self::default() }
    }
}
