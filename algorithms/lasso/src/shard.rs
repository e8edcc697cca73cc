//! [`ColumnShard`]: a range of columns with their coefficients, and this shard's part of the working set.

use std::ops::Range;
use std::sync::Arc;

use raddle::Task;
use raddle::state::{Reader, StateError, Writer};

use crate::design::{Column, Design, View};
use crate::kernels::{self, OUTSIDE};
use crate::program::LassoProgram;
use crate::solver::worst_first;
use crate::working_part::WorkingPart;
use crate::working_set::LazyBounds;

/// Columns looked at before the bar is raised above those that will not be named.
const STRETCH: usize = 256;

/// The columns `first..first + coefficients.len()` with their coefficients.
#[derive(Debug, Clone)]
pub struct ColumnShard {
    /// Within a process all shards point to the one matrix; a shard that has travelled owns its columns.
    design: Arc<Design>,
    /// Where the first column stands in `design`.
    offset: usize,
    pub(crate) first: u32,
    pub(crate) coefficients: Vec<f64>,
    /// Squared norms of the columns; empty until a certificate needs them, for weights or for bounds.
    norms: Vec<f64>,
    /// x_j'r at the last certificate.
    gradient: Vec<f64>,
    /// Bounds on x_j'r from earlier residuals, where the certificate is lazy. They only save work: without them every
    /// product is computed, with the same result.
    bounds: Option<LazyBounds>,
    /// The slot of each column in the working set.
    slots: Vec<u32>,
    pub(crate) part: WorkingPart,
}

/// What a shard says of itself at a boundary.
#[derive(Debug, Clone, Default)]
pub struct Share {
    /// The largest |x_j'r| of the columns without a coefficient.
    pub(crate) largest: f64,
    /// (column, x_j'r) of columns outside the working set that may enter it: the largest, in no order.
    pub(crate) violators: Vec<(u32, f64)>,
    /// Whether these are instead all columns outside it whose coefficient is not zero: they go first.
    pub(crate) strays: bool,
    /// (slot, x_j'r) of the working set's members here.
    pub(crate) members: Vec<(u32, f64)>,
    /// (column, coefficient) where it is not zero.
    pub(crate) nonzeros: Vec<(u32, f64)>,
    /// x_j'r of those.
    pub(crate) slopes: Vec<f64>,
    /// (column, importance) of all columns, where a schedule wants it.
    pub(crate) weights: Vec<(u32, f64)>,
}

raddle::state!(Share { largest, violators, strays, members, nonzeros, slopes, weights });

/// What a certificate needs to know of the boundary.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) residual: &'a [f64],
    pub(crate) sum: f64,
    /// The weight of |b|_1, scaled by n; NaN while lambda is not known.
    pub(crate) penalty: f64,
    /// The weight of |b|^2 / 2, likewise.
    pub(crate) ridge: f64,
    /// The largest curvature of the loss.
    pub(crate) curvature: f64,
    /// Columns with |x_j'r| above this may enter the working set; NaN if none may.
    pub(crate) floor: f64,
    /// At the first boundary of a cold fit, when lambda is not known: what the floor can be told from.
    pub(crate) first: Option<&'a LassoProgram>,
    /// How many violators to name at most.
    pub(crate) cap: usize,
    pub(crate) weights: bool,
    /// Whether columns that provably stay below the floor need no product.
    pub(crate) lazy: bool,
}

/// One coordinate update: b_j becomes b_j + delta.
#[derive(Debug, Clone)]
pub struct Move {
    pub(crate) variable: u32,
    pub(crate) delta: f64,
    /// How far the fit moves: |delta| times the norm of the column.
    pub(crate) distance: f64,
    pub(crate) column: Column,
}

raddle::state!(Move { variable, delta, distance, column });

/// A column that enters the working set.
#[derive(Debug, Clone)]
pub struct Entrant {
    pub(crate) variable: u32,
    pub(crate) coefficient: f64,
    /// x_j'y.
    pub(crate) response: f64,
    /// x_j'r at the last certificate.
    pub(crate) gradient: f64,
    pub(crate) column: Column,
}

