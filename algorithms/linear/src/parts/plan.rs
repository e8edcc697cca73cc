//! [`PartPlan`]: the number of parts in each epoch.

use std::fmt;
use std::str::FromStr;

use crate::error::LinearError;

/// Limit on the number of parts.
const MOST: u64 = 4096;
/// Number of parts with which a search starts; it halves and doubles it.
const FIRST_OF_SEARCH: u32 = 16;

/// The number of parts in each epoch: `4`, `0:16,8:4` or `auto`.
///
/// ```
/// let plan: raddle_linear::PartPlan = "0:16,8:4".parse()?;
/// assert_eq!((plan.to_string().as_str(), plan.finest(100)), ("0:16,8:4", 16));
/// # Ok::<(), raddle_linear::LinearError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartPlan {
    /// Pairs (epoch, number of parts from this epoch on), with epochs ascending from 0.
    Given(Vec<(u64, u32)>),
    /// A search by the progress of an epoch relative to its counted cost.
    Auto,
}

impl PartPlan {
    /// Returns a plan with the same number of parts in every epoch.
    pub fn constant(parts: u32) -> Self {
        Self::Given(vec![(0, parts)])
    }

    /// Returns the number of the finest parts, from which parts of every number in the plan are joined; a
    /// search never exceeds the number of rows.
    pub fn finest(&self, rows: usize) -> u32 {
        match self {
            Self::Given(steps) => steps.iter().fold(1, |all, &(_, parts)| least_multiple(all, parts)),
            Self::Auto => {
                let rows = u32::try_from(rows).unwrap_or(u32::MAX).max(1);
                FIRST_OF_SEARCH.min(1 << rows.ilog2())
            }
        }
    }

    /// Returns the number of parts in an epoch; `None` for a search.
    pub(super) fn parts_at(&self, epoch: u64) -> Option<u32> {
        match self {
            Self::Given(steps) => steps.iter().rev().find(|step| step.0 <= epoch).map(|step| step.1),
            Self::Auto => None,
        }
    }

    /// Returns the number of parts if it is the same in every epoch.
    pub(super) fn only(&self) -> Option<u32> {
        match self {
            Self::Given(steps) if steps.len() == 1 => steps.first().map(|step| step.1),
            _ => None,
        }
    }

    /// Checks a plan that was not parsed from text.
    pub(super) fn check(&self) -> Result<(), LinearError> {
        let Self::Given(steps) = self else { return Ok(()) };
        if steps.first().is_none_or(|step| step.0 != 0) {
            return refuse("it has no entry for epoch 0: start with 0:PARTS");
        }
        if steps.windows(2).any(|two| two[0].0 >= two[1].0) {
            return refuse("its epochs do not rise");
        }
        if steps.iter().any(|step| step.1 == 0) {
            return refuse("a number of parts is 0: give 1 or more");
        }
        let finest = steps.iter().try_fold(1_u64, |all, step| {
            let all = all / common_divisor(all, u64::from(step.1)) * u64::from(step.1);
            (all <= MOST).then_some(all)
        });
        match finest {
            Some(_) => Ok(()),
            None => refuse(format!(
                "its numbers have no common multiple up to {MOST}, the limit on the pieces from which parts \
                 are joined"
            )),
        }
    }
}

fn refuse<T>(why: impl Into<String>) -> Result<T, LinearError> {
    Err(LinearError::Parameter { name: "parts", why: why.into() })
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

/// Returns the least common multiple, which is small for checked numbers.
fn least_multiple(a: u32, b: u32) -> u32 {
    let (a, b) = (u64::from(a), u64::from(b.max(1)));
    u32::try_from(a / common_divisor(a, b) * b).unwrap_or(u32::MAX)
}

impl FromStr for PartPlan {
    type Err = LinearError;

    fn from_str(text: &str) -> Result<Self, LinearError> {
        let form = || {
            let why = format!("`{text}`: give a number, EPOCH:PARTS with commas such as 0:16,8:4, or auto");
            LinearError::Parameter { name: "parts", why }
        };
        let plan = if text == "auto" {
            Self::Auto
        } else if let Ok(parts) = text.parse() {
            Self::constant(parts)
        } else {
            let step = |step: &str| -> Option<(u64, u32)> {
                let (epoch, parts) = step.split_once(':')?;
                Some((epoch.parse().ok()?, parts.parse().ok()?))
            };
            Self::Given(text.split(',').map(step).collect::<Option<_>>().ok_or_else(form)?)
        };
        plan.check()?;
        Ok(plan)
    }
}

impl fmt::Display for PartPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.only()) {
            (_, Some(parts)) => write!(f, "{parts}"),
            (Self::Auto, _) => f.write_str("auto"),
            (Self::Given(steps), _) => {
                let steps: Vec<String> =
                    steps.iter().map(|(epoch, parts)| format!("{epoch}:{parts}")).collect();
                f.write_str(&steps.join(","))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_read_as_they_are_shown_and_mistakes_are_named() {
        for (text, finest, third) in
            [("1", 1, Some(1)), ("0:16,8:4", 16, Some(16)), ("0:6,2:4", 12, Some(4)), ("auto", 16, None)]
        {
            let plan: PartPlan = text.parse().unwrap();
            assert_eq!((plan.to_string().as_str(), plan.finest(99), plan.parts_at(2)), (text, finest, third));
        }
        assert_eq!([1, 3, 9, 1000].map(|rows| PartPlan::Auto.finest(rows)), [1, 2, 8, 16]);
        for (text, why) in [
            ("0", "a number of parts is 0"),
            ("", "give a number"),
            ("0:4,", "give a number"),
            ("-4", "give a number"),
            ("1:4", "epoch 0"),
            ("0:4,3:2,3:1", "rise"),
            ("0:61,1:67,2:71", "common multiple"),
            ("5000", "common multiple"),
        ] {
            let said = text.parse::<PartPlan>().unwrap_err().to_string();
            assert!(said.starts_with("parts: ") && said.contains(why), "{text}: {said}");
        }
    }
}
