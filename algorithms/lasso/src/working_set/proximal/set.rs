//! [`ProximalSet`]: members, coefficients and scores, solved in place.

use raddle::state::StateError;

use crate::data::design::{Column, add_columns};
use crate::loss::classes::Directions;
use crate::loss::linear_predictor::{Response, Scores};
use crate::loss::rows::Rows;
use crate::penalties::{ActiveBounds, Terms, charge};

use super::model::{Direction, ModelCheckpoint, QuadraticModel};
use super::solve_state::SolveState;

/// Largest number of steps in one solve.
const STEPS: usize = 100;

/// The model is kept while a step makes the gap at least this many times smaller.
const KEEPS: f64 = 5.0;

/// A quadratic problem is solved to this share of the gap, which is more exact than the model is.
const SHARE: f64 = 0.01;

/// Members with |g| at least this multiple of L take part in a step, besides the support.
const NEAR: f64 = 0.98;

/// Sufficient decrease: a step must gain this share of the slope's prediction.
const DECREASE: f64 = 1e-4;

/// Largest number of halvings of a step.
const HALVINGS: usize = 40;

/// Members, coefficients, scores.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProximalSet {
    members: Vec<u32>,
    b: Vec<f64>,
    /// Penalties of the members.
    terms: Terms,
    model: QuadraticModel,
    /// `true` if the last step fell short of the model's prediction.
    stale: bool,
}

raddle::state!(ProximalSet { members, b, terms, model, stale });

/// Checkpoint of a set, without its members.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProximalCheckpoint {
    model: ModelCheckpoint,
    stale: bool,
}

raddle::state!(ProximalCheckpoint { model, stale });

/// Target of a solve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// L, the weight of the l1 norm.
    pub(crate) penalty: f64,
    /// R, the weight of half the squared norm.
    pub(crate) ridge: f64,
    /// The gap over the members (absolute, on the scale of F).
    pub(crate) gap: f64,
}

/// The data of a solve: the members' columns and the response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolveData<'a> {
    pub(crate) columns: &'a [Column],
    pub(crate) response: Response<'a>,
    pub(crate) target: Target,
}

impl ProximalSet {
    pub(crate) fn members(&self) -> &[u32] {
        &self.members
    }

    pub(crate) fn coefficients(&self) -> &[f64] {
        &self.b
    }

    pub(crate) fn terms(&self) -> &Terms {
        &self.terms
    }

    pub(crate) fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    /// Appends members: column, and the coefficient to start from. Returns the first new slot.
    pub(crate) fn enter(&mut self, members: impl IntoIterator<Item = (u32, f64)>) -> usize {
        let first = self.members.len();
        for (member, b) in members {
            self.members.push(member);
            self.b.push(b);
        }
        first
    }

    /// Returns the checkpoint, without the members.
    pub(crate) fn checkpoint(&self) -> ProximalCheckpoint {
        ProximalCheckpoint { model: self.model.checkpoint(), stale: self.stale }
    }

    /// Restores a checkpoint, once the members have entered again in the same order.
    ///
    /// # Errors
    /// If the checkpoint belongs to other members.
    pub(crate) fn restore(
        &mut self,
        checkpoint: ProximalCheckpoint,
        columns: &[Column],
        rows: &Rows,
    ) -> Result<(), StateError> {
        self.model = QuadraticModel::rebuilt(checkpoint.model, columns, &self.terms, rows)?;
        self.stale = checkpoint.stale;
        Ok(())
    }

