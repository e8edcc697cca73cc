//! [`Priority`]: the structure-aware schedule, after STRADS.

use super::dependencies::Cache;
use super::{
    Counts, Dependencies, InFlight, Next, Outlook, Plan, Rejection, Round, RoundLog, Schedule, Variables,
    Weights,
};
use crate::random::Stream;
use crate::state::{Reader, StateError, Writer};

/// Parameters of [`Priority`].
#[derive(Debug, Clone)]
pub struct PrioritySettings {
    /// P: variables updated a round at most; at least 1.
    pub parallelism: usize,
    /// P': candidates drawn a batch; at least P.
    pub candidates: usize,
    /// Two variables that depend on each other more strongly than this never share a round, nor follow each other
    /// while in flight; `None` checks nothing.
    pub rho: Option<f32>,
    /// The base weight, as a fraction of the mean of the nonzero weights.
    pub base: f64,
    /// Batches drawn a round at most: while rejections leave room, the round is refilled from a fresh batch.
    pub batches: u32,
    /// Rounds an epoch; `None` takes as many as it needs to update every variable once.
    pub rounds: Option<usize>,
    /// Names the streams, with the epoch and the round.
    pub seed: u64,
    /// Whether to keep a log of every round.
    pub explain: bool,
}

impl PrioritySettings {
    /// P and P' the same, rho 0.1, base weight 0.01, one refill: STRADS's own, with the refill it lacked.
    pub fn new(parallelism: usize, seed: u64) -> Self {
        let parallelism = parallelism.max(1);
        Self {
            parallelism,
            candidates: parallelism,
            rho: Some(0.1),
            base: 0.01,
            batches: 2,
            rounds: None,
            seed,
            explain: false,
        }
    }
}

/// Samples candidates by importance, and hands out those that do not depend on each other.
///
/// After STRADS (Lee et al., "On model parallelization and scheduling strategies for distributed machine learning",
/// 2014). Each round: draw P' candidates with probability proportional to how far they moved last (plus a base
/// weight); ask the program what ties them together, where that is not known yet; keep, in order of weight, those
/// that depend on none already taken *or in flight*; refill from a fresh batch while there is room; stop at P
/// variables, or at the counted cost of P average ones, so that rounds are even. What is kept goes to its owners,
/// or merges into blocks of even counted cost.
///
/// Beyond STRADS: weights start from the program's own importance (the gradient) and are renewed by it at every
/// boundary where it gives one, so no uniform warm-up is needed; rejected candidates are replaced; dependencies are
/// cached; variables in flight count. A pair is checked only where both have a weight: a variable that does not
/// move hurts nobody. The work of a round grows with P', not with the number of variables (but for its logarithm).
#[derive(Debug)]
pub struct Priority {
    variables: Variables,
    settings: PrioritySettings,
    weights: Weights,
    cache: Cache,
    in_flight: InFlight,
    counts: Counts,
    log: Vec<RoundLog>,
    epoch: u64,
    round: u64,
    rounds: u64,
    budget: u64,
    forming: Forming,
}

/// The round being formed.
#[derive(Debug, Default)]
struct Forming {
    stream: Option<Stream>,
    batch: u32,
    cost: u64,
    /// The candidates of this batch not yet decided, most important first.
    waiting: Vec<u32>,
    /// What the last question named, in its order.
    asked: Vec<u32>,
    taken: Vec<u32>,
    considered: Vec<u32>,
    rejected: Vec<Rejection>,
}

impl Priority {
    /// A schedule over these variables.
    pub fn new(variables: Variables, settings: PrioritySettings) -> Self {
        let weights = Weights::new(variables.len(), settings.base);
        Self {
            weights,
            settings,
            cache: Cache::default(),
            in_flight: InFlight::default(),
            counts: Counts::default(),
            log: Vec::new(),
            epoch: 0,
            round: 0,
            rounds: 0,
            budget: 0,
            forming: Forming::default(),
            variables,
        }
    }

    /// Draws a batch of distinct candidates that are neither in flight nor already considered in this round.
    fn draw_batch(&mut self) {
        let stream = self
            .forming
            .stream
            .get_or_insert_with(|| Stream::new(&[self.settings.seed, self.epoch, self.round]));
        self.forming.batch += 1;
        let wanted = self.settings.candidates.max(self.settings.parallelism);
        let mut batch = Vec::with_capacity(wanted);
        // Heavy variables are drawn again and again: the number of draws, not of candidates, bounds the work.
        for _ in 0..4 * wanted {
            let Some(drawn) = self.weights.draw(stream) else { break };
            let drawn = drawn as u32;
            if !self.in_flight.holds(drawn) && !self.forming.considered.contains(&drawn) {
                self.forming.considered.push(drawn);
                batch.push(drawn);
                if batch.len() == wanted {
                    break;
                }
            }
        }
        self.counts.candidates += batch.len() as u64;
        batch.sort_by(|&i, &j| {
            self.weights.get(j as usize).total_cmp(&self.weights.get(i as usize)).then(i.cmp(&j))
        });
        self.forming.waiting = batch;
    }

