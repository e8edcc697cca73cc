//! Rounds: handing them out, aggregating them in order, and letting the schedule learn them.

use std::sync::Arc;

use super::check::check_related;
use super::{COMMITS_HELD, Flight, Hub, Phase, in_shard_order};
use crate::doing::Doing;
use crate::message::Message;
use crate::place::Outbox;
use crate::program::{Program, Visibility};
use crate::schedule::{Assignment, Dependencies, Next, Round};

impl<P: Program> Hub<P> {
    /// Hands out rounds while the staleness allows; ends the epoch when all have landed.
    pub(super) fn advance(&mut self, out: &mut Outbox<P>) -> Result<(), String> {
        let staleness = self.state.progress.staleness as u64;
        loop {
            match self.phase {
                Phase::Stepwise if self.aggregated.saturating_add(staleness) >= self.issued => {
                    self.learn_up_to(self.issued.saturating_sub(staleness))?;
                    let next = self.next();
                    self.take_step(next, out)?;
                }
                Phase::Draining { last } if self.aggregated == self.issued => {
                    self.learn_up_to(self.issued)?;
                    if last {
                        self.certify(out);
                        return Ok(());
                    }
                    self.phase = Phase::Stepwise;
                }
                _ => return Ok(()),
            }
        }
    }

    /// What the plan has next; its end where somebody asks for it between two rounds.
    fn next(&mut self) -> Next {
        if self.settings.stop.is_requested_now() {
            self.state.cut_short = true;
            return Next::EndOfEpoch;
        }
        match &mut self.listed {
            Some(rounds) => rounds.pop_front().map_or(Next::EndOfEpoch, Next::Round),
            None => {
                let doing = Doing::verb("the schedule's next_round");
                doing.epoch(self.state.progress.epoch).round(self.issued).note();
                self.state.schedule.next_round()
            }
        }
    }

    pub(super) fn decide(&mut self, dependencies: &Dependencies) -> Next {
        let doing = Doing::verb("the schedule's decide");
        doing.epoch(self.state.progress.epoch).round(self.issued).note();
        self.state.schedule.decide(dependencies)
    }

    pub(super) fn take_step(&mut self, next: Next, out: &mut Outbox<P>) -> Result<(), String> {
        match next {
            Next::Round(round) => {
                self.check(&round)?;
                self.hand_out(round, out);
            }
            Next::Drain => self.phase = Phase::Draining { last: false },
            Next::EndOfEpoch => self.phase = Phase::Draining { last: true },
            Next::Relate(candidates) => {
                self.check_candidates(&candidates)?;
                let mut tasks: Vec<Vec<_>> = (0..self.workers).map(|_| Vec::new()).collect();
                for (shard, positions) in &candidates.owners {
                    let variables = positions.iter().map(|&at| candidates.variables[at as usize]).collect();
                    let assignment = Assignment { shard: *shard, block: None, variables };
                    let round = Round { kind: candidates.kind, tasks: vec![assignment] };
                    let task = round.task(0, self.state.progress.epoch, self.issued);
                    tasks[self.placement[*shard as usize] as usize].push(task);
                }
                let mut waiting = 0;
                for (worker, tasks) in tasks.into_iter().enumerate().filter(|(_, tasks)| !tasks.is_empty()) {
                    waiting += 1;
                    // Without them a shard would be read as old as its worker's last task happens to be.
                    let changes = std::mem::take(&mut self.unsent[worker]);
                    out.push((worker as u32, Message::Gather { changes, tasks }));
                }
                if waiting == 0 {
                    Doing::verb("relate").epoch(self.state.progress.epoch).round(self.issued).note();
                    let dependencies =
                        self.program.relate(candidates.kind, &candidates.variables, Vec::new());
                    check_related(candidates.variables.len(), &dependencies)?;
                    let next = self.decide(&dependencies);
                    return self.take_step(next, out);
                }
                self.phase = Phase::Relating { candidates, waiting, pieces: Vec::new() };
            }
        }
        Ok(())
    }

    pub(super) fn hand_out(&mut self, round: Round, out: &mut Outbox<P>) {
        let mut tasks: Vec<Vec<_>> = (0..self.workers).map(|_| Vec::new()).collect();
        let mut forward: Vec<Vec<_>> = (0..self.workers).map(|_| Vec::new()).collect();
        for (position, assignment) in round.tasks.iter().enumerate() {
            let worker = self.placement[assignment.shard as usize];
            tasks[worker as usize].push(round.task(position, self.state.progress.epoch, self.issued));
            if let Some(block) = assignment.block {
                let at = std::mem::replace(&mut self.block_at[block as usize], worker);
                if at != worker {
                    forward[at as usize].push((block, worker));
                }
            }
        }
        self.count(&round);
        let mut waiting = 0;
        for (worker, (tasks, forward)) in tasks.into_iter().zip(forward).enumerate() {
            if tasks.is_empty() && forward.is_empty() && self.unsent[worker].len() < COMMITS_HELD {
                continue;
            }
            waiting += 1;
            let changes = std::mem::take(&mut self.unsent[worker]);
            out.push((worker as u32, Message::Step { round: self.issued, changes, forward, tasks }));
        }
        let number = self.issued;
        self.flights.push_back(Flight { number, round, waiting, partials: Vec::new(), change: None });
        self.issued += 1;
        self.aggregate_ready();
    }

    pub(super) fn count(&mut self, round: &Round) {
        let totals = &mut self.state.progress.totals;
        totals.rounds += 1;
        totals.tasks += round.tasks.len() as u64;
        totals.updates += round
            .tasks
            .iter()
            .map(|task| task.variables.len().max(usize::from(task.block.is_some())) as u64)
            .sum::<u64>();
    }

    /// Aggregates, in the order in which they were handed out, the rounds whose partials are all here.
    pub(super) fn aggregate_ready(&mut self) {
        let first = self.flights.front().map_or(0, |flight| flight.number);
        while let Some(flight) = self.flights.get_mut(self.aggregated.wrapping_sub(first) as usize) {
            if flight.waiting > 0 {
                break;
            }
            Doing::verb("aggregate").epoch(self.state.progress.epoch).round(flight.number).note();
            let partials = in_shard_order(std::mem::take(&mut flight.partials));
            let change = self.program.aggregate(&flight.round, &mut self.state.pinned, partials);
            let number = flight.number;
            let change = Arc::new(change);
            flight.change = Some(Arc::clone(&change));
            self.print_change(number, &change);
            self.aggregated += 1;
        }
    }

    /// Lets the schedule learn the rounds before `end`, and their changes be committed.
    pub(super) fn learn_up_to(&mut self, end: u64) -> Result<(), String> {
        while self.flights.front().is_some_and(|flight| flight.number < end && flight.change.is_some()) {
            let Some(Flight { number, round, change: Some(change), .. }) = self.flights.pop_front() else {
                break;
            };
            let doing = Doing::verb("moved").epoch(self.state.progress.epoch).round(number);
            doing.note();
            let mut moved = Vec::new();
            self.program.moved(&change, &mut |variable, distance| moved.push((variable, distance)));
            self.check_told("`moved` names", &moved)?;
            doing.then("the schedule's learn").note();
            self.state.schedule.learn(&round, &moved);
            match self.program.visibility() {
                Visibility::EachRound => self.commit(change),
                Visibility::AtBoundary => self.held.push(change),
            }
        }
        Ok(())
    }

    pub(super) fn commit(&mut self, change: Arc<P::Change>) {
        for unsent in &mut self.unsent {
            unsent.push(Arc::clone(&change));
        }
    }
}
