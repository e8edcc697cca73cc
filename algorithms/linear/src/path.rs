//! [`Path`]: fits at several values of C, each from the one before.

use raddle::prelude::*;
use raddle::{EpochRecord, ModelDigest, Outcome, RunReport};

use crate::data::problem::Problem;
use crate::error::LinearError;
use crate::model::Fit;
use crate::params::Linear;
use crate::run::machine::Machine;
use crate::run::program::LinearProgram;

/// Fits at several values of C, in ascending order, each of which starts from the one before and is certified
/// by itself. All are one run: classes go along the path in parallel, and a checkpoint continues it.
///
/// ```
/// use raddle_linear::{Linear, Problem};
///
/// let data = raddle_datasets::embedded::diabetes();
/// let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
/// let problem = Problem::new(&data.x, &y, 1.0)?;
/// let path = Linear::params().path(vec![10.0, 0.1, 1.0]).fit(&problem)?;
/// assert_eq!(path.fits.iter().map(|fit| fit.c).collect::<Vec<_>>(), [0.1, 1.0, 10.0]);
/// assert!(path.fits.iter().all(|fit| fit.gap() <= 1e-4));
/// # Ok::<(), raddle_linear::LinearError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Path {
    linear: Linear,
    costs: Vec<f64>,
    /// Largest number of epochs at each C.
    most: u64,
}

/// The fits along a path.
#[derive(Debug, Clone)]
pub struct FittedPath {
    /// The fits that are done, in ascending order of C; if none is, the first as far as it came. Each report
    /// has the gap of its fit, and is otherwise that of the run.
    pub fits: Vec<Fit>,
    /// Report of the run, with the worst gap.
    pub report: RunReport,
    /// One record per epoch.
    pub trace: Vec<EpochRecord>,
}

impl Linear {
    /// Fits at these values of C, which are sorted.
    pub fn path(self, mut costs: Vec<f64>) -> Path {
        costs.sort_by(f64::total_cmp);
        costs.dedup();
        Path { linear: self, costs, most: u64::MAX }
    }
}

impl Path {
    /// Sets a limit of epochs at each C, after which the path goes on to the next with the gap that it has.
    pub fn epochs(self, most: u64) -> Self {
        Self { most, ..self }
    }

    /// Returns the values of C, ascending.
    pub fn costs(&self) -> &[f64] {
        &self.costs
    }

    /// Returns the weight of each class at each C.
    fn factors(&self, problem: &Problem) -> Result<Vec<Vec<f64>>, LinearError> {
        let refuse = |why| Err(LinearError::Parameter { name: "Cs", why });
        if self.costs.is_empty() {
            return refuse("there is none: give at least one".into());
        }
        if let Some(c) = self.costs.iter().find(|c| !(1e-100..=1e100).contains(*c)) {
            return refuse(format!("it is {c}: it must be a number from 1e-100 to 1e100"));
        }
        let linear = self.linear.clone().without_start();
        self.costs.iter().map(|c| Ok(linear.clone().c(*c).factors(problem)?.1)).collect()
    }

    /// Returns the engine of the path.
    ///
    /// # Errors
    /// The errors of [`Linear::engine`], and no C, or one that is out of range.
    pub fn engine(&self, problem: &Problem) -> Result<Engine<LinearProgram>, LinearError> {
        self.linear.engine_along(problem, self.factors(problem)?, self.most)
    }

    /// Fits on the current thread.
    ///
    /// # Errors
    /// The errors of [`engine`](Self::engine), and a run that fails.
    pub fn fit(&self, problem: &Problem) -> Result<FittedPath, LinearError> {
        self.fit_with(problem, |engine| engine)
    }

    /// Fits on an engine that `set` may configure, such as its number of workers.
    ///
    /// # Errors
    /// The errors of [`fit`](Self::fit).
    pub fn fit_with(
        &self,
        problem: &Problem,
        set: impl FnOnce(Engine<LinearProgram>) -> Engine<LinearProgram>,
    ) -> Result<FittedPath, LinearError> {
        let outcome = set(self.engine(problem)?).run()?;
        self.finish(problem, outcome)
    }

    /// Makes the fits from the outcome of [`engine`](Self::engine) on this problem. At each C that is done,
    /// solvers came to the tolerance, or made no more progress.
    ///
    /// # Errors
    /// The errors of [`engine`](Self::engine).
    pub fn finish(
        &self,
        problem: &Problem,
        outcome: Outcome<LinearProgram>,
    ) -> Result<FittedPath, LinearError> {
        let Outcome { parts, report, trace, .. } = outcome;
        let all: Vec<Vec<Machine>> =
            parts.shards.into_iter().chain([parts.pinned]).filter(|path| !path.is_empty()).collect();
        let (tolerance, most) = (self.linear.tolerance, self.most);
        let is_done = |machine: &&Machine| machine.is_done(tolerance) || machine.epochs >= most;
        let done = all.iter().map(|path| path.iter().take_while(is_done).count()).min().unwrap_or(0);
        let loss = problem.meant(self.linear.loss);
        let fit = |(point, (c, factors)): (usize, (&f64, Vec<f64>))| {
            let found = all.iter().map(|path| path[point].best.clone()).collect();
            let mut fit = Fit::new(problem, (loss, *c, &factors), found, report.clone(), Vec::new())?;
            fit.report.metric.value = fit.gap();
            Ok(fit)
        };
        let points = self.costs.iter().zip(self.factors(problem)?).enumerate().take(done.max(1));
        let fits = points.map(fit).collect::<Result<_, LinearError>>()?;
        Ok(FittedPath { fits, report, trace })
    }
}

impl FittedPath {
    /// Returns the fit at the largest C that is done.
    pub fn last(&self) -> &Fit {
        &self.fits[self.fits.len() - 1]
    }

    /// Returns the fits whose gap is larger than the tolerance.
    pub fn missed(&self) -> impl Iterator<Item = &Fit> {
        self.fits.iter().filter(|fit| fit.report.metric.is_missed())
    }

    /// Returns the largest relative duality gap.
    pub fn gap(&self) -> f64 {
        self.fits.iter().map(Fit::gap).fold(0.0, f64::max)
    }

    /// Returns the digest of all coefficients, equal exactly for equal paths; of a single point it is that of
    /// its fit.
    pub fn digest(&self) -> String {
        self.fits.iter().fold(ModelDigest::default(), |digest, fit| fit.digested(digest)).finish()
    }
}
