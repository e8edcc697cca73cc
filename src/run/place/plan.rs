//! A plan for a whole epoch, on one worker: a task runs as soon as its shard and its block are free, and the
//! block then leaves for its next stop. Nothing waits for a round to end.

use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::time::Instant;

use super::spent::Spent;
use super::{HUB, Outbox, Place, panic_context};
use crate::base::state::Shared;
use crate::program::Program;
use crate::run::message::Message;
use crate::schedule::Round;

/// Progress of a plan for the whole epoch.
pub(super) struct PlanRun<P: Program> {
    epoch: u64,
    rounds: Shared<Vec<Round<P::Phase>>>,
    /// For each block, its stops as (round, shard).
    route: BTreeMap<u32, Vec<(u32, u32)>>,
    /// For each shard here, its tasks left to do as (round, position of the task in it).
    queues: BTreeMap<u32, VecDeque<(u32, u32)>>,
    /// Tasks whose shard and block are free, the lowest round first, as (round, shard).
    ready: BinaryHeap<Reverse<(u32, u32)>>,
    /// The stop, by position in its route, at which each block here is.
    stop: BTreeMap<u32, u32>,
    /// The round for which each shard was last found ready: no task is ready twice.
    found_ready: BTreeMap<u32, u32>,
    folded: BTreeMap<u32, P::Partial>,
    /// Number of tasks of this place that are not done yet.
    left: usize,
    spent: Spent,
}

impl<P: Program> Place<P> {
    /// `true` if a block is here before the order that needs it, because another worker has already started
    /// the next epoch.
    pub(super) fn is_early(&self, block: u32) -> bool {
        self.early.iter().any(|&(early, _)| early == block)
    }

    pub(super) fn begin_plan(
        &mut self,
        epoch: u64,
        rounds: Shared<Vec<Round<P::Phase>>>,
        out: &mut Outbox<P>,
    ) {
        let mut route: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        let mut queues: BTreeMap<u32, VecDeque<(u32, u32)>> = BTreeMap::new();
        for (number, round) in rounds.iter().enumerate() {
            for (position, task) in round.tasks.iter().enumerate() {
                if let Some(block) = task.block {
                    route.entry(block).or_default().push((number as u32, task.shard));
                }
                if self.shards.contains_key(&task.shard) {
                    queues.entry(task.shard).or_default().push_back((number as u32, position as u32));
                }
            }
        }
        let left = queues.values().map(VecDeque::len).sum();
        let plan = PlanRun {
            epoch,
            rounds,
            route,
            queues,
            ready: BinaryHeap::new(),
            stop: BTreeMap::new(),
            found_ready: BTreeMap::new(),
            folded: BTreeMap::new(),
            left,
            spent: Spent::default(),
        };
        // Blocks that rest here leave for their first stop; blocks that have arrived early wait in `early`.
        let resting: Vec<u32> = self.blocks.keys().copied().filter(|&block| !self.is_early(block)).collect();
        self.plan = Some(plan);
        let shards: Vec<u32> = self.shards.keys().copied().collect();
        for block in resting {
            self.send_on(block, 0, out);
        }
        self.admit_blocks();
        for shard in shards {
            self.mark_ready(shard);
        }
        self.end_plan_if_done(out);
    }

    /// Admits the blocks that have arrived for this plan.
    pub(super) fn admit_blocks(&mut self) {
        for (block, stop) in std::mem::take(&mut self.early) {
            self.admit(block, stop);
        }
    }

    /// Admits a block at this stop of its route: the task of its shard may be ready now.
    fn admit(&mut self, block: u32, stop: u32) {
        let Some(plan) = &mut self.plan else { return };
        plan.stop.insert(block, stop);
        if let Some(&(_, shard)) = plan.route.get(&block).and_then(|route| route.get(stop as usize)) {
            self.mark_ready(shard);
        }
    }

    /// Makes the shard's next task ready if its block is here.
    fn mark_ready(&mut self, shard: u32) {
        let Some(plan) = &mut self.plan else { return };
        let Some(&(round, position)) = plan.queues.get(&shard).and_then(VecDeque::front) else { return };
        let task = &plan.rounds[round as usize].tasks[position as usize];
        let here = task.block.is_none_or(|block| {
            let at = plan.stop.get(&block).and_then(|&stop| plan.route[&block].get(stop as usize));
            at == Some(&(round, shard))
        });
        if here && plan.found_ready.insert(shard, round) != Some(round) {
            // No result may depend on which of a round's ready tasks runs first.
            plan.ready.push(Reverse((round, if self.options.reversed { !shard } else { shard })));
        }
    }

    /// Sends a block to a stop of its route, here or elsewhere; the block rests here if the route has no
    /// further stop.
    fn send_on(&mut self, block: u32, stop: u32, out: &mut Outbox<P>) {
        let Some(plan) = &mut self.plan else { return };
        plan.stop.remove(&block);
        let next = plan.route.get(&block).and_then(|route| route.get(stop as usize));
        let Some(&(_, shard)) = next else { return };
        let to = self.placement[shard as usize];
        if to == self.worker {
            self.admit(block, stop);
        } else if let Some(state) = self.blocks.remove(&block) {
            out.push((to, Message::Block { block, stop, state }));
        }
    }

    /// Runs the ready task of the lowest round; returns `true` if there was one.
    pub(super) fn run_plan(&mut self, out: &mut Outbox<P>) -> Result<bool, String> {
        let Some(plan) = &mut self.plan else { return Ok(false) };
        let Some(Reverse((number, ready))) = plan.ready.pop() else { return Ok(false) };
        let shard_number = if self.options.reversed { !ready } else { ready };
        let queue = plan.queues.get_mut(&shard_number);
        let Some((_, position)) = queue.and_then(VecDeque::pop_front) else { return Ok(true) };
        let task = plan.rounds[number as usize].task(position as usize, plan.epoch, u64::from(number));
        plan.left -= 1;
        let started = Instant::now();
        let Some(partial) = self.update(&task)? else { return Ok(true) };
        let Some(plan) = &mut self.plan else { return Ok(true) };
        match plan.folded.entry(shard_number) {
            Entry::Vacant(first) => {
                first.insert(partial);
            }
            Entry::Occupied(mut so_far) => {
                panic_context("fold", &task).enter();
                if let Some(fold) = self.verbs.fold {
                    fold(&self.program, so_far.get_mut(), partial);
                }
            }
        }
        let spent = self.spent(&task, started);
        let Some(plan) = &mut self.plan else { return Ok(true) };
        plan.spent.add(spent);
        if let Some(block) = task.block {
            let next = plan.stop.get(&block).map_or(0, |stop| stop + 1);
            self.send_on(block, next, out);
        }
        self.mark_ready(shard_number);
        self.end_plan_if_done(out);
        Ok(true)
    }

    fn end_plan_if_done(&mut self, out: &mut Outbox<P>) {
        if self.plan.as_ref().is_some_and(|plan| plan.left == 0) {
            let Some(plan) = self.plan.take() else { return };
            let mut partials = plan.folded.into_iter().collect();
            if let Some(last) = plan.rounds.last() {
                partials = self.merge(Some(&last.phase), (plan.epoch, None), None, partials);
            }
            let answer = self.answer(partials, plan.spent);
            out.push((HUB, Message::PlanDone { answer }));
        }
    }
}
