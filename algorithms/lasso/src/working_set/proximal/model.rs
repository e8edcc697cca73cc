//! [`QuadraticModel`]: the second-order model of the loss, a weighted Gram over the members that matter.

use raddle::state::StateError;

use crate::data::design::{Column, View};
use crate::loss::linear_predictor::Scores;
use crate::loss::rows::Rows;
use raddle_kernels::algebra::{RowPiece, dot, gram, gram_by_rows, sparse_dot};

use super::super::alternate::{Limit, alternate};
use super::super::factor::{Factor, FactorCheckpoint};
use super::super::inner::Plain;
use super::super::local::{Local, LocalProblem};
use super::super::places::{NOWHERE, places};
use super::super::with_terms::with_terms;
use super::classes::ByClass;
use super::measured::{explained, measured};
use super::solve_state::SolveState;
use crate::penalties::Terms;

/// Weights are raised to at least this times s: a row far on the wrong side has hardly any curvature, yet the
/// model's own gap divides by it. Too much curvature makes steps shorter, but never wrong.
const LEAST_CURVATURE: f64 = 1e-3;

/// The model is rebuilt when it holds this many times the members it needs.
const SLACK: usize = 2;

/// Largest number of epochs on one quadratic problem.
const EPOCHS: u64 = 300;

/// X'W X over some members, their columns centred by weight if there is an intercept, plus R on the diagonal.
///
/// Eliminating the intercept from the model leaves the Schur complement X'W X - (X'w)(X'w)' / sum w, which is
/// the Gram of the columns less their weighted means.
#[derive(Clone, Debug, Default)]
pub(crate) struct QuadraticModel {
    /// Slot by place; the next field has the place by slot.
    slots: Vec<u32>,
    places: Vec<u32>,
    /// Square roots of the weights.
    roots: Vec<f64>,
    weights: Vec<f64>,
    total: f64,
    ridge: f64,
    /// Weighted means of the columns as stored, by place; zeros without an intercept.
    means: Vec<f64>,
    /// With free columns: the free columns and the intercept, orthonormal in the weights, times the roots.
    under: Vec<Vec<f64>>,
    /// Coordinates of each member along `under`, by place.
    shared: Vec<Vec<f64>>,
    /// Dense columns times the roots, less their means.
    dense: Vec<Vec<f64>>,
    /// Sparse columns times the roots.
    sparse: Option<RowPiece>,
    /// Columns and factor by class, if each row has a score for every class.
    classes: Option<ByClass>,
    local: Local,
    factor: Factor,
}

raddle::state!(QuadraticModel {
    slots,
    places,
    roots,
    weights,
    total,
    ridge,
    means,
    under,
    shared,
    dense,
    sparse,
    classes,
    local,
    factor,
});

/// Checkpoint of a model: the members, the weights, and the factor's checkpoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct ModelCheckpoint {
    slots: Vec<u32>,
    weights: Vec<f64>,
    ridge: f64,
    factor: FactorCheckpoint,
}

raddle::state!(ModelCheckpoint { slots, weights, ridge, factor });

/// A direction: the change of each member's coefficient, and of all scores.
pub(crate) struct Direction {
    /// (slot, coefficient at the end, change).
    pub(crate) changes: Vec<(usize, f64, f64)>,
    pub(crate) scores: Vec<f64>,
    pub(crate) intercept: f64,
}

impl QuadraticModel {
    /// `true` if the model is empty, or belongs to another R.
    pub(crate) fn is_unusable(&self, ridge: f64) -> bool {
        self.slots.is_empty() || self.ridge != ridge
    }

    /// Sets the weights to those at `scores`; no member is left.
    pub(crate) fn renew(&mut self, scores: &Scores, ridge: f64, rows: &Rows) {
        let weight = |(&w, &r): (&f64, &f64)| w.max(LEAST_CURVATURE * r.abs()).max(f64::MIN_POSITIVE);
        self.weights.clear();
        self.weights.extend(scores.weights.iter().zip(&scores.residual).map(weight));
        self.begin(ridge, rows);
    }

    /// Removes all members and keeps the weights.
    fn begin(&mut self, ridge: f64, rows: &Rows) {
        self.roots.clear();
        self.roots.extend(self.weights.iter().map(|weight| weight.sqrt()));
        self.total = self.weights.iter().sum();
        self.ridge = ridge;
        let free = rows.free.as_ref().filter(|_| rows.classes == 0);
        self.under = free.map_or_else(Vec::new, |free| free.under(&self.roots, rows));
        self.shared.clear();
        self.places.clear();
        self.slots.clear();
        self.means.clear();
        self.dense.clear();
        self.sparse = None;
        // A model stored without members has no weights either.
        let has_classes = rows.classes > 0 && !self.weights.is_empty();
        self.classes = has_classes.then(|| ByClass::new(&self.weights, rows));
        self.local.gram.clear();
        self.factor.clear();
    }

