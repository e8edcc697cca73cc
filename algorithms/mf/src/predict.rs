//! Predictions for pairs, and their errors.

use raddle_datasets::Triples;

use crate::model::Model;
use crate::stand_in::StandIn;

impl Model {
    /// Returns the predicted rating of a pair. A user or item that the model does not have adds nothing: at
    /// worst the prediction is the mean, and never NaN.
    ///
    /// The sum is in double precision, in the order of the factors.
    pub fn predict(&self, user: u32, item: u32) -> f64 {
        self.predicted(self.user(user), user, item)
    }

    /// Like [`predict`](Self::predict), with `stand_in` for users of whom nothing was learned.
    pub fn predict_with(&self, user: u32, item: u32, stand_in: &StandIn) -> f64 {
        self.predicted(stand_in.user(self, user), user, item)
    }

    fn predicted(&self, factors: &[f32], user: u32, item: u32) -> f64 {
        let bias = |biases: &[f32], row: u32| biases.get(row as usize).map_or(0.0, |&bias| f64::from(bias));
        let product: f64 =
            factors.iter().zip(self.item(item)).map(|(&p, &q)| f64::from(p) * f64::from(q)).sum();
        self.mean + bias(&self.user_biases, user) + bias(&self.item_biases, item) + product
    }

    /// Returns root mean squared error and mean absolute error on these ratings; 0 for no ratings.
    /// Predictions are not clipped.
    pub fn errors(&self, triples: &Triples) -> (f64, f64) {
        self.errors_less(triples, 0.0)
    }

    /// Returns the [errors](Self::errors) on ratings that are less an offset
    /// ([`Ratings::offset`](raddle_datasets::Ratings::offset)).
    pub fn errors_less(&self, triples: &Triples, offset: f64) -> (f64, f64) {
        let (mut squares, mut sizes) = (0.0, 0.0);
        for (user, item, value) in triples.iter() {
            let error = f64::from(value) + offset - self.predict(user, item);
            squares += error * error;
            sizes += error.abs();
        }
        let count = triples.len().max(1) as f64;
        ((squares / count).sqrt(), sizes / count)
    }
}
