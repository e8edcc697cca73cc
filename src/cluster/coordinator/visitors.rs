//! What visitors ask.

use super::{Action, Coordinator, Member, Terms};
use crate::cluster::protocol::{Answer, MemberStatus, Question, RunStatus};

impl Coordinator {
    pub(super) fn answer(&mut self, visitor: u64, question: Question, now: f64) {
        let answer = match question {
            Question::Status => Answer::Status(self.status()),
            Question::Rescale { workers: 0 } => Answer::Refused("a run needs at least 1 worker".into()),
            Question::Rescale { workers } => {
                self.workers = Some(workers);
                self.ask_for_a_cut();
                Answer::Accepted
            }
            Question::Join => {
                // A number is never given twice: what is said of the one before may still come.
                let index = self.next;
                self.next += 1;
                self.members.insert(index, Member::new(false, now));
                let Terms { line, workers, run, .. } = self.terms.clone();
                Answer::Place { line, index, workers, run }
            }
        };
        self.out.push(Action::Answer { visitor, answer });
    }

    fn status(&self) -> RunStatus {
        let place = |of: u32| {
            let plan = self.plan.as_ref()?;
            let seat = plan.seat_of(of)? as u32;
            let workers = plan.process_of.iter().filter(|&&process| process == seat).count() as u32;
            let shards =
                (0..plan.shard_at.len() as u32).filter(|&shard| plan.shard_seat(shard) == seat).count();
            Some((workers, shards as u32))
        };
        let member = |(&process, member): (&u32, &Member)| {
            let (workers, shards) = place(process).unwrap_or_default();
            let (state, address) = (member.stand.name().into(), member.address.clone());
            MemberStatus { process, state, address, workers, shards, peak_memory_bytes: member.memory }
        };
        RunStatus {
            generation: self.plan.as_ref().map_or(0, |plan| plan.number),
            epoch: self.epoch.epoch,
            seconds: self.epoch.seconds,
            metric: self.epoch.metric.clone(),
            workers: self.plan.as_ref().map_or(0, |plan| plan.asked),
            members: self.members.iter().map(member).collect(),
            pauses: self.pauses.clone(),
            notes: self.notes.last(),
        }
    }
}
