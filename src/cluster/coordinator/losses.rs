//! Losses and failures. A *loss* is a process that has crashed, whose connection has ended, that has sent
//! nothing for the heartbeat timeout, or whose handshake failed: the run continues without it, from the last
//! checkpoint. A *failure* is an error that a process reports about itself: another attempt would repeat it,
//! and the run ends.

use super::members::ProcessExit;
use super::{
    Action, Connection, Coordinator, CoordinatorStage, GRACE, Member, MemberState, Order, SuspectedLoss,
};

/// Seconds within which a process must connect.
const CONNECTING: f64 = 60.0;
/// Cause of a loss by a connection on which bytes were damaged.
const DAMAGED: &str = "has sent what did not arrive as it was";
/// Exit statuses of a process that was asked to end before it was a member of the run: killed by SIGTERM
/// before its handler was installed, and ended by the handler.
const ASKED: [i32; 2] = [128 + 15, 130];

impl Coordinator {
    /// Handles a process that cannot continue because a peer is gone. The end of that process makes further
    /// peers fail, and their reports may come first: each reason is listed once.
    pub(super) fn on_peer_failure(&mut self, from: u32, reason: &str, now: f64) {
        let why = format!("process {from}: {reason}");
        match &mut self.suspected {
            None => {
                let until = now + GRACE;
                self.suspected = Some(SuspectedLoss { until, who: from, code: 1, why, loss: true });
            }
            Some(suspected) if suspected.loss && !suspected.why.contains(reason) => {
                suspected.why += &format!("; {why}");
            }
            Some(_) => {}
        }
    }

    /// Handles the end of the connection to a process, because it was closed or because bytes on it were
    /// damaged.
    pub(super) fn on_disconnect(&mut self, of: u32, damaged: bool, now: f64) {
        let writes = self.writes(of);
        let Some(member) = self.members.get_mut(&of) else { return };
        member.connection = Connection::Closed;
        let (spawned_here, released) = (member.spawned_here, member.state == MemberState::Released);
        let ended = member.ended.take();
        let begins = self.begun_by == Some(of) && matches!(self.stage, CoordinatorStage::Gathering);
        match ended {
            Some((ended, _)) => self.classify_exit(of, ended, now),
            None if !spawned_here && !writes && !begins => {
                let how = if damaged { DAMAGED } else { "is gone" };
                self.classify_exit(of, (1, true, how.into()), now);
            }
            None if writes && self.writing.len() > 1 => {
                // Its exit status follows, or it is lost.
                if let Some(member) = self.members.get_mut(&of) {
                    member.ended = Some(((1, true, "is gone".into()), now));
                }
            }
            // Its exit status follows.
            None if !released || writes && !spawned_here => {
                let how = if damaged { DAMAGED } else { "has closed its connection" };
                let why = format!("process {of} {how}");
                let until = now + GRACE;
                self.suspected.get_or_insert(SuspectedLoss { until, who: of, code: 1, why, loss: true });
            }
            None => {}
        }
    }

    /// Handles the end of a process of the launcher. Reports that it sent before may still arrive.
    pub(super) fn on_exit(&mut self, of: u32, ended: ProcessExit, now: f64) {
        let Some(member) = self.members.get_mut(&of) else { return };
        match member.connection {
            Connection::Open => member.ended = Some((ended, now)),
            _ => self.classify_exit(of, ended, now),
        }
    }

