//! [`About`]: the facts about a model that stand in its `model.json`.

use raddle_datasets::{Encoding, Occurring};
use raddle_lasso::files::{ClassLabels, Features, Layout};
use serde::{Deserialize, Serialize};

use crate::loss::Loss;
use crate::model::Fit;

/// Facts about a model, the program's own part of `model.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct About {
    /// Columns of the data.
    pub columns: usize,
    /// Columns that were fitted, where not all; of a model that was read, nothing.
    #[serde(skip)]
    pub occurring: Option<Occurring>,
    /// The loss by its name.
    pub loss: String,
    /// The weight C of a row's loss.
    pub c: f64,
    /// The value of the constant column; 0 if there is none.
    pub bias: f64,
    /// Intercept of each scorer: the coefficient of the constant column times the bias.
    pub intercepts: Vec<f64>,
    /// Values of the response, ascending: of two, scores above 0 speak for the second; of more each has a
    /// scorer.
    pub classes: Vec<f64>,
    /// The texts of classes that are their numbers, sorted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_names: Option<Vec<String>>,
    /// Type of the labels of classes, as numpy calls it ([`ClassLabels::type_of`]); of a model of older
    /// versions, whose files number the classes from 1, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_type: Option<String>,
    /// End of the run, as in its report.
    pub ending: String,
    /// (P - D) / P of each scorer.
    pub gaps: Vec<f64>,
    /// `true` if each gap is at most the tolerance.
    pub certified: bool,
    /// `true` if columns were divided by their standard deviations for the fit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scaled: bool,
    /// `true` if columns were numbered from 0 in libsvm text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub zero_based: bool,
    /// Names of the columns, where the data have them.
    pub feature_names: Option<Vec<String>>,
    /// The way in which columns became features, for prediction to repeat; none where they are numbers as
    /// they stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
}

impl About {
    /// Facts about a fit of these features.
    pub fn new(fit: &Fit, features: &Features) -> Self {
        Self {
            columns: features.occurring.as_ref().map_or(fit.columns(), Occurring::width),
            occurring: features.occurring.clone(),
            loss: fit.loss.name().into(),
            c: fit.c,
            bias: fit.bias,
            intercepts: fit.scorers.iter().map(|of| of.intercept).collect(),
            classes: fit.classes.clone(),
            class_names: features.classes.clone(),
            class_type: Some(ClassLabels::type_of(&fit.classes, features.classes.as_deref()).to_owned()),
            ending: fit.report.ending.name().into(),
            gaps: fit.scorers.iter().map(|of| of.gap).collect(),
            certified: fit.report.metric.is_reached(),
            scaled: fit.scales.is_some(),
            zero_based: features.zero_based,
            feature_names: features.names.clone(),
            encoding: features.encoding.clone(),
        }
    }

    /// Number of scorers: one for two classes, else one for each.
    pub fn scorers(&self) -> usize {
        if self.classes.len() == 2 { 1 } else { self.classes.len() }
    }

    /// Order of the coefficients: those of a scorer behind those of the one before.
    pub fn layout(&self) -> Layout<'_> {
        let classes = if self.scorers() == 1 { 0 } else { self.scorers() };
        Layout { columns: self.columns, classes, occurring: self.occurring.as_ref() }
    }

    /// The loss, which a check has found known.
    pub fn loss(&self) -> Loss {
        Loss::named(&self.loss).unwrap_or_default()
    }

    /// Labels of the classes.
    pub fn class_labels(&self) -> ClassLabels<'_> {
        let (names, of_type) = (self.class_names.as_deref(), self.class_type.as_deref());
        ClassLabels { values: &self.classes, names, of_type }
    }

    /// Fields of `coef.tsv` for the classes that have scorers of their own.
    pub(super) fn scorer_fields(&self) -> Vec<String> {
        if self.scorers() == 1 { Vec::new() } else { self.class_labels().fields() }
    }

    /// The name of the column that the fit numbers so, or its number from 1.
    pub fn name(&self, fitted: u32) -> String {
        let (_, column) = self.layout().place(fitted);
        let name = self.feature_names.as_ref().and_then(|names| names.get(column as usize));
        let name = name.filter(|name| !name.is_empty());
        name.cloned().unwrap_or_else(|| format!("column {}", column + 1))
    }

    /// Check that the facts fit each other.
    ///
    /// # Errors
    /// The reason, if they do not.
    pub fn check(&self) -> Result<(), String> {
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
