//! [`Place`]: the state of one worker, and its work. A place is a plain state machine, which neither uses
//! timely nor blocks.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use self::boundary::Snapshot;
pub(crate) use self::options::PlaceOptions;
use self::plan::PlanRun;
use self::spent::Spent;
use self::step::Step;
use crate::base::cancel;
use crate::base::panic_context::PanicContext;
use crate::base::slowdown::Slowdown;
use crate::program::context::{BlockTaskOf, Evaluate, TaskOf};
use crate::program::verbs::Verbs;
use crate::program::{Boundary, Program, Task};
use crate::run::merging::{Merger, Merging};
use crate::run::message::{Answer, Changes, Message, RoundTasks};
use crate::run::process_merger::{ProcessMerger, RoundName};

mod boundary;
mod options;
mod plan;
mod spent;
mod step;
#[cfg(test)]
mod tests;

/// The address of the hub in [`Place::run`]'s outbox.
pub(crate) const HUB: u32 = u32::MAX;

/// One worker's shards, the blocks that are here, and its replica.
pub(crate) struct Place<P: Program> {
    program: Arc<P>,
    verbs: Verbs<P>,
    /// Merging of partials, if partials are merged here.
    merger: Option<Merger<P>>,
    /// Merging with the partials of other workers of the process, if that is done.
    pub(crate) process: Option<Arc<ProcessMerger<P>>>,
    worker: u32,
    options: PlaceOptions,
    /// Factors that slow the worker down.
    pub(crate) slowdown: Option<Arc<Slowdown>>,
    /// The worker of each shard.
    placement: Arc<Vec<u32>>,
    pub(crate) shards: BTreeMap<u32, P::Shard>,
    pub(crate) blocks: BTreeMap<u32, P::Block>,
    /// The replica. On the first worker the hub reads it at boundaries, when no task runs.
    pub(crate) replica: Rc<RefCell<P::Replica>>,
    inbox: VecDeque<Message<P>>,
    step: Option<Step<P>>,
    plan: Option<PlanRun<P>>,
    /// Blocks, with their stops, that arrived before the order that needs them.
    early: Vec<(u32, u32)>,
    snapshot: Option<Snapshot<P>>,
    /// The boundary to return to if the current epoch is cancelled, and the epochs completed there.
    kept: Option<(u64, Snapshot<P>)>,
    /// `Some` once the epoch is cancelled: the boundary to return to.
    cancelled: Option<Option<u64>>,
    /// `true` once work here was given up: the place then waits for an order of the hub.
    gave_up: bool,
    /// `true` once the current epoch is dropped: the state here is then that of the boundary that was kept.
    has_gone_back: bool,
    pub(crate) left: bool,
}

/// Returns the context of a verb in a task, for an error that says where it happened.
fn panic_context<T>(verb: &'static str, task: &Task<T>) -> PanicContext {
    PanicContext::verb(verb).of("shard", task.shard).epoch(task.epoch).round(task.round)
}

/// Messages with their addressees.
pub(crate) type Outbox<P> = Vec<(u32, Message<P>)>;

impl<P: Program> Place<P> {
    pub(crate) fn new(
        program: Arc<P>,
        worker: u32,
        options: PlaceOptions,
        placement: Arc<Vec<u32>>,
        shards: BTreeMap<u32, P::Shard>,
        blocks: BTreeMap<u32, P::Block>,
        replica: P::Replica,
    ) -> Self {
        let is_here = |shard: u32| placement[shard as usize] == worker;
        let merges = matches!(options.merging, Merging::AtShards | Merging::Masked);
        let merger = if merges { Merger::new(&program, placement.len() as u32, is_here) } else { None };
        Self {
            program,
            verbs: P::verbs(),
            merger,
            process: None,
            worker,
            options,
            slowdown: None,
            placement,
            shards,
            blocks,
            replica: Rc::new(RefCell::new(replica)),
            inbox: VecDeque::new(),
            step: None,
            plan: None,
            early: Vec::new(),
            snapshot: None,
            kept: None,
            cancelled: None,
            gave_up: false,
            has_gone_back: false,
            left: false,
        }
    }

    /// `true` if there is no current work, and none waits.
    pub(crate) fn is_idle(&self) -> bool {
        let has_work = !self.inbox.is_empty() || self.step.is_some() || self.plan.is_some();
        self.cancelled.is_none() && (self.gave_up || !has_work)
    }

