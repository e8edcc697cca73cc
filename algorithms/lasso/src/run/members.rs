//! [`Members`]: the working set and its solver, by the [`Shape`] of the loss.

use raddle::State as _;
use raddle::state::{Reader, StateError, Writer};

use super::gram_tree;
use super::messages::{EnteringColumn, Tile};
use super::solution::Solved;
use crate::data::design::{Column, add_columns};
use crate::loss::Shape;
use crate::loss::duality_gap::{DualityGap, Norms};
use crate::loss::linear_predictor::{Response, Scores, Smooth};
use crate::loss::row_state::RowState;
use crate::loss::rows::Rows;
use crate::penalties::Terms;
use crate::working_set::{
    ByColumns, ProximalCheckpoint, ProximalSet, SetCheckpoint, SolveData, SolveState, Target, WorkingSet,
};
use raddle_kernels::algebra as kernels;

/// The working set is solved to this share of the gap over all columns. A smaller gap would waste work, as
/// the members may still change.
const SHARE: f64 = 0.1;

/// Proximal steps use a smaller share: the last steps are cheap, and a pass saved is worth several.
const PROXIMAL_SHARE: f64 = 0.01;

/// The members' coefficients, and their solver.
#[derive(Debug, Clone)]
pub(crate) enum Members {
    /// Solver for a quadratic, whose Gram is computed once.
    Gram(Box<Gram>),
    /// Solver for a smooth loss, with a weighted Gram for every step.
    Proximal(Box<Proximal>),
}

/// The Gram of a quadratic, and r'r and y'r at the last boundary.
#[derive(Debug, Clone)]
pub(crate) struct Gram {
    set: WorkingSet,
    /// Coordinates of each member along the basis of free columns.
    shared: Vec<Vec<f64>>,
    rr: f64,
    yr: f64,
}

/// Proximal Newton steps for a smooth loss, and its scores at the last boundary.
#[derive(Debug, Clone)]
pub(crate) struct Proximal {
    loss: &'static dyn Smooth,
    set: ProximalSet,
    scores: Scores,
}

/// Checkpoint of the members, without their columns.
#[derive(Debug, Clone)]
pub(crate) enum MembersCheckpoint {
    Gram(SetCheckpoint),
    Proximal(ProximalCheckpoint),
}

raddle::state!(
    enum MembersCheckpoint {
        Gram(set),
        Proximal(set),
    }
);

/// Inputs of a solve.
#[derive(Debug)]
pub(crate) struct Solve<'a> {
    pub(crate) given: &'a Rows,
    pub(crate) columns: &'a [Column],
    pub(crate) target: Target,
    /// x_j'r - R b_j of the members.
    pub(crate) gradient: Vec<f64>,
    /// Number of columns that can be independent.
    pub(crate) rows: usize,
    /// The intercept, and free columns along their basis, at the last boundary.
    pub(crate) intercept: f64,
    pub(crate) free: Vec<f64>,
}

impl Members {
    /// An empty set, for a loss of this shape.
    pub(crate) fn new(shape: Shape) -> Self {
        match shape {
            Shape::Quadratic => {
                Self::Gram(Box::new(Gram { set: WorkingSet::new(), shared: Vec::new(), rr: 0.0, yr: 0.0 }))
            }
            Shape::Smooth(loss) => {
                let (set, scores) = (ProximalSet::default(), Scores::default());
                Self::Proximal(Box::new(Proximal { loss, set, scores }))
            }
        }
    }

    /// Writes the members with their Gram.
    pub(crate) fn save(&self, out: &mut Writer) {
        match self {
            Self::Gram(gram) => {
                let Gram { set, shared, rr, yr } = &**gram;
                set.save(out);
                shared.save(out);
                (*rr, *yr).save(out);
            }
            Self::Proximal(proximal) => {
                let Proximal { loss: _, set, scores } = &**proximal;
                set.save(out);
                scores.save(out);
            }
        }
    }

    /// Reads members for a loss of this shape.
    ///
    /// # Errors
    /// If the bytes are not those of such members.
    pub(crate) fn load(shape: Shape, from: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(match shape {
            Shape::Quadratic => {
                let (set, shared, (rr, yr)) = (from.read()?, from.read()?, from.read()?);
                Self::Gram(Box::new(Gram { set, shared, rr, yr }))
            }
            Shape::Smooth(loss) => {
                let (set, scores) = (from.read()?, from.read()?);
                Self::Proximal(Box::new(Proximal { loss, set, scores }))
            }
        })
    }