    /// Declares processes lost that have ended and sent nothing for [`GRACE`] since, and those whose
    /// heartbeat timeout has passed.
    pub(super) fn check_timeouts(&mut self, now: f64) {
        if matches!(self.stage, CoordinatorStage::Over) {
            return;
        }
        let ended = |(&of, member): (&u32, &Member)| {
            let (ended, since) = member.ended.clone()?;
            (now >= since + GRACE).then_some((of, ended))
        };
        let ended: Vec<_> = self.members.iter().filter_map(ended).collect();
        for (of, ended) in ended {
            self.classify_exit(of, ended, now);
        }
        let silent = |(&of, member): (&u32, &Member)| {
            let limit = match member.connection {
                Connection::Open => self.config.deadline,
                Connection::None => CONNECTING.max(self.config.deadline),
                Connection::Closed => return None,
            };
            let counts = member.state != MemberState::Released || self.writes(of);
            (counts && now > member.last_report + limit)
                .then(|| (of, format!("has sent nothing for {limit} s")))
        };
        let silent: Vec<_> = self.members.iter().filter_map(silent).collect();
        for (of, how) in silent {
            self.classify_exit(of, (1, true, how), now);
        }
        self.check_parts_timeout(now);
        self.check_waiting(now);
        self.retry_number(now);
    }

    /// Classifies the end of a process as a loss, a failure or a regular end, by its state and the stage of
    /// the run.
    pub(super) fn classify_exit(&mut self, of: u32, (code, crashed, how): ProcessExit, now: f64) {
        let Some(member) = self.members.get(&of).filter(|_| !matches!(self.stage, CoordinatorStage::Over))
        else {
            return;
        };
        if member.failed_because_of_peer {
            // A peer is the cause; its own end is reported soon.
            return;
        }
        let (state, spawned_here) = (member.state, member.spawned_here);
        let writes = self.writes(of);
        match (state, &self.stage) {
            // The regular end of the run.
            (MemberState::Released, _) if writes && !crashed => self.has_written(of, code),
            // The others have the outcome, too, and may have ended.
            (MemberState::Released, _) if writes && self.has_parties() && self.writing.contains(&of) => {
                self.note(format!("process {of} {how} before it had written its model"));
                self.has_written(of, 1);
            }
            (MemberState::Released, _) if writes => {
                self.end_attempt(of, format!("process {of} {how} before the model was written"));
            }
            (MemberState::Released, _) => {
                self.members.remove(&of);
            }
            // The others have the same command line; it has said where it was started what is wrong.
            (MemberState::Preparing, CoordinatorStage::Gathering)
                if self.begun_by == Some(of) && !crashed && code != 0 =>
            {
                let said = self.suspected.take_if(|suspected| !suspected.loss).map(|suspected| suspected.why);
                self.over(
                    of,
                    code,
                    said.or_else(|| Some(format!("process {of} {how} before the run began"))),
                );
            }
            // It may not have made the folder anew.
            (_, CoordinatorStage::Gathering) if self.begun_by == Some(of) => {
                self.end_attempt(of, format!("process {of} {how} before the run began"));
            }
            (MemberState::Preparing | MemberState::Ready, _) if !spawned_here => {
                self.members.remove(&of);
                self.suspected.take_if(|suspected| suspected.who == of);
                // It may be alive, as one that was stopped for a while.
                self.out.push(Action::Dismiss { of });
                let why = format!("process {of} {how} before it joined");
                // The last of them tells enough: there may be any number.
                self.absent.insert("a process".into(), why.clone());
                self.note(why);
            }
            (MemberState::Preparing, CoordinatorStage::Gathering) if ASKED.contains(&code) => {
                self.left_early(of)
            }
            // All processes have read the same command line: the first one's message suffices.
            (MemberState::Preparing, _) if of == 0 && !crashed => self.over(of, code, None),
            (MemberState::Preparing, _) if !crashed => {
                let why = format!("process {of} {how} before the run began");
                let (until, code) = (now + GRACE, code.max(1));
                self.suspected = Some(SuspectedLoss { until, who: of, code, why, loss: false });
            }
            _ => self.end_attempt(of, format!("process {of} {how}")),
        }
    }

    /// Ends the attempt: all processes of the generation are to end.
    pub(super) fn end_attempt(&mut self, who: u32, why: String) {
        if self.lose_party(who, &why) {
            return;
        }
        for &to in self.members.keys() {
            self.out.push(Action::Send { to, order: Order::Lost });
        }
        self.out.push(Action::Lost { who, why });
        self.stage = CoordinatorStage::Over;
    }
}
