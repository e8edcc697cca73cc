//! [`SideBalance`]: settings of a run by gradient steps that depend on the mean numbers of ratings of users
//! and of items.
//!
//! **Uneven sides.** A row takes as many steps an epoch as it has ratings. If a hundred items share the
//! ratings of thousands of users, a step that suits a user is far too large for an item, which takes one at
//! each of its ratings, and no error falls. As in AdaGrad (Duchi, Hazan and Singer 2011), where steps fall
//! with the root of a row's sum of squares, the steps of the more rated side are divided by the root of the
//! ratio; those of the other side grow a little. One number per side suffices, as rows of one side differ far
//! less from each other than the sides do. A side with few ratings per row needs its steps unchanged,
//! whatever the other side has.
//!
//! **Sparse sides.** A row with two or three ratings takes too few steps to learn a bias, and a bias learned
//! from them would be mostly noise. So biases start from damped means, first those of items, then those of
//! users from the remaining residuals, and decay towards 0 with the same damping.

use crate::input::baseline::DAMPING;
use crate::input::problem::Problem;

/// Ratio of the sides' mean counts at which steps start to be divided, and ratio from which they are divided
/// by the whole root.
const UNEVEN: [f64; 2] = [16.0, 64.0];

/// Number of ratings of a row up to which it needs no smaller steps, however unequal the sides are.
const FEW: f64 = 1000.0;

/// The steps of one side grow by this power of the number that divides those of the other.
const GROWTH: f64 = 0.2;

/// The mean numbers of ratings of a user and of an item.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SideBalance([f64; 2]);

impl SideBalance {
    /// Computes the means over this many users and items.
    pub(crate) fn new(problem: &Problem, rows: [usize; 2]) -> Self {
        Self(rows.map(|rows| problem.ratings() as f64 / rows.max(1) as f64))
    }

    /// Returns the factors of the steps of users and of items: 1 below a ratio of 16, then a growing part of
    /// the root, but large enough that a row's steps add up to at least those of a row with 1000 ratings.
    pub(crate) fn step_multipliers(self) -> [f64; 2] {
        let Self([users, items]) = self;
        let ratio = (users / items).max(items / users);
        let part = (libm::log2(ratio / UNEVEN[0]) / libm::log2(UNEVEN[1] / UNEVEN[0])).clamp(0.0, 1.0);
        let less = libm::pow(ratio, -0.5 * part).max((FEW / users.max(items)).min(1.0));
        let more = libm::pow(less, -GROWTH);
        if users > items { [less, more] } else { [more, less] }
    }

    /// `true` if biases start from damped means: the damping then has more than a third of the weight in the
    /// mean row.
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
        // In a row of six ratings, the three of the damping have a third of the weight.
        assert!(SideBalance([5.9, 9.7]).is_sparse() && SideBalance([9.7, 5.9]).is_sparse());
        assert!(!SideBalance([6.0, 6.0]).is_sparse());
    }
}
