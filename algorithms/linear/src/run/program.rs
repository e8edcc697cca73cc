//! [`LinearProgram`]: each binary problem is a shard; a single one is in the pinned block. Its solvers are
//! those of each C of a path so far, or of the only C.

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
    /// For each C of a path, or the only one, the weight of the loss of a row with weight 1 of each class.
    pub(crate) factors: Vec<Vec<f64>>,
    pub(crate) tolerance: f64,
    /// Largest number of epochs at each C of a path, which then goes on.
    pub(crate) most: u64,
    pub(crate) seed: u64,
}

impl LinearProgram {
    /// Returns a binary problem by its number, at a C; `None` if its rows, which are in a file, cannot be
    /// read. Then the run ends, and its [finish](crate::Linear::finish) returns the error.
    fn binary(&self, number: u32, point: usize) -> Option<Binary<'_>> {
        self.problem.binary(number as usize, self.loss, self.factors.get(point)?).ok()
    }

    /// Returns the problem of all classes together, at a C; `None` like [`binary`](Self::binary).
    fn softmax(&self, point: usize) -> Option<Softmax<'_>> {
        Some(self.problem.softmax(self.problem.rows.whole().ok()?, self.factors.get(point)?))
    }

    /// Returns `true` if a solver has ended, or a path is to go on from it.
    fn is_done(&self, machine: &Machine) -> bool {
        machine.is_done(self.tolerance) || machine.epochs >= self.most
    }

    /// Continues for one epoch, or until the tolerance is reached; then goes on to the next C of a path, and
    /// past those for which the start is good enough: the gap of a C that is done would end the run.
    fn advance(&self, number: u32, path: &mut Vec<Machine>) {
        let Some((machine, before)) = path.split_last_mut() else { return };
        if !self.is_done(machine) && self.step(number, before.len(), machine).is_none() {
            return;
        }
        while let Some(next) = self.next(number, path) {
            if let Some(last) = path.last_mut() {
                last.end();
            }
            path.push(next);
        }
    }

    /// Continues at a C; `None` if the rows cannot be read.
    fn step(&self, number: u32, point: usize, machine: &mut Machine) -> Option<()> {
        if self.loss == Loss::Multinomial {
            machine.advance_together(&self.softmax(point)?, self.tolerance);
        } else {
            let settings = (self.tolerance, self.problem.machines());
            machine.advance(&self.binary(number, point)?, settings, &[self.seed, u64::from(number)]);
        }
        Some(())
    }

    /// Returns the solver of the next C, which starts from the solution of the one before, if that is done.
    fn next(&self, number: u32, path: &[Machine]) -> Option<Machine> {
        let (before, point) = (path.last().filter(|machine| self.is_done(machine))?, path.len());
        if self.loss == Loss::Multinomial {
            return Some(Machine::together(&self.softmax(point)?, before.best.w.clone()));
        }
        let binary = self.binary(number, point)?;
        let values = before.best.a.iter().enumerate().map(|(row, a)| binary.inside(row, *a));
        Some(Machine::new(&binary, values.collect()))
    }

    /// Initialises a single problem whose rows are read by the process that solves it.
    fn begin(&self, machine: &mut Machine) {
        if !machine.has_not_begun() {
            return;
        }
        if self.loss == Loss::Multinomial {
            if let Some(problem) = self.softmax(0) {
                *machine = Machine::together(&problem, vec![0.0; self.sizes().1]);
            }
        } else if let Some(binary) = self.binary(0, 0) {
            *machine =
                Machine::new(&binary, (0..binary.count()).map(|row| binary.inside(row, 0.0)).collect());
        }
    }

    /// Returns what the hub needs to know of a problem: objectives, number of nonzero dual values and number
    /// of the C where it is now, the worst gap so far, and 1 if it has ended.
    fn told(&self, path: &[Machine]) -> Vec<f64> {
        let Some(machine) = path.last() else { return Vec::new() };
        let supports = machine.best.a.iter().filter(|a| **a > 0.0).count();
        let (found, is_last) = (machine.best.found, path.len() == self.factors.len());
        let is_done = self.is_done(machine);
        // A start that is good enough for the first C says nothing of the others.
        let open = if is_done && !is_last { 1.0 } else { 0.0 };
        let worst = path.iter().map(|of| of.best.found.gap()).fold(open, f64::max);
        let ended = f64::from(u8::from(is_done && is_last));
        vec![found.primal, found.dual, worst, supports as f64, ended, path.len() as f64]
    }
}

/// Returns the number of solvers: one for all classes together, or one for each binary problem.
pub(crate) fn machines(problem: &Problem, loss: Loss) -> usize {
    if loss == Loss::Multinomial { 1 } else { problem.machines() }
}

/// Numbers that are told of a problem.
const TOLD: usize = 6;

