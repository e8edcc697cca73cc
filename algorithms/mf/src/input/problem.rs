//! [`Problem`]: training ratings, and others to measure the model on during training.

use std::sync::Arc;

use raddle_datasets::ratings::{HeldOut, hashed};
use raddle_datasets::{PartOfRatings, Triples};

use super::by_parts::ByParts;
use crate::error::MfError;
use raddle_kernels::factors as kernels;

/// Ratings of `users` users and `items` items, checked when they are set.
#[derive(Debug, Clone)]
pub struct Problem {
    pub(crate) users: usize,
    pub(crate) items: usize,
    pub(crate) train: Arc<Triples>,
    pub(crate) measured: Option<Measured>,
    /// Number subtracted from all ratings.
    pub(crate) less: f64,
    /// The ratings if they are read by parts: none is in memory then.
    pub(crate) by_parts: Option<Arc<ByParts>>,
}

/// Held-out ratings, on which the model is measured.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) triples: Arc<Triples>,
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
    /// A problem with these training ratings. Several ratings of a pair all count.
    ///
    /// # Errors
    /// If there are no ratings, a row is beyond the users or items, or a value is not finite.
    pub fn new(users: usize, items: usize, train: impl Into<Arc<Triples>>) -> Result<Self, MfError> {
        let train = train.into();
        check_sizes(users, items, train.len())?;
        check(users, items, &train)?;
        Ok(Self { users, items, train, measured: None, less: 0.0, by_parts: None })
    }

    /// Sets the offset that is subtracted from all ratings, held-out ones included:
    /// [`Ratings::offset`](raddle_datasets::Ratings::offset). Models add it to their predictions, so that
    /// these are the same as without an offset.
    pub fn less(self, offset: f64) -> Self {
        Self { less: offset, ..self }
    }

    /// A problem with training ratings that stay in their file: each shard reads its own where it lives, so
    /// that each of several processes holds only its share. The models are those of the same ratings in
    /// memory. [`train`](Self::train) and [`measured`](Self::measured) are empty.
    ///
    /// # Errors
    /// If there are no ratings, or they cannot be read.
    pub fn by_parts(train: PartOfRatings) -> Result<Self, MfError> {
        let [users, items] = train.stored().counts().each_ref().map(Vec::len);
        check_sizes(users, items, train.len())?;
        let less = train.stored().described().offset;
        let by_parts = Some(Arc::new(ByParts::new(train)?));
        Ok(Self { users, items, train: Arc::default(), measured: None, less, by_parts })
    }

    /// Measures on ratings of the same file during training; they are called test data if `is_test` is true,
    /// else validation data. Cold pairs are dropped.
    ///
    /// # Errors
    /// If the training ratings are in memory, or the ratings to measure on cannot be read.
    pub fn measure_on_part(mut self, part: &PartOfRatings, is_test: bool) -> Result<Self, MfError> {
        let mean = self.mean();
        let Some(by_parts) = &mut self.by_parts else { return Err(MfError::InMemory) };
        let [users, items] = by_parts.rated();
        let part = part.filter(|user, item, _| users[user as usize] && items[item as usize])?;
        let on = if is_test { "test data" } else { "validation data" };
        let mut of_mean = OfMean::new(mean);
        part.each(0..part.len(), |_, _, value| of_mean.add(value))?;
        let mean_rmse = of_mean.rmse();
        self.measured = (!part.is_empty()).then(|| Measured { triples: Arc::default(), on, mean_rmse });
        Arc::make_mut(by_parts).measured = Some(part).filter(|part| !part.is_empty());
        Ok(self)
    }

    /// Holds out a fraction of the ratings, by the hash of the pair and this seed, for validation. Pairs
    /// whose user or item has no training ratings left are dropped.
    ///
    /// # Errors
    /// If the fraction is not between 0 and 1, or nothing is left to train on.
    pub fn validate_on_share(self, fraction: f64, seed: u64) -> Result<Self, MfError> {
        if !(fraction > 0.0 && fraction < 1.0) {
            let range = "a share must lie between 0 and 1, such as 0.05";
            return Err(MfError::Parameter { name: "validation", value: fraction.to_string(), range });
        }
        self.validate_where(|user, item| hashed(user, item, seed, 0.0, fraction))
    }

    /// Holds out the pairs for which `is_out` is true, for validation.
    ///
    /// # Errors
    /// If nothing is left to train on.
    pub fn validate_where(self, is_out: impl Fn(u32, u32) -> bool) -> Result<Self, MfError> {
        let Self { users, items, train, less, .. } = self;
        let train = Arc::try_unwrap(train).unwrap_or_else(|shared| (*shared).clone());
        let HeldOut { mut train, out, .. } = HeldOut::out(train, users, items, is_out);
        train.users.shrink_to_fit();
        train.items.shrink_to_fit();
        train.values.shrink_to_fit();
        let problem = Self::new(users, items, train)?.less(less);
        match out.is_empty() {
            true => Ok(problem),
            false => Ok(problem.with(out, "validation data")),
        }
    }

    /// Validates on these ratings. Pairs whose user or item has no training rating are dropped.
    ///
    /// # Errors
    /// If a row is beyond the users or items, or a value is not finite.
    pub fn validate_on(self, triples: Triples) -> Result<Self, MfError> {
        check(self.users, self.items, &triples)?;
        Ok(self.with(triples, "validation data"))
    }

    /// Measures on these ratings, called test data, during training, so that a target can be set on them.
    /// Cold pairs are dropped.
    ///
    /// # Errors
    /// If a row is beyond the users or items, or a value is not finite.
    pub fn test_on(self, triples: Triples) -> Result<Self, MfError> {
        check(self.users, self.items, &triples)?;
        Ok(self.with(triples, "test data"))
    }

    fn with(mut self, triples: Triples, on: &'static str) -> Self {
        let [users, items] = self.rated();
        let warm = |&(user, item, _): &(u32, u32, f32)| users[user as usize] && items[item as usize];
        let triples: Triples = triples.iter().filter(warm).collect();
        let mut of_mean = OfMean::new(self.mean());
        triples.values.iter().for_each(|&value| of_mean.add(value));
        let mean_rmse = of_mean.rmse();
        self.measured = (!triples.is_empty()).then(|| Measured { triples: Arc::new(triples), on, mean_rmse });
        self
    }

    /// Returns which users and which items have training ratings.
    pub(crate) fn rated(&self) -> [Vec<bool>; 2] {
        if let Some(by_parts) = &self.by_parts {
            return by_parts.rated();
        }
        let mut rated = [vec![false; self.users], vec![false; self.items]];
        for (&user, &item) in self.train.users.iter().zip(&self.train.items) {
            rated[0][user as usize] = true;
            rated[1][item as usize] = true;
        }
        rated
    }

    /// Returns how many users and items there are to learn: all of them, or only those with ratings if the
    /// others stay as in a model.
    pub(crate) fn learned(&self, only_rated: bool) -> [usize; 2] {
        match only_rated {
            true => self.rated().map(|rated| rated.into_iter().filter(|&rated| rated).count()),
            false => [self.users, self.items],
        }
    }

    /// Returns the number of training ratings.
    pub fn ratings(&self) -> usize {
        self.by_parts.as_ref().map_or(self.train.len(), |by_parts| by_parts.len())
    }

    /// Returns the sum of the training ratings, and of their squares.
    pub(crate) fn moments(&self) -> (f64, f64) {
        self.by_parts
            .as_ref()
            .map_or_else(|| kernels::moments(&self.train.values), |by_parts| by_parts.moments)
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
        let is_liked = |value: f32| value > 0.0;
        let Some(measured) = &self.measured else { return Ok(None) };
        let mut problem = self.clone();
        if let Some(part) = self.by_parts.as_ref().and_then(|by_parts| by_parts.measured.as_ref()) {
            let liked = part.filter(|_, _, value| is_liked(value))?;
            if liked.len() == part.len() {
                return Ok(None);
            }
            problem.measured = problem.measured.filter(|_| !liked.is_empty());
            if let Some(by_parts) = &mut problem.by_parts {
                Arc::make_mut(by_parts).measured = Some(liked).filter(|liked| !liked.is_empty());
            }
            return Ok(Some(problem));
        }
        if measured.triples.values.iter().all(|&value| is_liked(value)) {
            return Ok(None);
        }
        let liked: Triples = measured.triples.iter().filter(|&(_, _, value)| is_liked(value)).collect();
        let is_empty = liked.is_empty();
        let liked = Measured { triples: Arc::new(liked), ..measured.clone() };
        problem.measured = (!is_empty).then_some(liked);
        Ok(Some(problem))
    }

    /// Returns the number of users, rated or not.
    pub fn users(&self) -> usize {
        self.users
    }

    /// Returns the number of items, rated or not.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Returns the training ratings; empty if they are read by parts.
    pub fn train(&self) -> &Triples {
        &self.train
    }

    /// Returns the ratings to measure on during training, if any; `None` if they are read by parts.
    pub fn measured(&self) -> Option<&Triples> {
        self.measured.as_ref().map(|measured| &*measured.triples)
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