    /// Minimises F over the members until the gap over them is at most the target, nothing improves, or the
    /// steps are used up.
    ///
    /// `at` is the state at the coefficients; no column other than the members may have one. Returns the
    /// scores and the intercept, both recomputed from the coefficients, and the coefficients of free columns
    /// along their basis.
    pub(crate) fn solve(&mut self, given: SolveData<'_>, mut at: SolveState) -> (Scores, f64, Vec<f64>) {
        let SolveData { columns, response, target } = given;
        let mut last = f64::INFINITY;
        for _ in 0..STEPS {
            raddle::cancellation_point(((1 + columns.len()) * at.scores.values.len()) as u64);
            let gap = self.gap(response, &at, target);
            if gap.is_nan() || gap <= target.gap {
                break;
            }
            self.stale |= gap * KEEPS > last;
            let Some(length) = self.step(given, &mut at, gap) else { break };
            // If a full step failed, the model does not hold any further.
            (self.stale, last) = (length < 1.0, gap);
            self.gradient(columns, &mut at, target.ridge);
        }
        let mut fresh = response.rows.start();
        let moved = columns.iter().zip(&self.b).filter(|&(_, value)| *value != 0.0);
        let shift = add_columns(moved.map(|(column, &value)| (value, column.view())), &mut fresh);
        let mut intercept = at.intercept;
        fresh.iter_mut().for_each(|value| *value += intercept - shift);
        let mut free = at.free;
        if response.rows.classes > 0 {
            Directions::new(response.rows).add(&free, &mut fresh);
        } else if let Some(columns) = &response.rows.free {
            columns.add(&free, &mut fresh);
        }
        let mut fresh = Scores::new(response, fresh);
        let (settled, parts) = fresh.settle_all(response);
        intercept += settled;
        free.iter_mut().zip(parts).for_each(|(total, part)| *total += part);
        (fresh, intercept, free)
    }

    /// Takes one proximal Newton step; returns its length, or `None` if nothing improves.
    fn step(&mut self, given: SolveData<'_>, at: &mut SolveState, gap: f64) -> Option<f64> {
        let SolveData { columns, response, target } = given;
        let seen = self.seen(&at.g);
        let is_chosen = self.seen(&self.b);
        let needed: Vec<u32> = (0..self.b.len())
            .filter(|&i| self.b[i] != 0.0 || is_chosen[i] != 0.0 || seen[i].abs() >= NEAR * target.penalty)
            .map(|i| i as u32)
            .collect();
        let mut renew = self.stale || self.model.is_unusable(target.ridge);
        loop {
            if renew {
                self.model.renew(&at.scores, target.ridge, response.rows);
            }
            if !self.model.cover(&needed, columns, &self.terms, response.rows) {
                renew = true;
                continue;
            }
            let target_gap = SHARE * gap;
            let direction =
                self.model.minimise(&self.b, at, target.penalty, target_gap, columns, &self.terms);
            if let Some(length) = self.search(response, at, &direction, target) {
                let (settled, _) = at.scores.settle_all(response);
                // With free columns or classes the intercepts move with them: they are computed at the end of
                // the solve.
                if response.rows.free.is_none() && response.rows.classes == 0 {
                    at.intercept += length * direction.intercept;
                    at.intercept += settled;
                }
                return Some(length);
            }
            if renew {
                return None;
            }
            renew = true;
        }
    }

    /// Searches along a direction for the largest step with a sufficient decrease of F; returns its length,
    /// or `None`.
    fn search(
        &mut self,
        response: Response<'_>,
        at: &mut SolveState,
        direction: &Direction,
        target: Target,
    ) -> Option<f64> {
        let Target { penalty, ridge, .. } = target;
        let SolveState { scores, g, .. } = at;
        // F without its constant part.
        let terms = &self.terms;
        let regular = |i: usize, b: f64| penalty * b.abs() + 0.5 * ridge * terms.ridge(i) * b * b;
        let start = scores.sums.loss;
        let slope: f64 = direction
            .changes
            .iter()
            .map(|&(i, after, change)| penalty * (after.abs() - self.b[i].abs()) - g[i] * change)
            .sum();
        let slope = match terms.has_groups() {
            true => {
                let along: f64 = direction.changes.iter().map(|&(i, _, change)| g[i] * change).sum();
                penalty * self.longer(direction, 1.0) - along
            }
            false => slope,
        };
        // Differences below rounding cannot be seen.
        let noise = 4.0 * f64::EPSILON * start;
        if slope.is_nan() || slope >= 0.0 {
            return None;
        }
        let mut length = 1.0;
        let mut trial = Scores { values: scores.values.clone(), ..Scores::default() };
        let scored = response.rows.scores();
        (trial.residual, trial.weights) = (vec![0.0; scored], vec![0.0; scored]);
        for _ in 0..HALVINGS {
            let moved = scores.values.iter().zip(&direction.scores);
            trial.values.iter_mut().zip(moved).for_each(|(to, (from, by))| *to = from + length * by);
            trial.evaluate(response);
            let at = |(i, after, change): (usize, f64, f64)| end(self.b[i], after, change, length);
            let rise = |&c: &(usize, f64, f64)| regular(c.0, at(c)) - regular(c.0, self.b[c.0]);
            let regular = match terms.has_groups() {
                true => {
                    let ridged = |&c: &(usize, f64, f64)| {
                        let (end, start) = (at(c), self.b[c.0]);
                        0.5 * ridge * terms.ridge(c.0) * (end * end - start * start)
                    };
                    let ridged: f64 = direction.changes.iter().map(ridged).sum();
                    penalty * self.longer(direction, length) + ridged
                }
                false => direction.changes.iter().map(rise).sum(),
            };
            if trial.sums.loss - start + regular <= DECREASE * length * slope + noise {
                let ends: Vec<(usize, f64)> = direction.changes.iter().map(|&c| (c.0, at(c))).collect();
                ends.into_iter().for_each(|(i, value)| self.b[i] = value);
                *scores = trial;
                return Some(length);
            }
            length *= 0.5;
        }
        None
    }

