//! Values of options that need more than a number: a plan of workers, rho, a name out of a list.

use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use serde::{Serialize, Serializer};

use crate::exit::Error;

/// Limit of the workers of a run: no machine has more cores, and every worker costs memory.
pub const MOST_WORKERS: usize = 1024;

/// Parses a whole number from `LEAST` to `MOST`: a larger number is a slip, or would take all memory.
///
/// # Errors
/// A sentence that gives the range.
pub fn between<const LEAST: usize, const MOST: usize>(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (LEAST..=MOST).contains(number));
    number.ok_or_else(|| format!("give a whole number from {LEAST} to {MOST}"))
}

/// Parses a whole number of at least 0.
pub(crate) fn whole<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "give a whole number of 0 or more".into())
}

/// Parses a finite number of seconds.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "give a number of seconds, 0 or more, such as 60 or 0.5".into())
}

/// Parses `on` or `off`.
pub(crate) fn on_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("give on or off".into()),
    }
}

/// Value of an option that is on or off, or left to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switch {
    /// `on`.
    On,
    /// `off`.
    Off,
}

/// The strongest dependency at which two variables may still share a round.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rho {
    /// Dependencies are not checked.
    Off,
    /// Variables that depend on each other more strongly than this never share a round.
    #[serde(untagged)]
    At(f32),
}

impl Rho {
    /// Returns the limit for a schedule: `None` checks nothing.
    pub fn limit(self) -> Option<f32> {
        match self {
            Self::Off => None,
            Self::At(limit) => Some(limit),
        }
    }
}

impl FromStr for Rho {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self::Off);
        }
        let limit = text.parse().ok().filter(|limit: &f32| limit.is_finite() && *limit >= 0.0);
        limit.map(Self::At).ok_or_else(|| "give a number of 0 or more, such as 0.1, or off".into())
    }
}

/// Plan of workers: (epochs completed, workers from then on) in order of epochs, such as `3:4,6:1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RescalePlan(Vec<(u64, usize)>);

impl RescalePlan {
    /// Returns the steps as (epochs completed, workers from then on).
    pub fn steps(&self) -> &[(u64, usize)] {
        &self.0
    }

    /// Returns the rest of the plan after this number of epochs, counted from there: steps that are due by
    /// then are due at the start.
    pub(crate) fn after(&self, epochs: u64) -> Vec<(u64, usize)> {
        self.0.iter().map(|&(epoch, workers)| (epoch.saturating_sub(epochs), workers)).collect()
    }
}

impl FromStr for RescalePlan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut steps = text.split(',').map(step).collect::<Result<Vec<_>, _>>()?;
        steps.sort_unstable();
        match steps.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(format!("epoch {} is named twice: give each epoch once", pair[0].0)),
            None => Ok(Self(steps)),
        }
    }
}

fn step(text: &str) -> Result<(u64, usize), String> {
    let Some((epoch, workers)) = text.split_once(':') else {
        return Err(format!("`{text}` is not EPOCH:WORKERS, such as 3:4"));
    };
    let epoch = epoch.trim().parse().ok().filter(|&epoch| epoch > 0).ok_or_else(|| {
        format!(
            "in `{text}`, `{epoch}` is not an epoch: give a whole number of 1 or more (--workers sets \
                 the start)"
        )
    })?;
    let workers = between::<1, MOST_WORKERS>(workers.trim())
        .map_err(|why| format!("in `{text}`, `{workers}` is not a number of workers: {why}"))?;
    Ok((epoch, workers))
}

impl fmt::Display for RescalePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.0.iter().map(|(epoch, workers)| format!("{epoch}:{workers}"));
        f.write_str(&steps.collect::<Vec<_>>().join(","))
    }
}

impl Serialize for RescalePlan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Returns the entry of `list` that `given` names.
///
/// ```
/// use raddle_cli::choose;
/// let solvers = [("sgd", 1), ("als", 2)];
/// assert_eq!(choose("--solver", "als", &solvers).unwrap(), 2);
/// let error = choose("--solver", "cg", &solvers).unwrap_err();
/// assert_eq!(error.to_string(), "--solver `cg` does not exist: choose sgd or als");
/// ```
///
/// # Errors
/// A usage error that lists the names, if none of them is the one given.
pub fn choose<T: Clone>(option: &str, given: &str, list: &[(&str, T)]) -> Result<T, Error> {
    if let Some((_, what)) = list.iter().find(|(name, _)| *name == given) {
        return Ok(what.clone());
    }
    let names: Vec<&str> = list.iter().map(|(name, _)| *name).collect();
    let choice = match names.as_slice() {
        [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        names => names.concat(),
    };
    Err(Error::usage(format!("{option} `{given}` does not exist: choose {choice}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        text.parse::<RescalePlan>().unwrap_err()
    }

    #[test]
    fn a_plan_is_read_in_any_order_and_written_in_order() {
        let plan: RescalePlan = "6:1,3:4".parse().unwrap();
        assert_eq!(plan.steps(), [(3, 4), (6, 1)]);
        assert_eq!(plan.to_string(), "3:4,6:1");
        assert_eq!(serde_json::to_string(&plan).unwrap(), "\"3:4,6:1\"");
    }

    #[test]
    fn a_bad_plan_is_refused_by_its_offending_part() {
        assert_eq!(refused("3-4"), "`3-4` is not EPOCH:WORKERS, such as 3:4");
        assert_eq!(refused("3:4,"), "`` is not EPOCH:WORKERS, such as 3:4");
        assert!(refused("3:4,x:2").starts_with("in `x:2`, `x` is not an epoch"));
        assert!(refused("0:2").starts_with("in `0:2`, `0` is not an epoch"));
        assert!(refused("3:0").starts_with("in `3:0`, `0` is not a number of workers"));
        assert!(refused("3:-1").starts_with("in `3:-1`, `-1` is not a number of workers"));
        assert_eq!(refused("3:4,3:2"), "epoch 3 is named twice: give each epoch once");
    }

    #[test]
    fn rho_is_a_number_or_off() {
        assert_eq!("off".parse::<Rho>().unwrap().limit(), None);
        assert_eq!("0.25".parse::<Rho>().unwrap().limit(), Some(0.25));
        for bad in ["-1", "nan", "inf", "on", ""] {
            assert!(bad.parse::<Rho>().unwrap_err().contains("0.1, or off"), "{bad}");
        }
    }

    #[test]
    fn numbers_are_finite_and_in_range() {
        assert_eq!((between::<1, 9>("1"), between::<1, 9>("9")), (Ok(1), Ok(9)));
        for beyond in ["0", "10", "-1", "1.5", "18446744073709551616", ""] {
            assert_eq!(between::<1, 9>(beyond), Err("give a whole number from 1 to 9".into()));
        }
        assert!(refused("3:100000").ends_with("give a whole number from 1 to 1024"));
        assert_eq!(whole::<u64>("0"), Ok(0));
        assert_eq!(seconds("0.5"), Ok(0.5));
        assert!(seconds("nan").is_err() && seconds("inf").is_err() && seconds("-1").is_err());
        assert_eq!((on_off("on"), on_off("off")), (Ok(true), Ok(false)));
        assert!(on_off("yes").is_err());
    }

    #[test]
    fn a_choice_of_one_reads_well() {
        let error = choose("--schedule", "x", &[("auto", ())]).unwrap_err();
        assert_eq!(error.to_string(), "--schedule `x` does not exist: choose auto");
    }
}
