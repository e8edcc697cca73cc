//! [`Machine`]: the solver of a binary problem, with its best dual point.

use raddle::random::Stream;

use crate::certificate::Certificate;
use crate::data::binary::Binary;
use crate::loss::Loss;
use crate::solve::interior::{Inside, interior};
use crate::solve::judge::Judge;
use crate::solve::newton::newton;
use crate::solve::passes::passes;
use crate::solve::sweeps::{Swept, sweeps};

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
    /// Iterate of the solver at work.
    iterate: Iterate,
    course: Course,
    /// Epochs behind it.
    epochs: u64,
}

raddle::state!(Machine { best, found, iterate, course, epochs });

/// Iterate of a solver.
#[derive(Debug, Clone, Default)]
enum Iterate {
    /// Dual passes go on from the best point.
    #[default]
    Best,
    /// Dual values and the last step.
    Swept(Swept),
    /// Weights of Newton steps.
    Weights(Vec<f64>),
    /// Dual values and multipliers.
    Inside(Inside),
}

raddle::state!(
    enum Iterate {
        Best,
        Swept(swept),
        Weights(weights),
        Inside(inside),
    }
);

impl Machine {
    /// Machine at these dual values.
    pub(crate) fn new(binary: &Binary<'_>, a: Vec<f64>) -> Self {
        let found = Certificate::of(binary, &a, &binary.weights_of(&a));
        Self { best: a, found, ..Self::default() }
    }

    /// `true` if nothing more is to be gained.
    pub(crate) fn is_done(&self, tolerance: f64) -> bool {
        self.found.gap() <= tolerance || self.course.is_over()
    }

    /// `true` if values are as many as rows.
    pub(crate) fn is_of(&self, rows: usize, width: usize) -> bool {
        let fits = match &self.iterate {
            Iterate::Best => true,
            Iterate::Swept(swept) => swept.is_of(rows),
            Iterate::Weights(weights) => weights.len() == width,
            Iterate::Inside(inside) => inside.is_of(rows),
        };
        fits && self.best.len() == rows
    }

    /// Goes on by about a second's work, or to the tolerance.
    pub(crate) fn advance(&mut self, binary: &Binary<'_>, tolerance: f64, names: &[u64]) {
        self.epochs += 1;
        let mut stream = Stream::new(&[names, &[self.epochs]].concat());
        let mut left = BUDGET;
        while left > 0.0 && !self.is_done(tolerance) {
            let before = self.found.gap();
            let way = self.course.way(binary, before / tolerance);
            let (mut a, mut found) = (std::mem::take(&mut self.best), self.found);
            let mut judge = Judge { binary, tolerance, budget: left, best: &mut a, found: &mut found };
            let goes_on = match way {
                Way::Passes(count) => {
                    let mut at = judge.best.clone();
                    passes(&mut judge, &mut at, count, &mut stream);
                    true
                }
                Way::Sweeps => {
                    if !matches!(self.iterate, Iterate::Swept(_)) {
                        self.iterate = Iterate::Swept(Swept::from(judge.best));
                    }
                    if let Iterate::Swept(at) = &mut self.iterate {
                        sweeps(&mut judge, at);
                    }
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
                        self.iterate = Iterate::Weights(binary.weights_of(judge.best));
                    }
                    match &mut self.iterate {
                        Iterate::Weights(w) => newton(&mut judge, w, way == Way::Direct),
                        _ => false,
                    }
                }
            };
            let spent = left - judge.budget;
            left = judge.budget;
            (self.best, self.found) = (a, found);
            self.course.learn(way, (before, self.found.gap()), spent, goes_on);
        }
    }
}
