//! Rounds: handing them out, aggregating them when they are due, and letting the schedule learn them.

use super::check::check_related;
use super::gathering::{Gathering, merged};
use super::{COMMITS_HELD, Flight, Hub, Progress, Stage};
use crate::base::state::Shared;
use crate::program::context::Aggregate;
use crate::program::partials::Partials;
use crate::program::{Program, Visibility};
use crate::run::message::{Changes, Message, RoundTasks};
use crate::run::place::Outbox;
use crate::schedule::{Assignment, Candidates, Dependencies, Next, Round};

impl<P: Program> Hub<P> {
    /// Hands out rounds while all that are due have landed; ends the epoch when all have.
    pub(super) fn advance(&mut self, out: &mut Outbox<P>) -> Result<(), String> {
        loop {
            match self.stage {
                Stage::Stepwise => {
                    if !self.land(|flight, issued| flight.due < issued)? {
                        return Ok(());
                    }
                    let next = self.next();
                    self.take_step(next, out)?;
                }
                Stage::Draining { last } => {
                    if !self.land(|_, _| true)? {
                        return Ok(());
                    }
                    if last {
                        self.evaluate(out);
                        return Ok(());
                    }
                    self.stage = Stage::Stepwise;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Returns the next step of the plan.
    fn next(&mut self) -> Next<P::Phase> {
        match &mut self.listed {
            Some(rounds) => rounds.pop_front().map_or(Next::EndOfEpoch, Next::Round),
            None => {
                self.state.progress.panic_context("the schedule's next_round").round(self.issued).enter();
                self.state.schedule.next_round()
            }
        }
    }

    pub(super) fn decide(&mut self, dependencies: &Dependencies) -> Next<P::Phase> {
        self.state.progress.panic_context("the schedule's decide").round(self.issued).enter();
        self.state.schedule.decide(dependencies)
    }

    pub(super) fn take_step(&mut self, next: Next<P::Phase>, out: &mut Outbox<P>) -> Result<(), String> {
        match next {
            Next::Round(round) => {
                self.check(&round)?;
                self.check_lag(&round)?;
                self.hand_out(round, out);
            }
            Next::Drain => self.stage = Stage::Draining { last: false },
            Next::EndOfEpoch => self.stage = Stage::Draining { last: true },
            Next::Relate(candidates) => {
                self.check_candidates(&candidates)?;
                let waiting = self.gather(&candidates, out);
                if waiting == 0 {
                    let next = self.relate(&candidates, Partials::from(Vec::new()))?;
                    return self.take_step(next, out);
                }
                self.stage = Stage::Relating { candidates, pieces: Gathering::of(waiting) };
            }
        }
        Ok(())
    }

    /// Asks the owners of candidates to describe them. Returns how many workers will answer.
    fn gather(&mut self, candidates: &Candidates<P::Phase>, out: &mut Outbox<P>) -> usize {
        let mut tasks: Vec<Vec<_>> = (0..self.workers).map(|_| Vec::new()).collect();
        for (shard, positions) in &candidates.owners {
            let variables = positions.iter().map(|&at| candidates.variables[at as usize]).collect();
            let task = Assignment { shard: *shard, block: None, variables };
            tasks[self.placement[*shard as usize] as usize].push(task);
        }
        let mut waiting = 0;
        for (worker, tasks) in tasks.into_iter().enumerate().filter(|(_, tasks)| !tasks.is_empty()) {
            waiting += 1;
            // Without these commits, the age of the state read would depend on the last task of the worker.
            let changes = std::mem::take(&mut self.unsent[worker]);
            let work = self.work(&candidates.phase, tasks);
            out.push((worker as u32, Message::Gather { changes, work }));
        }
        waiting
    }

    /// Lets the program relate candidates, and the schedule decide.
    pub(super) fn relate(
        &mut self,
        candidates: &Candidates<P::Phase>,
        pieces: Partials<P::Partial>,
    ) -> Result<Next<P::Phase>, String> {
        self.state.progress.panic_context("relate").round(self.issued).enter();
        let (_, relate) = self.verbs.to_relate()?;
        let dependencies = relate(&self.program, &candidates.phase, &candidates.variables, pieces);
        check_related(candidates.variables.len(), &dependencies)?;
        Ok(self.decide(&dependencies))
    }

    /// Returns the tasks of a round for one worker.
    fn work(&self, phase: &P::Phase, tasks: Vec<Assignment>) -> RoundTasks<P> {
        let epoch = self.state.progress.epoch;
        RoundTasks { epoch, round: self.issued, phase: phase.clone(), tasks, answering: 0 }
    }

    pub(super) fn prepare(&self, round: &mut Round<P::Phase>) {
        self.state.progress.panic_context("prepare").round(self.issued).enter();
        self.program.prepare(&mut round.phase, &self.state.pinned);
    }

    pub(super) fn hand_out(&mut self, mut round: Round<P::Phase>, out: &mut Outbox<P>) {
        self.prepare(&mut round);
        let mut tasks: Vec<Vec<_>> = (0..self.workers).map(|_| Vec::new()).collect();
        let mut forward: Vec<Vec<_>> = (0..self.workers).map(|_| Vec::new()).collect();
        for assignment in &round.tasks {
            let worker = self.placement[assignment.shard as usize];
            tasks[worker as usize].push(assignment.clone());
            if let Some(block) = assignment.block {
                let at = std::mem::replace(&mut self.ended.block_at[block as usize], worker);
                if at != worker {
                    forward[at as usize].push((block, worker));
                }
            }
        }
        self.count(&round);
        let is_asked = |tasks: &[Assignment], forward: &[(u32, u32)], unsent: &Changes<P>| {
            !tasks.is_empty() || !forward.is_empty() || unsent.len() >= COMMITS_HELD
        };
        let asks = |worker: usize| is_asked(&tasks[worker], &forward[worker], &self.unsent[worker]);
        let answering = self.answering(&round.phase, asks);
        let mut waiting = 0;
        for (worker, (tasks, forward)) in tasks.into_iter().zip(forward).enumerate() {
            if !is_asked(&tasks, &forward, &self.unsent[worker]) {
                continue;
            }
            waiting += 1;
            let changes = std::mem::take(&mut self.unsent[worker]);
            let mut work = self.work(&round.phase, tasks);
            if !answering.is_empty() {
                work.answering = answering[self.process_of(worker)];
            }
            out.push((worker as u32, Message::Step { changes, forward, work }));
        }
        let (number, partials) = (self.issued, Gathering::of(waiting));
        let due = number.saturating_add(self.lag(&round));
        let at = self.flights.partition_point(|flight| flight.due <= due);
        self.flights.insert(at, Flight { number, due, round, partials });
        self.issued += 1;
    }

    /// Returns the lag of a round. The guard halves it with the staleness, at each rollback.
    fn lag(&self, round: &Round<P::Phase>) -> u64 {
        let Progress { staleness, totals, .. } = &self.state.progress;
        let halvings = u32::try_from(totals.rollbacks).unwrap_or(u32::MAX);
        round.lag.map_or(*staleness as u64, |lag| u64::from(lag.checked_shr(halvings).unwrap_or(0)))
    }

    /// Returns the number of the process that a worker is in.
    fn process_of(&self, worker: usize) -> usize {
        self.thread_of[worker] as usize / self.threads_each
    }

    /// Returns the number of workers in each process that will answer; empty if partials of the phase are not
    /// merged.
    fn answering(&self, phase: &P::Phase, is_asked: impl Fn(usize) -> bool) -> Vec<u32> {
        if self.merger.as_ref().is_none_or(|merger| !merger.merges(Some(phase))) {
            return Vec::new();
        }
        let mut answering = vec![0; self.process_of(self.workers - 1) + 1];
        for worker in (0..self.workers).filter(|&worker| is_asked(worker)) {
            answering[self.process_of(worker)] += 1;
        }
        answering
    }

    pub(super) fn count(&mut self, round: &Round<P::Phase>) {
        let totals = &mut self.state.progress.totals;
        totals.rounds += 1;
        totals.tasks += round.tasks.len() as u64;
        totals.updates += round
            .tasks
            .iter()
            .map(|task| task.variables.len().max(usize::from(task.block.is_some())) as u64)
            .sum::<u64>();
        if let Some(costs) = &self.settings.held {
            for task in &round.tasks {
                let cost = self.cost_of(task, costs);
                let cost = self.state.schedule.cost(self.state.progress.epoch, &round.phase, cost);
                let sum = if task.block.is_some() { &mut self.cost.1 } else { &mut self.cost.0 };
                *sum = sum.saturating_add(cost);
            }
        }
    }

    /// Returns the counted cost of a task's variables, or else of its shard.
    fn cost_of(&self, task: &Assignment, costs: &[u64]) -> u64 {
        match self.state.schedule.variables() {
            Some(variables) if !task.variables.is_empty() && task.block.is_none() => {
                task.variables.iter().map(|&variable| variables.cost(variable)).sum()
            }
            _ => costs.get(task.shard as usize).copied().unwrap_or(0),
        }
    }

    /// Takes the counted cost of the epoch that ends.
    pub(super) fn take_cost(&mut self) -> u64 {
        let (cost, of_all_blocks) = std::mem::take(&mut self.cost);
        cost.saturating_add(of_all_blocks / self.ended.block_at.len().max(1) as u64)
    }

    /// Aggregates and commits the rounds that are due, given the number of rounds handed out, in the order in
    /// which they are due. Returns `false` if partials of one are missing. Other rounds wait, so that the
    /// pinned block is the same when a round is handed out, however early partials arrive.
    fn land(&mut self, is_due: impl Fn(&Flight<P>, u64) -> bool) -> Result<bool, String> {
        while let Some(flight) = self.flights.front().filter(|flight| is_due(flight, self.issued)) {
            if flight.partials.waits() {
                return Ok(false);
            }
            self.compare_sufficient(flight)?;
            let Some(Flight { number, round, mut partials, .. }) = self.flights.pop_front() else { break };
            let at = self.state.progress.panic_context("merge").round(number);
            let partials = merged(self.merger.as_ref(), Some(&round.phase), partials.take(), at);
            at.then("aggregate").enter();
            let pinned = &mut self.state.pinned;
            let change = self.program.aggregate(Aggregate { round: &round, pinned, partials });
            self.fingerprint_change(number, &change);
            self.learn(number, &round, Shared::new(change))?;
        }
        Ok(true)
    }

    /// Lets the schedule learn a round, and its change be committed.
    fn learn(
        &mut self,
        number: u64,
        round: &Round<P::Phase>,
        change: Shared<P::Change>,
    ) -> Result<(), String> {
        let panic_context = self.state.progress.panic_context("deltas").round(number);
        panic_context.enter();
        let mut deltas = Vec::new();
        self.program.deltas(&change, &mut |variable, distance| deltas.push((variable, distance)));
        self.check_given("`deltas` names", &deltas)?;
        panic_context.then("the schedule's learn").enter();
        self.state.schedule.learn(round, &deltas);
        match self.program.visibility() {
            Visibility::EachRound => self.commit(change),
            Visibility::AtBoundary => self.held.push(change),
        }
        Ok(())
    }

    /// Sends a message to every worker, each with the commits that it has not been sent.
    pub(super) fn send_to_all(&mut self, out: &mut Outbox<P>, message: impl Fn(Changes<P>) -> Message<P>) {
        let unsent = (0..).zip(&mut self.unsent);
        out.extend(unsent.map(|(worker, unsent)| (worker, message(std::mem::take(unsent)))));
    }

    pub(super) fn commit(&mut self, change: Shared<P::Change>) {
        for unsent in &mut self.unsent {
            unsent.push(change.clone());
        }
    }
}
