//! Baselines to which a fit is compared: the mean of the ratings, and the biases alone.

use raddle::Metric;
use raddle_cli::{Report, number};
use raddle_mf::{Baselines, Fit, Learned};

use super::test_measures::TestSet;

/// The errors of the mean and of the biases alone, compared with those of the model.
pub(super) struct BaselineComparison<'a> {
    fit: &'a Fit,
    baselines: &'a Baselines,
    /// Errors on the test data, if any: of the model, the mean and the biases.
    test: Option<[f64; 3]>,
}

impl<'a> BaselineComparison<'a> {
    /// Compares a fit with the baselines that it has measured; `None` for implicit feedback.
    pub(super) fn of(fit: &'a Fit, test: Option<TestSet<'_>>) -> Option<Self> {
        let baselines = fit.baselines.as_ref()?;
        let test = test.map(|test| {
            let error = |learned| test.errors(&baselines.model(learned, fit.model.rank)).0;
            [test.errors(&fit.model).0, error(Learned::Mean), error(Learned::Biases)]
        });
        Some(Self { fit, baselines, test })
    }

    /// Adds the errors of the baselines to the report.
    pub(super) fn report(&self, report: Report) -> Report {
        let Baselines { mean_rmse, biases_rmse, on, .. } = self.baselines;
        let report = report.result("mean_rmse", *mean_rmse).result("biases_rmse", *biases_rmse);
        let report = report.result("compared_on", *on);
        match self.test {
            Some([_, mean, biases]) => {
                report.result("mean_test_rmse", mean).result("biases_test_rmse", biases)
            }
            None => report,
        }
    }

    /// Lines for the screen, shown before the conclusion of the run.
    pub(super) fn lines(&self) -> String {
        let Baselines { mean_rmse, biases_rmse, on, .. } = self.baselines;
        let mut lines = format!("{on}: {}", beside(*mean_rmse, *biases_rmse));
        if let Some([_, mean, biases]) = self.test {
            lines += &format!("\ntest: {}", beside(mean, biases));
        }
        if let Some(said) = self.verdict() {
            lines += &format!("\n{said}");
        }
        lines
    }

    /// Says that nothing was learned, or that the biases alone do better.
    fn verdict(&self) -> Option<String> {
        let Baselines { mean_rmse, biases_rmse, on, .. } = self.baselines;
        let Fit { learned, factors_best, report: run, .. } = self.fit;
        let told = |error: &Option<f64>| {
            error.map_or_else(String::new, |error| format!("; factors have rmse {} on {on}", number(error)))
        };
        match learned {
            Learned::Mean => {
                let told = told(factors_best);
                Some(format!("{NOTHING}: the model is the mean alone, the same for every pair{told}"))
            }
            Learned::Biases => {
                let told = told(factors_best);
                Some(format!("{NOTHING} but biases: the model is mean and biases, without factors{told}"))
            }
            Learned::Factors => {
                let Metric { name, value, on: measured, .. } = &run.metric;
                let is_measured = name == "rmse" && value.is_finite();
                if is_measured && value >= mean_rmse {
                    Some(format!("{NOTHING}: on {measured} it does as well as the model, or better"))
                } else if self.test.is_some_and(|[own, mean, _]| own >= mean) {
                    Some(format!("{NOTHING}: on the test data it does as well as the model, or better"))
                } else if is_measured && measured == on && value > biases_rmse {
                    Some("the biases alone do better: try more --reg, or a lower --rank".into())
                } else {
                    None
                }
            }
        }
    }
}

/// The start of a sentence about a model that has learned nothing.
const NOTHING: &str = "nothing was learned beyond the mean";

fn beside(mean: f64, biases: f64) -> String {
    format!("the mean alone has rmse {}, with biases {}", number(mean), number(biases))
}
