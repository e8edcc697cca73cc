//! [`Terms`]: what sets columns, or members of the working set, apart, in the units of a run.

/// The terms of columns, or of members of the working set, in the units of a run. All empty where nothing is
/// asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Terms {
    /// A coefficient as prepared is that of the run times this; 0 for a column that is left out.
    pub(super) units: Vec<f64>,
    /// The ridge of a column, beside R.
    pub(super) ridges: Vec<f64>,
    /// At most 0,
    pub(super) lower: Vec<f64>,
    /// and above 0; empty where nothing is bounded.
    pub(super) upper: Vec<f64>,
    /// Bounds of columns on the original scale.
    pub(super) given: Vec<(f64, f64)>,
    /// The group of each, if there are groups,
    pub(super) groups: Vec<u32>,
    /// and, of columns, which column of the problem each is.
    pub(super) order: Vec<u32>,
}

raddle::state!(Terms { units, ridges, lower, upper, given, groups, order });

impl Terms {
    /// Factor that makes a coefficient of the run one of the columns as prepared.
    pub(crate) fn unit(&self, j: usize) -> f64 {
        self.units.get(j).copied().unwrap_or(1.0)
    }

    pub(crate) fn units(&self) -> &[f64] {
        &self.units
    }

    /// Which column of the problem stands at each place of the run; empty where they stand as they are.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// A coefficient on the original scale, which rounding must not take across its bounds.
    pub(crate) fn within(&self, column: u32, value: f64) -> f64 {
        self.given.get(column as usize).map_or(value, |&(lower, upper)| value.clamp(lower, upper))
    }

    /// Factor of the ridge penalty of column j.
    pub(crate) fn ridge(&self, j: usize) -> f64 {
        self.ridges.get(j).copied().unwrap_or(1.0)
    }

    /// `true` if all columns are penalized alike.
    pub(crate) fn is_plain(&self) -> bool {
        self.ridges.is_empty()
    }

    /// Appends the terms of column `j`: members of the working set come one after the other.
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

    /// The terms of some columns or members.
    pub(crate) fn select(&self, places: impl Iterator<Item = usize>) -> Self {
        let mut terms = Self::default();
        if !self.is_plain() {
            places.for_each(|place| terms.push(self, place));
        }
        terms
    }
}
