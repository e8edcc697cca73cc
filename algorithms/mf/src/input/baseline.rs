//! [`Baselines`]: predictions by the mean of the ratings and by the biases alone, which a model must beat.

use super::problem::Problem;
use crate::error::MfError;
use crate::model::{Learned, Model};

/// Number of ratings of 0 that are added to the ratings of each bias: the ratio of the variance of ratings
/// about their means to that of biases, about 3 on public data.
pub(crate) const DAMPING: f64 = 3.0;

/// Returns the damped mean of ratings with this sum and number.
pub(crate) fn damped(sum: f64, count: u32) -> f64 {
    sum / (f64::from(count) + DAMPING)
}

/// Two models without factors, and their errors on the ratings that a fit is measured on: held-out ratings,
/// or training ratings if none are held out.
///
/// The mean is that of the training ratings. The bias of an item is the sum of its ratings less the mean,
/// divided by their number plus 3; the bias of a user is found in the same way from its ratings less the mean
/// and the items' biases. The number 3 is a damping: a bias from few ratings stays near 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Baselines {
    /// The mean of the training ratings.
    pub mean: f64,
    /// The root mean squared error of the mean alone.
    pub mean_rmse: f64,
    /// The root mean squared error of mean and biases.
    pub biases_rmse: f64,
    /// Name of the ratings on which both were measured, such as `validation data`.
    pub on: &'static str,
    /// The bias of each user.
    user_biases: Vec<f32>,
    /// The bias of each item.
    item_biases: Vec<f32>,
}

impl Baselines {
    /// Name of the ratings that are measured if none are held out.
    pub(crate) const TRAINED_ON: &'static str = "training data";

    /// Computes the baselines of a problem in three passes over its ratings.
    ///
    /// # Errors
    /// If ratings that are read by parts cannot be read.
    pub fn of(problem: &Problem) -> Result<Self, MfError> {
        let mean = problem.mean();
        let (users, items) = (problem.users, problem.items);
        let [mut of_users, mut of_items] = [vec![(0.0, 0); users], vec![(0.0, 0); items]];
        problem.train.each(|_, item, value| {
            let (sum, count) = &mut of_items[item as usize];
            (*sum, *count) = (*sum + (f64::from(value) - mean), *count + 1);
        })?;
        let biases = |sums: Vec<(f64, u32)>| -> Vec<f32> {
            sums.into_iter().map(|(sum, count)| damped(sum, count) as f32).collect()
        };
        let item_biases = biases(of_items);
        problem.train.each(|user, item, value| {
            let (sum, count) = &mut of_users[user as usize];
            let left = f64::from(value) - mean - f64::from(item_biases[item as usize]);
            (*sum, *count) = (*sum + left, *count + 1);
        })?;
        let user_biases = biases(of_users);
        let (mut by_mean, mut by_biases, mut number) = (0.0, 0.0, 0_u64);
        problem.held_out().unwrap_or(&problem.train).each(|user, item, value| {
            let error = f64::from(value) - mean;
            let left = error - f64::from(user_biases[user as usize]) - f64::from(item_biases[item as usize]);
            (by_mean, by_biases, number) = (by_mean + error * error, by_biases + left * left, number + 1);
        })?;
        let root = |sum: f64| (sum / number.max(1) as f64).sqrt();
        let on = problem.measured.as_ref().map_or(Self::TRAINED_ON, |measured| measured.on);
        let (mean_rmse, biases_rmse) = (root(by_mean), root(by_biases));
        let mean = if problem.less == 0.0 { mean } else { mean + problem.less };
        Ok(Self { mean, mean_rmse, biases_rmse, on, user_biases, item_biases })
    }

    /// Returns the better of the two; without biases, the mean.
    pub(crate) fn better(&self, biases: bool) -> Learned {
        if biases && self.biases_rmse < self.mean_rmse { Learned::Biases } else { Learned::Mean }
    }

    /// Returns the error of such a model; NaN for factors, which no baseline has.
    pub(crate) fn rmse(&self, learned: Learned) -> f64 {
        match learned {
            Learned::Factors => f64::NAN,
            Learned::Biases => self.biases_rmse,
            Learned::Mean => self.mean_rmse,
        }
    }

    /// Returns such a model, with factors of 0: the mean alone unless biases are asked for.
    pub fn model(&self, learned: Learned, rank: usize) -> Model {
        let (users, items) = (self.user_biases.len(), self.item_biases.len());
        let mut model = Model { mean: self.mean, ..Model::zeros(users, items, rank) };
        if learned == Learned::Biases {
            (model.user_biases, model.item_biases) = (self.user_biases.clone(), self.item_biases.clone());
        }
        model
    }
}

impl Problem {
    /// `true` if all training ratings are equal, up to rounding.
    pub fn is_constant(&self) -> bool {
        let ((sum, squares), number) = (self.moments(), self.ratings() as f64);
        let mean = sum / number;
        (squares / number - mean * mean).max(0.0).sqrt() <= 1e-6 * mean.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::tests::{in_file, ratings};
    use proptest::prelude::*;
    use raddle_datasets::Triples;

    #[test]
    fn a_small_set_by_hand() {
        let train: Triples = [(0, 0, 5.0), (0, 1, 3.0), (1, 0, 4.0)].into_iter().collect();
        let held: Triples = [(1, 1, 2.0)].into_iter().collect();
        let problem = Problem::new(2, 2, train).unwrap().validate_on(held).unwrap();
        let found = Baselines::of(&problem).unwrap();
        // The mean is 4; items: 1 / 5 and -1 / 4; users: (0.8 - 0.75) / 5 and -0.2 / 4.
        assert_eq!((found.mean, found.mean_rmse, found.on), (4.0, 2.0, "validation data"));
        assert!((found.biases_rmse - (2.0 - 0.25 - 0.05)).abs() < 1e-6, "{found:?}");
        assert_eq!((found.better(true), found.better(false)), (Learned::Biases, Learned::Mean));
        let model = found.model(Learned::Biases, 3);
        assert!((model.predict(1, 1) - 3.7).abs() < 1e-6 && model.item_factors == [0.0; 6]);
        assert_eq!(found.model(Learned::Mean, 3).predict(1, 1), 4.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn ratings_read_by_parts_have_the_same_baselines_to_the_bit(triples in ratings()) {
            let (problem, stored) = in_file(&triples);
            prop_assert_eq!(Baselines::of(&stored).unwrap(), Baselines::of(&problem).unwrap());
            // The rule may hold out nothing.
            let measured = problem.measured.as_ref().map(|_| Baselines::of(&problem).unwrap().mean_rmse);
            prop_assert_eq!(problem.mean_rmse(), measured);
        }
    }
}
