//! [`StandIn`]: scores for users of whom nothing was learned, who get generally popular items.

use crate::model::Model;

/// Scores for users that a model does not have, or of whom nothing was learned, such as those whose only
/// rating was held out.
///
/// If items have biases, these show which are generally popular, and the mean of the ratings plus the bias is
/// predicted. If they have none, as for implicit feedback, the mean user stands in: its factors are the mean
/// over all users of whom anything was learned, so that its score of an item is the mean of theirs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StandIn {
    /// The factors of the mean user; empty if the biases of items are used.
    factors: Vec<f32>,
}

impl StandIn {
    /// `true` for the mean user; `false` if the biases of items are used.
    pub fn is_mean_user(&self) -> bool {
        !self.factors.is_empty()
    }

    /// Returns the factors of a user, or those of the mean user if that stands in for it; empty for an
    /// unknown user otherwise.
    pub(crate) fn user<'a>(&'a self, model: &'a Model, user: u32) -> &'a [f32] {
        if self.is_mean_user() && !model.knows_user(user) { &self.factors } else { model.user(user) }
    }
}

impl Model {
    /// `true` if anything was learned of a user: a factor or a bias other than 0.
    pub fn knows_user(&self, user: u32) -> bool {
        let is_biased = self.user_biases.get(user as usize).is_some_and(|&bias| bias != 0.0);
        is_biased || self.user(user).iter().any(|&value| value != 0.0)
    }

    /// `true` if the model distinguishes any items; the mean alone predicts the same for all of them.
    pub fn ranks_items(&self) -> bool {
        [&self.item_biases, &self.item_factors].into_iter().flatten().any(|&value| value != 0.0)
    }

    /// Returns the stand-in for users of whom nothing was learned.
    pub fn stand_in(&self) -> StandIn {
        if self.rank == 0 || self.item_biases.iter().any(|&bias| bias != 0.0) {
            return StandIn::default();
        }
        let (mut sums, mut number) = (vec![0.0_f64; self.rank], 0_u64);
        for row in
            self.user_factors.chunks_exact(self.rank).filter(|row| row.iter().any(|&value| value != 0.0))
        {
            sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value));
            number += 1;
        }
        StandIn { factors: sums.into_iter().map(|sum| (sum / number.max(1) as f64) as f32).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Model {
        Model {
            user_factors: vec![1.0, 0.0, 0.0, 0.0, 3.0, 2.0],
            item_factors: vec![1.0, 1.0, 0.0, 4.0],
            ..Model::zeros(3, 2, 2)
        }
    }

    #[test]
    fn the_mean_user_is_of_those_of_whom_something_was_learned() {
        let model = model();
        let stand_in = model.stand_in();
        assert!(stand_in.is_mean_user() && model.ranks_items());
        assert_eq!([0, 1, 2, 9].map(|user| model.knows_user(user)), [true, false, true, false]);
        for user in [1, 9] {
            assert_eq!(stand_in.user(&model, user), [2.0, 1.0]);
            // The mean of the other users' scores.
            for item in 0..2 {
                let mean = (model.predict(0, item) + model.predict(2, item)) / 2.0;
                assert_eq!(model.predict_with(user, item, &stand_in), mean);
            }
        }
        assert_eq!(model.predict_with(2, 1, &stand_in), model.predict(2, 1));
    }

    #[test]
    fn items_with_biases_need_nobody() {
        let model = Model { item_biases: vec![0.5, 0.0], mean: 3.0, ..model() };
        assert!(!model.stand_in().is_mean_user());
        assert_eq!(model.predict_with(1, 0, &model.stand_in()), 3.5);
        assert!(!Model::zeros(2, 2, 2).ranks_items());
    }
}
