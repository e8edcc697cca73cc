//! [`Functions`]: the functions that carry the run of a program out.

use std::sync::Arc;
use std::time::Instant;

use super::compiled::Compiled;
use super::member::{Member, Outgoing, Step};
use super::transfer::ProcessStats;
use super::{Engine, Outcome};
use crate::base::error::EngineError;
use crate::checkpoint::SubmittedParts;
use crate::cluster::protocol::{GenerationStart, MemberReport};
use crate::generation::{Connect, Generation};
use crate::program::Program;
use crate::run::local_state::GenerationResult;
use crate::run::requests::BoundaryRequests;

type Result<T> = std::result::Result<T, EngineError>;
type Begin<P> = fn(&mut Member<P>, GenerationStart, Option<ProcessStats>) -> Result<Outgoing<P>>;
type Run<P> = fn(Arc<Generation<P>>, Option<Connect>) -> Result<GenerationResult<P>>;
type Ended<P> = fn(&mut Member<P>, &Generation<P>, GenerationResult<P>, Instant) -> Result<MemberReport>;

/// Pointers to the functions that are large for every program.
pub(super) struct Functions<P: Program> {
    pub(super) alone: fn(Engine<P>) -> Result<Outcome<P>>,
    pub(super) member: fn(Engine<P>, u32, Arc<BoundaryRequests>) -> Member<P>,
    pub(super) begin: Begin<P>,
    pub(super) next: fn(&mut Member<P>, Instant) -> Result<Step<P>>,
    pub(super) run: Run<P>,
    pub(super) ended: Ended<P>,
    pub(super) submit_parts: fn(&mut Member<P>, u64, bool) -> Result<SubmittedParts>,
}

impl<P: Program> Compiled for Engine<P> {
    type Functions = Functions<P>;

    const FUNCTIONS: Functions<P> = Functions {
        alone: Self::run_alone,
        member: Member::new,
        begin: Member::begin,
        next: Member::next,
        run: Generation::run,
        ended: Member::ended,
        submit_parts: Member::submit_parts,
    };
}

impl<P: Program> Clone for Functions<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Program> Copy for Functions<P> {}
