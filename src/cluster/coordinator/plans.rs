//! Which processes run the next generation, and what lives where.

use std::collections::BTreeMap;

use super::{Action, Coordinator, Member, Stage, Stand};
use crate::cluster::plan::{Before, Plan, Seat};
use crate::cluster::protocol::{Briefing, Cut, Kept, Order};

/// Seconds after which it is tried again to note the number of a generation.
const NOTE_AGAIN: f64 = 1.0;

impl Coordinator {
    /// Begins the next generation, or the end.
    pub(super) fn begin(&mut self, mut cut: Option<Cut>, kept: Option<Kept>) {
        let number = self.plan.as_ref().map_or(self.terms.after, |plan| plan.number) + 1;
        let change = cut.as_mut().and_then(|cut| cut.change.take());
        let plan = match (self.plan.take(), cut) {
            (Some(before), Some(cut)) if cut.over => {
                self.stage = Stage::Ending;
                Plan::end(number, &before)
            }
            (before, cut) => {
                self.stage = Stage::Running;
                let planned =
                    cut.as_ref().and_then(|cut| self.rescale().iter().find(|(at, _)| *at == cut.epoch));
                self.workers = planned.map(|&(_, workers)| workers).or(self.workers);
                let before = before.as_ref().zip(cut.as_ref());
                self.next_plan(number, before.map(|(plan, cut)| Before { plan, block_at: &cut.block_at }))
            }
        };
        let (from, warnings) = (self.from.take(), std::mem::take(&mut self.warnings));
        let briefing = Briefing { plan, from, warnings, change, kept, deadline: self.terms.deadline };
        let plan = &briefing.plan;
        self.out.push(Action::Number(number));
        self.held = Some(Vec::new());
        let mut begins = Vec::new();
        for seat in plan.everyone() {
            let stand = if plan.seat_of(seat.id).is_some() { Stand::Running } else { Stand::Released };
            if let Some(member) = self.members.get_mut(&seat.id) {
                member.stand = stand;
            }
            begins.push(seat.id);
        }
        for to in begins {
            self.tell(to, Order::Begin { briefing: briefing.clone() });
        }
        self.plan = Some(briefing.plan);
        self.cut_is_asked = false;
        self.let_go_of_those_that_wait();
        // Who came while the cut was under way waits for the next.
        if self.members.values().any(|member| matches!(member.stand, Stand::Ready | Stand::Leaving)) {
            self.ask_for_a_cut();
        }
        if self.stop_is_asked {
            self.stop();
        }
    }

    /// The number of the generation that is to begin is noted, and it begins; or it could not be, and the run waits until it can:
    /// a generation whose number is forgotten may be mixed up with a later one.
    pub(super) fn numbered(&mut self, number: u64, failed: Option<String>, now: f64) {
        if self.plan.as_ref().is_none_or(|plan| plan.number != number) {
            return;
        }
        match failed {
            None => self.out.extend(self.held.take().unwrap_or_default()),
            Some(why) => {
                self.note_again = Some(now + NOTE_AGAIN);
                self.note_once(format!(
                    "generation.json cannot be written: {why}: nor could a model be; the run waits until it can"
                ));
            }
        }
    }

    /// Tries again to note a number.
    pub(super) fn look_at_number(&mut self, now: f64) {
        if let Some(plan) = &self.plan
            && self.note_again.take_if(|again| now >= *again).is_some()
        {
            self.out.push(Action::Number(plan.number));
        }
    }

    /// The plan of workers that the processes have brought.
    pub(super) fn rescale(&self) -> &[(u64, u32)] {
        self.facts.as_ref().map_or(&[], |facts| &facts.rescale)
    }

    fn next_plan(&mut self, number: u64, before: Option<Before<'_>>) -> Plan {
        let in_run = |member: &Member| matches!(member.stand, Stand::Ready | Stand::Running);
        let mut seats: Vec<Seat> = Vec::new();
        let mut add = |id: u32, members: &BTreeMap<u32, Member>| {
            if let Some(member) = members.get(&id).filter(|&member| in_run(member))
                && seats.iter().all(|seat| seat.id != id)
            {
                seats.push(Seat { id, address: member.address.clone() });
            }
        };
        // The first stays the first, as long as it stays; then any other that was started here.
        let was = before.as_ref().map(|before| before.plan.seats[0].id);
        let own = |id: &&u32| self.members.get(id).is_some_and(|member| member.own);
        was.iter().chain(self.members.keys().filter(own)).for_each(|&id| add(id, &self.members));
        self.members.keys().for_each(|&id| add(id, &self.members));
        let workers = self.workers.unwrap_or(self.terms.workers * seats.len() as u32);
        let cores = seats.iter().filter_map(|seat| self.members.get(&seat.id)).map(|member| member.cores);
        let cores = cores.min().unwrap_or(1);
        let (costs, blocks) =
            self.facts.as_ref().map_or((&[][..], 0), |facts| (&facts.identity.costs[..], facts.blocks));
        let mut plan = Plan::deal(number, seats, (workers, cores), costs, blocks, None, before.as_ref());
        if let Some(speeds) = self.balance.speeds(&plan) {
            let Plan { seats, .. } = plan;
            plan = Plan::deal(number, seats, (workers, cores), costs, blocks, Some(&speeds), before.as_ref());
        }
        plan.balance = self.terms.balance;
        self.balance.begin(&plan);
        plan
    }
}
