//! [`Sigma`]: the factor by which a part scales its own change to stand for the changes of all parts.

use std::fmt;
use std::str::FromStr;

use crate::error::LinearError;

/// Best steps outside these bounds change the adaptive factor by the factors below.
const SHORT: f64 = 0.8;
const LONG: f64 = 1.2;
const UP: f64 = 1.5;
const DOWN: f64 = 1.2;
/// Lower limit of the adaptive factor: a part that expects less than its own change is of no use.
const LEAST: f64 = 0.5;

/// The factor sigma' of CoCoA+, by which a part scales its own change to stand for the changes of all parts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Sigma {
    /// Starts at 1 and follows the best step along the sum of the changes.
    #[default]
    Adaptive,
    /// The number of parts, which is safe without a search for the best step.
    Parts,
    /// A fixed number.
    Fixed(f64),
}

impl Sigma {
    /// Checks the range of a fixed number.
    pub(super) fn check(self) -> Result<(), LinearError> {
        match self {
            Self::Fixed(value) if !(1e-6..=1e6).contains(&value) => Err(LinearError::Parameter {
                name: "sigma",
                why: format!("it is {value}: it must be a number from 1e-6 to 1e6, K, or adaptive"),
            }),
            _ => Ok(()),
        }
    }

    /// Returns the factor for an epoch with this number of parts, given the adaptive factor.
    pub(super) fn of(self, adaptive: f64, parts: u32) -> f64 {
        match self {
            Self::Adaptive => adaptive.min(f64::from(parts)),
            Self::Parts => f64::from(parts),
            Self::Fixed(value) => value,
        }
    }

    /// Returns the adaptive factor after an epoch with this factor and best step.
    pub(super) fn next(value: f64, best: f64, parts: u32) -> f64 {
        if best < SHORT {
            (value * UP).min(f64::from(parts))
        } else if best > LONG {
            (value / DOWN).max(LEAST)
        } else {
            value
        }
    }
}

impl FromStr for Sigma {
    type Err = LinearError;

    fn from_str(text: &str) -> Result<Self, LinearError> {
        let sigma = match text {
            "adaptive" => Self::Adaptive,
            "K" => Self::Parts,
            text => Self::Fixed(text.parse().unwrap_or(f64::NAN)),
        };
        sigma.check()?;
        Ok(sigma)
    }
}

impl fmt::Display for Sigma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Adaptive => f.write_str("adaptive"),
            Self::Parts => f.write_str("K"),
            Self::Fixed(value) => write!(f, "{value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expectation_follows_the_best_step() {
        assert_eq!([0.5, 0.9, 1.3].map(|best| Sigma::next(1.2, best, 4)), [1.2 * 1.5, 1.2, 1.0]);
        assert_eq!(Sigma::next(3.0, 0.1, 4), 4.0);
        assert_eq!(
            (Sigma::Adaptive.of(7.0, 4), Sigma::Parts.of(7.0, 4), Sigma::Fixed(2.5).of(7.0, 4)),
            (4.0, 4.0, 2.5)
        );
        for text in ["adaptive", "K", "2.5"] {
            assert_eq!(text.parse::<Sigma>().unwrap().to_string(), text);
        }
        for text in ["0", "-1", "nan", "inf", "k"] {
            assert!(text.parse::<Sigma>().unwrap_err().to_string().starts_with("sigma: "), "{text}");
        }
    }
}
