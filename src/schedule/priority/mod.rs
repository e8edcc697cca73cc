//! [`Priority`]: the structure-aware schedule, after STRADS.

mod settings;
#[cfg(test)]
mod tests;

pub use settings::PrioritySettings;

use super::dependencies::Cache;
use super::{
    Counts, Dependencies, InFlight, Next, Outlook, Plan, Rejection, Round, RoundLog, Schedule, Variables,
    Weights,
};
use crate::program::Phase;
use crate::random::Stream;
use crate::state::{Reader, StateError, Writer};
use crate::verbs::Verb;

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
pub struct Priority<F = ()> {
    phase: F,
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
    /// For each variable, the round by number that it was considered for last, and the number of this one.
    considered: Vec<u64>,
    mark: u64,
}

/// Draws for a batch at least, where there are few variables.
const DRAWS: usize = 1 << 16;

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
            phase: (),
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
            considered: vec![0; variables.len()],
            mark: 1,
            variables,
        }
    }

    /// With rounds of this phase; candidates are related in this phase, too.
    pub fn phase<F>(self, phase: F) -> Priority<F> {
        let Self { variables, settings, weights, cache, in_flight, counts, log, .. } = self;
        let Self { epoch, round, rounds, budget, forming, considered, mark, .. } = self;
        Priority {
            phase,
            variables,
            settings,
            weights,
            cache,
            in_flight,
            counts,
            log,
            epoch,
            round,
            rounds,
            budget,
            forming,
            considered,
            mark,
        }
    }
}

impl<F: Phase> Priority<F> {
    /// Draws a batch of distinct candidates that are neither in flight nor already considered in this round.
    fn draw_batch(&mut self) {
        let stream = self
            .forming
            .stream
            .get_or_insert_with(|| Stream::new(&[self.settings.seed, self.epoch, self.round]));
        self.forming.batch += 1;
        let wanted = self.settings.wanted();
        let count = self.variables.len();
        let mut batch = Vec::with_capacity(wanted.min(count));
        // Heavy variables are drawn again and again: the number of draws, not of candidates, bounds the work. Where many
        // more are wanted than there are, a few draws for each will do.
        for _ in 0..wanted.saturating_mul(4).min(count.saturating_mul(4).max(DRAWS)) {
            if self.forming.considered.len() == count {
                break;
            }
            let Some(drawn) = self.weights.draw(stream) else { break };
            let drawn = drawn as u32;
            let marked = &mut self.considered[drawn as usize];
            if !self.in_flight.holds(drawn) && *marked != self.mark {
                *marked = self.mark;
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
            let full = self.forming.taken.len() >= self.settings.most()
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
    fn proceed(&mut self) -> Next<F> {
        loop {
            let unknown = self.unknown();
            if !unknown.is_empty() {
                self.forming.asked.clone_from(&unknown);
                return Next::Relate(self.variables.candidates(self.phase.clone(), unknown));
            }
            self.select();
            let room = self.forming.taken.len() < self.settings.most() && self.forming.cost < self.budget;
            if !room || self.forming.batch >= self.settings.batches {
                return Next::Round(self.hand_out());
            }
            self.draw_batch();
            // Nobody is left who was not considered.
            if self.forming.waiting.is_empty() {
                return Next::Round(self.hand_out());
            }
        }
    }

    fn hand_out(&mut self) -> Round<F> {
        let Forming { taken, considered, rejected, .. } = std::mem::take(&mut self.forming);
        self.mark += 1;
        self.in_flight.hand_out(&taken);
        let round = self.variables.round(self.phase.clone(), &taken);
        if self.settings.explain {
            let (epoch, round) = (self.epoch, self.round);
            self.log.push(RoundLog { epoch, round, candidates: considered, rejected, survivors: taken });
        }
        self.round += 1;
        round
    }
}

impl<F: Phase> Schedule<F> for Priority<F> {
    fn identity(&self) -> String {
        let PrioritySettings { parallelism, candidates, rho, base, batches, rounds, seed, explain: _ } =
            self.settings;
        format!(
            "priority, parallelism {parallelism}, candidates {candidates}, rho {rho:?}, base {base}, batches {batches}, \
             rounds {rounds:?}, seed {seed}, {}",
            self.variables.identity()
        )
    }

    fn variables(&self) -> Option<&Variables> {
        Some(&self.variables)
    }

    fn check(&self, shards: usize, _: usize) -> Result<(), String> {
        super::check_parallelism(self.settings.parallelism)?;
        let PrioritySettings { base, rho, .. } = self.settings;
        if !(base.is_finite() && base >= 0.0) {
            return Err(format!("a base weight of {base} makes no sense: give 0 or more"));
        }
        if rho.is_some_and(f32::is_nan) {
            return Err("a limit of NaN on dependencies makes no sense: give a number, or none".into());
        }
        self.variables.check(shards)
    }

    fn asks(&self) -> Vec<Verb> {
        let relate = self.settings.rho.map(|_| Verb::Relate);
        std::iter::once(Verb::Update).chain(relate).collect()
    }

    fn begin_epoch(&mut self, outlook: &Outlook) -> Plan<F> {
        for &(variable, weight) in &outlook.weights {
            self.weights.set(variable as usize, weight);
        }
        let count = self.variables.len();
        let sweep = count.div_ceil(self.settings.most());
        (self.epoch, self.round, self.rounds) =
            (outlook.epoch, 0, self.settings.rounds.unwrap_or(sweep) as u64);
        let mean = self.variables.total_cost().div_ceil(count.max(1) as u64);
        self.budget = mean.saturating_mul(self.settings.parallelism as u64);
        self.forming = Forming::default();
        self.mark += 1;
        Plan::Stepwise
    }

    fn next_round(&mut self) -> Next<F> {
        if self.round >= self.rounds || self.variables.is_empty() {
            return Next::EndOfEpoch;
        }
        self.draw_batch();
        self.proceed()
    }

    fn decide(&mut self, dependencies: &Dependencies) -> Next<F> {
        let asked = std::mem::take(&mut self.forming.asked);
        self.cache.extend(&asked, dependencies);
        self.proceed()
    }

    fn learn(&mut self, round: &Round<F>, moved: &[(u32, f64)]) {
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
        let (parallelism, candidates): (usize, usize) = (from.read()?, from.read()?);
        // Both only ever shrink.
        if !(1..=self.settings.parallelism).contains(&parallelism)
            || !(1..=self.settings.candidates).contains(&candidates)
        {
            return Err(StateError::new("the parallelism of this run"));
        }
        (self.settings.parallelism, self.settings.candidates) = (parallelism, candidates);
        let weights: Vec<f64> = from.read()?;
        let fit = weights.len() == self.variables.len() && weights.iter().all(|weight| *weight >= 0.0);
        if !fit {
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
