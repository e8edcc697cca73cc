//! [`Problem`]: training ratings, and others to measure the model on during training.

use std::sync::Arc;

use raddle_datasets::Triples;

use super::source::{Counts, RatingsSource, RatingsSplit};
use crate::error::MfError;
use raddle_kernels::factors as kernels;

/// Ratings of `users` users and `items` items, checked when they are set.
#[derive(Debug, Clone)]
pub struct Problem {
    pub(crate) users: usize,
    pub(crate) items: usize,
    pub(crate) train: RatingsSource,
    pub(crate) measured: Option<Measured>,
    /// Number subtracted from all ratings.
    pub(crate) less: f64,
    /// Counts of the training ratings, if these are in a file: one pass over it finds them all.
    pub(crate) counts: Option<Arc<Counts>>,
}

/// Held-out ratings, on which the model is measured.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) ratings: RatingsSource,
    /// Name of the data: `validation data` or `test data`.
    pub(crate) on: &'static str,
    /// The root mean squared error on these ratings of the mean of the training ratings.
    mean_rmse: f64,
}

/// Accumulates the root mean squared error of a mean over ratings that are added one by one: the mean, the
/// sum of squared errors, and the number of ratings.
struct OfMean(f64, f64, u64);

impl OfMean {
    fn new(mean: f64) -> Self {
        Self(mean, 0.0, 0)
    }

    fn add(&mut self, value: f32) {
        let error = f64::from(value) - self.0;
        (self.1, self.2) = (self.1 + error * error, self.2 + 1);
    }

    fn rmse(&self) -> f64 {
        (self.1 / self.2.max(1) as f64).sqrt()
    }
}

impl Problem {
    /// A problem with these training ratings. Several ratings of a pair all count. Ratings in a file stay
    /// there: each shard reads its own where it lives, so that each of several processes holds only its
    /// share. The models are those of the same ratings in memory.
    ///
    /// # Errors
    /// If there are no ratings, a row is beyond the users or items, a value is not finite, or the file cannot
    /// be read.
    pub fn new(users: usize, items: usize, train: impl Into<RatingsSource>) -> Result<Self, MfError> {
        let train = train.into().without_times();
        check_sizes(users, items, train.len())?;
        check(users, items, train.in_memory())?;
        let counts = match &train {
            RatingsSource::Memory(..) => None,
            RatingsSource::Stored(_) => Some(Arc::new(Counts::of(users, items, &train)?)),
        };
        Ok(Self { users, items, train, measured: None, less: 0.0, counts })
    }

    /// Sets the offset that is subtracted from all ratings, held-out ones included:
    /// [`Ratings::offset`](raddle_datasets::Ratings::offset). Models add it to their predictions, so that
    /// these are the same as without an offset.
    pub fn less(self, offset: f64) -> Self {
        Self { less: offset, ..self }
    }

    /// Holds out a fraction of the ratings, by the hash of the pair and this seed, for validation. Pairs
    /// whose user or item has no training ratings left are dropped.
    ///
    /// # Errors
    /// If the fraction is not between 0 and 1, or nothing is left to train on.
    pub fn validate_on_share(self, fraction: f64, seed: u64) -> Result<Self, MfError> {
        self.split(|train| train.hold_out_share(fraction, seed))
    }

    /// Holds out the pairs for which `is_out` is true, for validation.
    ///
    /// # Errors
    /// If nothing is left to train on.
    pub fn validate_where(self, is_out: impl Fn(u32, u32) -> bool) -> Result<Self, MfError> {
        self.split(|train| Ok(train.hold_out(is_out)?))
    }

    fn split(
        self,
        how: impl FnOnce(RatingsSource) -> Result<RatingsSplit, MfError>,
    ) -> Result<Self, MfError> {
        let RatingsSplit { train, out, .. } = how(self.train)?;
        Self::new(self.users, self.items, train)?.less(self.less).validate_on(out)
    }

    /// Validates on these ratings. Pairs whose user or item has no training rating are dropped.
    ///
    /// # Errors
    /// If a row is beyond the users or items, a value is not finite, or a file cannot be read.
    pub fn validate_on(self, ratings: impl Into<RatingsSource>) -> Result<Self, MfError> {
        self.with(ratings.into(), "validation data")
    }

    /// Measures on these ratings, called test data, during training, so that a target can be set on them.
    /// Cold pairs are dropped.
    ///
    /// # Errors
    /// If a row is beyond the users or items, a value is not finite, or a file cannot be read.
    pub fn test_on(self, ratings: impl Into<RatingsSource>) -> Result<Self, MfError> {
        self.with(ratings.into(), "test data")
    }

    fn with(mut self, ratings: RatingsSource, on: &'static str) -> Result<Self, MfError> {
        check(self.users, self.items, ratings.in_memory())?;
        let [users, items] = self.rated();
        let ratings = ratings.without_times();
        let ratings = ratings.filter(|user, item, _| users[user as usize] && items[item as usize])?;
        let mut of_mean = OfMean::new(self.mean());
        ratings.each(|_, _, value| of_mean.add(value))?;
        let mean_rmse = of_mean.rmse();
        self.measured = (!ratings.is_empty()).then_some(Measured { ratings, on, mean_rmse });
        Ok(self)
    }