raddle::state!(Entrant { variable, coefficient, response, gradient, column });

impl ColumnShard {
    pub(crate) fn new(design: &Arc<Design>, range: Range<usize>, part: WorkingPart) -> Self {
        Self {
            design: Arc::clone(design),
            offset: range.start,
            first: range.start as u32,
            coefficients: vec![0.0; range.len()],
            norms: Vec::new(),
            gradient: vec![0.0; range.len()],
            bounds: None,
            slots: vec![OUTSIDE; range.len()],
            part,
        }
    }

    fn view(&self, at: usize) -> View<'_> {
        self.design.view(self.offset + at)
    }

    fn column(&self, at: usize) -> Column {
        Column::new(&self.design, self.offset + at)
    }

    /// Where a variable stands in this shard, if it does.
    pub(crate) fn position(&self, variable: u32) -> Option<usize> {
        let at = variable.checked_sub(self.first)? as usize;
        (at < self.coefficients.len()).then_some(at)
    }

    /// Coordinate minimisers of the task's variables, all from the same residual: exact for the squared loss (Friedman
    /// et al., "Pathwise coordinate optimization", 2007, eq. 9; with a ridge, Friedman, Hastie and Tibshirani,
    /// "Regularization paths for generalized linear models via coordinate descent", 2010, eq. 5; here for columns of
    /// any norm), of the quadratic that touches the loss from above for the logistic one.
    pub(crate) fn moves(&mut self, task: &Task, asked: &Asked<'_>) -> Vec<Move> {
        let mut moves = Vec::with_capacity(task.variables.len());
        for &variable in &task.variables {
            let Some(at) = self.position(variable) else { continue };
            let (before, norm) = (self.coefficients[at], self.norms[at]);
            if norm <= 0.0 {
                continue;
            }
            let after = asked.minimiser(self.view(at).dot(asked.residual, asked.sum), before, norm);
            let delta = after - before;
            if delta != 0.0 {
                self.coefficients[at] = after;
            }
            moves.push(Move {
                variable,
                delta,
                distance: delta.abs() * norm.sqrt(),
                column: self.column(at),
            });
        }
        moves
    }

    /// The columns that the task names, to be related to others or to enter the working set.
    pub(crate) fn entrants(&self, task: &Task, y: &[f64]) -> Vec<Entrant> {
        let named = task.variables.iter().filter_map(|&variable| Some((variable, self.position(variable)?)));
        let sum = y.iter().sum();
        let mut entrants = Vec::with_capacity(task.variables.len());
        let entrant = |(variable, at): (u32, usize)| Entrant {
            variable,
            coefficient: self.coefficients[at],
            response: if y.is_empty() { 0.0 } else { self.view(at).dot(y, sum) },
            gradient: self.gradient[at],
            column: self.column(at),
        };
        entrants.extend(named.map(entrant));
        entrants
    }

    /// The certificate pass: x_j'r of every column here, and what follows from it.
    pub(crate) fn share(&mut self, asked: &Asked<'_>) -> Share {
        let Asked { residual, penalty, mut floor, cap, weights, .. } = *asked;
        let count = self.coefficients.len();
        // The working set alone needs none: a column of zeros never violates.
        if self.norms.len() != count && (weights || asked.lazy) {
            self.norms = (0..count).map(|at| self.view(at).sum_squares(residual.len())).collect();
        }
        let computed = self.products(asked);
        if let Some(program) = asked.first {
            // The largest of all columns is no less than the largest here, nor is lambda.
            floor =
                program.least_floor(self.gradient.iter().fold(0.0, |most: f64, value| most.max(value.abs())));
        }
        // Lazy or not, the largest product counts as no less than the floor, below which nothing is told apart.
        let mut share = Share { largest: if asked.lazy { floor.max(0.0) } else { 0.0 }, ..Share::default() };
        share.violators.reserve(count.min(2 * cap + STRETCH));
        share.members.reserve(count.min(STRETCH));
        let (mut noted, mut strays, mut bar) = (Vec::with_capacity(STRETCH), Vec::new(), floor);
        for start in (0..count).step_by(STRETCH) {
            let stretch = start..count.min(start + STRETCH);
            noted.clear();
            share.largest =
                share.largest.max(self.note(stretch, bar, computed.as_deref(), weights, &mut noted));
            for &at in &noted {
                let (gradient, coefficient, slot) =
                    (self.gradient[at], self.coefficients[at], self.slots[at]);
                let (variable, size) = (self.first + at as u32, gradient.abs());
                if coefficient != 0.0 {
                    share.nonzeros.push((variable, coefficient));
                    share.slopes.push(gradient);
                }
                if computed.as_ref().is_some_and(|computed| !computed[at]) {
                    continue;
                }
                if slot != OUTSIDE {
                    share.members.push((slot, gradient));
                } else if coefficient != 0.0 && !floor.is_nan() {
                    strays.push((variable, gradient));
                } else if size > bar {
                    share.violators.push((variable, gradient));
                }
                if weights {
                    let norm = self.norms[at];
                    // Before lambda is known: the gradient. Then: how far an update would move the fit.
                    let weight = match (norm > 0.0, penalty.is_nan()) {
                        (false, _) => 0.0,
                        (true, true) => size / norm.sqrt(),
                        (true, false) => {
                            (asked.minimiser(gradient, coefficient, norm) - coefficient).abs() * norm.sqrt()
                        }
                    };
                    share.weights.push((variable, weight));
                }
            }
            // Columns behind these that violate no more would not be named: of equal ones the first is.
            if share.violators.len() > 2 * cap {
                keep_worst(&mut share.violators, cap);
                bar =
                    share.violators.iter().map(|(_, gradient)| gradient.abs()).fold(f64::INFINITY, f64::min);
            }
        }
        keep_worst(&mut share.violators, cap);
        if !strays.is_empty() {
            // A coefficient outside the working set may have to change whatever its gradient: it goes first.
            (share.violators, share.strays) = (strays, true);
        }
        share
    }

    /// Notes the columns of a range of which more than the largest product is to be told: members of the working set,
    /// coefficients, and what is above the bar; or all of them. Returns the largest |x_j'r| that is known of the columns
    /// without a coefficient.
    fn note(
        &self,
        stretch: Range<usize>,
        bar: f64,
        computed: Option<&[bool]>,
        all: bool,
        noted: &mut Vec<usize>,
    ) -> f64 {
        if !all && computed.is_none() {
            let [gradient, coefficients] =
                [&self.gradient, &self.coefficients].map(|values| &values[stretch.clone()]);
            let largest = kernels::scan(gradient, coefficients, &self.slots[stretch.clone()], bar, noted);
            noted.iter_mut().for_each(|at| *at += stretch.start);
            return largest;
        }
        let mut largest = 0.0;
        for at in stretch {
            let (size, coefficient) = (self.gradient[at].abs(), self.coefficients[at]);
            if coefficient == 0.0 && size > largest && computed.is_none_or(|computed| computed[at]) {
                largest = size;
            }
            if all || size > bar || coefficient != 0.0 || self.slots[at] != OUTSIDE {
                noted.push(at);
            }
        }
        largest
    }

    /// Computes x_j'r of every column, or, where the certificate is lazy, of those that may reach the floor: then
    /// tells which.
    fn products(&mut self, asked: &Asked<'_>) -> Option<Vec<bool>> {
        let Asked { residual, sum, floor, lazy, .. } = *asked;
        let ready = self.bounds.take().filter(|bounds| lazy && floor > 0.0 && !bounds.wants_all());
        let Some(mut bounds) = ready else {
            self.pass(residual, sum);
            if lazy {
                let norms = self.norms.iter().map(|norm| norm.sqrt()).collect();
                let mut bounds = LazyBounds::new(norms);
                bounds.learn_all(residual, &self.gradient);
                self.bounds = Some(bounds);
            }
            return None;
        };
        let wanted = |at: u32| self.slots[at as usize] != OUTSIDE || self.coefficients[at as usize] != 0.0;
        let needed = bounds.needed(residual, floor, wanted);
        let products: Vec<f64> = needed.iter().map(|&at| self.view(at as usize).dot(residual, sum)).collect();
        let mut computed = vec![false; self.gradient.len()];
        for (&at, &product) in needed.iter().zip(&products) {
            (self.gradient[at as usize], computed[at as usize]) = (product, true);
        }
        bounds.learn(residual, &needed, &products);
        self.bounds = Some(bounds);
        Some(computed)
    }

    fn pass(&mut self, residual: &[f64], sum: f64) {
        let range = self.offset..self.offset + self.coefficients.len();
        match &*self.design {
            Design::Dense { rows, values } => {
                kernels::pass(&values[range.start * rows..range.end * rows], residual, &mut self.gradient);
            }
            Design::Sparse { starts, indices, values, shift, .. } => {
                let columns =
                    kernels::Columns { starts: &starts[range.start..=range.end], rows: indices, values };
                kernels::sparse_pass(columns, residual, &mut self.gradient);
                for (gradient, shift) in self.gradient.iter_mut().zip(shift.get(range).unwrap_or(&[])) {
                    *gradient -= shift * sum;
                }
            }
        }
    }

    /// Takes note of the slots that columns here were given in the working set.
    pub(crate) fn admit(&mut self, first_slot: u32, variables: &[u32]) {
        for (slot, &variable) in (first_slot..).zip(variables) {
            if let Some(at) = self.position(variable) {
                self.slots[at] = slot;
            }
        }
    }

    /// Sets coefficients of columns here.
    pub(crate) fn set(&mut self, coefficients: &[(u32, f64)]) {
        for &(variable, value) in coefficients {
            if let Some(at) = self.position(variable) {
                self.coefficients[at] = value;
            }
        }
    }

    /// What was learned: everything but the columns.
    pub(crate) fn remember(&self, out: &mut Writer) {
        out.write(&self.coefficients);
        out.write(&self.norms);
        out.write(&self.gradient);
        out.write(&self.slots);
        out.write(&self.part);
    }

    pub(crate) fn recall(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        let (coefficients, norms): (Vec<f64>, Vec<f64>) = (from.read()?, from.read()?);
        let (gradient, slots): (Vec<f64>, Vec<u32>) = (from.read()?, from.read()?);
        let count = self.coefficients.len();
        let known = norms.is_empty() || norms.len() == count;
        if coefficients.len() != count || gradient.len() != count || slots.len() != count || !known {
            return Err(StateError::new("the coefficients of as many columns"));
        }
        (self.coefficients, self.norms, self.gradient, self.slots) = (coefficients, norms, gradient, slots);
        self.part = from.read()?;
        Ok(())
    }
}

