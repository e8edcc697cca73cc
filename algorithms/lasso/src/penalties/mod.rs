//! Penalties of single coefficients: [`Terms`], each kind in a file of its own.
//!
//! **Units.** A factor f_j > 0 makes its penalty `L f_j |b_j| + R f_j b_j^2 / 2`. With the column x_j / f_j
//! and the coefficient f_j b_j the first term has the weight L, as for every other column. So a run scales
//! its columns once, and factors only appear in the ridge R / f_j; bounds scale with the coefficient. For a
//! coefficient that may only fall, the sign of its column is changed, so that lower bounds are at most 0 and
//! upper bounds above 0. A column with a factor of 0 is fitted separately (`loss/free.rs`), and is zero in
//! the matrix.

mod bounds;
mod factors;
mod groups;
mod terms;

pub(crate) use bounds::{ActiveBounds, charge};
pub(crate) use terms::Terms;

use crate::error::LassoError;

/// Options for the penalty of each coefficient, on the original scale; empty if all are penalised equally.
#[derive(Debug, Clone, Default)]
pub(crate) struct PenaltyOptions {
    /// Penalty factor f_j of each column.
    pub(crate) factors: Vec<f64>,
    /// Lower and upper bounds.
    pub(crate) bounds: Vec<(f64, f64)>,
    /// A number for each column, equal within a group.
    pub(crate) groups: Vec<u32>,
    /// Number of columns of zeros that groups have in addition to the problem's columns, as (group, count).
    pub(crate) absent: Vec<(u32, u32)>,
}

impl PenaltyOptions {
    pub(crate) fn is_plain(&self) -> bool {
        self.factors.is_empty() && self.bounds.is_empty() && self.groups.is_empty()
    }

    /// Repeats the options for the coefficients of K classes; those of a column are adjacent.
    pub(crate) fn for_classes(&self, classes: usize) -> Self {
        fn each<T: Copy>(values: &[T], classes: usize) -> Vec<T> {
            values.iter().flat_map(|&value| std::iter::repeat_n(value, classes)).collect()
        }
        let Self { factors, bounds, groups, absent } = self.clone();
        Self { factors: each(&factors, classes), bounds: each(&bounds, classes), groups, absent }
    }

    /// Returns the columns whose factor is 0.
    ///
    /// # Errors
    /// If one of them has bounds.
    pub(crate) fn free(&self, columns: usize) -> Result<Vec<usize>, LassoError> {
        let free: Vec<usize> = (0..columns).filter(|&j| self.factors.get(j) == Some(&0.0)).collect();
        let is_bounded =
            |j: &&usize| self.bounds.get(**j).is_some_and(|b| b.0.is_finite() || b.1.is_finite());
        match free.iter().find(is_bounded) {
            Some(j) => Err(LassoError::FreeBounds { column: j + 1 }),
            None => Ok(free),
        }
    }

    /// Converts the options to the units of a run. `scale` is the factor from a column's coefficient to the
    /// original scale.
    ///
    /// # Errors
    /// If an option does not have one value per column, or a value is out of its range.
    pub(crate) fn terms(&self, columns: usize, scale: impl Fn(u32) -> f64) -> Result<Terms, LassoError> {
        factors::check(&self.factors, columns)?;
        bounds::check(&self.bounds, columns)?;
        let mut terms = Terms { given: self.bounds.clone(), ..Terms::default() };
        let factor = |j: usize| self.factors.get(j).copied().unwrap_or(1.0);
        let factors: Vec<f64> = (0..columns).map(factor).collect();
        groups::check(&self.groups, &factors, &self.bounds)?;
        if !self.groups.is_empty() {
            let groups::Order { columns, groups, sizes } = groups::order(&self.groups, &self.absent);
            for (&j, &group) in columns.iter().zip(&groups) {
                let (factor, size) = (factors[j as usize], f64::from(sizes[group as usize]));
                terms.units.push(factors::unit(factor) / size.sqrt());
                terms.ridges.push(factors::unit(factor) / size);
            }
            (terms.groups, terms.order) = (groups, columns);
            return Ok(terms);
        }
        for (j, &factor) in factors.iter().enumerate() {
            let (lower, upper) = self.bounds.get(j).copied().unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            let unit = factors::unit(factor) * bounds::sign(lower, upper);
            terms.units.push(unit);
            terms.ridges.push(unit.abs());
            if !self.bounds.is_empty() {
                let (lower, upper) = bounds::in_units(lower, upper, unit * scale(j as u32));
                terms.lower.push(lower);
                terms.upper.push(upper);
            }
        }
        Ok(terms)
    }
}
