//! [`About`]: the facts about a model in its `model.json`.

use raddle::files::VersionOf;
use raddle_datasets::Ids;
use serde::{Deserialize, Deserializer, Serialize};

use super::id_list;
use crate::fitted::Fit;
use crate::model::Learned;
use crate::params::usual_power;
use crate::settings::FoldIn;

/// Facts about a model, the program's own part of `model.json`: what is needed to use the model in addition
/// to the factors, and how it was fitted. None of them depends on the machine, unless a time limit has ended
/// the run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct About {
    /// Number of factors of each row.
    pub rank: usize,
    /// Prediction for pairs of which nothing else is known.
    pub mean: f64,
    /// Number subtracted from the ratings while the model was fitted
    /// ([`Ratings::offset`](raddle_datasets::Ratings::offset)); `mean` includes it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: f64,
    /// `true` if users and items have biases.
    pub biases: bool,
    /// The weight of a count, for a model of implicit feedback.
    pub implicit: Option<f64>,
    /// `true` if a count alone is the weight of its pair ([`Mf::count_alone`](crate::Mf::count_alone)).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub count_alone: bool,
    /// The regularisation that folding in uses.
    pub reg: f64,
    /// The power of a row's count by which the regularisation grows; `None` if it is the usual one. Models of
    /// earlier versions say whether the regularisation counts once per row.
    #[serde(alias = "unweighted_reg", deserialize_with = "power")]
    pub reg_power: Option<f64>,
    /// The ids of users, row by row: whole numbers where all of them are, else texts.
    #[serde(with = "id_list")]
    pub users: Ids,
    /// The ids of items, row by row.
    #[serde(with = "id_list")]
    pub items: Ids,
    /// Reason why the run ended, as in its report.
    pub ending: String,
    /// Parts that the model predicts by: `factors`, `biases` or `mean`.
    #[serde(default = "factors")]
    pub learned: String,
    /// Name of the metric during training.
    pub metric: String,
    /// Name of the data on which the metric was measured.
    pub on: String,
    /// The model's metric, if it was measured on held-out ratings.
    pub best: Option<f64>,
    /// Epoch after which the model was best.
    pub best_epoch: u64,
    /// The metric after each epoch; null where it is not finite.
    pub log: Vec<Option<f64>>,
    /// Version of changing ratings that the model was fitted on; `None` if the ratings do not change.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub version: Option<VersionOf>,
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

/// Reads the power, or whether the regularisation counts once per row.
fn power<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Power(f64),
        Once(bool),
    }
    Ok(match Given::deserialize(from)? {
        Given::Power(power) => Some(power),
        Given::Once(once) => once.then_some(0.0),
    })
}

/// Default of `learned`, for models that do not name the parts they predict by.
fn factors() -> String {
    Learned::Factors.name().into()
}

impl About {
    /// Facts about a fit of these users and items.
    pub fn new(fit: &Fit, users: Ids, items: Ids) -> Self {
        let FoldIn { reg, reg_power, biases, implicit, count_alone } = fit.fold_in;
        Self {
            rank: fit.model.rank,
            mean: fit.model.mean,
            offset: 0.0,
            biases,
            implicit,
            count_alone,
            reg,
            reg_power: Some(reg_power),
            users,
            items,
            ending: fit.report.ending.name().into(),
            learned: fit.learned.name().into(),
            metric: fit.report.metric.name.clone(),
            on: fit.report.metric.on.clone(),
            best: fit.best,
            best_epoch: fit.best_epoch,
            log: fit.log.iter().map(|value| value.is_finite().then_some(*value)).collect(),
            version: None,
        }
    }

    /// Returns the method by which users and items are added.
    pub fn fold_in(&self) -> FoldIn {
        let &Self { reg, reg_power, biases, implicit, count_alone, .. } = self;
        let reg_power = reg_power.unwrap_or(usual_power(implicit));
        FoldIn { reg, reg_power, biases, implicit, count_alone }
    }

    /// Checks that a run can have written these facts.
    pub(super) fn check(&self) -> Result<(), String> {
        let is_weight = |value: f64| value.is_finite() && value >= 0.0;
        if self.rank == 0 {
            return Err("the rank is 0".into());
        }
        let weights = [("reg", Some(self.reg)), ("reg_power", self.reg_power), ("implicit", self.implicit)];
        let wrong = weights.into_iter().find(|(_, value)| value.is_some_and(|value| !is_weight(value)));
        match wrong {
            Some((name, value)) => {
                Err(format!("{name} is {}: it must be 0 or more", value.unwrap_or_default()))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_of_earlier_versions_count_the_regularisation_as_they_did() {
        let given = [
            (r#""implicit": null, "unweighted_reg": true"#, 0.0),
            (r#""implicit": null, "unweighted_reg": false"#, 1.0),
            // Clicks counted it once per row, whatever the model said.
            (r#""implicit": 5.0, "unweighted_reg": false"#, 0.0),
            (r#""implicit": 5.0, "reg_power": 0.5"#, 0.5),
        ];
        for (given, power) in given {
            let text = format!(
                r#"{{"rank": 1, "mean": 3.5, "biases": true, {given}, "reg": 0.1, "users": [7], "items": ["b"],
                "ending": "target", "metric": "rmse", "on": "validation", "best": null, "best_epoch": 1,
                "log": [1.0, null]}}"#
            );
            let about: About = serde_json::from_str(&text).unwrap();
            assert_eq!(about.fold_in().reg_power, power, "{given}");
        }
    }
}
