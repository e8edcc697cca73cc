//! [`relay`]: a run that one simulated process after another carries out, for the replay check. At each
//! boundary the process leaves, and the next one continues with its transfers; all of them are within this
//! process.

use std::sync::Arc;
use std::time::Instant;

use super::member::{Member, Step, missing_state};
use super::{Engine, Outcome};
use crate::base::error::EngineError;
use crate::base::panic_context;
use crate::base::store::Disk;
use crate::cluster::checkpoints::CheckpointStore;
use crate::cluster::plan::{Before, GenerationPlan, Participant};
use crate::cluster::protocol::{CheckpointNeed, GenerationEnd, GenerationStart, MemberReport, Registration};
use crate::engine::transfer::Transfer;
use crate::program::Program;
use crate::run::fingerprints::BoundaryFingerprint;
use crate::run::requests::BoundaryRequests;

/// Carries out a run of processes whose engines `make` builds. Transfers for which `crosses` is `true` cross
/// as bytes, the others by pointer. Checkpoints are written as the engines are set to.
pub(crate) fn relay<P: Program>(
    make: &dyn Fn() -> Engine<P>,
    crosses: fn(&Transfer<P>) -> bool,
) -> Result<Outcome<P>, EngineError> {
    let mut runner = Runner::new(make(), 0)?;
    let mut plan = runner.plan(1, None);
    runner.member.begin(start(&plan, None), None)?;
    let mut fingerprints = Vec::new();
    loop {
        let end = runner.run(&mut fingerprints)?;
        runner.checkpoint(&end, plan.number)?;
        if end.over {
            let mut outcome = runner.member.finish()?;
            outcome.fingerprints = fingerprints;
            return Ok(outcome);
        }
        let mut next = Runner::new(make(), runner.index + 1)?;
        let before = Before { plan: &plan, block_at: &end.block_at };
        let then = next.plan(plan.number + 1, Some(&before));
        let start = start(&then, end.change);
        let transfers = runner.member.begin(start.clone(), None)?;
        next.member.begin(start, None)?;
        for one in transfers.into_values().flatten() {
            let one = if crosses(&one) { as_bytes(one)? } else { one };
            next.member.take(runner.index, one, 0)?;
        }
        (runner, plan) = (next, then);
    }
}

/// Converts a transfer to bytes and back.
fn as_bytes<P: Program>(one: Transfer<P>) -> Result<Transfer<P>, EngineError> {
    let crossed = panic_context::guarded(|| {
        let (tag, number, bytes) = one.pack();
        Transfer::unpack(tag, number, bytes)
    });
    crossed.map_err(EngineError::Worker)
}

fn start(plan: &GenerationPlan, change: Option<Vec<u8>>) -> GenerationStart {
    let (from, warnings, checkpoint_result) = (None, Vec::new(), None);
    GenerationStart {
        plan: plan.clone(),
        from,
        warnings,
        change,
        checkpoint_result,
        deadline: f64::INFINITY,
        held: false,
    }
}

/// The process that runs the generation.
struct Runner<P: Program> {
    index: u32,
    member: Member<P>,
    requests: Arc<BoundaryRequests>,
}

impl<P: Program> Runner<P> {
    fn new(engine: Engine<P>, index: u32) -> Result<Self, EngineError> {
        engine.check()?;
        let requests = Arc::new(BoundaryRequests::default());
        Ok(Self { index, member: Member::new(engine, index, Arc::clone(&requests)), requests })
    }

    /// Returns a plan that places everything on this process.
    fn plan(&self, number: u64, before: Option<&Before<'_>>) -> GenerationPlan {
        let Registration { identity, blocks, .. } = self.member.registration(1);
        let participants = vec![Participant { id: self.index, address: String::new(), capacity: 1 }];
        GenerationPlan::new(number, participants, (1, 1), &identity.costs, blocks, None, before)
    }

    /// Runs one generation, to the next boundary.
    fn run(&mut self, fingerprints: &mut Vec<BoundaryFingerprint>) -> Result<GenerationEnd, EngineError> {
        let Step::Run(generation, _) = self.member.next(Instant::now())? else { return Err(missing_state()) };
        self.requests.end_at_boundary(self.requests.running());
        let mut returned = Arc::clone(&generation).run(None)?;
        fingerprints.append(&mut returned.ended.fingerprints);
        match self.member.ended(&generation, returned, Instant::now())? {
            MemberReport::Ended { end: Some(end), .. } => Ok(end),
            _ => Err(missing_state()),
        }
    }

    /// Writes a checkpoint of the boundary, if one is due.
    fn checkpoint(&mut self, end: &GenerationEnd, generation: u64) -> Result<(), EngineError> {
        let Some(folder) = self.member.checkpoints().filter(|_| end.checkpoint_need != CheckpointNeed::None)
        else {
            return Ok(());
        };
        let anew = end.checkpoint_need == CheckpointNeed::PartsMissing;
        let submitted = self.member.submit_parts(end.epoch, anew)?;
        let mut store = CheckpointStore::of_checkpoints(Some(folder), Arc::new(Disk));
        let identity = self.member.registration(1).identity;
        store.write(end.epoch, generation, &identity, submitted).map(drop)
    }
}
