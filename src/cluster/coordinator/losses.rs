//! What becomes of a run when a process ends.

use super::{Action, Connection, Coordinator, GRACE, Member, Stage, Stand, Trouble};

impl Coordinator {
    /// The connection to a process has ended.
    pub(super) fn miss(&mut self, of: u32, now: f64) {
        let Some(member) = self.members.get_mut(&of) else { return };
        member.line = Connection::Closed;
        let (own, released) = (member.own, member.stand == Stand::Released);
        match member.ended.take() {
            Some((code, how, _)) => self.lose(of, code, &how, now),
            None if !own => self.lose(of, 1, "is gone", now),
            // Its status follows.
            None if !released => {
                let why = format!("process {of} has closed its connection");
                self.trouble.get_or_insert(Trouble { until: now + GRACE, who: of, code: 1, why });
            }
            None => {}
        }
    }

    /// A process that was started here has ended. What it said before may still be on its way.
    pub(super) fn exit(&mut self, of: u32, code: i32, how: String, now: f64) {
        let Some(member) = self.members.get_mut(&of) else { return };
        match member.line {
            Connection::Open => member.ended = Some((code, how, now)),
            _ => self.lose(of, code, &how, now),
        }
    }

    /// Gives up waiting for the last words of those that have ended.
    pub(super) fn look(&mut self, now: f64) {
        let silent = |(&of, member): (&u32, &Member)| {
            let (code, how, since) = member.ended.clone()?;
            (now >= since + GRACE).then_some((of, code, how))
        };
        let silent: Vec<_> = self.members.iter().filter_map(silent).collect();
        for (of, code, how) in silent {
            self.lose(of, code, &how, now);
        }
    }

    /// A process has ended.
    fn lose(&mut self, of: u32, code: i32, how: &str, now: f64) {
        let Some(member) = self.members.get(&of) else { return };
        if member.follows {
            // Another one is the cause, of which is told soon.
            return;
        }
        let (stand, own) = (member.stand, member.own);
        let is_first = self.first() == Some(of);
        match (stand, &self.stage) {
            // The run's own end.
            (Stand::Released, Stage::Ending) if is_first => self.over(of, code, None),
            (Stand::Released, _) => {
                self.members.remove(&of);
            }
            (Stand::Preparing | Stand::Ready, _) if !own => {
                self.members.remove(&of);
                self.out.push(Action::Note(format!("process {of} {how} before it joined")));
            }
            // The first one's words are worth most: all have read the same line.
            (Stand::Preparing, _) if of == 0 => self.over(of, code, None),
            (Stand::Preparing, _) => {
                let why = format!("process {of} {how} before the run began");
                self.trouble = Some(Trouble { until: now + GRACE, who: of, code: code.max(1), why });
            }
            _ => {
                let why = format!(
                    "process {of} {how}: the run has ended, and what it had learned is lost; start it again"
                );
                self.over(of, 1, Some(why));
            }
        }
    }
}