    /// Whether a variable moves at all, so that others may depend on it.
    fn moves(&self, variable: u32) -> bool {
        self.weights.get(variable as usize) > 0.0
    }

    /// The variables of this batch, of the round so far and in flight, of which some pair is not known yet.
    fn unknown(&self) -> Vec<u32> {
        if self.settings.rho.is_none() {
            return Vec::new();
        }
        let moving =
            |variables: &[u32]| variables.iter().copied().filter(|&j| self.moves(j)).collect::<Vec<u32>>();
        let waiting = moving(&self.forming.waiting);
        let mut before = moving(&self.forming.taken);
        before.extend(moving(&self.in_flight.variables()));
        let mut asked = vec![false; waiting.len() + before.len()];
        for (a, &i) in waiting.iter().enumerate() {
            let others = waiting[a + 1..].iter().chain(&before);
            for (b, &j) in others.enumerate() {
                if self.cache.get(i, j).is_none() {
                    asked[a] = true;
                    asked[a + 1 + b] = true;
                }
            }
        }
        let all = waiting.iter().chain(&before);
        all.zip(asked).filter_map(|(&variable, asked)| asked.then_some(variable)).collect()
    }

    /// Keeps, in order of weight, what depends on nothing taken or in flight.
    fn select(&mut self) {
        let in_flight = self.in_flight.variables();
        for candidate in std::mem::take(&mut self.forming.waiting) {
            let full = self.forming.taken.len() >= self.settings.parallelism
                || (self.forming.cost + self.variables.cost(candidate) > self.budget
                    && !self.forming.taken.is_empty());
            if full {
                break;
            }
            let tie = self.settings.rho.filter(|_| self.moves(candidate)).and_then(|rho| {
                let mut before =
                    self.forming.taken.iter().chain(&in_flight).filter(|&&other| self.moves(other));
                before.find_map(|&other| {
                    let strength = self.cache.get(candidate, other).unwrap_or(0.0);
                    (strength > rho).then_some((other, strength))
                })
            });
            match tie {
                Some((by, strength)) => {
                    self.counts.rejected += 1;
                    self.forming.rejected.push(Rejection { variable: candidate, by, strength });
                }
                None => {
                    self.forming.cost += self.variables.cost(candidate);
                    self.forming.taken.push(candidate);
                }
            }
        }
    }

    /// Goes on forming the round: relate what is unknown, select, refill, hand out.
    fn proceed(&mut self) -> Next {
        loop {
            let unknown = self.unknown();
            if !unknown.is_empty() {
                self.forming.asked.clone_from(&unknown);
                return Next::Relate(self.variables.candidates(0, unknown));
            }
            self.select();
            let room =
                self.forming.taken.len() < self.settings.parallelism && self.forming.cost < self.budget;
            if !room || self.forming.batch >= self.settings.batches {
                return Next::Round(self.hand_out());
            }
            self.draw_batch();
        }
    }

    fn hand_out(&mut self) -> Round {
        let Forming { taken, considered, rejected, .. } = std::mem::take(&mut self.forming);
        self.in_flight.hand_out(&taken);
        let round = self.variables.round(0, &taken);
        if self.settings.explain {
            let (epoch, round) = (self.epoch, self.round);
            self.log.push(RoundLog { epoch, round, candidates: considered, rejected, survivors: taken });
        }
        self.round += 1;
        round
    }
}

impl Schedule for Priority {
    fn begin_epoch(&mut self, outlook: &Outlook) -> Plan {
        for &(variable, weight) in &outlook.weights {
            self.weights.set(variable as usize, weight);
        }
        let count = self.variables.len();
        let sweep = count.div_ceil(self.settings.parallelism);
        (self.epoch, self.round, self.rounds) =
            (outlook.epoch, 0, self.settings.rounds.unwrap_or(sweep) as u64);
        let mean = self.variables.total_cost().div_ceil(count.max(1) as u64);
        self.budget = mean * self.settings.parallelism as u64;
        self.forming = Forming::default();
        Plan::Stepwise
    }

    fn next_round(&mut self) -> Next {
        if self.round >= self.rounds || self.variables.is_empty() {
            return Next::EndOfEpoch;
        }
        self.draw_batch();
        self.proceed()
    }

    fn decide(&mut self, dependencies: &Dependencies) -> Next {
        let asked = std::mem::take(&mut self.forming.asked);
        self.cache.extend(&asked, dependencies);
        self.proceed()
    }

    fn learn(&mut self, round: &Round, moved: &[(u32, f64)]) {
        self.in_flight.land(round);
        for &(variable, distance) in moved {
            self.weights.set(variable as usize, distance.abs());
        }
    }

    fn shrink(&mut self) {
        self.settings.parallelism = (self.settings.parallelism / 2).max(1);
        self.settings.candidates = (self.settings.candidates / 2).max(1);
    }

    fn counts(&self) -> Counts {
        self.counts
    }

    fn take_log(&mut self) -> Vec<RoundLog> {
        std::mem::take(&mut self.log)
    }

