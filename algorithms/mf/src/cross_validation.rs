//! [`CrossValidation`]: every setting of a grid on every fold.

use raddle_datasets::ratings::hashed;

use crate::error::MfError;
use crate::model::Fit;
use crate::params::Mf;
use crate::problem::Problem;
use crate::run::Runner;

/// The errors of settings, fold by fold.
#[derive(Debug, Clone)]
pub struct CrossValidation {
    /// For each setting, its error on each fold that holds anything out, the best of its run; infinite where the run came
    /// to none.
    pub errors: Vec<Vec<f64>>,
    /// Folds that hold out no rating whose user and item have others: nothing can be measured on them.
    pub empty: usize,
    /// The setting of the smallest mean error; the first of equals.
    pub best: usize,
    /// The fit of the best setting whose length is the median over the folds: to [`Mf::repeat`] on all ratings.
    pub typical: Fit,
}

impl CrossValidation {
    /// Fits every setting with each of `folds` parts of the ratings held out. A pair's part is the hash of the pair and
    /// the seed: the same for every setting, in any order of the ratings.
    ///
    /// # Errors
    /// If there are fewer than two folds, or more than ratings, or no settings; if no fold holds anything out that can be
    /// measured on, or no setting comes to a finite error; or if a fit fails.
    pub fn run<R: Runner>(
        settings: &[Mf],
        problem: &Problem,
        folds: usize,
        seed: u64,
        runner: &mut R,
    ) -> Result<Self, R::Error> {
        if folds < 2 || settings.is_empty() {
            let range = "there must be at least 2, and a setting to try";
            return Err(MfError::Parameter { name: "folds", value: folds.to_string(), range }.into());
        }
        if folds > problem.train.len() {
            let range = "there are fewer ratings";
            return Err(MfError::Parameter { name: "folds", value: folds.to_string(), range }.into());
        }
        let mut errors = vec![Vec::new(); settings.len()];
        let mut fits: Vec<Vec<Fit>> = vec![Vec::new(); settings.len()];
        let mut empty = 0;
        for fold in 0..folds {
            let share = |fold: usize| fold as f64 / folds as f64;
            let (from, to) = (share(fold), share(fold + 1));
            let held = problem.clone().validate_where(|user, item| hashed(user, item, seed, from, to));
            let part = match held {
                Ok(part) if part.measured.is_some() => part,
                // With few ratings the hash may leave a fold without any, or with all.
                Ok(_) | Err(MfError::Empty) => {
                    empty += 1;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            for (number, mf) in settings.iter().enumerate() {
                let mut fit = mf.fit_on(&part, runner)?;
                errors[number].push(fit.best.filter(|best| best.is_finite()).unwrap_or(f64::INFINITY));
                // Its length is what is needed of it.
                (fit.model, fit.trace) = (Default::default(), Vec::new());
                fits[number].push(fit);
            }
        }
        if empty == folds {
            return Err(MfError::Folds { folds, ratings: problem.train.len() }.into());
        }
        let mean = |errors: &Vec<f64>| errors.iter().sum::<f64>() / errors.len() as f64;
        let means: Vec<f64> = errors.iter().map(mean).collect();
        let better = |best: usize, number: usize| means[number] < means[best];
        let best = (1..means.len()).fold(0, |best, number| if better(best, number) { number } else { best });
        if !means[best].is_finite() {
            return Err(MfError::Diverged.into());
        }
        let mut lengths = fits.swap_remove(best);
        lengths.sort_by_key(|fit| fit.length);
        let typical = lengths.swap_remove(lengths.len() / 2);
        Ok(Self { errors, empty, best, typical })
    }
}
