//! [`CrossValidation`]: fits every setting of a grid on every fold.

use raddle::{Ending, Limit};
use raddle_datasets::ratings::hashed;

use crate::error::MfError;
use crate::fitted::Fit;
use crate::input::problem::Problem;
use crate::params::Mf;
use crate::runner::Runner;

/// The scores of settings on the folds.
#[derive(Debug, Clone)]
pub struct CrossValidation {
    /// For each setting, the metric of its best epoch on each fold that holds out a rating: root mean squared
    /// error, or NDCG at 10 for implicit feedback; infinitely bad if the run found no model.
    pub scores: Vec<Vec<f64>>,
    /// Number of folds without a held-out rating whose user and item have other ratings: nothing can be
    /// measured on them.
    pub empty: usize,
    /// The setting with the best mean score; the first of equals.
    pub best: usize,
    /// The fit of the best setting with the median length over the folds, where fits without factors come
    /// first: [`Mf::repeat`] repeats it on all ratings.
    pub typical: Fit,
}

impl CrossValidation {
    /// Fits every setting with each of `folds` parts of the ratings held out. A pair belongs to a part by the
    /// hash of the pair and the seed: the same for every setting, in any order of the ratings.
    ///
    /// # Errors
    /// If there are fewer than two folds, more folds than ratings, or no settings; if nothing can be measured
    /// on any fold, or no setting has a finite score on all of them; if some settings are of implicit
    /// feedback and others are not; if a fit fails, or is stopped by a time limit or the caller.
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
            return Err(MfError::FewRatings { ratings: problem.train.len(), folds }.into());
        }
        let is_implicit = settings[0].implicit.is_some();
        if settings.iter().any(|mf| mf.implicit.is_some() != is_implicit) {
            let range = "settings with and without it cannot be compared";
            return Err(MfError::Parameter { name: "implicit", value: "given".into(), range }.into());
        }
        // Smaller is better after multiplication by this sign.
        let sign = if is_implicit { -1.0 } else { 1.0 };
        let mut scores = vec![Vec::new(); settings.len()];
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
                let (fold, setting, of) = (fold + 1, number + 1, settings.len());
                runner.begins(&format!("fold {fold} of {folds}, setting {setting} of {of}"));
                let mut fit = mf.fit_on(&part, runner)?;
                if let Ending::Interrupted | Ending::Limit(Limit::Time) = fit.report.ending {
                    let Fit { report, trace, .. } = fit;
                    return Err(MfError::CutShort { report: Box::new(report), trace }.into());
                }
                scores[number].push(fit.best.filter(|best| best.is_finite()).unwrap_or(sign * f64::INFINITY));
                // Only its length is needed.
                (fit.model, fit.trace) = (Default::default(), Vec::new());
                fits[number].push(fit);
            }
        }
        if empty == folds {
            return Err(MfError::Folds { folds, ratings: problem.train.len() }.into());
        }
        let mean = |scores: &Vec<f64>| sign * scores.iter().sum::<f64>() / scores.len() as f64;
        let means: Vec<f64> = scores.iter().map(mean).collect();
        let better = |best: usize, number: usize| means[number] < means[best];
        let best = (1..means.len()).fold(0, |best, number| if better(best, number) { number } else { best });
        if !means[best].is_finite() {
            return Err(MfError::Diverged.into());
        }
        let mut lengths = fits.swap_remove(best);
        lengths.sort_by_key(|fit| (fit.learned, fit.length));
        let typical = lengths.swap_remove(lengths.len() / 2);
        Ok(Self { scores, empty, best, typical })
    }
}
