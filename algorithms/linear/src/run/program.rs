//! [`LinearProgram`]: each binary problem is a shard; a single one is in the pinned block.

use raddle::prelude::*;
use raddle::state::StateError;
use raddle::{RestoreByShard, Restoring};

use super::machine::Machine;
use crate::data::binary::Binary;
use crate::data::problem::Problem;
use crate::data::softmax::{Softmax, block};
use crate::loss::Loss;

/// A linear classifier as a program of the engine. With several classes, each is a shard, and the workers fit
/// several classes at the same time. A single binary problem is solved where rounds are aggregated; there the
/// other workers help with factors, and with the products of all rows that certificates and steps need.
#[derive(Debug)]
pub struct LinearProgram {
    pub(crate) problem: Problem,
    pub(crate) loss: Loss,
    /// For each class, the weight of the loss of a row with weight 1.
    pub(crate) factors: Vec<f64>,
    pub(crate) tolerance: f64,
    pub(crate) seed: u64,
}

impl LinearProgram {
    /// Returns a binary problem by its number; `None` if its rows, which are in a file, cannot be read. Then
    /// the run ends, and its [finish](crate::Linear::finish) returns the error.
    fn binary(&self, machine: usize) -> Option<Binary<'_>> {
        self.problem.binary(machine, self.loss, &self.factors).ok()
    }

    /// Returns the problem of all classes together; `None` like [`binary`](Self::binary).
    fn softmax(&self) -> Option<Softmax<'_>> {
        Some(self.problem.softmax(self.problem.rows.whole().ok()?, &self.factors))
    }

    fn advance(&self, number: u32, machine: &mut Machine) {
        if machine.is_done(self.tolerance) {
            return;
        }
        if self.loss == Loss::Multinomial {
            if let Some(problem) = self.softmax() {
                machine.advance_together(&problem, self.tolerance);
            }
            return;
        }
        if let Some(binary) = self.binary(number as usize) {
            let settings = (self.tolerance, self.problem.machines());
            machine.advance(&binary, settings, &[self.seed, u64::from(number)]);
        }
    }

    /// Initialises a single problem whose rows are read by the process that solves it.
    fn begin(&self, machine: &mut Machine) {
        if !machine.has_not_begun() {
            return;
        }
        if self.loss == Loss::Multinomial {
            if let Some(problem) = self.softmax() {
                *machine = Machine::together(&problem, vec![0.0; self.sizes().1]);
            }
        } else if let Some(binary) = self.binary(0) {
            *machine =
                Machine::new(&binary, (0..binary.count()).map(|row| binary.inside(row, 0.0)).collect());
        }
    }

    /// Returns the objectives of a solver, the number of its nonzero dual values, and 1 if it has ended.
    fn told(&self, machine: &Machine) -> Vec<f64> {
        let supports = machine.best.a.iter().filter(|a| **a > 0.0).count();
        let is_done = f64::from(u8::from(machine.is_done(self.tolerance)));
        let found = machine.best.found;
        vec![found.primal, found.dual, found.gap(), supports as f64, is_done]
    }
}

/// Returns the number of solvers: one for all classes together, or one for each binary problem.
pub(crate) fn machines(problem: &Problem, loss: Loss) -> usize {
    if loss == Loss::Multinomial { 1 } else { problem.machines() }
}

/// Numbers that a solver returns.
const TOLD: usize = 5;

impl Program for LinearProgram {
    raddle::program!(Shard = Option<Machine>, Pinned = Option<Machine>, Partial = Vec<f64>, Change = (); update, restore_by_shard);

    /// Advances a single binary problem.
    fn aggregate(&self, at: Aggregate<'_, Self>) {
        if let Some(machine) = at.pinned {
            self.advance(0, machine);
        }
    }

    fn commit(&self, _: &(), _: &mut ()) {}

    fn evaluate(&self, at: Evaluate<'_, Self>) -> Vec<f64> {
        at.shard.as_ref().map_or_else(Vec::new, |machine| self.told(machine))
    }

    /// The metric is the worst gap of all solvers.
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<()> {
        at.pinned.iter_mut().for_each(|machine| self.begin(machine));
        let mut told = at.partials.concat();
        told.extend(at.pinned.iter().flat_map(|machine| self.told(machine)));
        let machines = told.chunks_exact(TOLD);
        let sum = |at: usize| machines.clone().map(|of| of[at]).sum::<f64>();
        let worst = machines.clone().map(|of| of[2]).fold(0.0, f64::max);
        let metric = Metric::new("relative-duality-gap", worst, "training data").target(self.tolerance);
        let is_over = machines.clone().all(|of| of[4] > 0.0) || at.pinned.iter().any(Machine::has_not_begun);
        let status = if is_over { Status::Converged } else { Status::Continue };
        let verdict = Verdict::new(metric.certified()).status(status);
        verdict.show("primal", sum(0)).show("dual", sum(1)).show("support", sum(3))
    }
}

/// Checks that every solver has values for this problem's rows and columns. The one in the pinned block may
/// have none until the conclusion of the first boundary initialises it.
impl RestoreByShard for LinearProgram {
    type Question = ();
    /// Number of solvers of a shard.
    type Answer = u64;

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<()>, StateError> {
        if run.question.is_none() {
            let may_be_new = run.boundary.epoch == 0 && !run.is_concluded;
            self.check(run.pinned.iter().filter(|machine| !(may_be_new && machine.has_not_begun())))?;
            return Ok(Some(()));
        }
        let count = run.shards.into_iter().sum::<u64>() + run.pinned.iter().count() as u64;
        let whole = count == machines(&self.problem, self.loss) as u64;
        if whole { Ok(None) } else { Err(StateError::new("values for each row and each class")) }
    }

    fn answer(&self, (): &(), _: u32, shard: &mut Option<Machine>, (): &()) -> Result<u64, StateError> {
        self.check(shard.iter())?;
        Ok(u64::from(shard.is_some()))
    }
}

impl LinearProgram {
    /// Returns the number of a solver's dual values, and of its weights.
    fn sizes(&self) -> (usize, usize) {
        let (rows, width) = (self.problem.distinct(), self.problem.rows.width());
        let classes = self.problem.classes().len();
        if self.loss == Loss::Multinomial { (rows * classes, width * block(classes)) } else { (rows, width) }
    }

    /// Checks the sizes of solvers' values.
    fn check<'a>(&self, mut machines: impl Iterator<Item = &'a Machine>) -> Result<(), StateError> {
        let (rows, width) = self.sizes();
        let fit = machines.all(|machine| machine.is_of(rows, width));
        if fit { Ok(()) } else { Err(StateError::new("values for each row and each class")) }
    }
}

impl Update for LinearProgram {
    fn update(&self, at: TaskOf<'_, Self>) -> Vec<f64> {
        if let Some(machine) = at.shard {
            self.advance(at.task.shard, machine);
        }
        Vec::new()
    }
}
