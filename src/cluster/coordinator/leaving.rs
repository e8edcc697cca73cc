//! Processes that leave on request, once others can go on.

use super::{Action, Coordinator, CoordinatorStage, Member, MemberState, Order};

impl Coordinator {
    /// Releases a process at the next boundary, if another one can continue then; before the run has started,
    /// releases it once the run has.
    pub(super) fn on_leave(&mut self, from: u32) {
        if self.has_parties() {
            return self.party_leaves(from);
        }
        let begins = matches!(self.stage, CoordinatorStage::Gathering | CoordinatorStage::Finding);
        let stays = |id: &u32, member: &Member| {
            let is_there = matches!(member.state, MemberState::Ready | MemberState::Running);
            *id != from
                && (member.spawned_here || self.config.processes == 0)
                && (is_there || begins && member.state == MemberState::Preparing)
        };
        let can = self.members.iter().any(|(id, member)| stays(id, member));
        let Some(member) = self.members.get_mut(&from) else { return };
        match member.state {
            MemberState::Preparing | MemberState::Ready if begins && self.config.processes == 0 => {
                self.members.remove(&from);
                self.send(from, Order::End);
                let why = format!("process {from} leaves before the run has started");
                // The folder has to be made anew by another one.
                if self.begun_by == Some(from) { self.end_attempt(from, why) } else { self.note(why) }
            }
            MemberState::Preparing if !member.spawned_here => {
                member.state = MemberState::Released;
                self.send(from, Order::End);
                self.note(format!("process {from} leaves before it has joined"));
            }
            MemberState::Preparing | MemberState::Ready if begins && can => {
                if !std::mem::replace(&mut member.leaves, true) {
                    let why = "no other process is ready yet: it leaves when the first generation has begun";
                    self.note(format!("process {from} was asked to leave, and {why}"));
                }
            }
            MemberState::Running if can => {
                member.state = MemberState::Leaving;
                self.note(format!("process {from} leaves after this epoch"));
                self.end_at_boundary();
            }
            MemberState::Ready if !begins => {
                member.state = MemberState::Released;
                self.send(from, Order::End);
            }
            MemberState::Running | MemberState::Ready | MemberState::Preparing => {
                let why = "the run would have no process of its own left: end it with Ctrl-C on the launcher";
                self.note(format!("process {from} was asked to leave, and stays: {why}"));
            }
            MemberState::Leaving | MemberState::Released => {}
        }
    }

    /// Handles requests to leave that were made before the first generation, now that it has started.
    pub(super) fn release_waiting(&mut self) {
        let waiting = |(&of, member): (&u32, &mut Member)| std::mem::take(&mut member.leaves).then_some(of);
        let waiting: Vec<u32> = self.members.iter_mut().filter_map(waiting).collect();
        waiting.into_iter().for_each(|of| self.on_leave(of));
    }

    /// Handles a process of the launcher that was asked to end and has ended before it could report that it
    /// leaves: the others start again.
    pub(super) fn left_early(&mut self, of: u32) {
        let others: Vec<u32> = self
            .members
            .iter()
            .filter(|&(&id, member)| id != of && member.spawned_here)
            .map(|(&id, _)| id)
            .collect();
        if others.is_empty() {
            return self.over(of, 130, None);
        }
        for &to in self.members.keys() {
            self.out.push(Action::Send { to, order: Order::Lost });
        }
        let why = format!("process {of} was asked to end before the run began");
        self.out.push(Action::Left { who: of, why });
        self.stage = CoordinatorStage::Over;
    }
}