    /// `true` if work here was given up, because the epoch is cancelled.
    pub(crate) fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// Receives a message.
    pub(crate) fn receive(&mut self, message: Message<P>) {
        match message {
            // The block belongs to the cancelled epoch.
            Message::Block { .. } if self.has_gone_back => {}
            // A block is not an order: it is here as soon as it arrives.
            Message::Block { block, stop, state } => {
                self.blocks.insert(block, state);
                self.early.push((block, stop));
            }
            Message::Cancel { kept } => self.cancelled = Some(kept),
            order => self.inbox.push_back(order),
        }
    }

    /// Does one piece of work; returns `true` if there was any.
    ///
    /// # Errors
    /// If a snapshot cannot be read back, or the program lacks a verb.
    pub(crate) fn run(&mut self, out: &mut Outbox<P>) -> Result<bool, String> {
        if let Some(kept) = self.cancelled {
            return cancel::shielded(|| self.cancel(kept)).map(|()| true);
        }
        if self.gave_up {
            return Ok(false);
        }
        cancel::caught(|| self.work(out)).unwrap_or_else(|| {
            self.gave_up = true;
            Ok(true)
        })
    }

    fn work(&mut self, out: &mut Outbox<P>) -> Result<bool, String> {
        if self.step.is_some() {
            return self.run_step(out);
        }
        if self.plan.is_some() {
            self.admit_blocks();
            return self.run_plan(out);
        }
        let Some(order) = self.inbox.pop_front() else { return Ok(false) };
        match order {
            Message::Step { changes, forward, work } => {
                self.commit(&changes);
                let (round, partials) = (work.round, Vec::with_capacity(work.tasks.len()));
                let merges = self.merger.as_ref().map(|_| (work.epoch, work.phase.clone(), work.answering));
                let tasks = work.into_tasks();
                let tasks = if self.options.reversed { tasks.rev().collect() } else { tasks.collect() };
                self.step = Some(Step { round, merges, forward, tasks, partials, spent: Spent::default() });
                self.run_step(out)?;
            }
            Message::Plan { epoch, changes, rounds } => {
                self.commit(&changes);
                self.begin_plan(epoch, rounds, out);
            }
            Message::Gather { changes, work } => {
                self.commit(&changes);
                self.gather(work, out)?;
            }
            Message::Boundary { changes, at: boundary, checkpoint } => {
                self.commit(&changes);
                if checkpoint {
                    self.write(&boundary)?;
                }
                self.evaluate(boundary, out);
            }
            Message::SaveSnapshot { .. } | Message::LoadSnapshot | Message::Keep { .. } => {
                self.obey(order)?
            }
            Message::Leave { changes } => {
                cancel::shielded(|| self.commit(&changes));
                self.left = true;
            }
            // Blocks never enter the inbox.
            _ => return Err(format!("worker {} was sent an answer, which is for the hub", self.worker)),
        }
        Ok(true)
    }

    /// Describes candidates that live here.
    fn gather(&self, work: RoundTasks<P>, out: &mut Outbox<P>) -> Result<(), String> {
        let started = Instant::now();
        let (gather, _) = self.verbs.to_relate()?;
        let piece = |task: Task<P::Phase>| {
            let shard = self.shards.get(&task.shard)?;
            panic_context("gather", &task).enter();
            Some((task.shard, gather(&self.program, &task, shard)))
        };
        let partials = work.into_tasks().filter_map(piece).collect();
        let answer = self.answer(partials, Spent::since(started, false));
        out.push((HUB, Message::Pieces { answer }));
        Ok(())
    }

    /// Evaluates every shard here.
    fn evaluate(&mut self, boundary: Boundary, out: &mut Outbox<P>) {
        let fingerprints = self.fingerprint();
        let started = Instant::now();
        let replica = self.replica.borrow();
        let evaluated = self.shards.iter_mut().map(|(&number, shard)| {
            cancel::look();
            PanicContext::verb("evaluate").of("shard", number).enter();
            (number, self.program.evaluate(Evaluate { boundary, number, shard, replica: &*replica }))
        });
        let partials = evaluated.collect();
        let spent = Spent::since(started, self.program.is_evaluation(None));
        let partials = self.merge(None, (boundary.epoch, None), None, partials);
        let answer = self.answer(partials, spent);
        out.push((HUB, Message::Shares { answer, fingerprints }));
    }

