//! [`About`]: the facts about a model that stand in its `model.json`.

use raddle_datasets::{Encoding, Occurring};
use raddle_lasso::files::{Features, Layout};
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
    /// Intercept: the coefficient of the constant column times the bias.
    pub intercept: f64,
    /// The response's two values: scores above 0 speak for the second.
    pub classes: [f64; 2],
    /// The texts of classes that are their numbers, sorted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_names: Option<Vec<String>>,
    /// End of the run, as in its report.
    pub ending: String,
    /// (P - D) / P of the model.
    pub gap: f64,
    /// `true` if the gap is at most the tolerance.
    pub certified: bool,
    /// `true` if columns were numbered from 0 in libsvm text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub zero_based: bool,
    /// Names of the columns, where the data have them.
    pub feature_names: Option<Vec<String>>,
    /// The way in which columns became features, for prediction to repeat; none where they are numbers as they stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
}

impl About {
    /// Facts about a fit of these features.
    pub fn new(fit: &Fit, features: &Features) -> Self {
        Self {
            columns: features.occurring.as_ref().map_or(fit.columns, Occurring::width),
            occurring: features.occurring.clone(),
            loss: fit.loss.name().into(),
            c: fit.c,
            bias: fit.bias,
            intercept: fit.intercept,
            classes: fit.classes,
            class_names: features.classes.clone(),
            ending: fit.report.ending.name().into(),
            gap: fit.gap,
            certified: fit.report.metric.is_reached(),
            zero_based: features.zero_based,
            feature_names: features.names.clone(),
            encoding: features.encoding.clone(),
        }
    }

    /// Order of the coefficients.
    pub fn layout(&self) -> Layout<'_> {
        Layout { columns: self.columns, classes: 0, occurring: self.occurring.as_ref() }
    }

    /// The loss, which a check has found known.
    pub fn loss(&self) -> Loss {
        Loss::named(&self.loss).unwrap_or_default()
    }

    /// One of the two classes as text.
    pub fn class_name(&self, larger: bool) -> String {
        let class = self.classes[usize::from(larger)];
        match &self.class_names {
            // A tab or a line end in a name would shift what stands behind it.
            Some(names) => {
                let name = names.get(class as usize).map_or("", String::as_str);
                name.replace(|letter: char| letter.is_control(), " ")
            }
            None => class.to_string(),
        }
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
        if !self.intercept.is_finite() {
            return refuse("the intercept is no finite number");
        }
        if Loss::named(&self.loss).is_none() {
            return Err(format!("the loss `{}` is unknown", self.loss));
        }
        let [a, b] = self.classes;
        let is_named = self.class_names.as_ref().is_none_or(|names| names.len() == 2 && (a, b) == (0.0, 1.0));
        if a < b && is_named { Ok(()) } else { refuse("the classes are not two in ascending order") }
    }
}
