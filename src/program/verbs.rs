//! Verbs that a schedule may require of a program: [`Update`], [`UpdateBlock`], [`Relate`] and [`Fold`];
//! [`Enough`], which no schedule requires; and [`Verbs`], the list of verbs that a program has.

use std::fmt;

use crate::program::context::{BlockTaskOf, TaskOf};
use crate::program::merge::{Additive, Merge, MergeOf};
use crate::program::partials::Partials;
use crate::program::restore::{BeginRestoration, RestoreByShard, by_shard};
use crate::program::{Dependencies, Program, Round, Task};

/// A program whose shards update variables by themselves.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names the verb `update`, but does not implement `Update`",
    label = "`Update` is not implemented for `{Self}`"
)]
pub trait Update: Program {
    /// Updates the shard's variables named by the task, where the shard lives. Tasks of one round read the
    /// same replica and may run at the same time.
    fn update(&self, at: TaskOf<'_, Self>) -> Self::Partial;
}

/// A program whose blocks travel from shard to shard.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names the verb `update_block`, but does not implement `UpdateBlock`",
    label = "`UpdateBlock` is not implemented for `{Self}`"
)]
pub trait UpdateBlock: Program {
    /// Updates a travelling block together with a shard. No other task of the round touches either.
    fn update_block(&self, at: BlockTaskOf<'_, Self>) -> Self::Partial;
}

/// A program that knows how variables depend on each other, for schedules that keep dependent variables in
/// different rounds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names the verb `relate`, but does not implement `Relate`",
    label = "`Relate` is not implemented for `{Self}`"
)]
pub trait Relate: Program {
    /// Returns this shard's part of the description of the candidates, for [`relate`](Self::relate): say,
    /// their columns. `task.variables` are the candidates that live here. Schedules cache the dependency of a
    /// pair, so describe things that do not change: data, not solver state.
    fn gather(&self, task: &Task<Self::Phase>, shard: &Self::Shard) -> Self::Partial;

    /// Returns the dependencies of candidates, in a separate round between the proposal and the decision.
    /// `pieces` are the answers of [`gather`](Self::gather), in shard order; the result refers to positions
    /// in `candidates`. The dependency of a pair must not vary with the other candidates.
    fn relate(
        &self,
        phase: &Self::Phase,
        candidates: &[u32],
        pieces: Partials<Self::Partial>,
    ) -> Dependencies;
}

/// A program whose shards may answer more than once before the boundary: needed where changes become visible
/// there, a shard has more than one task an epoch, and there is something in a partial.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names the verb `fold`, but does not implement `Fold`",
    label = "`Fold` is not implemented for `{Self}`"
)]
pub trait Fold: Program {
    /// Adds the next partial of a shard to those that it gave earlier in the epoch.
    fn fold(&self, so_far: &mut Self::Partial, next: Self::Partial);
}

/// A program whose rounds may end before all shards have answered, such as a code of which any `k` of `n`
/// answers give the whole: a worker that hangs holds up the boundary alone. Later answers are dropped. Any
/// sufficient set must give the same bytes. Plans that are aggregated once, and [`Merge`], need all answers.
#[diagnostic::on_unimplemented(message = "`{Self}` names the verb `enough`, but does not implement `Enough`")]
pub trait Enough: Program {
    /// `true` if the answers of these shards, in rising order, are enough for the round, as those of all are.
    fn enough(&self, round: &Round<Self::Phase>, answered: &[u32]) -> bool;
}

/// Verb that a schedule may require, and a program may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// [`Update`]: rounds have tasks without a block.
    Update,
    /// [`UpdateBlock`]: rounds have tasks with a block.
    UpdateBlock,
    /// [`Relate`]: candidates are related before a round.
    Relate,
    /// [`Fold`]: a shard may have more than one task an epoch. The verb is needed only if changes become
    /// visible at the boundary.
    Fold,
}

impl Verb {
    /// Returns the name of the verb's trait, and of the method of [`Verbs`] for it.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Update => ("Update", "update"),
            Self::UpdateBlock => ("UpdateBlock", "update_block"),
            Self::Relate => ("Relate", "relate"),
            Self::Fold => ("Fold", "fold"),
        }
    }

    /// Returns what a schedule does that requires the verb, in words.
    fn asked(self) -> &'static str {
        match self {
            Self::Update => "asks shards to update variables",
            Self::UpdateBlock => "brings shards blocks",
            Self::Relate => "relates variables",
            Self::Fold => "asks a shard more than once before the boundary",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.names().1)
    }
}

