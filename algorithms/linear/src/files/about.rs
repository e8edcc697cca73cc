//! [`About`]: the metadata of a model in its `model.json`.

use raddle_datasets::{Encoding, Occurring};
use raddle_tabular::files::{ClassLabels, Features, ModelFacts, Schema};
use serde::{Deserialize, Serialize};

use crate::loss::Loss;
use crate::model::Fit;
use crate::path::FittedPath;

/// The metadata of a model: the program's own part of `model.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct About {
    /// Number of columns of the data.
    pub columns: usize,
    /// Columns that were fitted, if not all; not stored.
    #[serde(skip)]
    pub occurring: Option<Occurring>,
    /// Number of points of a path; C and the intercepts are those of the last, the gaps those of the worst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<u64>,
    /// Name of the loss.
    pub loss: String,
    /// Weight C of a row's loss.
    pub c: f64,
    /// Value of the constant column; 0 if there is none.
    pub bias: f64,
    /// `true` if the intercept is not penalised.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free_intercept: bool,
    /// Intercept of each scorer: the coefficient of the constant column times the bias.
    pub intercepts: Vec<f64>,
    /// Values of the response, ascending. With two classes, scores above 0 stand for the second; with more,
    /// each class has a scorer.
    pub classes: Vec<f64>,
    /// Sorted texts of the classes, if the response was text; their indices are the classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_names: Option<Vec<String>>,
    /// Type of the class labels in numpy's terms ([`ClassLabels::type_of`]); `None` for models of older
    /// versions, whose files number the classes from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_type: Option<String>,
    /// How the run ended, as in its report.
    pub ending: String,
    /// Relative duality gap (P - D) / P of each scorer.
    pub gaps: Vec<f64>,
    /// `true` if each gap is at most the tolerance.
    pub certified: bool,
    /// Standard error of the intercept, of a logistic fit by sums.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intercept_error: Option<f64>,
    /// `true` if columns were divided by their standard deviations for the fit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scaled: bool,
    /// `true` if columns were numbered from 0 in libsvm text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub zero_based: bool,
    /// Names of the columns, if the data have names.
    pub feature_names: Option<Vec<String>>,
    /// How columns became features, which prediction repeats; `None` if all are plain numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
}

impl About {
    /// Returns the metadata of a fit of these features.
    pub fn new(fit: &Fit, features: &Features) -> Self {
        Self {
            columns: features.occurring.as_ref().map_or(fit.columns(), Occurring::width),
            occurring: features.occurring.clone(),
            points: None,
            loss: fit.loss.name().into(),
            c: fit.c,
            bias: fit.bias.value(),
            free_intercept: fit.bias.is_free(),
            intercepts: fit.scorers.iter().map(|of| of.intercept).collect(),
            classes: fit.classes.clone(),
            class_names: features.classes.clone(),
            class_type: Some(ClassLabels::type_of(&fit.classes, features.classes.as_deref()).to_owned()),
            ending: fit.report.ending.name().into(),
            gaps: fit.scorers.iter().map(|of| of.gap).collect(),
            certified: fit.report.metric.is_reached(),
            intercept_error: fit.errors.as_ref().and_then(|errors| errors.intercept),
            scaled: fit.scales.is_some(),
            zero_based: features.zero_based,
            feature_names: features.names.clone(),
            encoding: features.encoding.clone(),
        }
    }

    /// Returns the metadata of a path of these features.
    pub fn of_path(path: &FittedPath, features: &Features) -> Self {
        let worst = |scorer: usize| path.fits.iter().map(|fit| fit.scorers[scorer].gap).fold(0.0, f64::max);
        let last = Self::new(path.last(), features);
        Self {
            points: Some(path.fits.len() as u64),
            gaps: (0..last.gaps.len()).map(worst).collect(),
            certified: path.report.metric.is_reached(),
            ..last
        }
    }

    /// Returns the number of scorers: one for two classes, else one for each class.
    pub fn scorers(&self) -> usize {
        if self.classes.len() == 2 { 1 } else { self.classes.len() }
    }

    /// Returns the loss, whose name was checked.
    pub fn loss(&self) -> Loss {
        Loss::named(&self.loss).unwrap_or_default()
    }
}

impl ModelFacts for About {
    fn schema(&self) -> Schema<'_> {
        let (names, of_type) = (self.class_names.as_deref(), self.class_type.as_deref());
        Schema {
            columns: self.columns,
            occurring: self.occurring.as_ref(),
            names: self.feature_names.as_deref(),
            encoding: self.encoding.as_ref(),
            zero_based: self.zero_based,
            labels: ClassLabels { values: &self.classes, names, of_type },
            scored: if self.scorers() == 1 { 0 } else { self.scorers() },
        }
    }

    fn check(&self) -> Result<(), String> {
        let refuse = |why: &str| Err(why.to_owned());
        if self.feature_names.as_ref().is_some_and(|names| names.len() != self.columns) {
            return refuse("there are not as many names as columns");
        }
        if self.intercepts.len() != self.scorers() || !self.intercepts.iter().all(|value| value.is_finite()) {
            return refuse("the intercepts are not one finite number for each scorer");
        }
        if Loss::named(&self.loss).is_none() {
            return Err(format!("the loss `{}` is unknown", self.loss));
        }
        let is_named = self.class_names.as_ref().is_none_or(|names| names.len() == self.classes.len());
        let is_ascending = self.classes.len() >= 2 && self.classes.windows(2).all(|of| of[0] < of[1]);
        if is_ascending && is_named {
            Ok(())
        } else {
            refuse("the classes are not two or more, ascending and named")
        }
    }
}
