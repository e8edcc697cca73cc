//! [`Coordinator`]: decides who runs the next generation, and when. A plain state machine: events and a time in, actions
//! out; it knows no sockets, no threads and no clock.

mod events;
mod keeping;
mod leaving;
mod losses;
mod members;
mod notes;
mod plans;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod turns;
mod visitors;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use self::events::{Action, Event, Terms};
use self::keeping::Keeping;
use self::members::{Connection, Member, Stand};
use self::notes::Notes;
use super::balance::Balance;
use super::plan::Plan;
use super::protocol::{Cut, Epoch, Facts, Keep, Order, Report};

/// Seconds to wait for the cause behind what a process says of another, or for the status of one whose connection ended.
const GRACE: f64 = 2.0;

enum Stage {
    /// The processes build their programs.
    Gathering,
    /// They wait for a checkpoint to go on from to be found.
    Finding,
    /// A generation runs.
    Running,
    /// It ends: these have what was placed on them.
    Cutting {
        ended: BTreeSet<u32>,
        cut: Option<Cut>,
    },
    /// The boundary becomes a checkpoint.
    Keeping(Box<Keeping>),
    /// Everything goes to the first process.
    Ending,
    Over,
}

/// Something has gone wrong, and its cause may still be told.
struct Trouble {
    until: f64,
    who: u32,
    code: i32,
    why: String,
    /// Whether the run can go on without the process.
    loss: bool,
}

/// The one place where a run of several processes is decided on.
pub(crate) struct Coordinator {
    terms: Terms,
    members: BTreeMap<u32, Member>,
    facts: Option<Facts>,
    stage: Stage,
    plan: Option<Plan>,
    /// Workers in all, where somebody has said so.
    workers: Option<u32>,
    cut_is_asked: bool,
    stop_is_asked: bool,
    trouble: Option<Trouble>,
    epoch: Epoch,
    balance: Balance,
    pauses: Vec<f64>,
    /// The number of the next process that joins.
    next: u32,
    /// Who came to join before the run began.
    early: Vec<(u32, Facts, String)>,
    /// The checkpoint to go on from, and what is wrong with others.
    from: Option<String>,
    warnings: Vec<String>,
    /// Orders that processes are to be told once the number of their generation is noted, and when to try to note it again.
    held: Option<Vec<Action>>,
    note_again: Option<f64>,
    notes: Notes,
    out: Vec<Action>,
}

impl Coordinator {
    /// Expects the processes that are started at the beginning, from number 0.
    pub(crate) fn new(terms: Terms) -> Self {
        Self {
            members: (0..terms.processes).map(|index| (index, Member::new(true, 0.0))).collect(),
            next: terms.processes,
            balance: Balance::new(terms.balance),
            terms,
            facts: None,
            stage: Stage::Gathering,
            plan: None,
            workers: None,
            cut_is_asked: false,
            stop_is_asked: false,
            trouble: None,
            epoch: Epoch::default(),
            pauses: Vec::new(),
            early: Vec::new(),
            from: None,
            warnings: Vec::new(),
            held: None,
            note_again: None,
            notes: Notes::default(),
            out: Vec::new(),
        }
    }

    /// Takes in an event at a time, in seconds; times never fall. The time is looked at after every event: who speaks without
    /// a pause keeps nobody's silence from being noticed.
    pub(crate) fn on(&mut self, event: Event, now: f64) -> Vec<Action> {
        if !matches!(self.stage, Stage::Over) {
            match event {
                Event::Said { from, report } => self.hear(from, report, now),
                Event::Closed { of } => self.miss(of, now),
                Event::Exited { of, code, crashed, how } => self.exit(of, (code, crashed, how), now),
                // Once: what comes again, or late, is answered already.
                Event::Found { from, epoch, warnings } if matches!(self.stage, Stage::Finding) => {
                    self.found(from, epoch, warnings, now);
                }
                Event::Unusable { why } if matches!(self.stage, Stage::Finding) => self.over(0, 2, Some(why)),
                Event::Found { .. } | Event::Unusable { .. } => {}
                Event::Committed { generation, kept } => self.committed(generation, kept),
                Event::Numbered { number, failed } => self.numbered(number, failed, now),
                Event::TurnedAway { of, why } => self.turned_away(of, why),
                Event::Noted(text) => self.note(text),
                Event::Asked { visitor, question } => self.answer(visitor, question, now),
                // As a program that is interrupted before its training began.
                Event::Stop if matches!(self.stage, Stage::Gathering | Stage::Finding) => {
                    self.over(0, 130, None)
                }
                Event::Stop => {
                    self.stop_is_asked = true;
                    self.stop();
                }
                Event::Tick => {}
            }
            self.look(now);
            if !matches!(self.stage, Stage::Over)
                && self.trouble.as_ref().is_some_and(|trouble| now >= trouble.until)
                && let Some(Trouble { who, code, why, loss, .. }) = self.trouble.take()
            {
                match loss {
                    true => self.lost(who, why),
                    false => self.over(who, code, Some(why)),
                }
            }
        }
        std::mem::take(&mut self.out)
    }

    /// Tells a process something, behind what is held back.
    fn tell(&mut self, to: u32, order: Order) {
        self.held.as_mut().unwrap_or(&mut self.out).push(Action::Tell { to, order });
    }

    fn over(&mut self, who: u32, code: i32, why: Option<String>) {
        for (&to, _) in self.members.iter().filter(|(_, member)| member.stand != Stand::Released) {
            self.out.push(Action::Tell { to, order: Order::End });
        }
        self.out.push(Action::Over { who, code, why });
        self.stage = Stage::Over;
    }