    fn save(&self, out: &mut Writer) {
        out.write(&self.settings.parallelism);
        out.write(&self.settings.candidates);
        out.write(&self.weights.as_slice().to_vec());
        out.write(&self.counts);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.settings.parallelism = from.read()?;
        self.settings.candidates = from.read()?;
        let weights: Vec<f64> = from.read()?;
        if weights.len() != self.variables.len() {
            return Err(StateError::new("the weights of as many variables"));
        }
        for (variable, weight) in weights.into_iter().enumerate() {
            self.weights.set(variable, weight);
        }
        self.counts = from.read()?;
        self.in_flight = InFlight::default();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Certificate;

    /// Variables in groups of four that depend on each other by 0.9.
    fn relate(candidates: &[u32]) -> Dependencies {
        let mut dependencies = Dependencies::none(candidates.len());
        for (a, i) in candidates.iter().enumerate() {
            for (b, j) in candidates.iter().enumerate().skip(a + 1) {
                dependencies.set(a, b, if i / 4 == j / 4 { 0.9 } else { 0.0 });
            }
        }
        dependencies
    }

    fn schedule(count: u32, settings: PrioritySettings) -> Priority {
        let variables = Variables::in_ranges(vec![1; count as usize], vec![0, count / 2, count]);
        let mut schedule = Priority::new(variables, settings);
        let weights = (0..count).map(|j| (j, f64::from(1 + j % 7))).collect();
        let certificate = Certificate::new("gap", 1.0, 0.0, "nothing");
        schedule.begin_epoch(&Outlook { epoch: 0, certificate, objective: None, weights, wanted: 0 });
        schedule
    }

    fn next(schedule: &mut Priority, related: &mut usize) -> Option<Round> {
        let mut next = schedule.next_round();
        loop {
            match next {
                Next::Round(round) => return Some(round),
                Next::Drain | Next::EndOfEpoch => return None,
                Next::Relate(candidates) => {
                    *related += 1;
                    next = schedule.decide(&relate(&candidates.variables));
                }
            }
        }
    }

    #[test]
    fn no_round_holds_two_variables_that_depend_on_each_other_nor_on_one_in_flight() {
        let mut schedule = schedule(64, PrioritySettings { explain: true, ..PrioritySettings::new(8, 1) });
        let (mut related, mut before, mut handed_out) = (0, None::<Round>, 0);
        while let Some(round) = next(&mut schedule, &mut related) {
            let mut groups: Vec<u32> =
                round.tasks.iter().flat_map(|task| &task.variables).map(|j| j / 4).collect();
            handed_out += groups.len();
            // Staleness 1: the round before has not landed yet.
            if let Some(before) = &before {
                groups.extend(before.tasks.iter().flat_map(|task| &task.variables).map(|j| j / 4));
            }
            let total = groups.len();
            groups.sort_unstable();
            groups.dedup();
            assert_eq!(groups.len(), total);
            if let Some(landed) = before.replace(round) {
                schedule.learn(&landed, &[]);
            }
        }
        let log = schedule.take_log();
        assert_eq!(log.len(), 8);
        assert_eq!(log.iter().map(|round| round.survivors.len()).sum::<usize>(), handed_out);
        let rejected: usize = log.iter().map(|round| round.rejected.len()).sum();
        assert_eq!((schedule.counts().rejected, rejected > 0), (rejected as u64, true));
        assert!(log[0].to_string().starts_with("epoch 0 round 0: "));
    }

    #[test]
    fn what_is_related_once_is_not_asked_again() {
        let mut schedule =
            schedule(16, PrioritySettings { rounds: Some(400), ..PrioritySettings::new(4, 1) });
        let (mut early, mut late, mut rounds) = (0, 0, 0);
        while let Some(round) = next(&mut schedule, if rounds < 200 { &mut early } else { &mut late }) {
            schedule.learn(&round, &[]);
            rounds += 1;
        }
        assert!(early > 0 && late == 0, "{early} questions in the first half, {late} in the second");
    }

    #[test]
    fn rejected_candidates_are_replaced() {
        let taken = |batches| {
            let mut schedule = schedule(200, PrioritySettings { batches, ..PrioritySettings::new(40, 3) });
            let round = next(&mut schedule, &mut 0).unwrap();
            round.variables()
        };
        assert!(taken(1) < taken(2) && taken(4) == 40, "{} {} {}", taken(1), taken(2), taken(4));
    }

    #[test]
    fn a_round_holds_no_more_than_its_counted_cost() {
        let costs: Vec<u32> = (0..100).map(|j| if j % 10 == 0 { 91 } else { 1 }).collect();
        let mut schedule = Priority::new(
            Variables::anywhere(costs.clone(), 3),
            PrioritySettings { rho: None, ..PrioritySettings::new(10, 5) },
        );
        let certificate = Certificate::new("gap", 1.0, 0.0, "nothing");
        schedule.begin_epoch(&Outlook { epoch: 0, certificate, objective: None, weights: vec![], wanted: 0 });
        while let Some(round) = next(&mut schedule, &mut 0) {
            let cost: u32 =
                round.tasks.iter().flat_map(|task| &task.variables).map(|&j| costs[j as usize]).sum();
            assert!(cost <= 100 && round.tasks.len() <= 3);
            schedule.learn(&round, &[]);
        }
    }
}
