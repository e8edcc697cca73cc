//! Groups of columns: `sqrt(size) |b_g|_2` in place of `|b_g|_1` (Yuan and Lin, "Model selection and
//! estimation in regression with grouped variables", 2006), so that the columns of a group are chosen
//! together.
//!
//! In a run, the columns of a group are adjacent, in one shard, and divided by sqrt(size): each group is then
//! treated like a column, with |x_g'r|_2 for |x_j'r|. A column without a group is a group of size 1.

use super::terms::Terms;
use crate::error::LassoError;

/// The order of the columns in a run, and the group of each.
pub(super) struct Order {
    pub(super) columns: Vec<u32>,
    pub(super) groups: Vec<u32>,
    /// Number of columns of each group, absent ones included.
    pub(super) sizes: Vec<u32>,
}

/// Checks that there is a group for each column, or none at all, with one factor per group and no bounds.
///
/// # Errors
/// If there is not.
pub(super) fn check(groups: &[u32], factors: &[f64], bounds: &[(f64, f64)]) -> Result<(), LassoError> {
    let columns = factors.len();
    if groups.is_empty() {
        return Ok(());
    }
    if groups.len() != columns {
        return Err(LassoError::ColumnValues { what: "groups", columns, values: groups.len() });
    }
    if !bounds.is_empty() {
        return Err(LassoError::GroupBounds);
    }
    let mut first: std::collections::HashMap<u32, f64> = std::collections::HashMap::new();
    for (j, (&group, &factor)) in groups.iter().zip(factors).enumerate() {
        if *first.entry(group).or_insert(factor) != factor {
            return Err(LassoError::GroupFactor { column: j + 1 });
        }
    }
    Ok(())
}

/// Orders columns so that those of a group are adjacent, groups by their first column; `absent` counts
/// columns of groups that are not in the problem.
pub(super) fn order(groups: &[u32], absent: &[(u32, u32)]) -> Order {
    let mut numbers = std::collections::HashMap::new();
    let mut number = |group: &u32| {
        let next = numbers.len() as u32;
        *numbers.entry(*group).or_insert(next)
    };
    let mut columns: Vec<(u32, u32)> = groups.iter().map(&mut number).zip(0..).collect();
    columns.sort_unstable();
    let mut sizes = vec![0; numbers.len()];
    columns.iter().for_each(|&(group, _)| sizes[group as usize] += 1);
    for (group, count) in absent {
        if let Some(&number) = numbers.get(group) {
            sizes[number as usize] += count;
        }
    }
    let (groups, columns) = columns.into_iter().unzip();
    Order { columns, groups, sizes }
}

impl Terms {
    pub(crate) fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Returns the column of the problem at a place of the run.
    pub(crate) fn original(&self, place: u32) -> u32 {
        self.order.get(place as usize).copied().unwrap_or(place)
    }

    /// Converts (column of the problem, value) to (place in the run, value).
    pub(crate) fn places(&self, mut values: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
        if !self.order.is_empty() {
            let mut places = vec![0; self.order.len()];
            self.order.iter().zip(0..).for_each(|(&column, place)| places[column as usize] = place);
            values.iter_mut().for_each(|(column, _)| *column = places[*column as usize]);
            values.sort_unstable_by_key(|&(place, _)| place);
        }
        values
    }

    /// Returns the first place from `place` on at which a group starts.
    pub(crate) fn border(&self, mut place: usize) -> usize {
        while place > 0 && place < self.groups.len() && self.groups[place] == self.groups[place - 1] {
            place += 1;
        }
        place
    }

    /// Returns the group of column or member `j`; without groups, each is its own.
    pub(crate) fn group(&self, j: usize) -> u32 {
        self.groups.get(j).copied().unwrap_or(j as u32)
    }

    /// Returns the members of each group, groups by their first member.
    pub(crate) fn members(&self) -> Vec<Vec<usize>> {
        let mut known = std::collections::HashMap::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (at, &group) in self.groups.iter().enumerate() {
            let place = *known.entry(group).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            members[place].push(at);
        }
        members
    }

    /// Returns for each value the norm of its group, and the sum of the norms of all groups. `first` is the
    /// place of the first value.
    pub(crate) fn norms(&self, first: usize, values: &[f64]) -> (Vec<f64>, f64) {
        let mut squares: std::collections::HashMap<u32, f64> = std::collections::HashMap::new();
        let mut order = Vec::new();
        for (j, value) in (first..).zip(values) {
            let sum = squares.entry(self.group(j)).or_insert_with(|| {
                order.push(self.group(j));
                0.0
            });
            *sum += value * value;
        }
        // Summed in the order of the columns, so that the bits are the same everywhere.
        let total = order.iter().map(|group| squares[group].sqrt()).sum();
        ((first..first + values.len()).map(|j| squares[&self.group(j)].sqrt()).collect(), total)
    }
}
