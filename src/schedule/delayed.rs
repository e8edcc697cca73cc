//! [`Delayed`]: one shard a round, committed in the order in which declared links carry the answers.

use std::collections::VecDeque;

use super::{EpochStart, Links, Plan, Round, Schedule};
use crate::base::state::{Reader, StateError, Writer};
use crate::program::Phase;
use crate::program::verbs::Verb;

/// Lag that no round exceeds, unless set.
const LAG: u32 = 32;
/// Rounds of an epoch, relative to those that are in flight at the same time or that a lag spans.
const LONG: u32 = 8;
/// Limit on the rounds of an epoch, all of which are planned at its start.
const MOST: u32 = 1 << 24;

/// Gives rounds to one shard each, whose answers reach the first process one after the other over links of
/// declared speed, the shortest transfer first; a round is committed when its answer has come in virtual time
/// (after MLfabric, arXiv 1907.00434).
///
/// Shards in order are divided evenly among the declared processes. A shard has one round at a time: it
/// computes for its cost, a nanosecond for each unit, then waits for the link. No round is committed more
/// than `lag` rounds late, so that slow shards count, too; [`Engine::staleness`](crate::Engine::staleness)
/// must be at least that. A lag of one less than the shards serves them in turn, first come, first served.
///
/// ```
/// use raddle::schedule::Delayed;
///
/// let links = || "0 100 0\n1 100 0\n2 100 0\n3 10 0".parse().unwrap();
/// let in_turn = Delayed::new(links(), vec![1_000_000; 4]).lag(3).rounds(400);
/// let ordered = Delayed::new(links(), vec![1_000_000; 4]).lag(12).rounds(400);
/// assert_eq!(in_turn.seconds().last(), Some(&13.0)); // 3 x 10 ms and 100 ms for four commits
/// assert!(ordered.seconds()[399] < 7.2); // 12 x 10 ms and 100 ms for thirteen
/// ```
#[derive(Debug, Clone)]
pub struct Delayed<F = ()> {
    phase: F,
    links: Links,
    bytes: Vec<u64>,
    costs: Vec<u64>,
    lag: u32,
    rounds: Option<u32>,
}

/// A round that is committed.
struct Commit {
    number: u32,
    shard: usize,
    lag: u32,
    /// Moment at which its answer has come, in nanoseconds.
    at: u64,
}

/// A round whose answer has not come yet.
struct Flying {
    number: u32,
    shard: usize,
    /// Moment at which the shard has computed.
    ready: u64,
}

impl Delayed {
    /// Makes a schedule of shards whose answers have so many bytes, with a lag of at most 32.
    pub fn new(links: Links, bytes: Vec<u64>) -> Self {
        Self { phase: (), links, costs: vec![0; bytes.len()], bytes, lag: LAG, rounds: None }
    }
}

impl<F> Delayed<F> {
    /// Makes the rounds those of this phase.
    pub fn phase<G>(self, phase: G) -> Delayed<G> {
        let Self { phase: _, links, bytes, costs, lag, rounds } = self;
        Delayed { phase, links, bytes, costs, lag, rounds }
    }

    /// Sets the counted cost of each shard's task; 0 unless set.
    pub fn costs(self, costs: Vec<u64>) -> Self {
        Self { costs, ..self }
    }

    /// Sets the lag that no round exceeds.
    pub fn lag(self, lag: u32) -> Self {
        Self { lag, ..self }
    }

    /// Sets the number of rounds of an epoch; at its end all answers have come. Default: eight times the lag
    /// or the shards.
    pub fn rounds(self, rounds: u32) -> Self {
        Self { rounds: Some(rounds), ..self }
    }

    /// Returns the virtual seconds at which the rounds of an epoch are committed, in order.
    pub fn seconds(&self) -> Vec<f64> {
        self.commits().into_iter().map(|commit| commit.at as f64 / 1e9).collect()
    }

    fn count(&self) -> u32 {
        let span = self.lag.saturating_add(1).max(self.bytes.len() as u32);
        self.rounds.unwrap_or_else(|| span.saturating_mul(LONG))
    }

    /// Returns the commits of an epoch, in order.
    fn commits(&self) -> Vec<Commit> {
        let (rounds, shards) = (self.count(), self.bytes.len());
        let process = |shard: usize| shard * self.links.processes() / shards;
        let takes = |shard: usize| self.links.nanoseconds(process(shard), self.bytes[shard]);
        let at_once = (shards as u32).min(self.lag.saturating_add(1)).min(rounds);
        let mut idle: VecDeque<usize> = (0..shards).collect();
        let mut flying: Vec<Flying> = Vec::new();
        let (mut handed_out, mut now) = (0, 0);
        let mut commits = Vec::new();
        for commit in 0..rounds {
            while handed_out < rounds && flying.len() < at_once as usize {
                let Some(shard) = idle.pop_front() else { break };
                let ready = self.costs.get(shard).map_or(now, |cost| now + cost);
                flying.push(Flying { number: handed_out, shard, ready });
                handed_out += 1;
            }
            // Older rounds come first. None may overtake one that would have the whole lag if all were
            // committed in this order from now on.
            let in_turn =
                |(at, flying): (u32, &Flying)| commit + at + at_once - 1 - flying.number >= self.lag;
            let last = (0..).zip(&flying).position(in_turn).unwrap_or(flying.len().saturating_sub(1));
            let soonest = (0..).zip(&flying[..flying.len().min(last + 1)]);
            let soonest =
                soonest.min_by_key(|(at, flying)| (now.max(flying.ready), takes(flying.shard), *at));
            let Some((at, _)) = soonest else { break };
            let Flying { number, shard, ready } = flying.remove(at);
            now = now.max(ready) + takes(shard);
            commits.push(Commit { number, shard, lag: commit + at_once - 1 - number, at: now });
            idle.push_back(shard);
        }
        commits
    }
}

impl<F: Phase> Schedule<F> for Delayed<F> {
    fn identity(&self) -> String {
        let Self { phase, links, bytes, costs, lag, .. } = self;
        format!(
            "delayed, phase {phase:?}, lag {lag}, {} rounds, {links:?}, bytes {bytes:?}, costs {costs:?}",
            self.count()
        )
    }

    fn requires(&self) -> Vec<Verb> {
        vec![Verb::Update]
    }

    fn check(&self, shards: usize, _: usize) -> Result<(), String> {
        super::check_count("shards", self.bytes.len() as u32, shards)?;
        super::check_count("costs of shards", self.costs.len() as u32, shards)?;
        match self.count() {
            0 => Err("an epoch of 0 rounds makes no sense: give 1 or more".into()),
            MOST.. => {
                Err(format!("the lag {} makes epochs too long: set their rounds, below {MOST}", self.lag))
            }
            _ => Ok(()),
        }
    }

    fn begin_epoch(&mut self, _: &EpochStart) -> Plan<F> {
        let mut commits = self.commits();
        commits.sort_unstable_by_key(|commit| commit.number);
        let round = |commit: Commit| Round {
            lag: Some(commit.lag),
            ..Round::to_shards(self.phase.clone(), [commit.shard as u32])
        };
        Plan::Known(commits.into_iter().map(round).collect())
    }

    fn save(&self, _: &mut Writer) {}

    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}
