//! [`Training`]: a predictor that is trained on jobs that have ended.

use std::collections::BTreeMap;

use raddle::random::Stream;
use raddle_pool::policy::ones::{INPUTS, OUTPUT, Predictor, WEIGHTS, inputs};
use raddle_pool::policy::{Job, JobId};

/// Number of the last observations that are used in training.
const MEMORY: usize = 512;
/// Number of training steps after each job.
const STEPS: usize = 20;
/// Adam (Kingma and Ba, 2015): learning rate, and decay rates of the first and second moments.
const ADAM: (f64, f64, f64) = (0.01, 0.9, 0.999);

/// Observation of a job after an epoch.
#[derive(Debug, Clone, Copy)]
struct Seen {
    inputs: [f64; INPUTS],
    epochs: f64,
}

/// A predictor whose network is trained by maximum likelihood whenever a job ends.
#[derive(Debug)]
pub(super) struct Training {
    pub(super) predictor: Predictor,
    moments: [Vec<f64>; 2],
    steps: i32,
    seen: BTreeMap<JobId, Vec<Seen>>,
    /// Features, epochs and progress of jobs that have ended.
    known: Vec<(Seen, f64)>,
}

impl Training {
    /// A predictor before any training.
    pub(super) fn new(stream: &mut Stream) -> Self {
        Self {
            predictor: Predictor::new(stream),
            moments: [vec![0.0; WEIGHTS], vec![0.0; WEIGHTS]],
            steps: 0,
            seen: BTreeMap::new(),
            known: Vec::new(),
        }
    }

    /// Records the jobs that have completed another epoch.
    pub(super) fn observe(&mut self, jobs: &[Job]) {
        for job in jobs.iter().filter(|job| job.epochs > 0) {
            let seen = self.seen.entry(job.id).or_default();
            if seen.last().is_none_or(|last| last.epochs < job.epochs as f64) {
                seen.push(Seen { inputs: inputs(job), epochs: job.epochs as f64 });
            }
        }
    }

    /// Adds the observations of a job that has ended, with the progress that it had at each of them, and
    /// trains.
    pub(super) fn ended(&mut self, job: &Job) {
        let all = job.epochs as f64;
        let seen = self.seen.remove(&job.id).unwrap_or_default();
        self.known
            .extend(seen.into_iter().filter(|seen| seen.epochs < all).map(|seen| (seen, seen.epochs / all)));
        let first = self.known.len().saturating_sub(MEMORY);
        self.known.drain(..first);
        let known: Vec<_> =
            self.known.iter().map(|(seen, progress)| (seen.inputs, seen.epochs, *progress)).collect();
        for _ in 0..STEPS {
            self.step(&known);
        }
    }

    /// Gradient ascent step on the mean likelihood of (inputs, a, progress).
    fn step(&mut self, known: &[([f64; INPUTS], f64, f64)]) {
        if known.is_empty() {
            return;
        }
        let net = &mut self.predictor.net;
        let mut gradient = vec![0.0; WEIGHTS];
        for (inputs, a, progress) in known {
            let hidden = net.hidden(inputs);
            let output = net.output(&hidden);
            if output <= 0.0 {
                continue;
            }
            let b = 1.0 + output;
            let slope = (libm::log(1.0 - progress) + digamma(a + b) - digamma(b)) / known.len() as f64;
            for (unit, value) in hidden.iter().enumerate() {
                gradient[OUTPUT + unit] += slope * value;
                let inner = slope * net.weights[OUTPUT + unit] * (1.0 - value * value);
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
            net.weights[at] += rate * (mean[at] / unbiased[0]) / ((square[at] / unbiased[1]).sqrt() + 1e-8);
        }
    }
}

/// Digamma function, the derivative of the logarithm of the gamma function, above 0: by recurrence and
/// asymptotic series.
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
    use raddle_pool::policy::ones::Net;

    use super::*;

    /// Logarithm of the density of Beta(a, b) at a progress.
    fn likelihood(net: &Net, inputs: &[f64; INPUTS], a: f64, progress: f64) -> f64 {
        let b = net.b(inputs);
        let of_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
        (a - 1.0) * libm::log(progress) + (b - 1.0) * libm::log(1.0 - progress) - of_beta
    }

    #[test]
    fn digamma_is_the_slope_of_lgamma() {
        for x in [1.0, 1.5, 3.0, 17.0, 250.0] {
            let slope = (libm::lgamma(x + 1e-5) - libm::lgamma(x - 1e-5)) / 2e-5;
            assert!((digamma(x) - slope).abs() < 1e-6, "{x}: {} and {slope}", digamma(x));
        }
    }

    #[test]
    fn the_net_finds_b_by_likelihood() {
        let mut training = Training::new(&mut Stream::new(&[7]));
        // Jobs of 10 epochs: after e epochs the mean of Beta(e, b) is e / 10 at b = 10 - e.
        let known: Vec<_> = (1..10)
            .map(|e| ([0.3, 1.0, f64::from(e) / 10.0, 0.0, 0.0], f64::from(e), f64::from(e) / 10.0))
            .collect();
        let of_all =
            |net: &Net| known.iter().map(|(x, a, progress)| likelihood(net, x, *a, *progress)).sum::<f64>();
        let before = of_all(&training.predictor.net);
        (0..500).for_each(|_| training.step(&known));
        let net = &training.predictor.net;
        assert!(of_all(net) > before + 1.0, "{before}, then {}", of_all(net));
        let (early, late) = (net.b(&known[1].0), net.b(&known[7].0));
        assert!(early > late + 2.0, "b after 2 epochs {early}, after 8 {late}");
    }
}