    /// Checkpoint of the model.
    pub(crate) fn checkpoint(&self) -> ModelCheckpoint {
        if self.slots.is_empty() {
            return ModelCheckpoint { ridge: self.ridge, ..ModelCheckpoint::default() };
        }
        let (slots, weights) = (self.slots.clone(), self.weights.clone());
        ModelCheckpoint { slots, weights, ridge: self.ridge, factor: self.factor.checkpoint() }
    }

    /// Rebuilds the model from a checkpoint, for the same columns.
    pub(crate) fn rebuilt(
        checkpoint: ModelCheckpoint,
        columns: &[Column],
        terms: &Terms,
        rows: &Rows,
    ) -> Result<Self, StateError> {
        let ModelCheckpoint { slots, weights, ridge, factor } = checkpoint;
        let is_weight = |weight: &f64| *weight > 0.0 && weight.is_finite();
        let fits = places(&slots, columns.len()).is_some()
            && weights.len() == if slots.is_empty() { 0 } else { rows.scores() }
            && weights.iter().all(is_weight);
        if !fits {
            return Err(StateError::new("a model of the loss"));
        }
        let mut model = Self { weights, ..Self::default() };
        model.begin(ridge, rows);
        model.cover(&slots, columns, terms, rows);
        model.factor = Factor::rebuilt(factor, &model.local.gram)?;
        Ok(model)
    }

    /// Makes the model contain the members `needed`; returns false if it should rather be renewed.
    pub(crate) fn cover(&mut self, needed: &[u32], columns: &[Column], terms: &Terms, rows: &Rows) -> bool {
        self.places.resize(columns.len(), NOWHERE);
        let missing: Vec<u32> =
            needed.iter().copied().filter(|&slot| self.places[slot as usize] == NOWHERE).collect();
        if !self.slots.is_empty() && self.slots.len() + missing.len() > SLACK * needed.len() {
            return false;
        }
        if missing.is_empty() {
            return true;
        }
        let first = self.slots.len();
        if let Some(classes) = &mut self.classes {
            for &slot in &missing {
                self.places[slot as usize] = self.slots.len() as u32;
                self.slots.push(slot);
                self.means.push(0.0);
            }
            self.local.gram.grow(self.slots.len());
            let stride = self.local.gram.stride;
            let views: Vec<View<'_>> = missing.iter().map(|&slot| columns[slot as usize].view()).collect();
            classes.append(&views, first, &mut self.local.gram.values[first * stride..], stride);
            self.finish(first, terms);
            return true;
        }
        // With free columns, the intercept is projected out with them.
        let intercept = rows.intercept && self.under.is_empty();
        let mut stored: Vec<(&[u32], Vec<f64>)> = Vec::new();
        for &slot in &missing {
            self.places[slot as usize] = self.slots.len() as u32;
            self.slots.push(slot);
            stored.extend(self.admit(columns[slot as usize].view(), intercept));
        }
        let gram_of = &mut self.local.gram;
        gram_of.grow(self.slots.len());
        let stride = gram_of.stride;
        let out = &mut gram_of.values[first * stride..];
        if stored.is_empty() {
            let all: Vec<&[f64]> = self.dense.iter().map(|column| &column[..]).collect();
            gram(&all[first..], &all, first, out, stride);
        } else {
            let stored: Vec<(&[u32], &[f64])> =
                stored.iter().map(|(rows, values)| (*rows, &values[..])).collect();
            let rows = self.roots.len() as u32;
            let piece = self.sparse.get_or_insert_with(|| RowPiece::new(0..rows));
            piece.append(&stored);
            gram_by_rows(piece, first, out, stride);
            for (i, row) in (first..self.slots.len()).zip(out.chunks_exact_mut(stride)) {
                let mean = self.total * self.means[i];
                if mean != 0.0 {
                    row[..=i].iter_mut().zip(&self.means).for_each(|(value, other)| *value -= mean * other);
                }
            }
        }
        if !self.under.is_empty() {
            for (i, row) in (first..self.slots.len()).zip(out.chunks_exact_mut(stride)) {
                let own = &self.shared[i];
                row[..=i].iter_mut().zip(&self.shared).for_each(|(value, other)| *value -= dot(own, other));
            }
        }
        self.finish(first, terms);
        true
    }

