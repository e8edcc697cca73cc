//! [`RoundLog`]: the reasons for a round's variables.

use serde::Serialize;

/// A round explained: who was proposed, who was rejected by whom, who survived.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoundLog {
    /// The epoch, counted from 0.
    pub epoch: u64,
    /// The round within the epoch, counted from 0.
    pub round: u64,
    /// The variables proposed, in the order in which they were considered.
    pub candidates: Vec<u32>,
    /// Candidates that were rejected.
    pub rejected: Vec<Rejection>,
    /// Candidates that were handed out.
    pub survivors: Vec<u32>,
}

/// A candidate that was rejected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rejection {
    /// The candidate.
    pub variable: u32,
    /// The variable it depends on, which was taken before it or is in flight.
    pub by: u32,
    /// Strength of the dependency.
    pub strength: f32,
}

crate::state!(RoundLog { epoch, round, candidates, rejected, survivors });
crate::state!(Rejection { variable, by, strength });

impl std::fmt::Display for RoundLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { epoch, round, candidates, rejected, survivors } = self;
        write!(f, "epoch {epoch} round {round}: {} candidates", candidates.len())?;
        for Rejection { variable, by, strength } in rejected {
            write!(f, ", {variable} rejected by {by} ({strength:.3})")?;
        }
        write!(f, ", {} survivors {survivors:?}", survivors.len())
    }
}
