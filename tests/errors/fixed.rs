//! A schedule that an author might write, with any round in it.

use raddle::schedule::{Assignment, Dependencies, EpochStart, Next, Plan, Round, Schedule, Variables};
use raddle::state::{Reader, StateError, Writer};

use super::variables;

/// A schedule that hands out the same round in each epoch, and whose methods may be trapped.
#[derive(Clone)]
pub(super) struct Fixed {
    pub(super) next: Next,
    /// `true` if its plan is known in advance.
    pub(super) is_known: bool,
    pub(super) trap: &'static str,
    pub(super) named: Option<Variables>,
    pub(super) asked: bool,
}

pub(super) fn fixed(next: Next, trap: &'static str) -> Fixed {
    Fixed { next, is_known: false, trap, named: Some(variables()), asked: false }
}

pub(super) fn round(tasks: &[(u32, &[u32])]) -> Next {
    let task = |&(shard, variables): &(u32, &[u32])| Assignment {
        shard,
        block: None,
        variables: variables.to_vec(),
    };
    Next::Round(Round::new((), tasks.iter().map(task).collect()))
}

impl Fixed {
    fn trap(&self, method: &str) {
        assert!(self.trap != method, "the trap in {method}");
    }
}

impl Schedule for Fixed {
    fn identity(&self) -> String {
        "fixed".into()
    }
    fn variables(&self) -> Option<&Variables> {
        self.named.as_ref()
    }
    fn begin_epoch(&mut self, start: &EpochStart) -> Plan {
        assert!(start.epoch == 0 || self.trap != "begin_epoch", "the trap in begin_epoch");
        self.asked = false;
        match &self.next {
            Next::Round(round) if self.is_known => Plan::Known(vec![round.clone()]),
            _ => Plan::Stepwise,
        }
    }
    fn next_round(&mut self) -> Next {
        self.trap("next_round");
        if std::mem::replace(&mut self.asked, true) { Next::EndOfEpoch } else { self.next.clone() }
    }
    fn decide(&mut self, _: &Dependencies) -> Next {
        self.trap("decide");
        round(&[(0, &[0])])
    }
    fn learn(&mut self, _: &Round, _: &[(u32, f64)]) {
        self.trap("learn");
    }
    fn reduce_parallelism(&mut self) {
        self.trap("reduce_parallelism");
    }
    fn save(&self, _: &mut Writer) {
        self.trap("save");
    }
    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        self.trap("load");
        Ok(())
    }
}
