//! Checks of parameters against their ranges.

use raddle_common::number;

use crate::error::LassoError;
use crate::lambdas::{Course, Penalty};
use crate::loss::Loss;
use crate::params::{Choice, Lasso};

/// The smallest l1 ratio: lambda_max is proportional to 1 / l1 ratio, and would leave the range that can be
/// fitted.
const LEAST_L1_RATIO: f64 = 1e-9;

/// Range of lambda, for messages.
const LAMBDA: &str = "it must be a positive number, no smaller than 2.3e-308";

/// `true` for a lambda that can be fitted.
fn is_lambda(lambda: f64) -> bool {
    lambda >= f64::MIN_POSITIVE && lambda.is_finite()
}

impl Lasso {
    /// Checks all parameters against their ranges.
    pub(crate) fn check(&self) -> Result<(), LassoError> {
        let refuse = |name, value: String, range| Err(LassoError::Parameter { name, value, range });
        match &self.course {
            Course::One(Penalty::Lambda(lambda)) if *lambda != 0.0 && !is_lambda(*lambda) => {
                let range = "it must be 0, for no penalty, or a positive number, no smaller than 2.3e-308";
                return refuse("lambda", number(*lambda), range);
            }
            Course::One(Penalty::Lambda(0.0)) if !self.asked.is_plain() => {
                let range = "no column has a penalty then: leave factors, bounds and groups out";
                return refuse("lambda", "0".into(), range);
            }
            Course::Given(lambdas) => {
                if let Some(&lambda) = lambdas.iter().find(|lambda| !is_lambda(**lambda)) {
                    return refuse("lambdas", number(lambda), LAMBDA);
                }
            }
            Course::One(Penalty::Ratio(ratio)) | Course::Path { ratio, .. }
                if !(*ratio >= 1.0 && ratio.is_finite()) =>
            {
                return refuse("ratio", number(*ratio), "it must be a number of at least 1");
            }
            _ => {}
        }
        if !(self.tolerance > 0.0 && self.tolerance < 1.0) {
            return refuse("tol", number(self.tolerance), "it must lie between 0 and 1, such as 1e-6");
        }
        if self.l1_ratio == 0.0 {
            self.check_ridge()?;
        } else if !(self.l1_ratio >= LEAST_L1_RATIO && self.l1_ratio <= 1.0) {
            let range = "it must be 0, or 1e-9 at least and at most 1, where 0 is ridge and 1 the Lasso";
            return refuse("l1-ratio", number(self.l1_ratio), range);
        }
        if self.course.len() == 0 {
            return refuse("points", "0".into(), "a path needs at least 1 point");
        }
        if self.course.len() > 1 && !matches!(self.schedule, Choice::Auto | Choice::WorkingSet) {
            return refuse("schedule", "of rounds".into(), "a path needs the working set");
        }
        if !self.asked.groups.is_empty() && !matches!(self.schedule, Choice::Auto | Choice::WorkingSet) {
            let range = "rounds move single columns: groups of them need the working set";
            return refuse("schedule", "of rounds".into(), range);
        }
        if self.parallelism == 0 {
            return refuse("parallelism", "0".into(), "a round needs at least 1 column");
        }
        if let Some(candidates) = self.candidates.filter(|&candidates| candidates < self.parallelism) {
            return refuse("candidates", candidates.to_string(), "it must be at least the parallelism");
        }
        if let Some(rho) = self.rho.filter(|rho| !(*rho > 0.0 && *rho < 1.0)) {
            return refuse("rho", number(rho), "it must lie between 0 and 1, or be off");
        }
        if self.shards == Some(0) {
            return refuse("shards", "0".into(), "there must be at least 1");
        }
        Ok(())
    }

    /// Checks that everything else is offered for a ridge, which has no l1 term.
    fn check_ridge(&self) -> Result<(), LassoError> {
        let refuse =
            |range| Err(LassoError::Parameter { name: "l1-ratio", value: "0, which is ridge".into(), range });
        if !matches!(self.course, Course::One(Penalty::Lambda(_))) {
            return refuse("no lambda is so large that all coefficients are 0: give one lambda");
        }
        if self.loss != Loss::Squared {
            return refuse("it is for the squared loss: `linear` fits classes with this penalty");
        }
        if !self.asked.is_plain() {
            return refuse("it is fitted without factors, bounds and groups: leave them out");
        }
        if !self.init.is_empty() {
            return refuse("all coefficients are solved for at once: leave the initial ones out");
        }
        match self.schedule {
            Choice::Auto | Choice::WorkingSet => Ok(()),
            _ => refuse("all coefficients are solved for at once: leave the schedule out"),
        }
    }
}