impl Program for LinearProgram {
    raddle::program!(Shard = Vec<Machine>, Pinned = Vec<Machine>, Partial = Vec<f64>, Change = (); update, restore_by_shard);

    /// Advances a single binary problem.
    fn aggregate(&self, at: Aggregate<'_, Self>) {
        self.advance(0, at.pinned);
    }

    fn commit(&self, _: &(), _: &mut ()) {}

    fn evaluate(&self, at: Evaluate<'_, Self>) -> Vec<f64> {
        self.told(at.shard)
    }

    /// The metric is the worst gap of all solvers.
    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<()> {
        at.pinned.iter_mut().for_each(|machine| self.begin(machine));
        let mut told = at.partials.concat();
        told.extend(self.told(at.pinned));
        let machines = told.chunks_exact(TOLD);
        let sum = |at: usize| machines.clone().map(|of| of[at]).sum::<f64>();
        let worst = machines.clone().map(|of| of[2]).fold(0.0, f64::max);
        let metric = Metric::new("relative-duality-gap", worst, "training data").target(self.tolerance);
        let is_over = machines.clone().all(|of| of[4] > 0.0) || at.pinned.iter().any(Machine::has_not_begun);
        let status = if is_over { Status::Converged } else { Status::Continue };
        let mut verdict = Verdict::new(metric.certified()).status(status);
        if self.factors.len() > 1 {
            let at = machines.clone().map(|of| of[5]).fold(f64::INFINITY, f64::min);
            verdict.position = Some(format!("point {at} of {}", self.factors.len()));
        }
        verdict.show("primal", sum(0)).show("dual", sum(1)).show("support", sum(3))
    }
}

/// Checks that every solver has values for this problem's rows and columns. The one in the pinned block may
/// have none until the conclusion of the first boundary initialises it.
impl RestoreByShard for LinearProgram {
    type Question = ();
    /// Number of problems of a shard.
    type Answer = u64;

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<()>, StateError> {
        if run.question.is_none() {
            let may_be_new = run.boundary.epoch == 0 && !run.is_concluded;
            let is_new = may_be_new && run.pinned.iter().any(Machine::has_not_begun);
            self.check(if is_new { &[] } else { run.pinned })?;
            return Ok(Some(()));
        }
        let count = run.shards.into_iter().sum::<u64>() + u64::from(!run.pinned.is_empty());
        let whole = count == machines(&self.problem, self.loss) as u64;
        if whole { Ok(None) } else { Err(StateError::new("values for each row and each class")) }
    }

    fn answer(&self, (): &(), _: u32, shard: &mut Vec<Machine>, (): &()) -> Result<u64, StateError> {
        self.check(shard)?;
        Ok(u64::from(!shard.is_empty()))
    }
}

impl LinearProgram {
    /// Returns the number of a solver's dual values, and of its weights.
    fn sizes(&self) -> (usize, usize) {
        let (rows, width) = (self.problem.distinct(), self.problem.rows.width());
        let classes = self.problem.classes().len();
        if self.loss == Loss::Multinomial { (rows * classes, width * block(classes)) } else { (rows, width) }
    }

    /// Checks the sizes of solvers' values, that there are no more than values of C, and that the last one
    /// can continue.
    fn check(&self, path: &[Machine]) -> Result<(), StateError> {
        let (rows, width) = self.sizes();
        let fit = path.len() <= self.factors.len()
            && path.iter().all(|machine| machine.is_of(rows, width))
            && path.last().is_none_or(|machine| machine.can_continue(rows));
        if fit { Ok(()) } else { Err(StateError::new("values for each row and each class")) }
    }
}

impl Update for LinearProgram {
    fn update(&self, at: TaskOf<'_, Self>) -> Vec<f64> {
        self.advance(at.task.shard, at.shard);
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use raddle_datasets::embedded;

    use super::*;

    #[test]
    fn only_solvers_before_the_last_of_a_path_are_taken_without_dual_values() {
        let data = embedded::diabetes();
        let y: Vec<f64> = data.y.iter().map(|y| f64::from(u8::from(*y > 152.0))).collect();
        let problem = Problem::new(&data.x, &y, 1.0).unwrap();
        let factors = vec![vec![0.1; 2], vec![1.0; 2], vec![10.0; 2]];
        let (loss, tolerance, most, seed) = (Loss::SquaredHinge, 1e-6, 9, 1);
        let program = LinearProgram { problem, loss, factors, tolerance, most, seed };
        let rows = program.sizes().0;
        let new = |point| Machine::new(&program.binary(0, point).unwrap(), vec![0.0; rows]);
        let mut path = vec![new(0), new(1)];
        program.check(&path).unwrap();
        path[0].end();
        program.check(&path).unwrap();
        path[1].end();
        assert!(program.check(&path).is_err());
        path.push(new(2));
        program.check(&path).unwrap();
        path.push(new(2));
        assert!(program.check(&path).is_err(), "more solvers than values of C");
    }
}
