//! [`AlternatingPhase`]: purposes of the rounds of an alternating run.

/// Purpose of a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AlternatingPhase {
    /// Shards take their ratings from the input.
    Take,
    /// The rows of a side are solved: users (0) or items (1).
    Rows(usize),
    /// A column of a side is solved.
    Column(Column),
    /// The users' shards measure held-out ratings.
    Measure,
}

/// A column of a side, in one of the passes over a rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column {
    pub(crate) side: usize,
    pub(crate) rank: u32,
    pub(crate) pass: usize,
}

raddle::state!(Column { side, rank, pass });
raddle::state!(
    enum AlternatingPhase {
        Take,
        Rows(side),
        Column(column),
        Measure,
    }
);