impl Asked<'_> {
    /// The best value of a coefficient whose column has the product `slope` with the residual and this squared norm.
    fn minimiser(&self, slope: f64, before: f64, norm: f64) -> f64 {
        let curvature = self.curvature * norm;
        soft_threshold(slope + curvature * before, self.penalty) / (curvature + self.ridge)
    }
}

/// Keeps the `most` with the largest |x_j'r|, in no order.
fn keep_worst(violators: &mut Vec<(u32, f64)>, most: usize) {
    if violators.len() > most {
        violators.select_nth_unstable_by_key(most, worst_first);
        violators.truncate(most);
    }
}

/// sign(z) max(|z| - penalty, 0).
pub(crate) fn soft_threshold(z: f64, penalty: f64) -> f64 {
    if z > penalty {
        z - penalty
    } else if z < -penalty {
        z + penalty
    } else {
        0.0
    }
}

impl raddle::State for ColumnShard {
    fn save(&self, out: &mut Writer) {
        out.write(&self.design.slice(self.offset..self.offset + self.coefficients.len()));
        out.write(&self.first);
        self.remember(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let design: Design = from.read()?;
        let count = design.columns();
        let mut shard = Self::new(&Arc::new(design), 0..count, WorkingPart::default());
        shard.first = from.read()?;
        shard.recall(from)?;
        Ok(shard)
    }
}