    /// What the run was begun with.
    #[cfg(test)]
    pub(crate) fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Epochs completed, as last told.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.epoch
    }

    fn first(&self) -> Option<u32> {
        self.plan.as_ref().map(|plan| plan.seats[0].id)
    }

    // ---- what processes say ----

    fn hear(&mut self, from: u32, report: Report, now: f64) {
        let Some(member) = self.members.get_mut(&from) else { return };
        (member.line, member.heard) = (Connection::Open, now);
        let is_guest = !member.own && member.stand == Stand::Preparing;
        let number = self.plan.as_ref().map_or(0, |plan| plan.number);
        match report {
            Report::Alive { memory } => member.memory = memory,
            Report::Ready { facts, address } => self.admit(from, facts, address, now),
            Report::Epoch { generation, epoch } if generation == number => {
                if let Some(plan) = &self.plan {
                    let costs = self.facts.as_ref().map_or(&[][..], |facts| &facts.identity.costs);
                    self.balance.learn(plan, costs, &epoch);
                }
                self.epoch = epoch;
            }
            Report::Ended { generation, cut } if generation == number => {
                self.end_of(from, cut, now);
            }
            Report::Kept { generation, drafted } if generation == number => self.handed_in(from, drafted),
            Report::MayWrite => {
                if matches!(self.stage, Stage::Ending) && self.first() == Some(from) {
                    self.tell(from, Order::Write);
                }
            }
            Report::Settled { generation, seconds, memory, .. } => {
                if let Some(member) = self.members.get_mut(&from) {
                    member.memory = memory;
                }
                let is_first = self.first() == Some(from) && generation == number;
                let has_givers = self.plan.as_ref().is_some_and(|plan| !plan.givers.is_empty());
                if is_first && has_givers && !matches!(self.stage, Stage::Ending) {
                    self.pauses.push(seconds);
                    self.balance.paused(seconds);
                }
                if is_first && !has_givers {
                    self.out.push(Action::Begun);
                }
            }
            Report::Leaving => self.let_go(from),
            Report::Failed { why, of_a_peer: true } => {
                member.follows = true;
                self.follow(from, &why, now);
            }
            Report::Failed { why, .. } if is_guest => {
                self.members.remove(&from);
                self.note(format!("process {from} does not join: {why}"));
            }
            Report::Failed { why, .. } => self.over(from, 1, Some(format!("process {from} failed: {why}"))),
            Report::Done => {
                if let Some(member) = self.members.get_mut(&from) {
                    member.stand = Stand::Released;
                }
            }
            // Of a generation that is over.
            Report::Epoch { .. } | Report::Ended { .. } | Report::Kept { .. } => {}
        }
    }

    /// A process has built its program.
    fn admit(&mut self, from: u32, facts: Facts, address: String, now: f64) {
        // Once: one that has a part in the run does not begin it anew.
        let is_expected = self.members.get(&from).is_some_and(|member| member.stand == Stand::Preparing);
        if !is_expected || self.early.iter().any(|&(before, ..)| before == from) {
            return;
        }
        let gathering = matches!(self.stage, Stage::Gathering | Stage::Finding);
        // Those who join are compared with those who began.
        if gathering && !self.members.get(&from).is_some_and(|member| member.own) {
            return self.early.push((from, facts, address));
        }
        let known = self.facts.get_or_insert_with(|| facts.clone());
        let differs = known.identity.difference(&facts.identity);
        let differs =
            differs.or_else(|| (known.blocks != facts.blocks).then(|| "it has other blocks".into()));
        let elsewhere = facts.proof.is_some_and(|read| self.terms.proof.is_some_and(|wrote| wrote != read));
        let differs = differs.or_else(|| {
            let why = "it does not reach the folder of the run: --out must name one that all processes reach";
            elsewhere.then(|| why.into())
        });
        if let Some(why) = differs {
            let why = format!("process {from} does not fit the run: {why}");
            self.tell(from, Order::Refuse { why: why.clone() });
            match gathering {
                true => self.over(from, 2, Some(why)),
                false => {
                    self.members.remove(&from);
                    self.note(why);
                }
            }
            return;
        }
        if let Some(member) = self.members.get_mut(&from) {
            (member.stand, member.address, member.cores) = (Stand::Ready, address, facts.cores);
        }
        if gathering {
            if self.members.values().all(|member| member.stand == Stand::Ready || !member.own) {
                self.find(now);
            }
        } else {
            self.ask_for_a_cut();
        }
    }

    fn ask_for_a_cut(&mut self) {
        let Some(plan) = self.plan.as_ref().filter(|_| matches!(self.stage, Stage::Running)) else { return };
        if !std::mem::replace(&mut self.cut_is_asked, true) {
            let (to, generation) = (plan.seats[0].id, plan.number);
            self.tell(to, Order::Cut { generation });
        }
    }

    fn stop(&mut self) {
        if let (Stage::Running, Some(first)) = (&self.stage, self.first()) {
            self.tell(first, Order::Stop);
        }
    }

    /// What was placed on a process is back in its hands.
    fn end_of(&mut self, from: u32, said: Option<Cut>, now: f64) {
        if let Stage::Running = self.stage {
            self.stage = Stage::Cutting { ended: BTreeSet::new(), cut: None };
        }
        let (Stage::Cutting { ended, cut }, Some(plan)) = (&mut self.stage, &self.plan) else { return };
        // Once: what the first one said counts.
        if ended.insert(from) && plan.seats[0].id == from {
            *cut = said;
        }
        if plan.seats.iter().all(|seat| ended.contains(&seat.id)) {
            match cut.take() {
                Some(cut) if cut.keep == Keep::Nothing => self.begin(Some(cut), None),
                Some(cut) => self.keep(cut, now),
                None => {
                    self.over(from, 1, Some("the first process did not say how its generation ended".into()))
                }
            }
        }
    }
}