    /// Returns the column of each slot.
    pub(crate) fn slots(&self) -> &[u32] {
        match self {
            Self::Gram(gram) => gram.set.members(),
            Self::Proximal(proximal) => proximal.set.members(),
        }
    }

    /// Returns the coefficient of each slot.
    pub(crate) fn coefficients(&self) -> &[f64] {
        match self {
            Self::Gram(gram) => gram.set.coefficients(),
            Self::Proximal(proximal) => proximal.set.coefficients(),
        }
    }

    /// Returns the penalties of the members, by slot.
    pub(crate) fn terms(&self) -> &Terms {
        match self {
            Self::Gram(gram) => gram.set.terms(),
            Self::Proximal(proximal) => proximal.set.terms(),
        }
    }

    /// Returns the share of the gap over all columns to which the members are solved.
    pub(crate) fn share(&self) -> f64 {
        match self {
            Self::Gram(_) => SHARE,
            Self::Proximal(_) => PROXIMAL_SHARE,
        }
    }

    /// Records residuals and scores of the rows at a boundary.
    pub(crate) fn look_at(&mut self, given: &Rows, rows: &RowState) {
        match self {
            Self::Gram(gram) => {
                (gram.rr, gram.yr) = given.products(&rows.residual);
            }
            Self::Proximal(proximal) => {
                let response = Response { rows: given, loss: proximal.loss };
                proximal.scores = Scores::new(response, rows.scores.clone());
            }
        }
    }

    /// Returns both objectives at the last boundary.
    pub(crate) fn duality_gap(&self, rows: &Rows, norms: Norms<'_>) -> DualityGap {
        match self {
            Self::Gram(gram) => DualityGap::squared(gram.rr, gram.yr, norms),
            Self::Proximal(proximal) => {
                DualityGap::smooth(Response { rows, loss: proximal.loss }, &proximal.scores, norms)
            }
        }
    }

    /// Adds columns; returns the slot of the first.
    pub(crate) fn enter(&mut self, entering: &[EnteringColumn], terms: &Terms) -> usize {
        let own = match self {
            Self::Gram(gram) => gram.set.terms_mut(),
            Self::Proximal(proximal) => proximal.set.terms_mut(),
        };
        entering.iter().for_each(|one| own.push(terms, one.variable as usize));
        let entering = entering.iter();
        match self {
            Self::Gram(gram) => {
                gram.set.enter(entering.map(|one| (one.variable, one.response, one.coefficient)))
            }
            Self::Proximal(proximal) => {
                proximal.set.enter(entering.map(|one| (one.variable, one.coefficient)))
            }
        }
    }

    /// Drops the Gram of a quadratic, whose memory would outgrow the data: the members are then solved by
    /// their columns.
    pub(crate) fn bare(&mut self) {
        if let Self::Gram(gram) = self {
            gram.set.bare();
        }
    }

    /// `true` if the Gram was dropped.
    pub(crate) fn is_bare(&self) -> bool {
        matches!(self, Self::Gram(gram) if gram.set.is_bare())
    }