    /// Returns which users and which items have training ratings.
    pub(crate) fn rated(&self) -> [Vec<bool>; 2] {
        if let Some(counts) = &self.counts {
            return counts.rows.each_ref().map(|of| of.iter().map(|&count| count > 0).collect());
        }
        let mut rated = [vec![false; self.users], vec![false; self.items]];
        let train = self.train();
        for (&user, &item) in train.users.iter().zip(&train.items) {
            rated[0][user as usize] = true;
            rated[1][item as usize] = true;
        }
        rated
    }

    /// Returns how many users and items have training ratings.
    pub(crate) fn rated_rows(&self) -> [usize; 2] {
        self.rated().map(|rated| rated.into_iter().filter(|&rated| rated).count())
    }

    /// Returns the number of training ratings.
    pub fn ratings(&self) -> usize {
        self.train.len()
    }

    /// Returns the sum of the training ratings, and of their squares.
    pub(crate) fn moments(&self) -> (f64, f64) {
        self.counts
            .as_ref()
            .map_or_else(|| kernels::moments(&self.train().values), |counts| (counts.sum, counts.squares))
    }

    /// Returns the mean of the training ratings.
    pub(crate) fn mean(&self) -> f64 {
        self.moments().0 / self.ratings() as f64
    }

    /// Returns the root mean squared error of that mean on held-out ratings; `None` if there are none.
    pub(crate) fn mean_rmse(&self) -> Option<f64> {
        self.measured.as_ref().map(|measured| measured.mean_rmse)
    }

    /// Returns the problem measured only on preferred pairs, those of values above 0; `None` if that makes no
    /// difference.
    pub(crate) fn measured_on_liked(&self) -> Result<Option<Self>, MfError> {
        let Some(measured) = &self.measured else { return Ok(None) };
        let ratings = measured.ratings.filter(|_, _, value| value > 0.0)?;
        if ratings.len() == measured.ratings.len() {
            return Ok(None);
        }
        let measured = (!ratings.is_empty()).then(|| Measured { ratings, ..measured.clone() });
        Ok(Some(Self { measured, ..self.clone() }))
    }

    /// Returns the number of users, rated or not.
    pub fn users(&self) -> usize {
        self.users
    }

    /// Returns the number of items, rated or not.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Returns the training ratings; empty if they are in a file.
    pub fn train(&self) -> &Triples {
        self.train.in_memory()
    }

    /// Returns the ratings to measure on during training, if any; empty if they are in a file.
    pub fn measured(&self) -> Option<&Triples> {
        self.held_out().map(RatingsSource::in_memory)
    }

    /// Returns the training ratings as a copy of their own, which stays when a fit frees them; those of a
    /// file stay there.
    pub fn training_copy(&self) -> RatingsSource {
        match &self.train {
            RatingsSource::Memory(triples, _) => Triples::clone(triples).into(),
            RatingsSource::Stored(_) => self.train.clone(),
        }
    }

    /// Returns the ratings to measure on during training, wherever they are.
    pub fn held_out(&self) -> Option<&RatingsSource> {
        self.measured.as_ref().map(|measured| &measured.ratings)
    }
}

/// Checks that there are ratings, and no more of anything than 32 bits can count.
fn check_sizes(users: usize, items: usize, ratings: usize) -> Result<(), MfError> {
    let most = u32::MAX as usize - 1;
    for (what, count) in [("users", users), ("items", items), ("ratings", ratings)] {
        if count > most {
            return Err(MfError::TooLarge { what, count });
        }
    }
    if ratings == 0 { Err(MfError::Empty) } else { Ok(()) }
}

/// Checks that every row exists and every value is finite.
pub(crate) fn check(users: usize, items: usize, triples: &Triples) -> Result<(), MfError> {
    let lengths = (triples.users.len(), triples.items.len(), triples.values.len());
    if lengths.0 != lengths.2 || lengths.1 != lengths.2 {
        return Err(MfError::Lengths { users: lengths.0, items: lengths.1, values: lengths.2 });
    }
    // Checked without branches first: the error is located only if there is one.
    let finite = kernels::all_finite(&triples.values);
    let fits = |rows: &[u32], count: usize| rows.is_empty() || (kernels::largest(rows) as usize) < count;
    for (what, rows, count) in [("user", &triples.users, users), ("item", &triples.items, items)] {
        if !fits(rows, count)
            && let Some(at) = rows.iter().position(|&row| row as usize >= count)
        {
            return Err(MfError::Row { position: at + 1, what, row: rows[at], count });
        }
    }
    if !finite && let Some(at) = triples.values.iter().position(|value| !value.is_finite()) {
        return Err(MfError::NotFinite { position: at + 1, value: triples.values[at] });
    }
    Ok(())
}
