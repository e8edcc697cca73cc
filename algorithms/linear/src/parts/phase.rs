//! [`PartsPhase`]: the number of parts of a round, and their sigma'.

/// Purpose of a round: an epoch of so many parts.
#[derive(Debug, Clone, PartialEq)]
pub struct PartsPhase {
    /// Number of parts.
    pub(crate) parts: u32,
    /// Factor by which a part takes its own change for that of all.
    pub(crate) sigma: f64,
}

raddle::state!(PartsPhase { parts, sigma });
