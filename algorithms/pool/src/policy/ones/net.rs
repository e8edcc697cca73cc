//! [`Net`]: b of a Beta distribution by five inputs.

use raddle::random::Stream;

/// Number of inputs.
pub const INPUTS: usize = 5;
const HIDDEN: usize = 64;
/// Weights of the hidden layer and of its output, each with one for 1.
pub const WEIGHTS: usize = HIDDEN * (INPUTS + 1) + HIDDEN + 1;
/// First weight of the output.
pub const OUTPUT: usize = HIDDEN * (INPUTS + 1);

/// A net of one hidden layer: b = 1 + max(0, w tanh(W x)).
#[derive(Debug)]
pub struct Net {
    /// Weights: of each hidden unit those of the inputs and of 1, then those of the output.
    pub weights: Vec<f64>,
}

impl Net {
    /// A net with random weights.
    pub fn new(stream: &mut Stream) -> Self {
        let mut weights: Vec<f64> = (0..WEIGHTS).map(|_| stream.unit() - 0.5).collect();
        weights[OUTPUT..].iter_mut().for_each(|weight| *weight *= 0.25);
        // Above 0, where the output has a slope.
        weights[WEIGHTS - 1] = 2.0;
        Self { weights }
    }

    /// b at these inputs.
    pub fn b(&self, inputs: &[f64; INPUTS]) -> f64 {
        1.0 + self.output(&self.hidden(inputs)).max(0.0)
    }

    /// Values of the hidden units.
    pub fn hidden(&self, inputs: &[f64; INPUTS]) -> Vec<f64> {
        let of = |row: &[f64]| {
            let sum: f64 =
                row.iter().zip(inputs.iter().chain(&[1.0])).map(|(weight, input)| weight * input).sum();
            libm::tanh(sum)
        };
        self.weights[..OUTPUT].chunks_exact(INPUTS + 1).map(of).collect()
    }

    /// The output at these values of the hidden units.
    pub fn output(&self, hidden: &[f64]) -> f64 {
        self.weights[OUTPUT..]
            .iter()
            .zip(hidden.iter().chain(&[1.0]))
            .map(|(weight, value)| weight * value)
            .sum()
    }
}
