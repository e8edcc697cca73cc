//! [`Loss`]: losses of a row's margin m = y x'w, with their derivatives and duals.

use libm::{exp, log, log1p};

/// A loss of the margin m = y x'w of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Loss {
    /// max(0, 1 - m): the support vector machine.
    Hinge,
    /// max(0, 1 - m)^2.
    #[default]
    SquaredHinge,
    /// log(1 + exp(-m)): logistic regression.
    Logistic,
    /// log sum_k exp(s_k) - s_y over the scores s of all classes, which are fitted together. Two classes have
    /// one score, and the logistic loss.
    Multinomial,
}

impl Loss {
    /// The losses with their names.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("hinge", Self::Hinge),
        ("squared-hinge", Self::SquaredHinge),
        ("logistic", Self::Logistic),
        ("multinomial", Self::Multinomial),
    ];

    /// Returns the loss with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, loss)| *loss)
    }

    /// Returns the name of the loss.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hinge => "hinge",
            Self::SquaredHinge => "squared-hinge",
            Self::Logistic => "logistic",
            Self::Multinomial => "multinomial",
        }
    }

    /// Returns `true` if scores stand for probabilities.
    pub fn has_probabilities(self) -> bool {
        matches!(self, Self::Logistic | Self::Multinomial)
    }

    /// Returns the probabilities at the scores of a row: that of the larger of two classes, or of each class.
    pub fn probabilities(self, scores: &[f64]) -> Vec<f64> {
        if let [score] = scores {
            return vec![sigmoid(*score)];
        }
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let share = |score: &f64| if self == Self::Multinomial { exp(score - most) } else { sigmoid(*score) };
        let each: Vec<f64> = scores.iter().map(share).collect();
        let sum: f64 = each.iter().sum();
        each.into_iter().map(|of| of / sum).collect()
    }

    /// Returns the loss at a margin.
    pub(crate) fn value(self, margin: f64) -> f64 {
        match self {
            Self::Hinge => (1.0 - margin).max(0.0),
            Self::SquaredHinge => (1.0 - margin).max(0.0) * (1.0 - margin).max(0.0),
            Self::Logistic | Self::Multinomial => (-margin).max(0.0) + log1p(exp(-margin.abs())),
        }
    }

    /// Returns minus the first derivative, and the second derivative; for the hinge, from the right.
    pub(crate) fn slopes(self, margin: f64) -> (f64, f64) {
        match self {
            Self::Hinge => (f64::from(u8::from(margin < 1.0)), 0.0),
            // Without branches, as it is hard to predict which margins fall short.
            Self::SquaredHinge => (2.0 * (1.0 - margin).max(0.0), 2.0 * f64::from(u8::from(margin < 1.0))),
            Self::Logistic | Self::Multinomial => {
                let share = sigmoid(-margin);
                (share, share * sigmoid(margin))
            }
        }
    }

    /// Returns the dual term of a row with weight `c`, at a dual value within its bounds.
    pub(crate) fn dual(self, a: f64, c: f64) -> f64 {
        let term = |part: f64| if part > 0.0 { part * log(part / c) } else { 0.0 };
        match self {
            _ if c == 0.0 => 0.0,
            Self::Hinge => a,
            Self::SquaredHinge => a - a * a / (4.0 * c),
            Self::Logistic | Self::Multinomial => -term(a) - term(c - a),
        }
    }

    /// Returns the upper bound of the dual value of a row with weight `c`.
    pub(crate) fn upper(self, c: f64) -> f64 {
        if self == Self::SquaredHinge && c > 0.0 { f64::INFINITY } else { c }
    }
}

/// Returns 1 / (1 + exp(-x)), without loss of digits for large x of either sign.
pub(crate) fn sigmoid(x: f64) -> f64 {
    let small = exp(-x.abs());
    if x >= 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) }
}
