//! [`Loss`], and the whole of what is minimised.

pub(crate) mod duality_gap;
pub(crate) mod linear_predictor;

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

/// How far a fit is from a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loss {
    /// `1/(2n) |y - X b - b_0|^2`.
    #[default]
    Squared,
    /// `1/n sum log(1 + exp(-y_i (x_i'b + b_0)))` for a response of two values, of which the larger counts as 1 and the
    /// smaller as -1.
    Logistic,
}

impl Loss {
    /// The names that `--loss` accepts, with what they choose.
    pub const NAMES: [(&str, Loss); 2] = [("squared", Loss::Squared), ("logistic", Loss::Logistic)];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Loss::Squared => "squared",
            Loss::Logistic => "logistic",
        }
    }

    /// The largest second derivative of one row's loss by its score: an update of a coordinate that reckons with it
    /// never overshoots (for the logistic loss: Boehning and Lindsay, "Monotonicity of quadratic-approximation
    /// algorithms", 1988).
    pub(crate) fn most_curvature(self) -> f64 {
        match self {
            Loss::Squared => 1.0,
            Loss::Logistic => 0.25,
        }
    }
}

/// n times `loss + lambda (a |b|_1 + (1 - a)/2 |b|^2)`, a the share of the l1 norm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Objective {
    pub(crate) loss: Loss,
    pub(crate) l1_ratio: f64,
    /// Whether an intercept is part of the fit; for the squared loss centring has taken care of it.
    pub(crate) intercept: bool,
}

impl Objective {
    /// The weights of |b|_1 and of |b|^2 / 2, for n lambda.
    pub(crate) fn weights(self, penalty: f64) -> (f64, f64) {
        (penalty * self.l1_ratio, penalty * (1.0 - self.l1_ratio))
    }
}

/// sign(z) max(|z| - penalty, 0).
pub(crate) fn soft_threshold(z: f64, penalty: f64) -> f64 {
    if z > penalty {
        z - penalty
    } else if z < -penalty {
        z + penalty
    } else {
        0.0
    }
}

impl State for Objective {
    fn save(&self, out: &mut Writer) {
        out.write(&u8::from(self.loss == Loss::Logistic));
        out.write(&self.l1_ratio);
        out.write(&self.intercept);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let loss = match u8::load(from)? {
            0 => Loss::Squared,
            1 => Loss::Logistic,
            _ => return Err(StateError::new("a loss")),
        };
        Ok(Self { loss, l1_ratio: from.read()?, intercept: from.read()? })
    }
}
