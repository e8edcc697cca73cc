//! [`WorkingSetSchedule`]: the epoch of the working set, which avoids correlated columns.

use std::collections::VecDeque;

use raddle::schedule::{Counts, Dependencies, EpochStart, Next, Plan, Rejection, Round, RoundLog, Variables};
use raddle::state::{Reader, StateError, Writer};
use raddle::{Schedule, Verb};

use super::messages::Phase;

/// Two candidates more strongly correlated than this do not enter the working set together. At 0.8 the data
/// sets farmads, imdb2 and riboflavin need one more pass, for columns that were turned away, and mice needs
/// one less; at 0.99 mice needs one more, for nearly duplicate columns.
pub const CORRELATION_LIMIT: f32 = 0.9;

/// One epoch: candidates are related, those that depend on a better one wait for a later epoch, the others
/// enter the working set, and it is solved.
///
/// The boundary provides the violators, the worst first, and how many are wanted. The dependency check of
/// STRADS is applied to them rather than to single updates: of a group of strongly correlated columns, one
/// enters.
#[derive(Debug)]
pub(crate) struct WorkingSetSchedule {
    variables: Variables,
    shards: u32,
    explain: bool,
    /// Candidates not yet examined, the worst violator first, and how many are wanted.
    waiting: VecDeque<u32>,
    wanted: usize,
    /// Accepted candidates, and those of the last question.
    entering: Vec<u32>,
    asked: Vec<u32>,
    looked_at: usize,
    rejected: Vec<Rejection>,
    considered: Vec<u32>,
    step: Step,
    epoch: u64,
    counts: Counts,
    log: Vec<RoundLog>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Choose,
    Enter,
    Land,
    Solve,
    Done,
}

impl WorkingSetSchedule {
    pub(crate) fn new(variables: Variables, shards: u32, explain: bool) -> Self {
        Self {
            variables,
            shards,
            explain,
            waiting: VecDeque::new(),
            wanted: 0,
            entering: Vec::new(),
            asked: Vec::new(),
            looked_at: 0,
            rejected: Vec::new(),
            considered: Vec::new(),
            step: Step::Done,
            epoch: 0,
            counts: Counts::default(),
            log: Vec::new(),
        }
    }
}

impl WorkingSetSchedule {
    /// Asks for the correlations of the next candidates with each other and with the accepted ones: a quarter
    /// more candidates than suffice at the rate of acceptance so far. The number asked about at once changes
    /// only the work, not the result.
    fn ask(&mut self) -> Next<Phase> {
        let next = ahead(self.wanted, self.entering.len(), self.looked_at).min(self.waiting.len());
        self.looked_at += next;
        self.asked.clone_from(&self.entering);
        self.asked.extend(self.waiting.drain(..next));
        Next::Relate(self.variables.candidates(Phase::Enter, self.asked.clone()))
    }
}

/// Returns how many candidates to ask about next if `accepted` of `looked_at` were accepted and `wanted`
/// should be.
pub fn ahead(wanted: usize, accepted: usize, looked_at: usize) -> usize {
    let room = wanted - accepted;
    let needed = if accepted == 0 { room } else { (room * looked_at).div_ceil(accepted) };
    needed + needed / 4 + 1
}

impl Schedule<Phase> for WorkingSetSchedule {
    fn identity(&self) -> String {
        format!("working set, tied above {CORRELATION_LIMIT}, {}", self.variables.identity())
    }

    fn variables(&self) -> Option<&Variables> {
        Some(&self.variables)
    }

    fn requires(&self) -> Vec<Verb> {
        vec![Verb::Update, Verb::Relate]
    }

    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<Phase> {
        self.waiting = start.weights.iter().map(|&(variable, _)| variable).collect();
        (self.step, self.epoch, self.wanted) = (Step::Choose, start.epoch, start.batch_hint);
        self.counts.candidates += self.waiting.len() as u64;
        self.entering.clear();
        self.looked_at = 0;
        Plan::Stepwise
    }

