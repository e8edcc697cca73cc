//! [`relay`]: a run that one process after the other carries out. At each boundary the first one leaves, and the next one
//! goes on with what it hands over; all of them are in this process, for the replay check.

use std::sync::Arc;
use std::time::Instant;

use super::member::{Member, Step};
use super::{Engine, Outcome};
use crate::base::doing;
use crate::base::error::EngineError;
use crate::base::store::{Disk, Store};
use crate::checkpoint::{Drafted, commit_parts, unwritten};
use crate::cluster::plan::{Before, Plan, Seat};
use crate::cluster::protocol::{Briefing, Cut, Keep, Report};
use crate::engine::handover::Goods;
use crate::program::Program;
use crate::run::prints::BoundaryPrint;
use crate::run::wishes::Wishes;

/// Carries out a run of processes that each `make` builds. Of what they hand over, what `crosses` crosses as bytes, the rest
/// by pointer. Where the engines write checkpoints, so do they.
pub(crate) fn relay<P: Program>(
    make: &dyn Fn() -> Engine<P>,
    crosses: fn(&Goods<P>) -> bool,
) -> Result<Outcome<P>, EngineError> {
    let mut runner = Runner::new(make(), 0)?;
    let mut plan = runner.plan(1, None);
    runner.member.begin(briefing(&plan, None), None)?;
    let mut prints = Vec::new();
    loop {
        let cut = runner.run(&mut prints)?;
        runner.keep(&cut, plan.number)?;
        if cut.over {
            let mut outcome = runner.member.finish()?;
            outcome.prints = prints;
            return Ok(outcome);
        }
        let mut next = Runner::new(make(), runner.index + 1)?;
        let before = Before { plan: &plan, block_at: &cut.block_at };
        let then = next.plan(plan.number + 1, Some(&before));
        let briefing = briefing(&then, cut.change);
        let goods = runner.member.begin(briefing.clone(), None)?;
        next.member.begin(briefing, None)?;
        for one in goods.into_values().flatten() {
            let one = if crosses(&one) { as_bytes(one)? } else { one };
            next.member.take(runner.index, one, 0)?;
        }
        (runner, plan) = (next, then);
    }
}

/// Goods that cross, as they arrive.
fn as_bytes<P: Program>(one: Goods<P>) -> Result<Goods<P>, EngineError> {
    let crossed = doing::guarded(|| {
        let (tag, number, bytes) = one.pack();
        Goods::unpack(tag, number, bytes)
    });
    crossed.map_err(EngineError::Worker)
}

fn briefing(plan: &Plan, change: Option<Vec<u8>>) -> Briefing {
    let (from, warnings, kept) = (None, Vec::new(), None);
    Briefing { plan: plan.clone(), from, warnings, change, kept, deadline: f64::INFINITY }
}

/// The process whose turn it is.
struct Runner<P: Program> {
    index: u32,
    member: Member<P>,
    wishes: Arc<Wishes>,
}

impl<P: Program> Runner<P> {
    fn new(engine: Engine<P>, index: u32) -> Result<Self, EngineError> {
        engine.check()?;
        let wishes = Arc::new(Wishes::default());
        Ok(Self { index, member: Member::new(engine, index, Arc::clone(&wishes)), wishes })
    }

    /// Everything to this process.
    fn plan(&self, number: u64, before: Option<&Before<'_>>) -> Plan {
        let facts = self.member.facts(1);
        let seats = vec![Seat { id: self.index, address: String::new() }];
        Plan::deal(number, seats, (1, 1), &facts.identity.costs, facts.blocks, None, before)
    }

    /// Runs one generation, to the next boundary.
    fn run(&mut self, prints: &mut Vec<BoundaryPrint>) -> Result<Cut, EngineError> {
        let lost = || EngineError::Worker("the run ended without its state".into());
        let Step::Run(generation, _) = self.member.next(Instant::now())? else { return Err(lost()) };
        self.wishes.ask_for_a_cut(self.wishes.running());
        let mut returned = Arc::clone(&generation).run(None)?;
        prints.append(&mut returned.ended.prints);
        match self.member.ended(&generation, returned, Instant::now())? {
            Report::Ended { cut: Some(cut), .. } => Ok(cut),
            _ => Err(lost()),
        }
    }

    /// Makes a checkpoint of the boundary, if it is to become one.
    fn keep(&mut self, cut: &Cut, generation: u64) -> Result<(), EngineError> {
        let Some(folder) = self.member.checkpoints().filter(|_| cut.keep != Keep::Nothing) else {
            return Ok(());
        };
        let Drafted { parts, failed, .. } = self.member.keep(cut.epoch, cut.keep == Keep::Anew)?;
        let parts = failed.map_or(Ok(parts), |why| Err(std::io::Error::other(why)));
        let name = folder.join(format!("{}.{generation}", cut.epoch));
        let store: Arc<dyn Store> = Arc::new(Disk);
        let committed = commit_parts(&store, &name, &self.member.facts(1).identity, parts);
        committed.map(drop).map_err(|why| unwritten(&folder, &why))
    }
}
