//! The options that name several values of C.

use clap::Args;
use raddle_cli::{Error, refuse_without_effect};
use raddle_linear::grid;
use serde::Serialize;

/// Limit on the values of C: more add no information.
const MOST_POINTS: usize = 300;

/// Default number of values in a range of C.
const POINTS: usize = 9;

/// The values of C of a path or of a choice.
#[derive(Debug, Args, Serialize)]
pub(crate) struct GridArgs {
    /// Values of C. Give a range FIRST:LAST, or a list such as 0.1,1,10.
    #[arg(
        long = "C",
        visible_alias = "Cs",
        value_name = "RANGE|LIST",
        default_value = "0.01:100",
        allow_hyphen_values = true
    )]
    #[serde(rename = "C")]
    c: String,
    /// Number of values in the range, evenly spaced on a logarithmic scale: 2 to 300. Default: 9.
    #[arg(long, value_name = "N")]
    points: Option<usize>,
}

impl GridArgs {
    /// Returns the values of C.
    pub(super) fn costs(&self) -> Result<Vec<f64>, Error> {
        let refused = |why: String| Error::usage(format!("--C {}: {why}", self.c));
        let number = |text: &str| match text.trim().parse::<f64>() {
            Ok(value) if (1e-100..=1e100).contains(&value) => Ok(value),
            Ok(value) => Err(refused(format!("{value} is no number from 1e-100 to 1e100"))),
            Err(_) => {
                Err(refused(format!("`{text}` is no number: give a range, 0.01:100, or a list, 0.1,1,10")))
            }
        };
        if let Some((first, last)) = self.c.split_once(':') {
            let (first, last, points) = (number(first)?, number(last)?, self.points.unwrap_or(POINTS));
            if first >= last {
                return Err(refused("a range rises: give the smaller number first".into()));
            }
            if !(2..=MOST_POINTS).contains(&points) {
                let why = format!("--points: it is {points}: it must be from 2 to {MOST_POINTS}");
                return Err(Error::usage(why));
            }
            return Ok(grid(first, last, points));
        }
        refuse_without_effect(&[("--points", self.points.is_some())], "with a list of values of C")?;
        let costs = self.c.split(',').map(number).collect::<Result<Vec<f64>, Error>>()?;
        match costs.len() {
            0..=MOST_POINTS => Ok(costs),
            count => Err(refused(format!("{count} values, and at most {MOST_POINTS} are tried"))),
        }
    }
}