    /// Merges partials as far as their subtrees are here, on this worker and in its process; `answering` is
    /// the number of workers of the process that answer the round, if not all do.
    fn merge(
        &self,
        phase: Option<&P::Phase>,
        name: RoundName,
        answering: Option<u32>,
        partials: Vec<(u32, P::Partial)>,
    ) -> Vec<(u32, P::Partial)> {
        let Some(merger) = self.merger.as_ref().filter(|merger| merger.merges(phase)) else {
            return partials;
        };
        let (epoch, round) = name;
        let at = PanicContext::verb("merge").epoch(epoch);
        let at = round.map_or(at, |round| at.round(round));
        let partials = merger.merge(phase, partials, at);
        match &self.process {
            Some(process) => process.merge(phase, name, answering, partials, at),
            None => partials,
        }
    }

    fn answer(&self, partials: Vec<(u32, P::Partial)>, Spent { busy, measured }: Spent) -> Answer<P> {
        Answer { worker: self.worker, partials, busy, measured }
    }

    fn commit(&mut self, changes: &Changes<P>) {
        let mut replica = self.replica.borrow_mut();
        for change in changes {
            PanicContext::verb("commit").of("worker", self.worker).enter();
            self.program.commit(change, &mut replica);
            for (&number, shard) in &mut self.shards {
                PanicContext::verb("commit_shard").of("shard", number).enter();
                self.program.commit_shard(change, number, shard);
            }
        }
    }

    /// Runs a task on its shard and its block; returns `None` if one of them is elsewhere.
    fn update(&mut self, task: &Task<P::Phase>) -> Result<Option<P::Partial>, String> {
        cancel::look();
        let Some(shard) = self.shards.get_mut(&task.shard) else { return Ok(None) };
        let replica = self.replica.borrow();
        panic_context("update", task).enter();
        let Some(number) = task.block else {
            return Ok(Some(self.verbs.to_update()?(
                &self.program,
                TaskOf { task, shard, replica: &*replica },
            )));
        };
        let Some(block) = self.blocks.get_mut(&number) else { return Ok(None) };
        let at = BlockTaskOf { task, shard, number, block, replica: &*replica };
        Ok(Some(self.verbs.to_update_block()?(&self.program, at)))
    }

    /// Returns the seconds of a task that ends now, after a pause if the worker is slowed down.
    fn spent(&self, task: &Task<P::Phase>, started: Instant) -> Spent {
        let is_evaluation = self.program.is_evaluation(Some(&task.phase));
        match &self.slowdown {
            None => Spent::since(started, is_evaluation),
            Some(slowdown) => Spent::new(slowdown.stretch(self.worker, task.epoch, started), is_evaluation),
        }
    }

    // ---- rounds handed out one by one ----

    /// Runs the tasks of the step whose blocks are here. Returns `true` if one ran or the step ended.
    fn run_step(&mut self, out: &mut Outbox<P>) -> Result<bool, String> {
        let Some(mut step) = self.step.take() else { return Ok(false) };
        // A block leaves only after this worker's earlier rounds, which have all run.
        let (go, wait) =
            step.forward.into_iter().partition::<Vec<_>, _>(|(block, _)| self.blocks.contains_key(block));
        step.forward = wait;
        let mut worked = !go.is_empty();
        for (block, to) in go {
            if let Some(state) = self.blocks.remove(&block) {
                out.push((to, Message::Block { block, stop: 0, state }));
            }
        }
        for _ in 0..step.tasks.len() {
            let Some(task) = step.tasks.pop_front() else { break };
            let started = Instant::now();
            let Some(partial) = self.update(&task)? else {
                if self.shards.contains_key(&task.shard) {
                    step.tasks.push_back(task);
                }
                continue;
            };
            step.spent.add(self.spent(&task, started));
            step.partials.push((task.shard, partial));
            worked = true;
        }
        if step.tasks.is_empty() && step.forward.is_empty() {
            let Step { round, merges, mut partials, spent, .. } = step;
            if let Some((epoch, phase, answering)) = &merges {
                partials = self.merge(Some(phase), (*epoch, Some(round)), Some(*answering), partials);
            }
            let answer = self.answer(partials, spent);
            out.push((HUB, Message::Partials { round, answer }));
            self.early.clear();
            return Ok(true);
        }
        self.step = Some(step);
        Ok(worked)
    }
}
