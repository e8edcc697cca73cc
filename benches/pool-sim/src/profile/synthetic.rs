//! `synth:jobs:n=160,seed=1`: a random mix of fits.

use raddle::random::Stream;
use raddle_pool::policy::Profile;

/// A kind of fit.
struct Kind {
    name: &'static str,
    /// Share of the jobs of this kind.
    share: f64,
    /// Median of the seconds on one worker, and standard deviation of their logarithm.
    length: (f64, f64),
    /// Serial share of the work, in Amdahl's law.
    serial: f64,
    /// Maximum number of workers.
    most: u32,
    /// Minimum and maximum number of epochs.
    epochs: (f64, f64),
    /// Seconds that a start takes.
    start: f64,
}

impl Kind {
    const fn new(name: &'static str, [share, median, spread, serial]: [f64; 4], most: u32) -> Self {
        Self { name, share, length: (median, spread), serial, most, epochs: (1.0, 1.0), start: 0.0 }
    }

    const fn epochs(self, fewest: f64, most: f64, start: f64) -> Self {
        Self { epochs: (fewest, most), start, ..self }
    }
}

/// Topic models are long and scale well; factorizations scale less well; the Lasso and linear classifiers are
/// short and scale little; and there are many trials on one worker.
const KINDS: [Kind; 5] = [
    Kind::new("lda", [0.2, 12_000.0, 1.2, 0.01], 32).epochs(50.0, 500.0, 10.0),
    Kind::new("mf", [0.25, 5_000.0, 1.2, 0.04], 16).epochs(20.0, 100.0, 5.0),
    Kind::new("lasso", [0.2, 1_500.0, 1.4, 0.12], 8).epochs(20.0, 200.0, 2.0),
    Kind::new("linear", [0.15, 2_500.0, 1.3, 0.08], 16).epochs(10.0, 100.0, 2.0),
    Kind::new("trial", [0.2, 300.0, 1.0, 1.0], 1).epochs(5.0, 50.0, 1.0),
];

/// Share of the jobs that have a value of their own, and share of those that also have a deadline.
const VALUED: (f64, f64) = (0.6, 0.6);

/// Draws `count` jobs that arrive within `hours`, with lengths in proportion to `load`.
///
/// Arrivals are uniform: those of a Poisson process, given their number. Lengths are log-normal by kind, at
/// most 50 medians; speeds follow Amdahl's law. A job requests 1, 2, 4, ... workers up to its maximum, with
/// equal probabilities. A value is uniform from 1 to 100. A deadline is 2 to 8 times the seconds that the job
/// takes on the requested workers.
pub(crate) fn synthetic(count: u32, seed: u64, hours: f64, load: f64) -> Vec<Profile> {
    // Each job has a stream of its own, so that the first jobs do not depend on their number.
    let mut drawn: Vec<Profile> = (0..count).map(|number| draw(number, seed, hours, load)).collect();
    drawn.sort_by(|a, b| a.at.total_cmp(&b.at));
    drawn
}

fn draw(number: u32, seed: u64, hours: f64, load: f64) -> Profile {
    let mut stream = Stream::new(&[seed, u64::from(number)]);
    let at = stream.unit() * hours * 3600.0;
    let mut point = stream.unit();
    let kind = KINDS.iter().find(|kind| {
        point -= kind.share;
        point < 0.0
    });
    let kind = kind.unwrap_or(&KINDS[0]);
    let (median, spread) = kind.length;
    let length = libm::exp(spread * normal(&mut stream)).min(50.0) * median * load;
    let (fewest, most) = kind.epochs;
    let epochs = (fewest * libm::pow(most / fewest, stream.unit())).round();
    let speed = |workers: u32| 1.0 / (kind.serial + (1.0 - kind.serial) / f64::from(workers));
    let counts: Vec<u32> =
        (0..).map(|power| 1 << power).take_while(|workers| *workers <= kind.most).collect();
    let requested = counts[stream.below(counts.len())];
    let (is_valued, has_deadline) = (stream.unit() < VALUED.0, stream.unit() < VALUED.1);
    let (value, patience) = (1.0 + 99.0 * stream.unit(), 2.0 + 6.0 * stream.unit());
    let deadline = (patience * (kind.start + length / speed(requested))).round();
    let speeds = counts.into_iter().map(|workers| (workers, speed(workers) * epochs / length)).collect();
    Profile {
        at: at.round(),
        start: kind.start,
        program: Some(kind.name.into()),
        requested: Some(requested),
        value: is_valued.then_some(value.round()),
        deadline: (is_valued && has_deadline).then_some(deadline),
        ..Profile::new(format!("{}-{number}", kind.name), epochs, speeds)
    }
}

/// Draws a standard normal number (Box and Muller).
fn normal(stream: &mut Stream) -> f64 {
    let (radius, angle) = (1.0 - stream.unit(), stream.unit());
    libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(std::f64::consts::TAU * angle)
}
