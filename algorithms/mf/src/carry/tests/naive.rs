//! Gradient steps by their definition, in plain loops and double precision: an oracle that shares no code
//! with the program.
//!
//! The oracle takes ratings one after another in the given order. The program splits them among cells, takes
//! some in pairs and computes products ahead of their steps: both agree, up to rounding, if all ratings of a
//! row are the same rating repeated. The oracle does not cover runs that do worse than the mean of the
//! ratings.

use crate::model::Model;

/// A rating: user, item and value.
pub(super) type Line = (usize, usize, f64);

/// Parameters of the steps of a run.
#[derive(Clone)]
pub(super) struct Course {
    pub(super) stages: Vec<u32>,
    /// The length of the stage whose last tenth is repeated; without it, every stage starts with the first
    /// rows.
    pub(super) tail: Option<u32>,
    /// The first step; `None` derives it from the length of the stage.
    pub(super) step: Option<f64>,
    /// The regularisation of factors in the units of the ratings; `None` derives it likewise.
    pub(super) reg: Option<f64>,
    pub(super) bias_reg: f64,
}

impl Course {
    /// Returns step and decay of factors in an epoch of a stage, for ratings that are divided by `scale`.
    fn at(&self, length: u32, epoch: u32, scale: f64) -> (f64, f64) {
        let turned = f64::from(epoch) / f64::from(length);
        let (whole, turned) = match self.tail {
            Some(whole) => (f64::from(whole), 0.9 + 0.1 * turned),
            None => (f64::from(length), turned),
        };
        let first = self.step.unwrap_or((0.09 * (5.0 / whole).powf(0.55)).clamp(0.02, 0.1));
        let decay = self.reg.map(|reg| reg / scale);
        let decay = decay.unwrap_or((0.027 * (whole / 5.0).powf(0.4)).clamp(0.02, 0.045));
        let half = (1.0 + (std::f64::consts::PI * turned).cos()) / 2.0;
        (first * (0.02 + 0.98 * half), decay)
    }
}

/// Rows for ratings from which `center` is subtracted and that are divided by `scale`.
#[derive(Clone)]
pub(super) struct Naive {
    pub(super) center: f64,
    pub(super) scale: f64,
    /// Factors and bias of each user, and of each item.
    users: Vec<(Vec<f64>, f64)>,
    items: Vec<(Vec<f64>, f64)>,
}

impl Naive {
    /// Returns the rows of a model.
    pub(super) fn of(model: &Model, scale: f64) -> Self {
        let row = |factors: &[f32], bias: f32| {
            let factors: Vec<f64> = factors.iter().map(|&value| f64::from(value) / scale.sqrt()).collect();
            (factors, f64::from(bias) / scale)
        };
        let mut found = Self { center: model.mean, scale, users: Vec::new(), items: Vec::new() };
        for user in 0..model.users() {
            found.users.push(row(model.user(user as u32), model.user_biases[user]));
        }
        for item in 0..model.items() {
            found.items.push(row(model.item(item as u32), model.item_biases[item]));
        }
        found
    }

    /// Returns all values, in deviations.
    pub(super) fn values(&self) -> Vec<f64> {
        let rows = self.users.iter().chain(&self.items);
        rows.flat_map(|(factors, bias)| factors.iter().chain([bias])).copied().collect()
    }

    /// Returns the predicted rating.
    pub(super) fn predict(&self, user: usize, item: usize) -> f64 {
        let ((p, b), (q, c)) = (&self.users[user], &self.items[item]);
        let mut sum = b + c;
        for f in 0..p.len() {
            sum += p[f] * q[f];
        }
        self.center + self.scale * sum
    }

    /// Returns the root mean squared error.
    pub(super) fn error(&self, lines: &[Line]) -> f64 {
        let mut sum = 0.0;
        for &(user, item, value) in lines {
            sum += (value - self.predict(user, item)).powi(2);
        }
        (sum / lines.len() as f64).sqrt()
    }

    /// Runs an epoch.
    pub(super) fn train(&mut self, lines: &[Line], course: &Course, length: u32, epoch: u32) {
        let (step, decay) = course.at(length, epoch, self.scale);
        let (bias_step, bias_decay) = (0.3 * step, course.bias_reg / self.scale);
        for &(user, item, value) in lines {
            let z = (value - self.predict(user, item)) / self.scale;
            let ((p, b), (q, c)) = (&mut self.users[user], &mut self.items[item]);
            *b += bias_step * (z - bias_decay * *b);
            *c += bias_step * (z - bias_decay * *c);
            for f in 0..p.len() {
                let old = p[f];
                p[f] += step * (z * q[f] - decay * old);
                q[f] += step * (z * old - decay * q[f]);
            }
        }
    }
}

/// Result of a run: the error on held-out ratings after each epoch, and the best rows.
pub(super) struct Run {
    pub(super) log: Vec<f64>,
    pub(super) best: Naive,
    pub(super) best_epoch: usize,
}

/// Runs the stages; the error on `held` decides when a stage ends and whether another one follows.
pub(super) fn run(start: &Naive, course: &Course, lines: &[Line], held: &[Line]) -> Run {
    let mut found = Run { log: Vec::new(), best: start.clone(), best_epoch: 0 };
    let (mut now, mut best) = (start.clone(), f64::INFINITY);
    let mut before = if course.tail.is_some() { start.error(held) } else { f64::INFINITY };
    for &length in &course.stages {
        if course.tail.is_none() {
            now = start.clone();
        }
        let (mut without_progress, mut is_best_of_this_stage) = (0, false);
        for epoch in 0..length {
            now.train(lines, course, length, epoch);
            let error = now.error(held);
            found.log.push(error);
            without_progress += 1;
            if error < best {
                (best, without_progress, is_best_of_this_stage) = (error, 0, true);
                (found.best, found.best_epoch) = (now.clone(), found.log.len());
            }
            if without_progress >= 3 && is_best_of_this_stage && 2 * (epoch + 1) > length {
                break;
            }
        }
        // The first stage is judged by the gain of its own last quarter.
        let (from, least) = match before.is_infinite() {
            true => {
                let earlier = found.log.len() - found.log.len().div_ceil(4);
                (found.log[..earlier].iter().copied().fold(f64::INFINITY, f64::min), 0.005)
            }
            false if length >= 40 => (before, 0.005),
            false => (before, 0.001),
        };
        if best >= from * (1.0 - least) {
            break;
        }
        before = best;
    }
    found
}
