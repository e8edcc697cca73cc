//! Verbs that a schedule may require of a program: [`Update`], [`UpdateBlock`], [`Relate`] and [`Fold`]; and
//! [`Verbs`], the list of those that a program has.

use std::fmt;

use crate::program::context::{BlockTaskOf, TaskOf};
use crate::program::partials::Partials;
use crate::program::restore::{BeginRestoration, RestoreByShard, by_shard};
use crate::program::{Dependencies, Program, Task};

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

/// A program that can tell how variables depend on each other, for schedules that keep dependent ones apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names the verb `relate`, but does not implement `Relate`",
    label = "`Relate` is not implemented for `{Self}`"
)]
pub trait Relate: Program {
    /// The part of the candidates' description that this shard owns, for [`relate`](Self::relate): say, their
    /// columns. `task.variables` are the candidates that live here. Schedules cache the dependency of a pair,
    /// so describe things that do not change: data, not solver state.
    fn gather(&self, task: &Task<Self::Phase>, shard: &Self::Shard) -> Self::Partial;

    /// Dependencies of candidates: a round of its own, between proposing and deciding. `pieces` are the
    /// answers of [`gather`](Self::gather), in shard order; the result speaks of positions in `candidates`.
    /// The dependency of a pair may not vary with the other candidates that are asked about.
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
    /// Merges a shard's next partial into those it gave earlier in the epoch.
    fn fold(&self, so_far: &mut Self::Partial, next: Self::Partial);
}

/// Verb that a schedule may require, and a program may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// [`Update`]: rounds bring shards no blocks.
    Update,
    /// [`UpdateBlock`]: rounds bring shards blocks.
    UpdateBlock,
    /// [`Relate`]: candidates are related before a round.
    Relate,
    /// [`Fold`]: a shard may have more than one task an epoch. It is needed where changes become visible at
    /// the boundary.
    Fold,
}

impl Verb {
    /// The name of its trait, and of the method of [`Verbs`] that names it.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Update => ("Update", "update"),
            Self::UpdateBlock => ("UpdateBlock", "update_block"),
            Self::Relate => ("Relate", "relate"),
            Self::Fold => ("Fold", "fold"),
        }
    }

    /// Requirement of the verb by a schedule, in words.
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

/// Verbs that a program has: each is named once, and only what is implemented can be named.
pub struct Verbs<P: Program> {
    pub(crate) update: Option<UpdateOf<P>>,
    pub(crate) update_block: Option<UpdateBlockOf<P>>,
    pub(crate) relate: Option<(GatherOf<P>, RelateOf<P>)>,
    pub(crate) fold: Option<FoldOf<P>>,
    /// Function that begins a restoration by shard.
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
    /// None yet.
    pub fn new() -> Self {
        Self { update: None, update_block: None, relate: None, fold: None, restore: None }
    }

    /// Shards update variables.
    pub fn update(self) -> Self
    where
        P: Update,
    {
        Self { update: Some(P::update), ..self }
    }

    /// Blocks travel.
    pub fn update_block(self) -> Self
    where
        P: UpdateBlock,
    {
        Self { update_block: Some(P::update_block), ..self }
    }

    /// Candidates can be related.
    pub fn relate(self) -> Self
    where
        P: Relate,
    {
        Self { relate: Some((P::gather, P::relate)), ..self }
    }

    /// Partials of a shard can be merged.
    pub fn fold(self) -> Self
    where
        P: Fold,
    {
        Self { fold: Some(P::fold), ..self }
    }

    /// A checkpoint is restored by shard.
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

    /// Function by which shards update variables.
    pub(crate) fn to_update(self) -> Result<UpdateOf<P>, String> {
        self.update.ok_or_else(|| Self::lacks(Verb::Update))
    }

    /// Function by which blocks are updated.
    pub(crate) fn to_update_block(self) -> Result<UpdateBlockOf<P>, String> {
        self.update_block.ok_or_else(|| Self::lacks(Verb::UpdateBlock))
    }

    /// Functions by which candidates are described and related.
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
            "the schedule {asks}, but the program has no `{named}`: implement `{of}` for it and name `{named}` in \
             its `program!(..; {named})`, or choose another schedule"
        )
    }
}
