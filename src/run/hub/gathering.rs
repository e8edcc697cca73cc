//! [`Gathering`]: collects the answers of workers until the last has arrived.

use crate::base::panic_context::PanicContext;
use crate::program::Program;
use crate::program::partials::Partials;
use crate::run::merging::Merger;

/// Answers that are being gathered, as (shard, answer).
pub(super) struct Gathering<T> {
    waiting: usize,
    answers: Vec<(u32, T)>,
}

impl<T> Gathering<T> {
    /// Starts to gather one answer from each of this number of workers.
    pub(super) fn of(workers: usize) -> Self {
        Self { waiting: workers, answers: Vec::new() }
    }

    /// `true` as long as an answer is missing.
    pub(super) fn waits(&self) -> bool {
        self.waiting > 0
    }

    /// Adds a worker's answers.
    pub(super) fn put(&mut self, answers: Vec<(u32, T)>) {
        self.answers.extend(answers);
        self.waiting = self.waiting.saturating_sub(1);
    }

    /// Waits for no more answers.
    pub(super) fn close(&mut self) {
        self.waiting = 0;
    }

    /// Returns the answers that have arrived, by shard.
    pub(super) fn answers(&self) -> &[(u32, T)] {
        &self.answers
    }

    /// Adds a worker's answers; returns all answers once the last worker has answered.
    pub(super) fn add(&mut self, answers: Vec<(u32, T)>) -> Option<Partials<T>> {
        self.put(answers);
        (!self.waits()).then(|| self.take())
    }

    /// Takes the answers that have arrived.
    pub(super) fn take(&mut self) -> Partials<T> {
        Partials::from(std::mem::take(&mut self.answers))
    }
}

/// Merges the partials of a phase into one, if the program merges them.
pub(super) fn merged<P: Program>(
    merger: Option<&Merger<P>>,
    phase: Option<&P::Phase>,
    partials: Partials<P::Partial>,
    at: PanicContext,
) -> Partials<P::Partial> {
    match merger {
        Some(merger) => Partials::from(merger.merge(phase, partials.into_pairs(), at)),
        None => partials,
    }
}
