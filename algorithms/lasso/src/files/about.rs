//! [`About`]: the facts about a model in its `model.json`.

use raddle::files::VersionOf;
use raddle_datasets::{Encoding, Occurring};
use raddle_tabular::files::{ClassLabels, Coefficient, Features, ModelFacts, Offset, Schema};
use serde::{Deserialize, Serialize};

use crate::loss::Loss;
use crate::model::Fit;

/// Facts about a model, the program's own part of `model.json`: what prediction needs in addition to the
/// coefficients, and how the model was fitted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct About {
    /// Columns of the data, p.
    pub columns: usize,
    /// Columns that were fitted, if not all; `None` for a model that was read.
    #[serde(skip)]
    pub occurring: Option<Occurring>,
    /// Number of points of a path; lambda and intercept are those of the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<u64>,
    /// The loss by its name.
    #[serde(default = "squared")]
    pub loss: String,
    /// The share of the l1 norm in the penalty.
    #[serde(default = "lasso")]
    pub l1_ratio: f64,
    /// For a loss of two classes, the two values of the response: scores above 0 predict the second.
    #[serde(default)]
    pub classes: Option<[f64; 2]>,
    /// For classes with scores of their own, the response's K values, ascending; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<f64>,
    /// For classes with scores of their own, the K intercepts; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intercepts: Vec<f64>,
    /// The names of classes whose values are the names' numbers, sorted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_names: Option<Vec<String>>,
    /// Type of the class labels, as numpy calls it ([`ClassLabels::type_of`]); `None` for models of older
    /// versions, whose files number the classes from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_type: Option<String>,
    /// lambda.
    pub lambda: f64,
    /// The smallest lambda without support.
    pub lambda_max: f64,
    /// The intercept; 0 if none is fitted, or if each class has its own.
    pub intercept: f64,
    /// Reason why the run ended, as in its report: a model may be written before it is certified, and a path
    /// before it is complete.
    pub ending: String,
    /// The relative duality gap of the coefficients; for a path the largest.
    pub gap: f64,
    /// `true` if the gap is at most the tolerance.
    pub certified: bool,
    /// `true` if columns were numbered from 0 in libsvm text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub zero_based: bool,
    /// Place of the offsets, which predictions add to the scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<Offset>,
    /// Names of the p columns, if the data have names.
    pub feature_names: Option<Vec<String>>,
    /// The encoding by which columns became features, repeated by predictions; `None` if all columns are
    /// plain numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// Version of changing rows that the model was fitted on; `None` if the rows do not change.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionOf>,
}

fn squared() -> String {
    Loss::Squared.name().into()
}

fn lasso() -> f64 {
    1.0
}

impl About {
    /// Facts about a fit of these features.
    pub fn new(fit: &Fit, features: &Features) -> Self {
        let classes = fit.classes.as_ref().map_or(&fit.labels[..], |two| two);
        let class_type = ClassLabels::type_of(classes, features.classes.as_deref());
        let class_type = (!classes.is_empty()).then(|| class_type.to_owned());
        let one = Self {
            columns: features.occurring.as_ref().map_or(fit.columns, Occurring::width),
            occurring: features.occurring.clone(),
            points: None,
            loss: fit.loss.name().into(),
            l1_ratio: fit.l1_ratio,
            classes: fit.classes,
            labels: fit.labels.clone(),
            intercepts: fit.intercepts.clone(),
            class_names: features.classes.clone(),
            class_type,
            lambda: fit.lambda,
            lambda_max: fit.lambda_max,
            intercept: fit.intercept,
            ending: fit.report.ending.name().into(),
            gap: fit.report.metric.value,
            certified: fit.report.metric.is_reached(),
            zero_based: features.zero_based,
            offset: features.offset.clone(),
            feature_names: features.names.clone(),
            encoding: features.encoding.clone(),
            version: None,
        };
        if !fit.is_path {
            return one;
        }
        let path = Self { points: Some(fit.points.len() as u64), ..one };
        match fit.points.last() {
            None => path,
            // Facts of the last point written: an interrupted path was working on another lambda.
            Some(last) => Self {
                lambda: last.lambda,
                intercept: last.intercept,
                intercepts: last.intercepts.clone(),
                gap: fit.points.iter().map(|point| point.gap).fold(0.0, f64::max),
                ..path
            },
        }
    }

    /// Returns intercept and (column, coefficient) of each class with a score, or of the only score.
    pub fn by_class(&self, coefficients: &[Coefficient]) -> Vec<(f64, Vec<(u32, f64)>)> {
        match &self.intercepts[..] {
            [] => Schema::by_score(&[self.intercept], coefficients),
            all => Schema::by_score(all, coefficients),
        }
    }

    /// Returns the loss; its name has been checked.
    pub fn loss(&self) -> Loss {
        Loss::named(&self.loss).unwrap_or_default()
    }
}

impl ModelFacts for About {
    fn schema(&self) -> Schema<'_> {
        let values = self.classes.as_ref().map_or(&self.labels[..], |two| two);
        Schema {
            columns: self.columns,
            occurring: self.occurring.as_ref(),
            names: self.feature_names.as_deref(),
            encoding: self.encoding.as_ref(),
            zero_based: self.zero_based,
            labels: ClassLabels {
                values,
                names: self.class_names.as_deref(),
                of_type: self.class_type.as_deref(),
            },
            scored: self.labels.len(),
        }
    }

    fn check(&self) -> Result<(), String> {
        let names = self.feature_names.as_ref().map(Vec::len);
        if names.is_some_and(|names| names != self.columns) {
            return Err(format!("{} columns, but {} names of them", self.columns, names.unwrap_or(0)));
        }
        if !self.intercept.is_finite() {
            return Err("the intercept is no finite number".into());
        }
        let is_ordered = self.labels.is_sorted_by(|a, b| a < b) && self.labels.len() == self.intercepts.len();
        if !is_ordered || self.intercepts.iter().any(|intercept| !intercept.is_finite()) {
            return Err("there must be classes in ascending order, and an intercept for each".into());
        }
        let known = Loss::named(&self.loss).map(|loss| (loss.has_classes(), loss.scores_each_class()));
        match (known, self.classes, self.labels.len()) {
            (Some((false, _)), None, 0) | (Some((true, true)), None, 2..) => Ok(()),
            (Some((true, false)), Some([a, b]), 0) if a < b => Ok(()),
            _ => Err(format!("the loss `{}` with these classes is unknown", self.loss)),
        }?;
        let names = self.class_names.as_ref().map(Vec::len);
        let values: Vec<f64> =
            self.classes.into_iter().flatten().chain(self.labels.iter().copied()).collect();
        match names {
            None => Ok(()),
            Some(count) if (0..count).map(|number| number as f64).eq(values) => Ok(()),
            _ => Err("the names of the classes are not theirs".into()),
        }
    }
}
