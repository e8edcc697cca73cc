//! [`Carried`]: the state that a fit leaves for the next version of its data, and [`Mf::go_on`], which
//! continues from it.

#[cfg(test)]
mod tests;

use raddle::State;
use raddle::changes::Delta;
use raddle::state::{Reader, StateError, Writer};
use raddle_datasets::Triples;

use crate::error::MfError;
use crate::fitted::Fit;
use crate::fold_in::FoldInSolver;
use crate::input::problem::Problem;
use crate::live::Pair;
use crate::model::{Model, Side};
use crate::params::{Method, Mf};
use crate::runner::Runner;
use crate::sgd::carry::{self as sgd, Folded};

/// Rows of a fit, carried over to one that continues from it after ratings were inserted or retracted: bit
/// for bit, with the user or item of each. [`State`] writes it as bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Carried(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// State of gradient steps.
    Steps(sgd::TrainedRows),
    /// State of solvers that need only the factors.
    Factors(Model),
}

raddle::state!(
    enum Kind {
        Steps(rows),
        Factors(model),
    }
);
raddle::state!(Model { rank, mean, user_factors, item_factors, user_biases, item_biases });

impl Mf {
    /// Fits, and returns what [`go_on`](Mf::go_on) needs; `None` if the run ended before its first epoch.
    ///
    /// # Errors
    /// As [`fit_on`](Mf::fit_on).
    pub fn fit_to_carry<R: Runner>(
        &self,
        problem: &Problem,
        runner: &mut R,
    ) -> Result<(Fit, Option<Carried>), R::Error> {
        let liked = self.liked(problem)?;
        let problem = liked.as_ref().unwrap_or(problem);
        let mf = self.of_less(problem);
        mf.check(problem)?;
        let (fit, carried) = match mf.method {
            Method::Sgd => {
                let (fit, outcome) = mf.fit_by_steps(problem, runner)?;
                let rows = sgd::TrainedRows::of(outcome, fit.length.0, fit.fold_in.reg);
                (fit, rows.map(|rows| Carried(Kind::Steps(rows))))
            }
            Method::Als | Method::Ccd => {
                let fit = mf.fit_alternating(problem, runner)?;
                let carried = fit.factors();
                (fit, carried)
            }
        };
        Ok((mf.guarded(fit.with_more(problem.less), problem)?, carried))
    }

    /// Continues from a fit on other data: users and items keep their numbers, with new ones after them;
    /// `delta` has the ratings inserted and retracted. Ratings must be [less](Problem::less) the same offset
    /// as in that fit.
    ///
    /// Rows that had no ratings, and those of which half of the ratings have changed, are folded in; rows
    /// without ratings become zeros; all others start from their old values. Gradient steps then follow the
    /// end of the step schedule of the earlier fit, in short stages, as long as the error on held-out ratings
    /// falls. The other solvers start from the factors.
    ///
    /// # Errors
    /// As [`fit_on`](Mf::fit_on), and if `carried` is of another solver or rank.
    pub fn go_on<R: Runner>(
        &self,
        problem: &Problem,
        carried: &Carried,
        delta: &Delta<Pair>,
        runner: &mut R,
    ) -> Result<(Fit, Option<Carried>), R::Error> {
        let liked = self.liked(problem)?;
        let problem = liked.as_ref().unwrap_or(problem);
        self.check(problem)?;
        let (fit, carried) = match (&carried.0, self.method) {
            (Kind::Steps(carried), Method::Sgd) => {
                self.check_width(carried.width())?;
                let folded = self.folded(carried, problem, delta);
                let rows = carried.rows(self, problem, &folded)?;
                let model = || rows.model(self.rank, problem.users, problem.items);
                let error = problem.measured().map(|measured| model().errors(measured).0);
                let (fit, rows) = self.go_on_by_steps(problem, rows, error, runner)?;
                (fit, rows.map(|rows| Carried(Kind::Steps(rows))))
            }
            (Kind::Factors(model), Method::Als | Method::Ccd) => {
                let mut start = model.clone();
                start.forget_unrated(&problem.rated());
                let fit = self.clone().init(start).fit_alternating(problem, runner)?;
                let carried = fit.factors();
                (fit, carried)
            }
            _ => return Err(MfError::CarriedOver.into()),
        };
        Ok((self.guarded(fit.with_more(problem.less), problem)?, carried))
    }

