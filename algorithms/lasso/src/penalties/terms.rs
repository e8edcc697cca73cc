//! [`Terms`]: factors, bounds and groups of columns, or of members of the working set, in the units of a run.

/// Factors, bounds and groups of columns, or of members of the working set, in the units of a run. All fields
/// are empty if all columns are penalised equally.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Terms {
    /// Factor from a coefficient of the run to one as prepared; 0 for a column that is left out.
    pub(super) units: Vec<f64>,
    /// The ridge of a column, as a factor of R.
    pub(super) ridges: Vec<f64>,
    /// Lower bounds, at most 0; empty if nothing is bounded.
    pub(super) lower: Vec<f64>,
    /// Upper bounds, above 0; empty if nothing is bounded.
    pub(super) upper: Vec<f64>,
    /// Bounds of columns on the original scale.
    pub(super) given: Vec<(f64, f64)>,
    /// The group of each column or member; empty without groups.
    pub(super) groups: Vec<u32>,
    /// For columns, the column of the problem at each place; empty if the order is the same.
    pub(super) order: Vec<u32>,
}

raddle::state!(Terms { units, ridges, lower, upper, given, groups, order });

impl Terms {
    /// Returns the factor from a coefficient of the run to one as prepared.
    pub(crate) fn unit(&self, j: usize) -> f64 {
        self.units.get(j).copied().unwrap_or(1.0)
    }

    pub(crate) fn units(&self) -> &[f64] {
        &self.units
    }

    /// Returns the column of the problem at each place of the run; empty if the order is the same.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Clamps a coefficient on the original scale to its bounds, beyond which rounding may have taken it.
    pub(crate) fn within(&self, column: u32, value: f64) -> f64 {
        self.given.get(column as usize).map_or(value, |&(lower, upper)| value.clamp(lower, upper))
    }

    /// Returns the factor of column j's ridge penalty.
    pub(crate) fn ridge(&self, j: usize) -> f64 {
        self.ridges.get(j).copied().unwrap_or(1.0)
    }

    /// `true` if all columns are penalised equally.
    pub(crate) fn is_plain(&self) -> bool {
        self.ridges.is_empty()
    }

    /// Appends the terms of column `j`, which becomes the next member of the working set.
    pub(crate) fn push(&mut self, columns: &Self, j: usize) {
        if columns.is_plain() {
            return;
        }
        if columns.has_groups() {
            self.groups.push(columns.groups[j]);
        }
        self.units.push(columns.unit(j));
        self.ridges.push(columns.ridge(j));
        if columns.is_bounded() {
            self.lower.push(columns.lower[j]);
            self.upper.push(columns.upper[j]);
        }
    }

    /// Returns the terms of some columns or members.
    pub(crate) fn select(&self, places: impl Iterator<Item = usize>) -> Self {
        let mut terms = Self::default();
        if !self.is_plain() {
            places.for_each(|place| terms.push(self, place));
        }
        terms
    }
}
