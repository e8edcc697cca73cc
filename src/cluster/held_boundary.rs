//! [`HeldBoundary`]: a boundary at which a held run waits, as reported to its holder; [`HeldStatus`]: the
//! state of a held run.

/// Boundary of a held run. The first one is that before the first epoch, or the one from which the run is
/// resumed, with a cost and seconds of 0. After the loss of its process the run returns to its last
/// checkpoint: boundaries from there on are reported again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeldBoundary {
    /// Number of epochs completed.
    pub epoch: u64,
    /// Counted cost of the tasks of the epoch that has ended, summed over the workers, in the units of
    /// [`Engine::costs`](crate::Engine::costs), multiply-adds: a task costs as much as the variables that it
    /// names; where it names none, as its shard; with a block, as its shard over the number of blocks. Of
    /// tasks of some phases a schedule says otherwise ([`Schedule::cost`](crate::Schedule::cost)). It is the
    /// same for any number of workers.
    pub cost: u64,
    /// Seconds of the epoch that has ended, without the time in which the run was held.
    pub seconds: f64,
    /// Number of workers that the run has, at least 1.
    pub workers: usize,
    /// Number of workers that the next epoch can keep busy, if its schedule knows
    /// ([`Schedule::wanted`](crate::Schedule::wanted)).
    pub wanted: Option<u32>,
    /// The metric's name and value at this boundary; `None` if nothing was measured.
    pub metric: Option<(String, f64)>,
    /// The metric's target, if it has one.
    pub target: Option<f64>,
    /// The objective, if the program has a monotone one.
    pub objective: Option<f64>,
    /// Limit of the number of epochs, if one was set.
    pub epochs: Option<u64>,
    /// `true` if the run ends here: it does not wait for an answer.
    pub is_last: bool,
    /// Number of the generation that has reached the boundary.
    pub(crate) generation: u64,
}

crate::state!(HeldBoundary {
    epoch,
    cost,
    seconds,
    workers,
    wanted,
    metric,
    target,
    objective,
    epochs,
    is_last,
    generation,
});

/// State of a run that a [`Holder`](super::Holder) holds at its boundaries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct HeldStatus {
    /// `true` if the run waits at a boundary.
    pub waits: bool,
    /// `true` if a holder is connected.
    pub has_holder: bool,
}

crate::state!(HeldStatus { waits, has_holder });
