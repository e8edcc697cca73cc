//! [`PartsPhase`]: the number of parts in a round, and their sigma'.

/// The purpose of a round: an epoch with this number of parts.
#[derive(Debug, Clone, PartialEq)]
pub struct PartsPhase {
    /// Number of parts.
    pub(crate) parts: u32,
    /// Factor by which a part scales its own change to stand for the changes of all parts.
    pub(crate) sigma: f64,
}

raddle::state!(PartsPhase { parts, sigma });
