//! [`Duals`]: the rows' dual values, and the course of their gap.

/// Dual values, and counts by which the next solver is chosen.
#[derive(Debug, Clone, Default)]
pub struct Duals {
    /// One for each row.
    pub(crate) values: Vec<f64>,
    /// Epochs behind it.
    pub(crate) epochs: u64,
    /// Gap at the last boundary, and at the one before.
    pub(crate) gap: f64,
    pub(crate) before: f64,
    /// The least gap of a boundary, and how many brought no smaller one since.
    pub(crate) least: f64,
    pub(crate) idle: u64,
    /// Number of epochs that were a direct solver's.
    pub(crate) direct: u64,
}

raddle::state!(Duals { values, epochs, gap, before, least, idle, direct });
