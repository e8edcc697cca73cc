//! [`ClassWeights`]: the option `--class-weights`.

use std::str::FromStr;

use raddle_cli::Error;
use serde::{Serialize, Serializer};

/// How rows are weighted by class.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ClassWeights {
    /// All classes count the same.
    Balanced,
    /// Classes, as the data name them, with their weights.
    Listed(Vec<(String, f64)>),
}

impl FromStr for ClassWeights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "balanced" {
            return Ok(Self::Balanced);
        }
        let one = |part: &str| {
            let (class, weight) = part.rsplit_once('=')?;
            let weight = weight.trim().parse().ok().filter(|weight| (1e-100..=1e100).contains(weight))?;
            Some((class.trim().to_owned(), weight))
        };
        let listed = text.split(',').map(one).collect::<Option<Vec<_>>>();
        let why = "give balanced, or a number from 1e-100 to 1e100 for some classes, such as yes=3,no=0.5";
        listed.map(Self::Listed).ok_or_else(|| why.into())
    }
}

impl Serialize for ClassWeights {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Balanced => to.serialize_str("balanced"),
            Self::Listed(listed) => to.collect_map(listed.iter().map(|(class, weight)| (class, weight))),
        }
    }
}

impl ClassWeights {
    /// Returns the weight of each class of a response, in ascending order; `None` if they are balanced.
    pub(super) fn of_classes(&self, y: &[f64], names: Option<&[String]>) -> Result<Option<Vec<f64>>, Error> {
        let Self::Listed(listed) = self else { return Ok(None) };
        let mut classes = y.to_vec();
        classes.sort_by(f64::total_cmp);
        classes.dedup();
        let mut weights = vec![1.0; classes.len()];
        for (class, weight) in listed {
            let value = match names {
                Some(names) => names.iter().position(|name| name == class).map(|at| at as f64),
                None => class.parse().ok(),
            };
            match classes.iter().position(|known| Some(*known) == value) {
                Some(at) => weights[at] = *weight,
                None => {
                    let why = format!("--class-weights {class}={weight}: the response has no class {class}");
                    return Err(Error::usage(why));
                }
            }
        }
        Ok(Some(weights))
    }
}