    fn check_width(&self, width: usize) -> Result<(), MfError> {
        if width == self.start().width() { Ok(()) } else { Err(MfError::CarriedOver) }
    }

    /// Folds in the rows that had no ratings, and those of which half of the ratings have changed.
    fn folded(&self, carried: &sgd::TrainedRows, problem: &Problem, delta: &Delta<Pair>) -> Folded {
        let mut model = carried.model(self.rank, problem.users(), problem.items());
        let known = model.clone();
        let is_anew = anew(carried, problem, delta);
        let fold = self.folds_in(carried.reg);
        let mut folded = [Vec::new(), Vec::new()];
        for side in Side::BOTH {
            let ends = |user: u32, item: u32| match side {
                Side::Users => (user, is_anew[1][item as usize]),
                Side::Items => (item, is_anew[0][user as usize]),
            };
            // Rows are folded in by their ratings with rows that are not folded in.
            let is_meant = |&(user, item, _): &(u32, u32, f32)| {
                let (own, other_is_anew) = ends(user, item);
                is_anew[side as usize][own as usize] && !other_is_anew
            };
            let ratings: Vec<(u32, u32, f32)> = problem.train().iter().filter(is_meant).collect();
            if ratings.is_empty() {
                continue;
            }
            let mut rows: Vec<u32> = ratings.iter().map(|&(user, item, _)| ends(user, item).0).collect();
            rows.sort_unstable();
            rows.dedup();
            let at = |row: u32| rows.partition_point(|&other| other < row) as u32;
            let named = |(user, item, value)| match side {
                Side::Users => (at(user), item, value),
                Side::Items => (user, at(item), value),
            };
            let triples: Triples = ratings.into_iter().map(named).collect();
            let solved = FoldInSolver::new(&fold, &known, side).solve(&known, &triples, rows.len());
            model.put(side, &rows, &solved);
            folded[side as usize] = rows;
        }
        Folded { model, rows: folded }
    }
}

impl Fit {
    /// Returns the factors for a fit that continues from them, whatever the guard makes of the model.
    fn factors(&self) -> Option<Carried> {
        (self.report.epochs > 0).then(|| Carried(Kind::Factors(self.model.clone())))
    }
}

/// Returns which users and items start again: those that had no ratings, and those of which half of the
/// ratings have changed.
fn anew(carried: &sgd::TrainedRows, problem: &Problem, delta: &Delta<Pair>) -> [Vec<bool>; 2] {
    let mut counts = [vec![0_u32; problem.users()], vec![0; problem.items()]];
    for (&user, &item) in problem.train().users.iter().zip(&problem.train().items) {
        counts[0][user as usize] += 1;
        counts[1][item as usize] += 1;
    }
    let mut changes = counts.each_ref().map(|counts| vec![0_u32; counts.len()]);
    for (_, pair) in delta.entered.iter().chain(&delta.left) {
        changes[0][pair.user as usize] += 1;
        changes[1][pair.item as usize] += 1;
    }
    Side::BOTH.map(|side| {
        let rows = counts[side as usize].iter().zip(&changes[side as usize]).zip(0..);
        let is_anew = |((&count, &changes), row): ((&u32, &u32), u32)| {
            count > 0 && (2 * changes >= count || !carried.has(side, row))
        };
        rows.map(is_anew).collect()
    })
}

impl State for Carried {
    fn save(&self, out: &mut Writer) {
        out.write(&self.0);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let carried = Self(from.read()?);
        if carried.is_whole() { Ok(carried) } else { Err(StateError::new("what a fit carries over")) }
    }
}

impl Carried {
    /// Checks that all parts are consistent.
    fn is_whole(&self) -> bool {
        match &self.0 {
            Kind::Steps(carried) => carried.is_whole(),
            Kind::Factors(model) => {
                let fits = |factors: &[f32], biases: &[f32]| factors.len() == biases.len() * model.rank;
                fits(&model.user_factors, &model.user_biases) && fits(&model.item_factors, &model.item_biases)
            }
        }
    }
}
