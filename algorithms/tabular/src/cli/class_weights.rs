//! [`ClassWeights`]: the option `--class-weights`, of rows by their class.

use std::str::FromStr;

use clap::Args;
use raddle_cli::Error;
use serde::{Serialize, Serializer};

/// The option that weights rows by class.
#[derive(Debug, Clone, Args, Serialize)]
pub struct ClassWeightArgs {
    /// Weight rows by class: balanced, so that all classes count the same, or weights such as yes=3,no=0.5.
    /// Classes that are not listed have the weight 1.
    #[arg(long, value_name = "RULE")]
    pub class_weights: Option<ClassWeights>,
}

/// How rows are weighted by class.
#[derive(Debug, Clone, PartialEq)]
pub enum ClassWeights {
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
    ///
    /// # Errors
    /// If the response has no class of a name.
    pub fn of_classes(&self, y: &[f64], names: Option<&[String]>) -> Result<Option<Vec<f64>>, Error> {
        let Self::Listed(listed) = self else { return Ok(None) };
        let classes = classes_of(y);
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

    /// Returns the weight of each row, that of its class times its own.
    ///
    /// # Errors
    /// If the response has no class of a name.
    pub fn of_rows(
        &self,
        y: &[f64],
        names: Option<&[String]>,
        own: Option<Vec<f64>>,
    ) -> Result<Vec<f64>, Error> {
        let (classes, own) = (classes_of(y), own.unwrap_or_else(|| vec![1.0; y.len()]));
        let place = |y: &f64| classes.partition_point(|class| class < y);
        let factors = match self.of_classes(y, names)? {
            Some(weights) => weights,
            None => {
                let mut sums = vec![0.0; classes.len()];
                y.iter().zip(&own).for_each(|(y, weight)| sums[place(y)] += weight);
                let (all, counted) =
                    (sums.iter().sum::<f64>(), sums.iter().filter(|sum| **sum > 0.0).count());
                // Rows of a class without weight do not count, whatever its factor is.
                let factor = |sum: &f64| if *sum > 0.0 { all / (counted as f64 * sum) } else { 1.0 };
                sums.iter().map(factor).collect()
            }
        };
        Ok(y.iter().zip(own).map(|(y, own)| own * factors[place(y)]).collect())
    }
}

/// Returns the values of a response, ascending.
fn classes_of(y: &[f64]) -> Vec<f64> {
    let mut classes = y.to_vec();
    classes.sort_by(f64::total_cmp);
    classes.dedup();
    classes
}
