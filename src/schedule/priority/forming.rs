//! [`Forming`]: the round being formed, batch by batch.

use super::Priority;
use crate::base::random::Stream;
use crate::program::Phase;
use crate::schedule::{Next, Rejection, Round, RoundLog};

/// Draws for a batch at least, where there are few variables.
const DRAWS: usize = 1 << 16;

/// The round being formed.
#[derive(Debug, Default)]
pub(super) struct Forming {
    stream: Option<Stream>,
    batch: u32,
    cost: u64,
    /// The candidates of this batch not yet decided, most important first.
    waiting: Vec<u32>,
    /// Variables of the last request to relate, in its order.
    pub(super) asked: Vec<u32>,
    taken: Vec<u32>,
    considered: Vec<u32>,
    rejected: Vec<Rejection>,
}

impl<F: Phase> Priority<F> {
    /// Draws a batch of distinct candidates that are neither in flight nor already considered in this round.
    pub(super) fn draw_batch(&mut self) {
        let stream = self
            .forming
            .stream
            .get_or_insert_with(|| Stream::new(&[self.settings.seed, self.epoch, self.round]));
        self.forming.batch += 1;
        let batch_size = self.settings.batch_size();
        let count = self.variables.len();
        let mut batch = Vec::with_capacity(batch_size.min(count));
        // Heavy variables are drawn again and again: the number of draws, not of candidates, bounds the work.
        // Where many more candidates are asked for than there are variables, a few draws for each will do.
        for _ in 0..batch_size.saturating_mul(4).min(count.saturating_mul(4).max(DRAWS)) {
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
                if batch.len() == batch_size {
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

    /// `true` if the variable moves at all, so that others may depend on it.
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

    /// Keeps, in order of weight, the candidates that depend on nothing taken or in flight.
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
    pub(super) fn proceed(&mut self) -> Next<F> {
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
            // All variables have been considered.
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
