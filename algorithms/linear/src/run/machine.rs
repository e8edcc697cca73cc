//! [`Machine`]: the solver of a binary problem, with its best dual point.

use raddle::random::Stream;

use crate::certificate::Certificate;
use crate::data::binary::Binary;
use crate::loss::Loss;
use crate::solve::interior::{Inside, interior};
use crate::solve::judge::Judge;
use crate::solve::newton::newton;
use crate::solve::passes::passes;
use crate::solve::sweeps::sweeps;

use super::course::{Course, Way};

/// Multiplications of an epoch, at least; it ends behind the step in which they are used up.
const BUDGET: f64 = 1e9;

/// Solver of a binary problem: its iterate, and the best dual point that it has come to.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// Best dual values, one for each row; the model.
    pub(crate) best: Vec<f64>,
    /// Their certificate.
    pub(crate) found: Certificate,
    /// Least primal and largest dual objective so far.
    bounds: Certificate,
    /// Dual values from which passes and sweeps go on, and the last step of sweeps; none behind a pass.
    dual: Vec<f64>,
    last: Vec<f64>,
    /// Iterate of a solver with one of its own.
    iterate: Iterate,
    course: Course,
    /// Epochs behind it.
    epochs: u64,
}

raddle::state!(Machine { best, found, bounds, dual, last, iterate, course, epochs });

/// Iterate of a solver.
#[derive(Debug, Clone, Default)]
enum Iterate {
    #[default]
    None,
    /// Weights of Newton steps.
    Weights(Vec<f64>),
    /// Dual values and multipliers.
    Inside(Inside),
}

raddle::state!(
    enum Iterate {
        None,
        Weights(weights),
        Inside(inside),
    }
);

impl Machine {
    /// Machine at these dual values.
    pub(crate) fn new(binary: &Binary<'_>, a: Vec<f64>) -> Self {
        let found = Certificate::of(binary, &a, &binary.weights_of(&a));
        let zeros = binary.lost(&vec![0.0; binary.count()]);
        let bounds = Certificate { primal: found.primal.min(zeros), dual: found.dual.max(0.0) };
        Self { dual: a.clone(), best: a, found, bounds, ..Self::default() }
    }

    /// `true` if nothing more is to be gained.
    pub(crate) fn is_done(&self, tolerance: f64) -> bool {
        self.found.gap() <= tolerance || self.course.is_over()
    }

    /// `true` if values are as many as rows.
    pub(crate) fn is_of(&self, rows: usize, width: usize) -> bool {
        let fits = match &self.iterate {
            Iterate::None => true,
            Iterate::Weights(weights) => weights.len() == width,
            Iterate::Inside(inside) => inside.is_of(rows),
        };
        fits && self.best.len() == rows && self.dual.len() == rows && [0, rows].contains(&self.last.len())
    }

    /// Goes on by about a second's work, of which so many machines have a part, or to the tolerance.
    pub(crate) fn advance(
        &mut self,
        binary: &Binary<'_>,
        (tolerance, machines): (f64, usize),
        names: &[u64],
    ) {
        self.epochs += 1;
        let mut stream = Stream::new(&[names, &[self.epochs]].concat());
        let mut left = BUDGET / machines as f64;
        while left > 0.0 && !self.is_done(tolerance) {
            let supports = self.dual.iter().filter(|a| **a > 0.0).count();
            let way = self.course.way(binary, self.bounds.gap() / tolerance, supports);
            let before = self.bounds;
            let Self { best, found, bounds, dual, last, .. } = self;
            let mut judge = Judge { binary, tolerance, budget: left, best, found, bounds };
            let goes_on = match way {
                Way::Passes(count) => {
                    last.clear();
                    passes(&mut judge, dual, count, &mut stream);
                    true
                }
                Way::Sweeps => {
                    sweeps(&mut judge, dual, last);
                    true
                }
                Way::Direct if binary.loss == Loss::Hinge => {
                    if !matches!(self.iterate, Iterate::Inside(_)) {
                        self.iterate = Iterate::Inside(Inside::middle(binary));
                    }
                    match &mut self.iterate {
                        Iterate::Inside(at) => interior(&mut judge, at),
                        _ => false,
                    }
                }
                Way::Direct | Way::Conjugate => {
                    if !matches!(self.iterate, Iterate::Weights(_)) {
                        self.iterate = Iterate::Weights(start(binary, judge.best));
                    }
                    match &mut self.iterate {
                        Iterate::Weights(w) => newton(&mut judge, w, way == Way::Direct),
                        _ => false,
                    }
                }
            };
            let spent = left - judge.budget;
            left = judge.budget;
            self.course.learn(way, (before, self.bounds), spent, goes_on);
        }
    }
}

/// Weights that Newton steps begin from: those of a dual point, or zeros where these are better.
fn start(binary: &Binary<'_>, a: &[f64]) -> Vec<f64> {
    let (w, zeros) = (binary.weights_of(a), vec![0.0; binary.rows.width()]);
    let none = vec![0.0; a.len()];
    let primal = |w: &[f64]| Certificate::of(binary, &none, w).primal;
    if primal(&w) < primal(&zeros) { w } else { zeros }
}
