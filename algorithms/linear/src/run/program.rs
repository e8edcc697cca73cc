//! [`LinearProgram`]: a shard for each binary problem, or one in the pinned block where there is only one.

use raddle::prelude::*;
use raddle::state::StateError;
use raddle::{RestoreByShard, Restoring};

use super::machine::Machine;
use crate::data::binary::Binary;
use crate::data::problem::Problem;
use crate::loss::Loss;

/// A linear classifier as a program of the engine. Of several classes each is a shard, and several workers
/// have several classes at once. A binary problem that is alone is solved where rounds are aggregated: there
/// the other workers help with factors, and with the products of all rows that certificates and steps need.
#[derive(Debug)]
pub struct LinearProgram {
    pub(crate) problem: Problem,
    pub(crate) loss: Loss,
    /// The weight of the loss of a row that counts once, by class.
    pub(crate) factors: Vec<f64>,
    pub(crate) tolerance: f64,
    pub(crate) seed: u64,
}

impl LinearProgram {
    /// A binary problem by its number; none where rows that are read by parts cannot be read: then the run
    /// ends, and its [finish](crate::Linear::finish) says why.
    fn binary(&self, machine: usize) -> Option<Binary<'_>> {
        self.problem.binary(machine, self.loss, &self.factors).ok()
    }

    fn advance(&self, number: u32, machine: &mut Machine) {
        if machine.is_done(self.tolerance) {
            return;
        }
        if let Some(binary) = self.binary(number as usize) {
            let settings = (self.tolerance, self.problem.machines());
            machine.advance(&binary, settings, &[self.seed, u64::from(number)]);
        }
    }

    /// Begins the problem that is alone, where its rows are read by the process that solves it.
    fn begin(&self, machine: &mut Machine) {
        if machine.has_not_begun()
            && let Some(binary) = self.binary(0)
        {
            *machine =
                Machine::new(&binary, (0..binary.count()).map(|row| binary.inside(row, 0.0)).collect());
        }
    }

    /// The objectives of a machine, the number of its rows that support it, and 1 if it has come to its end.
    fn told(&self, machine: &Machine) -> Vec<f64> {
        let supports = machine.best.a.iter().filter(|a| **a > 0.0).count();
        let is_done = f64::from(u8::from(machine.is_done(self.tolerance)));
        let found = machine.best.found;
        vec![found.primal, found.dual, found.gap(), supports as f64, is_done]
    }
}

/// Numbers that a machine tells.
const TOLD: usize = 5;

impl Program for LinearProgram {
    raddle::program!(Shard = Option<Machine>, Pinned = Option<Machine>, Partial = Vec<f64>, Change = (); update, restore_by_shard);

    /// Advances the binary problem that is alone.
    fn aggregate(&self, at: Aggregate<'_, Self>) {
        if let Some(machine) = at.pinned {
            self.advance(0, machine);
        }
    }

    fn commit(&self, _: &(), _: &mut ()) {}

    fn evaluate(&self, at: Evaluate<'_, Self>) -> Vec<f64> {
        at.shard.as_ref().map_or_else(Vec::new, |machine| self.told(machine))
    }

    /// The worst gap is the model's.
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

/// Every machine must have values of this problem's rows and columns, and none may be missing; the one in the
/// pinned block may have none before the first boundary is concluded, which begins it.
impl RestoreByShard for LinearProgram {
    type Question = ();
    /// Number of machines of a shard.
    type Answer = u64;

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<()>, StateError> {
        if run.question.is_none() {
            let may_be_new = run.boundary.epoch == 0 && !run.is_concluded;
            self.check(run.pinned.iter().filter(|machine| !(may_be_new && machine.has_not_begun())))?;
            return Ok(Some(()));
        }
        let count = run.shards.into_iter().sum::<u64>() + run.pinned.iter().count() as u64;
        let whole = count == self.problem.machines() as u64;
        if whole { Ok(None) } else { Err(StateError::new("values for each row and each class")) }
    }

    fn answer(&self, (): &(), _: u32, shard: &mut Option<Machine>, (): &()) -> Result<u64, StateError> {
        self.check(shard.iter())?;
        Ok(u64::from(shard.is_some()))
    }
}

impl LinearProgram {
    /// Check of machines' rows and columns.
    fn check<'a>(&self, mut machines: impl Iterator<Item = &'a Machine>) -> Result<(), StateError> {
        let (rows, width) = (self.problem.rows(), self.problem.rows.width());
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