type UpdateOf<P> = fn(&P, TaskOf<'_, P>) -> <P as Program>::Partial;
type UpdateBlockOf<P> = fn(&P, BlockTaskOf<'_, P>) -> <P as Program>::Partial;
type GatherOf<P> = fn(&P, &Task<<P as Program>::Phase>, &<P as Program>::Shard) -> <P as Program>::Partial;
type RelateOf<P> = fn(&P, &<P as Program>::Phase, &[u32], Partials<<P as Program>::Partial>) -> Dependencies;
type FoldOf<P> = fn(&P, &mut <P as Program>::Partial, <P as Program>::Partial);

pub(crate) type EnoughOf<P> = fn(&P, &Round<<P as Program>::Phase>, &[u32]) -> bool;

/// Verbs that a program has: each is named once, and only what is implemented can be named.
pub struct Verbs<P: Program> {
    pub(crate) update: Option<UpdateOf<P>>,
    pub(crate) update_block: Option<UpdateBlockOf<P>>,
    pub(crate) relate: Option<(GatherOf<P>, RelateOf<P>)>,
    pub(crate) fold: Option<FoldOf<P>>,
    pub(crate) merge: Option<MergeOf<P>>,
    pub(crate) enough: Option<EnoughOf<P>>,
    /// Function that starts a restoration by shard.
    pub(crate) restore: Option<BeginRestoration<P>>,
}

impl<P: Program> Clone for Verbs<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Program> Copy for Verbs<P> {}

impl<P: Program> Default for Verbs<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Program> Verbs<P> {
    /// Makes an empty list.
    pub fn new() -> Self {
        let (update, update_block, relate, fold) = (None, None, None, None);
        Self { update, update_block, relate, fold, merge: None, enough: None, restore: None }
    }

    /// Adds [`Update`]: shards update variables.
    pub fn update(self) -> Self
    where
        P: Update,
    {
        Self { update: Some(P::update), ..self }
    }

    /// Adds [`UpdateBlock`]: blocks travel.
    pub fn update_block(self) -> Self
    where
        P: UpdateBlock,
    {
        Self { update_block: Some(P::update_block), ..self }
    }

    /// Adds [`Relate`]: candidates can be related.
    pub fn relate(self) -> Self
    where
        P: Relate,
    {
        Self { relate: Some((P::gather, P::relate)), ..self }
    }

    /// Adds [`Fold`]: partials of a shard can be combined.
    pub fn fold(self) -> Self
    where
        P: Fold,
    {
        Self { fold: Some(P::fold), ..self }
    }

    /// Adds [`Merge`]: partials of neighbouring shards can be merged.
    pub fn merge(self) -> Self
    where
        P: Merge,
    {
        Self { merge: Some(MergeOf::merging()), ..self }
    }

    /// Adds [`Additive`]: partials are exact sums over rows, and are merged by adding them.
    pub fn additive(self) -> Self
    where
        P: Additive,
    {
        Self { merge: Some(MergeOf::adding()), ..self }
    }

    /// Adds [`Enough`]: rounds may end before all shards have answered.
    pub fn enough(self) -> Self
    where
        P: Enough,
    {
        Self { enough: Some(P::enough), ..self }
    }

    /// Adds [`RestoreByShard`]: a checkpoint is restored by shard.
    pub fn restore_by_shard(self) -> Self
    where
        P: RestoreByShard,
    {
        Self { restore: Some(by_shard::<P>), ..self }
    }

    /// `true` if the program has the verb. Partials of size zero need no [`Fold`].
    fn has(&self, verb: Verb) -> bool {
        match verb {
            Verb::Update => self.update.is_some(),
            Verb::UpdateBlock => self.update_block.is_some(),
            Verb::Relate => self.relate.is_some(),
            Verb::Fold => self.fold.is_some() || size_of::<P::Partial>() == 0,
        }
    }

    /// Returns the function by which shards update variables.
    pub(crate) fn to_update(self) -> Result<UpdateOf<P>, String> {
        self.update.ok_or_else(|| Self::lacks(Verb::Update))
    }

    /// Returns the function by which blocks are updated.
    pub(crate) fn to_update_block(self) -> Result<UpdateBlockOf<P>, String> {
        self.update_block.ok_or_else(|| Self::lacks(Verb::UpdateBlock))
    }

    /// Returns the functions by which candidates are described and related.
    pub(crate) fn to_relate(self) -> Result<(GatherOf<P>, RelateOf<P>), String> {
        self.relate.ok_or_else(|| Self::lacks(Verb::Relate))
    }

    /// Refuses a verb that the program lacks.
    pub(crate) fn check(&self, verb: Verb) -> Result<(), String> {
        if self.has(verb) { Ok(()) } else { Err(Self::lacks(verb)) }
    }

    fn lacks(verb: Verb) -> String {
        let ((of, named), asks) = (verb.names(), verb.asked());
        format!(
            "the schedule {asks}, but the program has no `{named}`: implement `{of}` for it and name \
             `{named}` in its `program!(..; {named})`, or choose another schedule"
        )
    }
}
