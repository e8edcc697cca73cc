//! [`Machine`]: the solver of one binary problem, with its best dual point.

use raddle::random::Stream;

use crate::certificate::Certificate;
use crate::data::binary::Binary;
use crate::data::softmax::Softmax;
use crate::loss::Loss;
use crate::solve::interior::{Inside, interior};
use crate::solve::judge::{Best, Judge};
use crate::solve::newton::newton;
use crate::solve::passes::passes;
use crate::solve::sweeps::sweeps;
use crate::solve::together::together;

use super::course::{Course, SolverKind};

/// Multiplications per epoch, at least; the epoch ends after the step that uses them up.
const BUDGET: f64 = 5e8;

/// Passes that solve most problems.
const PASSES: u64 = 100;

/// Returns the counted cost of an epoch of one of `machines` solvers over rows with this many values: the
/// budget, or less if that solves the problem.
pub(crate) fn epoch_cost(machines: usize, values: u64) -> u64 {
    ((BUDGET / machines.max(1) as f64) as u64).min(PASSES * 2 * values).max(1)
}

/// The solver of a binary problem, or of all classes together: its iterate, and its best dual point so far.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// Best dual values and weights with their certificate, which are the model.
    pub(crate) best: Best,
    /// Dual values from which passes and sweeps continue; then the last step of sweeps, empty after a pass.
    dual: Vec<f64>,
    last: Vec<f64>,
    /// Iterate of a solver that does not continue from `dual`.
    iterate: Iterate,
    course: Course,
    /// Number of finished epochs.
    pub(crate) epochs: u64,
}

raddle::state!(Machine { best, dual, last, iterate, course, epochs });

/// The iterate of a solver.
#[derive(Debug, Clone, Default)]
enum Iterate {
    #[default]
    None,
    /// Weights of Newton steps.
    Weights(Vec<f64>),
    /// Dual values and multipliers of an interior point method.
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
    /// Makes a solver that starts from these dual values.
    pub(crate) fn new(binary: &Binary<'_>, a: Vec<f64>) -> Self {
        Self { dual: a.clone(), best: Best::new(binary, a), ..Self::default() }
    }

    /// Makes a solver of all classes together that starts from these weights, in blocks.
    pub(crate) fn together(problem: &Softmax<'_>, w: Vec<f64>) -> Self {
        let a = vec![0.0; problem.count() * problem.classes];
        let primal = problem.losses(&a).sum;
        let best = Best { a: a.clone(), w: vec![0.0; w.len()], found: Certificate { primal, dual: 0.0 } };
        Self { dual: a, best, iterate: Iterate::Weights(w), ..Self::default() }
    }

    /// Returns `true` if the solver has no values yet: it gets them where its problem is solved.
    pub(crate) fn has_not_begun(&self) -> bool {
        self.best.a.is_empty()
    }

    /// Returns `true` if the tolerance is reached or no solver makes progress.
    pub(crate) fn is_done(&self, tolerance: f64) -> bool {
        self.best.found.gap() <= tolerance || self.course.is_over()
    }

    /// Frees what only further steps need.
    pub(crate) fn end(&mut self) {
        (self.dual, self.last, self.iterate) = (Vec::new(), Vec::new(), Iterate::None);
    }

    /// Returns `true` if the values match the number of rows.
    pub(crate) fn is_of(&self, rows: usize, width: usize) -> bool {
        let fits = match &self.iterate {
            Iterate::None => true,
            Iterate::Weights(weights) => weights.len() == width,
            Iterate::Inside(inside) => inside.is_of(rows),
        };
        fits && self.best.w.len() == width
            && self.best.a.len() == rows
            && [0, rows].contains(&self.dual.len())
            && [0, rows].contains(&self.last.len())
    }

    /// Returns `true` if there is a dual value to continue from for each row: all but the last solver of a
    /// path have [ended](Self::end).
    pub(crate) fn can_continue(&self, rows: usize) -> bool {
        self.dual.len() == rows
    }

    /// Continues a solver of all classes together for one epoch, or until the tolerance is reached.
    pub(crate) fn advance_together(&mut self, problem: &Softmax<'_>, tolerance: f64) {
        self.epochs += 1;
        if let Iterate::Weights(w) = &mut self.iterate
            && !together(problem, &mut self.best, w, tolerance, BUDGET)
        {
            self.course.give_up();
        }
    }

    /// Continues for one epoch, a share of about half a second's work for each of `machines` solvers, or
    /// until the tolerance is reached.
    pub(crate) fn advance(
        &mut self,
        binary: &Binary<'_>,
        (tolerance, machines): (f64, usize),
        names: &[u64],
    ) {
        self.epochs += 1;
        let mut stream = Stream::new(&[names, &[self.epochs]].concat());
        let Self { best, dual, last, iterate, course, .. } = self;
        let mut judge = Judge::new(binary, (tolerance, BUDGET / machines as f64), best);
        // The weights that follow from `dual`, with their margins, if known.
        let mut known = None;
        while !course.is_over() && !judge.is_over() {
            let supports = dual.iter().filter(|a| **a > 0.0).count();
            let (before, left) = (judge.found(), judge.budget);
            let way = course.way(binary, before.gap() / tolerance, supports);
            let goes_on = match way {
                SolverKind::Passes(count) => {
                    last.clear();
                    known = Some(passes(&mut judge, (dual, known), count, &mut stream));
                    true
                }
                SolverKind::Sweeps => {
                    known = Some(sweeps(&mut judge, (dual, known), last));
                    true
                }
                SolverKind::Direct if binary.loss == Loss::Hinge => {
                    if !matches!(iterate, Iterate::Inside(_)) {
                        *iterate = Iterate::Inside(Inside::middle(binary));
                    }
                    match iterate {
                        Iterate::Inside(at) => interior(&mut judge, at),
                        _ => false,
                    }
                }
                SolverKind::Direct | SolverKind::Conjugate => {
                    if !matches!(iterate, Iterate::Weights(_)) {
                        *iterate = Iterate::Weights(judge.weights().to_vec());
                    }
                    match iterate {
                        Iterate::Weights(w) => newton(&mut judge, w, way == SolverKind::Direct),
                        _ => false,
                    }
                }
            };
            course.learn(way, (before, judge.found()), left - judge.budget, goes_on);
        }
    }
}
