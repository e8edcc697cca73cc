//! [`Predictor`]: the progress of a job, as a Beta distribution.

use raddle::random::Stream;

use super::net::{INPUTS, Net};
use crate::policy::Job;

/// Minimum work that a job counts as having done, in seconds of one worker.
const BEGUN: f64 = 60.0;

/// Predicted progress: Beta(epochs done, b), where a small neural network predicts b.
#[derive(Debug)]
pub struct Predictor {
    /// The network.
    pub net: Net,
}

impl Predictor {
    /// A predictor before any training.
    pub fn new(stream: &mut Stream) -> Self {
        Self { net: Net::new(stream) }
    }

    /// Work left of a job, from a random draw of its progress.
    pub fn remaining(&self, job: &Job, stream: &mut Stream) -> f64 {
        let least = BEGUN * job.speed.rate(job.least.max(1), 1);
        let b = self.net.b(&inputs(job));
        let progress = beta((job.epochs as f64).max(1.0), b, stream);
        job.done.max(least) * (1.0 / progress - 1.0)
    }
}

/// Features of a job: logarithm of the epoch's size, first loss, epochs, relative decrease of the loss, and
/// accuracy, each scaled to about 1.
pub fn inputs(job: &Job) -> [f64; INPUTS] {
    let epochs = job.epochs as f64 / 100.0;
    job.observed.map_or([0.0, 0.0, epochs, 0.0, 0.0], |seen| {
        let gain = if seen.first_loss > 0.0 { 1.0 - seen.loss / seen.first_loss } else { 0.0 };
        [libm::log(seen.epoch_size.max(1.0)) / 10.0, seen.first_loss, epochs, gain, seen.accuracy]
    })
}

/// Draws from Beta(a, b), with a and b at least 1; never 0.
fn beta(a: f64, b: f64, stream: &mut Stream) -> f64 {
    let (x, y) = (gamma(a, stream), gamma(b, stream));
    (x / (x + y)).max(1e-6)
}

/// Draws from the gamma distribution of this shape, at least 1 (Marsaglia and Tsang, 2000).
fn gamma(shape: f64, stream: &mut Stream) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let (radius, angle) = (1.0 - stream.unit(), stream.unit());
        let normal = libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(std::f64::consts::TAU * angle);
        let v = (1.0 + c * normal).powi(3);
        let draw = 1.0 - stream.unit();
        if v > 0.0 && libm::log(draw) < 0.5 * normal * normal + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}
