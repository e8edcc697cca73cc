//! [`Net`]: b of a Beta distribution by five inputs, fitted by likelihood.

use raddle::random::Stream;

/// Number of inputs.
pub(super) const INPUTS: usize = 5;
const HIDDEN: usize = 64;
/// Weights of the hidden layer and of its output, each with one for 1.
const WEIGHTS: usize = HIDDEN * (INPUTS + 1) + HIDDEN + 1;
/// First weight of the output.
const OUTPUT: usize = HIDDEN * (INPUTS + 1);
/// Adam (Kingma and Ba, 2015): step, and memories of the gradient and of its square.
const ADAM: (f64, f64, f64) = (0.01, 0.9, 0.999);

/// A net of one hidden layer: b = 1 + max(0, w tanh(W x)).
#[derive(Debug)]
pub(super) struct Net {
    weights: Vec<f64>,
    moments: [Vec<f64>; 2],
    steps: i32,
}

impl Net {
    pub(super) fn new(stream: &mut Stream) -> Self {
        let mut weights: Vec<f64> = (0..WEIGHTS).map(|_| stream.unit() - 0.5).collect();
        weights[OUTPUT..].iter_mut().for_each(|weight| *weight *= 0.25);
        // Above 0, where the output has a slope.
        weights[WEIGHTS - 1] = 2.0;
        Self { weights, moments: [vec![0.0; WEIGHTS], vec![0.0; WEIGHTS]], steps: 0 }
    }

    /// b at these inputs.
    pub(super) fn b(&self, inputs: &[f64; INPUTS]) -> f64 {
        1.0 + self.output(&self.hidden(inputs)).max(0.0)
    }

    /// Logarithm of the density of a progress under Beta(a, b).
    #[cfg(test)]
    fn likelihood(&self, inputs: &[f64; INPUTS], a: f64, progress: f64) -> f64 {
        let b = self.b(inputs);
        let of_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
        (a - 1.0) * libm::log(progress) + (b - 1.0) * libm::log(1.0 - progress) - of_beta
    }

    /// One step up the mean likelihood of (inputs, a, progress).
    pub(super) fn step(&mut self, known: &[([f64; INPUTS], f64, f64)]) {
        if known.is_empty() {
            return;
        }
        let mut gradient = vec![0.0; WEIGHTS];
        for (inputs, a, progress) in known {
            let hidden = self.hidden(inputs);
            let output = self.output(&hidden);
            if output <= 0.0 {
                continue;
            }
            let b = 1.0 + output;
            let slope = (libm::log(1.0 - progress) + digamma(a + b) - digamma(b)) / known.len() as f64;
            for (unit, value) in hidden.iter().enumerate() {
                gradient[OUTPUT + unit] += slope * value;
                let inner = slope * self.weights[OUTPUT + unit] * (1.0 - value * value);
                let row = &mut gradient[unit * (INPUTS + 1)..][..=INPUTS];
                row.iter_mut().zip(inputs.iter().chain(&[1.0])).for_each(|(of, input)| *of += inner * input);
            }
            gradient[WEIGHTS - 1] += slope;
        }
        self.steps += 1;
        let (rate, first, second) = ADAM;
        let unbiased = [1.0 - first.powi(self.steps), 1.0 - second.powi(self.steps)];
        let [mean, square] = &mut self.moments;
        for (at, slope) in gradient.into_iter().enumerate() {
            mean[at] += (1.0 - first) * (slope - mean[at]);
            square[at] += (1.0 - second) * (slope * slope - square[at]);
            self.weights[at] += rate * (mean[at] / unbiased[0]) / ((square[at] / unbiased[1]).sqrt() + 1e-8);
        }
    }

    fn hidden(&self, inputs: &[f64; INPUTS]) -> Vec<f64> {
        let of = |row: &[f64]| {
            let sum: f64 =
                row.iter().zip(inputs.iter().chain(&[1.0])).map(|(weight, input)| weight * input).sum();
            libm::tanh(sum)
        };
        self.weights[..OUTPUT].chunks_exact(INPUTS + 1).map(of).collect()
    }

    fn output(&self, hidden: &[f64]) -> f64 {
        self.weights[OUTPUT..]
            .iter()
            .zip(hidden.iter().chain(&[1.0]))
            .map(|(weight, value)| weight * value)
            .sum()
    }
}

/// Slope of the logarithm of the gamma function, above 0: by its recurrence and its asymptotic series.
fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 6.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    sum + libm::log(x) - 0.5 / x - square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_is_the_slope_of_lgamma() {
        for x in [1.0, 1.5, 3.0, 17.0, 250.0] {
            let slope = (libm::lgamma(x + 1e-5) - libm::lgamma(x - 1e-5)) / 2e-5;
            assert!((digamma(x) - slope).abs() < 1e-6, "{x}: {} and {slope}", digamma(x));
        }
    }

    #[test]
    fn the_net_finds_b_by_likelihood() {
        let mut net = Net::new(&mut Stream::new(&[7]));
        // Of 10 epochs each: after e epochs the mean of Beta(e, b) is e / 10 at b = 10 - e.
        let known: Vec<_> = (1..10)
            .map(|e| ([0.3, 1.0, f64::from(e) / 10.0, 0.0, 0.0], f64::from(e), f64::from(e) / 10.0))
            .collect();
        let likelihood =
            |net: &Net| known.iter().map(|(x, a, progress)| net.likelihood(x, *a, *progress)).sum::<f64>();
        let before = likelihood(&net);
        (0..500).for_each(|_| net.step(&known));
        assert!(likelihood(&net) > before + 1.0, "{before}, then {}", likelihood(&net));
        let (early, late) = (net.b(&known[1].0), net.b(&known[7].0));
        assert!(early > late + 2.0, "b after 2 epochs {early}, after 8 {late}");
    }
}
