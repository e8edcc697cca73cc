//! [`Shard`]: what crosses to another process of a piece of the training data; and [`PinnedShard`]: data of
//! which nothing can.

use std::convert::Infallible;

use crate::base::state::{Reader, State, StateError, Writer};

/// A piece of the training data with its solver state, as a process holds it. Every [`State`] is one, and
/// moves between processes whole; a [`PinnedShard`] stays in the process that made it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as bytes and read back",
    note = "for a type of your own, list its fields: `raddle::state!({Self} {{ field, .. }})`, or its \
            variants: `raddle::state!(enum {Self} {{ One, Two(value) }})`",
    note = "for a type of another crate, keep what it is made of; for data that never leave their process, \
            `raddle::PinnedShard<{Self}>`"
)]
pub trait Shard: Sized + Send + 'static {
    /// The form that crosses to another process: a type without values where nothing does.
    type Crossing: State;

    /// `true` if a shard stays in the process that made it.
    const STAYS: bool;

    /// Returns the form that crosses; `None` if the shard stays.
    fn crossing(self) -> Option<Self::Crossing>;

    /// Makes the shard of the form that has crossed.
    fn crossed(form: Self::Crossing) -> Self;

    /// Writes the learned state where a program does not: all of the shard, or nothing of one that stays.
    fn save_learned(&self, out: &mut Writer);

    /// Reads what [`save_learned`](Self::save_learned) wrote.
    ///
    /// # Errors
    /// If the bytes do not describe such a shard.
    fn load_learned(&mut self, from: &mut Reader<'_>) -> Result<(), StateError>;
}

impl<T: State> Shard for T {
    type Crossing = Self;

    const STAYS: bool = false;

    fn crossing(self) -> Option<Self> {
        Some(self)
    }

    fn crossed(form: Self) -> Self {
        form
    }

    fn save_learned(&self, out: &mut Writer) {
        self.save(out);
    }

    fn load_learned(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        *self = Self::load(from)?;
        Ok(())
    }
}

/// A shard that stays in the process that made it, such as rows that may not leave their owner: it is no
/// [`State`], so that neither a plan, nor a hand-over, nor a checkpoint has bytes of it. Each party of a run
/// makes its own shards, and has them at the end.
///
/// ```compile_fail
/// fn crosses(_: impl raddle::state::State) {}
/// crosses(raddle::PinnedShard(vec![1.0])); // the numbers of a party
/// ```
#[derive(Debug, Clone, Default)]
pub struct PinnedShard<T>(pub T);

impl<T: Send + 'static> Shard for PinnedShard<T> {
    type Crossing = Infallible;

    const STAYS: bool = true;

    fn crossing(self) -> Option<Infallible> {
        None
    }

    fn crossed(form: Infallible) -> Self {
        match form {}
    }

    fn save_learned(&self, _: &mut Writer) {}

    fn load_learned(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}
