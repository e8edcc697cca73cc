//! [`Net`]: a neural network that predicts b of a Beta distribution from five features.

use raddle::random::Stream;

/// Number of inputs.
pub const INPUTS: usize = 5;
const HIDDEN: usize = 64;
/// Number of weights: of the hidden layer and of the output, biases included.
pub const WEIGHTS: usize = HIDDEN * (INPUTS + 1) + HIDDEN + 1;
/// Position of the first weight of the output.
pub const OUTPUT: usize = HIDDEN * (INPUTS + 1);

/// Network with one hidden layer: b = 1 + max(0, w tanh(W x)).
#[derive(Debug)]
pub struct Net {
    /// Weights: for each hidden unit those of the inputs and its bias, then those of the output and its bias.
    pub weights: Vec<f64>,
}

impl Net {
    /// A network with random weights.
    pub fn new(stream: &mut Stream) -> Self {
        let mut weights: Vec<f64> = (0..WEIGHTS).map(|_| stream.unit() - 0.5).collect();
        weights[OUTPUT..].iter_mut().for_each(|weight| *weight *= 0.25);
        // The bias starts above 0, where the output has a gradient.
        weights[WEIGHTS - 1] = 2.0;
        Self { weights }
    }

    /// Predicted b for these inputs.
    pub fn b(&self, inputs: &[f64; INPUTS]) -> f64 {
        1.0 + self.output(&self.hidden(inputs)).max(0.0)
    }

    /// Activations of the hidden units.
    pub fn hidden(&self, inputs: &[f64; INPUTS]) -> Vec<f64> {
        let of = |row: &[f64]| {
            let sum: f64 =
                row.iter().zip(inputs.iter().chain(&[1.0])).map(|(weight, input)| weight * input).sum();
            libm::tanh(sum)
        };
        self.weights[..OUTPUT].chunks_exact(INPUTS + 1).map(of).collect()
    }

    /// Output for these activations of the hidden units, before it is cut off at 0.
    pub fn output(&self, hidden: &[f64]) -> f64 {
        self.weights[OUTPUT..]
            .iter()
            .zip(hidden.iter().chain(&[1.0]))
            .map(|(weight, value)| weight * value)
            .sum()
    }
}