    /// The gap over the members: primal less dual at min(1, L / max |g|) times the residual; with R, the
    /// coefficients count as further residuals (the rows of the elastic net seen as an augmented problem).
    fn gap(&self, response: Response<'_>, at: &SolveState, target: Target) -> f64 {
        let SolveState { scores, g, .. } = at;
        let (terms, mut active_bounds) = (&self.terms, ActiveBounds::new());
        let slopes = self.b.iter().zip(g).enumerate();
        let mut largest =
            slopes.map(|(i, (b, g))| terms.limiting(i, *b, *g, &mut active_bounds)).fold(0.0, f64::max);
        if terms.has_groups() {
            largest = terms.norms(0, g).0.into_iter().fold(0.0, f64::max);
        }
        let scale = if largest > target.penalty { target.penalty / largest } else { 1.0 };
        let l1: f64 = match terms.has_groups() {
            true => terms.norms(0, &self.b).1,
            false => self.b.iter().map(|value| value.abs()).sum(),
        };
        let squares: f64 = self.b.iter().enumerate().map(|(i, value)| terms.ridge(i) * value * value).sum();
        let primal = scores.sums.loss + target.penalty * l1 + 0.5 * target.ridge * squares;
        let charged = charge(&active_bounds, scale, target.penalty);
        primal - (scores.dual(response, scale) - 0.5 * scale * scale * target.ridge * squares - charged)
    }

    /// Returns the gradients of coefficients that are 0, except those that push against a bound; or the norms
    /// of groups.
    fn seen(&self, values: &[f64]) -> Vec<f64> {
        match self.terms.has_groups() {
            true => self.terms.norms(0, values).0,
            false => values.iter().enumerate().map(|(i, &value)| self.terms.seen(i, value)).collect(),
        }
    }

    /// Returns the growth of the sum of the groups' norms along a direction.
    fn longer(&self, direction: &Direction, length: f64) -> f64 {
        let mut b = self.b.clone();
        direction.changes.iter().for_each(|&(i, after, change)| b[i] = end(self.b[i], after, change, length));
        let ((after, _), (before, _)) = (self.terms.norms(0, &b), self.terms.norms(0, &self.b));
        // Equal to |b| - |a| = (b - a)'(b + a) / (|a| + |b|), which avoids cancellation.
        let share = |&(i, ..): &(usize, f64, f64)| match after[i] + before[i] {
            0.0 => 0.0,
            total => (b[i] - self.b[i]) * (b[i] + self.b[i]) / total,
        };
        direction.changes.iter().map(share).sum()
    }

    /// g = X'r - R b of all members.
    fn gradient(&self, columns: &[Column], at: &mut SolveState, ridge: f64) {
        let SolveState { scores, g, .. } = at;
        let slope = |(i, (column, b)): (usize, (&Column, &f64))| {
            column.view().dot(&scores.residual, scores.sums.residual) - ridge * self.terms.ridge(i) * b
        };
        g.clear();
        g.extend(columns.iter().zip(&self.b).enumerate().map(slope));
    }
}

/// Returns the coefficient at a step from b: exactly `after` at length 1.
fn end(b: f64, after: f64, change: f64, length: f64) -> f64 {
    if length == 1.0 { after } else { b + length * change }
}
