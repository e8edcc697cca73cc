//! [`Machine`]: the solver of a binary problem, with its best dual point.

use raddle::random::Stream;

use crate::data::binary::Binary;
use crate::loss::Loss;
use crate::solve::interior::{Inside, interior};
use crate::solve::judge::{Best, Judge};
use crate::solve::newton::newton;
use crate::solve::passes::passes;
use crate::solve::sweeps::sweeps;

use super::course::{Course, Way};

/// Multiplications of an epoch, at least; it ends behind the step in which they are used up.
const BUDGET: f64 = 5e8;

/// Passes after which most problems are solved.
const PASSES: u64 = 100;

/// Counted cost of an epoch of one of these machines over rows with so many values: the budget, or less where
/// that would be more than solves the problem.
pub(crate) fn epoch_cost(machines: usize, values: u64) -> u64 {
    ((BUDGET / machines.max(1) as f64) as u64).min(PASSES * 2 * values).max(1)
}

/// Solver of a binary problem: its iterate, and the best dual point that it has come to.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    /// Best dual values and weights, with their certificate; the model.
    pub(crate) best: Best,
    /// Dual values from which passes and sweeps go on, and the last step of sweeps; none behind a pass.
    dual: Vec<f64>,
    last: Vec<f64>,
    /// Iterate of a solver with one of its own.
    iterate: Iterate,
    course: Course,
    /// Epochs behind it.
    epochs: u64,
}

raddle::state!(Machine { best, dual, last, iterate, course, epochs });

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
        Self { dual: a.clone(), best: Best::new(binary, a), ..Self::default() }
    }

    /// `true` if it has no values yet: where its problem begins it gets the first, whole.
    pub(crate) fn has_not_begun(&self) -> bool {
        self.best.a.is_empty()
    }

    /// `true` if nothing more is to be gained.
    pub(crate) fn is_done(&self, tolerance: f64) -> bool {
        self.best.found.gap() <= tolerance || self.course.is_over()
    }

    /// `true` if values are as many as rows.
    pub(crate) fn is_of(&self, rows: usize, width: usize) -> bool {
        let fits = match &self.iterate {
            Iterate::None => true,
            Iterate::Weights(weights) => weights.len() == width,
            Iterate::Inside(inside) => inside.is_of(rows),
        };
        fits && self.best.w.len() == width
            && self.best.a.len() == rows
            && self.dual.len() == rows
            && [0, rows].contains(&self.last.len())
    }

    /// Goes on by about half a second's work, of which so many machines have a part, or to the tolerance.
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
        // The weights that follow from `dual`, and their margins, where they are known.
        let mut known = None;
        while !course.is_over() && !judge.is_over() {
            let supports = dual.iter().filter(|a| **a > 0.0).count();
            let (before, left) = (judge.found(), judge.budget);
            let way = course.way(binary, before.gap() / tolerance, supports);
            let goes_on = match way {
                Way::Passes(count) => {
                    last.clear();
                    known = Some(passes(&mut judge, (dual, known), count, &mut stream));
                    true
                }
                Way::Sweeps => {
                    known = Some(sweeps(&mut judge, (dual, known), last));
                    true
                }
                Way::Direct if binary.loss == Loss::Hinge => {
                    if !matches!(iterate, Iterate::Inside(_)) {
                        *iterate = Iterate::Inside(Inside::middle(binary));
                    }
                    match iterate {
                        Iterate::Inside(at) => interior(&mut judge, at),
                        _ => false,
                    }
                }
                Way::Direct | Way::Conjugate => {
                    if !matches!(iterate, Iterate::Weights(_)) {
                        *iterate = Iterate::Weights(judge.weights().to_vec());
                    }
                    match iterate {
                        Iterate::Weights(w) => newton(&mut judge, w, way == Way::Direct),
                        _ => false,
                    }
                }
            };
            course.learn(way, (before, judge.found()), left - judge.budget, goes_on);
        }
    }
}
