//! [`SideBalance`]: what the mean numbers of ratings of users and of items decide about a run by gradient
//! steps.
//!
//! **Uneven sides.** A row takes as many steps an epoch as it has ratings. Where a hundred items share the
//! ratings of thousands of users, a step that suits a user throws an item about at every one of its ratings,
//! and no error falls. As in AdaGrad (Duchi, Hazan and Singer 2011), where steps fall with the root of what a
//! row has summed up, the steps of the more rated side are divided by the root of the ratio; those of the
//! other grow a little. One number a side does it: rows of one side differ far less from each other than the
//! sides do. A side of few ratings needs its steps as they are, whatever the other has.
//!
//! **Sparse sides.** A row with two or three ratings takes too few steps to learn a bias, and a bias that has
//! been learned from them would be mostly noise. There biases begin with damped means, first of items, then
//! of what these leave to users, and decay towards 0 with the same damping.

use crate::input::baseline::DAMPING;
use crate::input::problem::Problem;

/// Ratios of the sides' mean counts from which, and beyond which, steps are divided by the whole root.
const UNEVEN: [f64; 2] = [16.0, 64.0];

/// Ratings of a row that need no smaller steps, however uneven the sides are.
const FEW: f64 = 1000.0;

/// The power of what the steps of one side are divided by, by which those of the other grow.
const GROWTH: f64 = 0.2;

/// The mean numbers of ratings of a user and of an item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SideBalance([f64; 2]);

impl SideBalance {
    /// Of all rows, or of those with ratings where the others are not to be learned.
    pub(crate) fn new(problem: &Problem, only_rated: bool) -> Self {
        let rows = problem.learned(only_rated);
        Self(rows.map(|rows| problem.ratings() as f64 / rows.max(1) as f64))
    }

    /// Factors of the steps of users and of items: 1 below a ratio of 16, then more and more of the root, but
    /// never less than leaves a row the sum of steps that one with 1000 ratings has.
    pub(crate) fn step_multipliers(self) -> [f64; 2] {
        let Self([users, items]) = self;
        let ratio = (users / items).max(items / users);
        let part = (libm::log2(ratio / UNEVEN[0]) / libm::log2(UNEVEN[1] / UNEVEN[0])).clamp(0.0, 1.0);
        let less = libm::pow(ratio, -0.5 * part).max((FEW / users.max(items)).min(1.0));
        let more = libm::pow(less, -GROWTH);
        if users > items { [less, more] } else { [more, less] }
    }

    /// Biases begin with damped means: the damping has more than a third of the say in the mean row.
    pub(crate) fn is_sparse(self) -> bool {
        self.0.iter().any(|&mean| mean < 2.0 * DAMPING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_fall_with_the_ratio_of_counts_where_it_is_large() {
        assert_eq!(SideBalance([150.0, 240.0]).step_multipliers(), [1.0, 1.0]);
        assert_eq!(SideBalance([150.0, 10.0]).step_multipliers(), [1.0, 1.0]);
        let [users, items] = SideBalance([100.0, 10_000.0]).step_multipliers();
        assert_eq!(SideBalance([4.0, 900.0]).step_multipliers(), [1.0, 1.0]);
        assert!((items - 0.1).abs() < 1e-12 && (1.5..1.7).contains(&users), "{users} {items}");
        assert_eq!(SideBalance([10_000.0, 100.0]).step_multipliers(), [items, users]);
        let between = SideBalance([400.0, 12_800.0]).step_multipliers()[1];
        assert!(items < between && between < 1.0, "{between}");
    }

    #[test]
    fn a_side_of_few_ratings_is_sparse() {
        assert!(SideBalance([37.0, 2.8]).is_sparse() && SideBalance([1.5, 90.0]).is_sparse());
        assert!(!SideBalance([149.0, 9.7]).is_sparse());
        // In a row of six ratings three more have a third of the say.
        assert!(SideBalance([5.9, 9.7]).is_sparse() && SideBalance([9.7, 5.9]).is_sparse());
        assert!(!SideBalance([6.0, 6.0]).is_sparse());
    }
}