    /// Assembles the new members' Gram, tile by tile; chains of rows are summed by their tree. Smooth losses
    /// weight theirs when they are solved.
    pub(crate) fn grow(&mut self, columns: &[Column], given: &Rows, tiles: Vec<Tile>) {
        let Self::Gram(gram) = self else { return };
        if gram.set.is_bare() {
            return;
        }
        let rows = given.len();
        let set = &mut gram.set;
        let (summed, whole): (Vec<Tile>, Vec<Tile>) = tiles.into_iter().partition(|tile| tile.chains > 0);
        let tiles: Vec<Tile> = whole.into_iter().chain(gram_tree::sum(summed)).collect();
        let grown = tiles.iter().map(|tile| tile.from as usize).min().unwrap_or(columns.len());
        let parts: Vec<_> =
            tiles.iter().map(|tile| (tile.from as usize, &tile.slots[..], &tile.values[..])).collect();
        set.add_tiles(&parts);
        // Sparse columns are centred implicitly: (x_i - s_i)'(x_j - s_j) = x_i'x_j - n s_i s_j.
        let shifts: Vec<f64> = columns.iter().map(|column| column.view().shift).collect();
        if shifts.iter().any(|&shift| shift != 0.0) {
            let slots: Vec<u32> = (0..shifts.len() as u32).collect();
            for i in grown..shifts.len() {
                let row: Vec<f64> =
                    shifts[..=i].iter().map(|shift| -(rows as f64) * shifts[i] * shift).collect();
                set.add_tile(i, &slots[..=i], &row);
            }
        }
        if let Some(free) = &given.free {
            // The projection of columns on the free ones is subtracted from their products.
            let known = gram.shared.len();
            gram.shared.extend(columns[known..].iter().map(|column| free.parts_of(given, column.view())));
            let slots: Vec<u32> = (0..columns.len() as u32).collect();
            for i in grown..columns.len() {
                let row: Vec<f64> =
                    gram.shared[..=i].iter().map(|other| -kernels::dot(&gram.shared[i], other)).collect();
                set.add_tile(i, &slots[..=i], &row);
            }
        }
        set.finish_gram();
    }

    /// Solves for the members; the rows are then computed from the coefficients.
    pub(crate) fn solve(&mut self, asked: Solve<'_>) -> Solved {
        match self {
            Self::Gram(gram) => gram.solve(asked),
            Self::Proximal(proximal) => proximal.solve(asked),
        }
    }

    /// Checkpoint of the members.
    pub(crate) fn checkpoint(&self) -> MembersCheckpoint {
        match self {
            Self::Gram(gram) => MembersCheckpoint::Gram(gram.set.checkpoint()),
            Self::Proximal(proximal) => MembersCheckpoint::Proximal(proximal.set.checkpoint()),
        }
    }

    /// Restores a checkpoint, once the columns have entered again.
    ///
    /// # Errors
    /// If the checkpoint belongs to other members.
    pub(crate) fn restore(
        &mut self,
        checkpoint: MembersCheckpoint,
        columns: &[Column],
        rows: &Rows,
    ) -> Result<(), StateError> {
        match (self, checkpoint) {
            (Self::Gram(gram), MembersCheckpoint::Gram(checkpoint)) => gram.set.restore(checkpoint),
            (Self::Proximal(proximal), MembersCheckpoint::Proximal(checkpoint)) => {
                proximal.set.restore(checkpoint, columns, rows)
            }
            _ => Err(StateError::new("the working set of this loss")),
        }
    }
}

impl Gram {
    fn solve(&mut self, asked: Solve<'_>) -> Solved {
        let Solve { given, columns, target, gradient, rows, intercept, .. } = asked;
        self.set.set_ridge(target.ridge);
        if self.set.is_bare() {
            let terms = self.set.terms().clone();
            let solver = ByColumns { columns, rows: given, terms: &terms, target };
            solver.solve(self.set.coefficients_mut());
        } else {
            self.set.set_gradient(&gradient);
            self.set.solve(target.penalty, given.squares(), rows, target.gap);
        }
        let coefficients = self.set.coefficients();
        let moved = columns.iter().zip(coefficients).filter(|&(_, value)| *value != 0.0);
        let mut residual = given.y.to_vec();
        let shift = add_columns(moved.map(|(column, value)| (-value, column.view())), &mut residual);
        if shift != 0.0 {
            residual.iter_mut().for_each(|value| *value -= shift);
        }
        let free = given.freed(&mut residual);
        given.weigh(&mut residual);
        let coefficients = self.set.members().iter().copied().zip(coefficients.iter().copied()).collect();
        Solved { coefficients, rows: RowState::new(residual, Vec::new(), intercept, free) }
    }
}

impl Proximal {
    fn solve(&mut self, asked: Solve<'_>) -> Solved {
        let Solve { given, columns, target, gradient, intercept, free, .. } = asked;
        let at = SolveState { scores: std::mem::take(&mut self.scores), intercept, free, g: gradient };
        let response = Response { rows: given, loss: self.loss };
        let (scores, intercept, free) = self.set.solve(SolveData { columns, response, target }, at);
        let members = self.set.members().iter().copied();
        let coefficients = members.zip(self.set.coefficients().iter().copied()).collect();
        Solved { coefficients, rows: RowState::new(scores.residual, scores.values, intercept, free) }
    }
}
