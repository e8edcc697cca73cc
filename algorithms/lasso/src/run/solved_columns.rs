//! [`SolvedColumns`]: the columns of the working set, and their solver.

use std::sync::Arc;

use raddle::State as _;
use raddle::state::{Reader, StateError, Writer};

use super::boundary_solution::BoundarySolution;
use super::by_group::less;
use super::members::{Members, Solve};
use super::messages::{EnteringBatch, EnteringColumn, ShardCertificate, Tile};
use super::solution::Solved;
use crate::data::design::Column;
use crate::loss::Shape;
use crate::loss::rows::Rows;
use crate::penalties::Terms;
use crate::working_set::Target;

/// Columns of the working set, in the order of entry.
#[derive(Debug, Clone)]
pub(crate) struct SolvedColumns {
    pub(crate) columns: Vec<Column>,
    pub(crate) members: Members,
    /// x_j'r - R b_j of each column, from the last pass.
    gradient: Vec<f64>,
    /// Number of columns before each group that entered.
    pub(crate) groups: Vec<u32>,
    /// The last group, until its part of the Gram is computed.
    pub(crate) entering: Option<Arc<EnteringBatch>>,
}

impl SolvedColumns {
    /// An empty set, for a loss of this shape.
    pub(super) fn new(shape: Shape) -> Self {
        let members = Members::new(shape);
        Self { columns: Vec::new(), members, gradient: Vec::new(), groups: Vec::new(), entering: None }
    }

    /// Writes the columns with their solver.
    pub(super) fn save(&self, out: &mut Writer) {
        let Self { columns, members, gradient, groups, entering } = self;
        columns.save(out);
        members.save(out);
        gradient.save(out);
        groups.save(out);
        entering.save(out);
    }

    /// Reads columns for a loss of this shape.
    ///
    /// # Errors
    /// If the bytes are not those of such columns.
    pub(super) fn load(shape: Shape, from: &mut Reader<'_>) -> Result<Self, StateError> {
        let (columns, members) = (from.read()?, Members::load(shape, from)?);
        let (gradient, groups, entering) = (from.read()?, from.read()?, from.read()?);
        Ok(Self { columns, members, gradient, groups, entering })
    }

    /// Sets the gradients of the members, less the ridge.
    pub(super) fn set_gradient(&mut self, shares: &[ShardCertificate], ridge: f64) {
        self.gradient.clear();
        self.gradient.resize(self.columns.len(), 0.0);
        let (coefficients, terms) = (self.members.coefficients(), self.members.terms());
        for &(slot, value) in shares.iter().flat_map(|share| &share.members) {
            let slot = slot as usize;
            self.gradient[slot] = less(value, ridge * terms.ridge(slot), coefficients[slot]);
        }
    }

    /// Drops the Gram if it would be too large with `entering` more columns; returns whether there is none.
    pub(super) fn outgrows(&mut self, most: usize, entering: usize) -> bool {
        if self.columns.len() + entering > most {
            self.members.bare();
        }
        self.members.is_bare()
    }

    /// Adds columns; returns the slot of the first.
    pub(super) fn enter(&mut self, entering: Vec<EnteringColumn>, ridge: f64, terms: &Terms) -> u32 {
        if !entering.is_empty() {
            self.groups.push(self.columns.len() as u32);
        }
        let slope = |one: &EnteringColumn| {
            less(one.gradient, ridge * terms.ridge(one.variable as usize), one.coefficient)
        };
        self.gradient.extend(entering.iter().map(slope));
        let first = self.members.enter(&entering, terms);
        self.columns.extend(entering.into_iter().map(|one| one.column));
        first as u32
    }

    /// Assembles the new members' Gram, tile by tile.
    pub(super) fn grow(&mut self, rows: &Rows, tiles: Vec<Tile>) {
        self.members.grow(&self.columns, rows, tiles);
    }

    /// Solves for the members from the solution of the last boundary; `rows` columns can be independent.
    pub(super) fn solve(
        &mut self,
        given: &Rows,
        target: Target,
        rows: usize,
        last: &BoundarySolution,
    ) -> Solved {
        let (columns, gradient) = (&self.columns[..], std::mem::take(&mut self.gradient));
        let (intercept, free) = (last.intercept, last.free.clone());
        self.members.solve(Solve { given, columns, target, gradient, rows, intercept, free })
    }
}