    /// Scales one more member by the roots of the weights; a sparse column is returned.
    fn admit<'a>(&mut self, view: View<'a>, intercept: bool) -> Option<(&'a [u32], Vec<f64>)> {
        let values = view.values;
        match view.indices {
            None => {
                let mean = if intercept { dot(values, &self.weights) / self.total } else { 0.0 };
                let scaled = values.iter().zip(&self.roots).map(|(value, root)| root * (value - mean));
                let scaled: Vec<f64> = scaled.collect();
                self.shared.push(self.under.iter().map(|q| dot(q, &scaled)).collect());
                self.dense.push(scaled);
                self.means.push(mean);
                None
            }
            Some(indices) => {
                let mean = sparse_dot(indices, values, &self.weights) / self.total;
                self.means.push(if intercept { mean } else { 0.0 });
                let roots = indices.iter().map(|&row| self.roots[row as usize]);
                let scaled: Vec<f64> = roots.zip(values).map(|(root, value)| root * value).collect();
                self.shared.push(self.under.iter().map(|q| sparse_dot(indices, &scaled, q)).collect());
                Some((indices, scaled))
            }
        }
    }

    /// Adds the ridge of the members from `first` on, and fills the other triangle.
    fn finish(&mut self, first: usize, terms: &Terms) {
        let gram = &mut self.local.gram;
        for (i, &slot) in self.slots.iter().enumerate().skip(first) {
            gram.row_mut(i)[i] += self.ridge * terms.ridge(slot as usize);
        }
        gram.mirror(first);
    }

    /// Minimises the model to a gap of `target`, from the coefficients `b` of all members.
    pub(crate) fn minimise(
        &mut self,
        b: &[f64],
        at: &SolveState,
        penalty: f64,
        target: f64,
        columns: &[Column],
        terms: &Terms,
    ) -> Direction {
        let SolveState { scores, g, .. } = at;
        let local = &mut self.local;
        let by_place =
            |values: &[f64]| self.slots.iter().map(|&slot| values[slot as usize]).collect::<Vec<_>>();
        let (before, slope) = (by_place(b), by_place(g));
        (local.b, local.g) = (before.clone(), slope.clone());
        // q = g + G b, from which block pivoting computes its gain.
        local.q = slope.clone();
        let rows: Vec<(f64, &[f64])> = before
            .iter()
            .enumerate()
            .filter(|(_, value)| **value != 0.0)
            .map(|(i, &value)| (value, local.gram.row(i)))
            .collect();
        raddle_kernels::algebra::add_scaled_columns(&mut local.q, &rows);
        let squares = scores.residual.iter().zip(&self.weights).map(|(r, w)| r * r / w).sum::<f64>();
        // With a ridge the members count as rows, too: any number of columns is independent.
        let rows = scores.values.len() + if self.ridge > 0.0 { self.slots.len() } else { 0 };
        let problem = LocalProblem { penalty, yy: 0.0, rows };
        let limit = Limit { gap: target, epochs: EPOCHS };
        if terms.has_groups() || terms.is_bounded() {
            let terms = terms.select(self.slots.iter().map(|&slot| slot as usize));
            let squares = |local: &Local| squares - explained(local, &before, &slope);
            with_terms(local, &terms, penalty, limit, squares);
            return self.direction(&before, columns);
        }
        let measure = |local: &Local| measured(local, &before, &slope, squares, penalty);
        alternate(local, &mut Plain { problem, factor: &mut self.factor }, limit, measure);
        self.direction(&before, columns)
    }

    fn direction(&self, before: &[f64], columns: &[Column]) -> Direction {
        let mut scores = vec![0.0; self.roots.len()];
        let (mut changes, mut intercept, mut shift) = (Vec::new(), 0.0, 0.0);
        for (place, (&before, &after)) in before.iter().zip(&self.local.b).enumerate() {
            let (slot, change) = (self.slots[place] as usize, after - before);
            if change == 0.0 {
                continue;
            }
            changes.push((slot, after, change));
            let view = columns[slot].view();
            let centred = view.add_scaled_to(change, &mut scores);
            // The intercept changes by -(the mean of the column as it is fitted) * change.
            intercept -= match self.means[place] {
                0.0 => 0.0,
                mean => change * mean - centred,
            };
            shift += if self.means[place] == 0.0 { centred } else { change * self.means[place] };
        }
        if shift != 0.0 {
            scores.iter_mut().for_each(|value| *value -= shift);
        }
        if let Some(classes) = &self.classes {
            classes.take_back(&mut scores);
        }
        if !self.under.is_empty() {
            // The projection on free columns and the intercept is subtracted.
            let mut rooted: Vec<f64> =
                scores.iter().zip(&self.roots).map(|(score, root)| score * root).collect();
            for q in &self.under {
                let share = dot(q, &rooted);
                raddle_kernels::algebra::add_scaled(&mut rooted, -share, q);
            }
            scores = rooted.iter().zip(&self.roots).map(|(value, root)| value / root).collect();
        }
        Direction { changes, scores, intercept }
    }
}