    fn next_round(&mut self) -> Next<Phase> {
        match self.step {
            Step::Choose => {
                if self.waiting.len() <= self.wanted {
                    self.entering = self.waiting.drain(..).collect();
                    self.step = Step::Enter;
                    return self.next_round();
                }
                self.ask()
            }
            Step::Enter => {
                self.step = Step::Land;
                let entering = std::mem::take(&mut self.entering);
                Next::Round(self.variables.round(Phase::Enter, &entering))
            }
            Step::Land => {
                // The Gram is computed from the columns that the round before committed.
                self.step = Step::Solve;
                Next::Drain
            }
            Step::Solve => {
                self.step = Step::Done;
                Next::Round(Round::to_shards(Phase::Solve(None), 0..self.shards))
            }
            Step::Done => Next::EndOfEpoch,
        }
    }

    fn decide(&mut self, dependencies: &Dependencies) -> Next<Phase> {
        let asked = std::mem::take(&mut self.asked);
        let mut taken: Vec<usize> = (0..self.entering.len()).collect();
        for at in self.entering.len()..asked.len() {
            if taken.len() == self.wanted {
                break;
            }
            self.considered.push(asked[at]);
            match taken.iter().find(|&&before| dependencies.between(at, before) > CORRELATION_LIMIT) {
                None => taken.push(at),
                Some(&by) => {
                    let (variable, by, strength) = (asked[at], asked[by], dependencies.between(at, by));
                    self.rejected.push(Rejection { variable, by, strength });
                }
            }
        }
        self.entering = taken.into_iter().map(|at| asked[at]).collect();
        if self.entering.len() < self.wanted && !self.waiting.is_empty() {
            return self.ask();
        }
        let (candidates, rejected) =
            (std::mem::take(&mut self.considered), std::mem::take(&mut self.rejected));
        self.counts.rejected += rejected.len() as u64;
        if self.explain {
            let survivors = self.entering.clone();
            self.log.push(RoundLog { epoch: self.epoch, round: 0, candidates, rejected, survivors });
        }
        self.step = Step::Enter;
        self.next_round()
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn take_log(&mut self) -> Vec<RoundLog> {
        std::mem::take(&mut self.log)
    }

    fn save(&self, out: &mut Writer) {
        out.write(&self.counts);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.counts = from.read()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use raddle::Metric;

    use super::*;

    #[test]
    fn where_many_are_tied_more_are_asked_about_until_as_many_enter_as_are_wanted() {
        // Thirty columns are strongly correlated with each other; the others are not.
        let strength = |a: u32, b: u32| if a < 30 && b < 30 { 0.95 } else { 0.1 };
        for wanted in [1, 5, 20] {
            let variables = Variables::in_ranges(vec![1; 60], vec![0, 25, 60]);
            let mut schedule = WorkingSetSchedule::new(variables, 2, true);
            let weights = (0..60).map(|variable| (variable, 100.0 - f64::from(variable))).collect();
            let metric = Metric::new("gap", 1.0, "nothing");
            schedule.begin_epoch(&EpochStart {
                epoch: 0,
                metric,
                objective: None,
                weights,
                batch_hint: wanted,
            });
            // Expected are the worst first, each that is not correlated with one before it.
            let mut expected: Vec<u32> = Vec::new();
            for variable in 0..60 {
                if expected.len() < wanted
                    && expected.iter().all(|&before| strength(variable, before) <= CORRELATION_LIMIT)
                {
                    expected.push(variable);
                }
            }
            let (mut next, mut questions) = (schedule.next_round(), 0);
            let round = loop {
                let candidates = match next {
                    Next::Round(round) => break round,
                    Next::Relate(candidates) => candidates.variables,
                    other => panic!("{other:?}"),
                };
                questions += 1;
                let ties = Dependencies::of_pairs(&candidates, strength);
                next = schedule.decide(&ties);
            };
            let entering: Vec<u32> = round.tasks.into_iter().flat_map(|task| task.variables).collect();
            assert_eq!(entering, expected, "{wanted} wanted, {questions} questions");
            assert_eq!(questions > 1, wanted > 1, "{questions} questions for {wanted}");
        }
    }

    #[test]
    fn no_more_than_are_wanted_enter_unasked() {
        let mut schedule = WorkingSetSchedule::new(Variables::in_ranges(vec![1; 9], vec![0, 9]), 1, false);
        let metric = Metric::new("gap", 1.0, "nothing");
        let weights = vec![(8, 3.0), (2, 2.0)];
        schedule.begin_epoch(&EpochStart { epoch: 0, metric, objective: None, weights, batch_hint: 2 });
        let Next::Round(round) = schedule.next_round() else { panic!("there is nothing to ask") };
        assert_eq!(round.tasks[0].variables, [8, 2]);
    }
}
