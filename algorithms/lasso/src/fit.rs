//! Fits by [`Lasso`]: makes an engine from parameters and a problem, and a fit from its outcome.

use std::ops::Range;
use std::sync::Arc;

use raddle::schedule::{Cyclic, Priority, PrioritySettings, Shuffled, Variables, even_parts};
use raddle::{Engine, Lazy, LazyParts, Outcome, Schedule};

use crate::data::columns::Columns;
use crate::data::problem::Problem;
use crate::error::LassoError;
use crate::lambdas::{Course, Penalty};
use crate::model::Fit;
use crate::params::{Choice, Lasso};
use crate::penalties::Terms;
use crate::run::gram_tiles::GramTiles;
use crate::run::messages::Phase;
use crate::run::pinned::Solver;
use crate::run::program::LassoProgram;
use crate::run::replica::Replica;
use crate::run::schedule::WorkingSetSchedule;
use crate::run::shard::ColumnShard;
use crate::run::spec::{Spec, most_members};
use crate::run::start::Start;

/// Stored values of a shard: a pass over them takes some tenths of a millisecond, enough to make a task worth
/// scheduling.
const SHARD: usize = 400_000;

/// With fewer shards than this, all columns are in one: on passes so short, two workers lose in communication
/// what they gain.
const FEWEST_SHARDS: usize = 4;

/// Largest number of shards chosen by the size of the data; `shards` may be larger.
const MOST_SHARDS: usize = 64;

impl Lasso {
    /// Fits the problem.
    ///
    /// # Errors
    /// If a parameter is out of its range, the response does not suit the loss, or the run fails.
    pub fn fit(self, problem: &Problem) -> Result<Fit, LassoError> {
        self.fit_with(problem, |engine| engine)
    }

    /// Fits on an engine that `set` may change: limits, rescaling, checkpoints, an observer.
    ///
    /// # Errors
    /// If a parameter is out of its range, the response does not suit the loss, or the run fails.
    pub fn fit_with(
        self,
        problem: &Problem,
        set: impl FnOnce(Engine<LassoProgram>) -> Engine<LassoProgram>,
    ) -> Result<Fit, LassoError> {
        let engine = self.engine(problem)?;
        let outcome = set(engine).run()?;
        Ok(self.fitted(problem, outcome))
    }

    /// Makes the fit from the outcome of a run of [`engine`](Self::engine) on this problem. Given lambdas are
    /// those of its points, digit for digit, whereas [`Fit::new`] knows them up to rounding.
    pub fn fitted(&self, problem: &Problem, outcome: Outcome<LassoProgram>) -> Fit {
        let mut fit = Fit::new(problem, outcome);
        if let Course::Given(lambdas) = &self.course {
            fit.points.iter_mut().zip(lambdas.iter()).for_each(|(point, lambda)| point.lambda = *lambda);
        }
        fit
    }

    /// Makes the run that [`fit`](Lasso::fit) carries out.
    ///
    /// # Errors
    /// If a parameter is out of its range, or the response does not suit the loss.
    pub fn engine(&self, problem: &Problem) -> Result<Engine<LassoProgram>, LassoError> {
        self.check()?;
        let start = Start::new(problem, self.loss, self.l1_ratio, &self.asked)?;
        let (design, rows) = (&start.design, problem.rows());
        let costs: Vec<u64> = (0..design.count()).map(|j| design.cost(j) as u64).collect();
        let ranges = whole_groups(self.assign(design, &costs), &start.terms);
        let mut starts: Vec<u32> = ranges.iter().map(|range| range.start as u32).collect();
        starts.push(design.count() as u32);
        let shard_costs = ranges.iter().map(|range| costs[range.clone()].iter().sum()).collect();
        let variables = Variables::in_ranges(costs.iter().map(|&cost| cost as u32).collect(), starts);
        let working_set = matches!(self.schedule, Choice::Auto | Choice::WorkingSet);
        let objective = start.objective;
        let given = match &self.course {
            Course::One(Penalty::Lambda(lambda)) => Some(("lambda", *lambda)),
            Course::Given(lambdas) => lambdas.first().map(|lambda| ("lambdas", *lambda)),
            _ => None,
        };
        if let Some((name, lambda)) = given.filter(|(_, lambda)| !(lambda * rows as f64).is_finite()) {
            let range = "times the number of rows it must not overflow";
            return Err(LassoError::Parameter { name, value: format!("{lambda:e}"), range });
        }
        let coefficients = start.prepared(&self.init)?;
        // With nonzero coefficients to start from, the first certificate does not show lambda_max.
        let pinned = match self.init.is_empty() {
            true => Solver::new(objective, Arc::clone(&start.terms)),
            false => Solver::with_largest(objective, Arc::clone(&start.terms), start.largest()?),
        };
        let replica = Replica { rows: start.rows(&coefficients)?, stage: None };
        let (gram_response, roots) = match objective.shape().is_quadratic() {
            true => start.given.for_gram(),
            false => (Vec::new(), Vec::new()),
        };
        // Groups and free columns can be solved only with a Gram.
        let most_members = match start.terms.has_groups() || start.given.free.is_some() {
            true => usize::MAX,
            false => most_members(design, self.frugal),
        };
        let spec = Spec {
            rows: start.given,
            gram_response,
            roots,
            objective,
            terms: Arc::clone(&start.terms),
            most_members,
            course: self.course.clone(),
            leave: self.leave,
            tolerance: self.tolerance,
            weights: !working_set,
            working_set,
        };
        let cold = working_set && self.init.is_empty() && self.course.len() == 1;
        let program = LassoProgram { spec, cold, sample: working_set };
        let parts = GramTiles::assign(ranges.len(), design)?.into_iter();
        let schedule = self.schedule_over(variables, ranges.len() as u32);
        let shards = shards(design, ranges.into_iter().zip(parts).collect(), coefficients)?;
        let lazy_parts = LazyParts { shards, blocks: Vec::new().into(), pinned, replica };
        let engine = Engine::new(program, schedule, lazy_parts);
        Ok(engine.costs(shard_costs).workers(self.workers).staleness(self.staleness).guard(self.guard))
    }

    /// Assigns columns to shards of equal cost.
    fn assign(&self, design: &Columns, costs: &[u64]) -> Vec<Range<usize>> {
        let by_size = match design.stored() / SHARD {
            0..FEWEST_SHARDS => 1,
            shards => shards.min(MOST_SHARDS),
        };
        even_parts(costs, self.shards.unwrap_or(by_size).min(design.count()))
    }

    /// Returns the smallest lambda without support on this problem.
    pub(crate) fn lambda_max(&self, problem: &Problem) -> Result<f64, LassoError> {
        let largest = Start::new(problem, self.loss, self.l1_ratio, &self.asked)?.largest()?;
        Ok(largest / problem.rows() as f64 / self.l1_ratio)
    }

    fn schedule_over(&self, variables: Variables, shards: u32) -> Box<dyn Schedule<Phase>> {
        let parallelism = self.parallelism;
        match self.schedule {
            Choice::Auto | Choice::WorkingSet => {
                Box::new(WorkingSetSchedule::new(variables, shards, self.explain))
            }
            Choice::Cyclic => Box::new(Cyclic::new(variables, parallelism).phase(Phase::Moves)),
            Choice::Shuffled => {
                Box::new(Shuffled::new(variables, parallelism, self.seed).phase(Phase::Moves))
            }
            Choice::Priority => {
                let settings = PrioritySettings {
                    candidates: self.candidates.unwrap_or(parallelism),
                    rho: self.rho,
                    explain: self.explain,
                    ..PrioritySettings::new(parallelism, self.seed)
                };
                Box::new(Priority::new(variables, settings).phase(Phase::Moves))
            }
        }
    }
}

/// Makes shards of these columns: views of columns in memory; columns read by parts are made where they live.
fn shards(
    columns: &Columns,
    mut parts: Vec<(Range<usize>, GramTiles)>,
    coefficients: Vec<(u32, f64)>,
) -> Result<Lazy<ColumnShard>, LassoError> {
    let columns = columns.clone();
    let made = |columns: &Columns, (range, part): (Range<usize>, GramTiles), coefficients: &[(u32, f64)]| {
        ColumnShard::of(columns, range, part, coefficients)
    };
    if let Columns::Here(_) = columns {
        let made = parts.into_iter().map(|part| made(&columns, part, &coefficients));
        return Ok(made.collect::<Result<Vec<_>, _>>()?.into());
    }
    Ok(Lazy::new(parts.len(), move |number: u32| {
        made(&columns, std::mem::take(&mut parts[number as usize]), &coefficients)
    }))
}

/// Moves the ends of ranges to the ends of groups: a shard has whole groups.
fn whole_groups(ranges: Vec<Range<usize>>, terms: &Terms) -> Vec<Range<usize>> {
    let whole = |range: Range<usize>| {
        let moved = terms.border(range.start)..terms.border(range.end);
        // A range that was empty before stays: without groups, there are as many shards as were asked for.
        (range.is_empty() || !moved.is_empty()).then_some(moved)
    };
    ranges.into_iter().filter_map(whole).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;
    use raddle::state::to_bytes;
    use raddle_datasets::{ColumnOptions, Missing, Options, StoredTable, Table, read_any};

    use super::*;
    use crate::data::preparation::Preparation;
    use crate::data::prepare::testing::{Y, problem};
    use crate::loss::Loss;

    /// Returns a pseudorandom number below `most` that depends only on the other arguments.
    fn drawn(seed: u64, place: usize, most: u64) -> u64 {
        let mixed =
            (seed ^ (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) % most
    }

    /// Makes a table as libsvm text (0), as delimited numbers (1), or with columns to encode and to fill (2):
    /// in memory, and in a file.
    fn tables(
        (kind, classes): (usize, u64),
        seed: u64,
        (rows, columns): (usize, usize),
        full: u64,
    ) -> (Table, StoredTable) {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut text) = (folder.path().join("data"), String::new());
        for row in 0..rows {
            let y = drawn(seed, row, classes);
            let at = |column: usize| drawn(seed ^ 77, row * columns + column, 9) as f64 - 4.5;
            // A column has at least one value: a table without any is refused.
            let is_there = |column: usize| {
                (row, column) == (0, columns - 1) || drawn(seed ^ 5, row * columns + column, 100) < full
            };
            match kind {
                0 => write!(text, "{y}").unwrap(),
                1 => write!(text, "{y}").unwrap(),
                _ => write!(text, "{y},{}", ["red", "blue", "green", ""][drawn(seed, row + 999, 4) as usize])
                    .unwrap(),
            }
            for column in 0..columns {
                match (kind, is_there(column)) {
                    (0, true) => write!(text, " {}:{}", column + 1, at(column)).unwrap(),
                    (0, false) => {}
                    (2, false) if row > 1 => text.push(','),
                    _ => write!(text, ",{}", at(column)).unwrap(),
                }
            }
            text.push('\n');
        }
        let names: String = (0..columns).map(|column| format!(",x{column}")).collect();
        let head = ["", "y", "y,colour"][kind];
        std::fs::write(&path, if kind == 0 { text } else { format!("{head}{names}\n{text}") }).unwrap();
        let columns = match kind {
            2 => ColumnOptions { missing: Missing::Mean, ..ColumnOptions::default() },
            _ => ColumnOptions::default(),
        };
        let options = Options { columns, y: (kind > 0).then(|| "y".into()), ..Options::default() };
        let source = path.to_str().unwrap();
        (read_any(source, &options).unwrap(), StoredTable::open(source, &options, folder.path()).unwrap())
    }

    /// Adds factors (some 0), bounds, groups, or nothing to a Lasso.
    fn with_terms(lasso: Lasso, terms: usize, seed: u64, columns: usize) -> Lasso {
        let of = |j: usize, most: u64| drawn(seed ^ 31, j, most);
        match terms {
            1 => lasso.factors((0..columns).map(|j| [1.0, 0.5, 2.0, 0.0][of(j, 4) as usize]).collect()),
            2 => {
                let bounds = [(0.0, f64::INFINITY), (-0.1, 0.2), (f64::NEG_INFINITY, 0.0), (0.0, 0.0)];
                lasso.bounds((0..columns).map(|j| bounds[of(j, 4) as usize]).collect())
            }
            3 => lasso.groups((0..columns).map(|j| of(j, 5) as u32).collect()),
            _ => lasso,
        }
    }

    /// Returns all shards as bytes, in order.
    fn shards_of(lasso: &Lasso, problem: &Problem) -> Result<Vec<Vec<u8>>, LassoError> {
        let start = Start::new(problem, lasso.loss, lasso.l1_ratio, &lasso.asked)?;
        let costs: Vec<u64> = (0..start.design.count()).map(|j| start.design.cost(j) as u64).collect();
        let ranges = whole_groups(lasso.assign(&start.design, &costs), &start.terms);
        let parts = GramTiles::assign(ranges.len(), &start.design)?;
        let coefficients = start.prepared(&lasso.init)?;
        let made = ranges
            .into_iter()
            .zip(parts)
            .map(|(range, part)| Ok(to_bytes(&ColumnShard::of(&start.design, range, part, &coefficients)?)));
        let mut all: Vec<Vec<u8>> = made.collect::<Result<_, LassoError>>()?;
        all.push(to_bytes(&start.rows(&coefficients)?));
        all.push(to_bytes(&start.largest()?));
        all.push(to_bytes(&costs));
        Ok(all)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn made_shards_have_the_bytes_of_those_made_from_the_whole(
            seed: u64, kind in 0usize..3, rows in 4usize..40, columns in 1usize..30, full in prop_oneof![Just(9_u64), Just(60)],
            preparation in 0usize..5, terms in 0usize..4, loss in 0usize..4, weighted in 0usize..3, shards in 1usize..9, warm: bool,
        ) {
            let classes = if loss == 1 { 2 } else { 3 };
            let (whole, stored) = tables((kind, classes), seed, (rows, columns), full);
            let usual = |intercept, standardize| Preparation::Standard { intercept, standardize };
            let all = [usual(true, true), usual(true, false), usual(false, false), Preparation::DenseStd, Preparation::SparseRaw];
            let given = |problem: Result<Problem, LassoError>| {
                let weights = |set: usize| (0..rows).map(|row| drawn(seed ^ set as u64, row, 3) as f64 + 0.25).collect();
                let weighted = (0..weighted).try_fold(problem?, |problem, set| problem.weights(weights(set)))?;
                if loss == 3 {
                    return Ok(weighted);
                }
                weighted.offset((0..rows).map(|row| drawn(seed, row + 50, 4) as f64 / 8.0).collect())
            };
            let count = whole.x.cols();
            prop_assert_eq!((stored.rows(), stored.cols()), (rows, count));
            let by_parts = given(Problem::by_parts(Arc::new(stored), all[preparation]));
            let whole = given(Problem::new(whole.x, whole.y, all[preparation]));
            let loss = [Loss::Squared, Loss::Logistic, Loss::Poisson, Loss::Multinomial][loss];
            let lasso = Lasso::params().loss(loss).ratio(4.0).shards(shards);
            let lasso = with_terms(lasso, terms, seed, count);
            let lasso = if warm { lasso.init(vec![(0, 0.5), (count as u32 - 1, -0.25)]) } else { lasso };
            let tell = |problem: &Result<Problem, LassoError>| -> Result<_, String> {
                let problem = problem.as_ref().map_err(|why| why.to_string())?;
                let bytes = shards_of(&lasso, problem).map_err(|why| why.to_string())?;
                let fit = lasso.clone().fit_with(problem, |engine| engine.epochs(40));
                Ok((bytes, fit.map(|fit| fit.digest()).map_err(|why| why.to_string())))
            };
            let told = tell(&whole);
            prop_assert!(loss != Loss::Squared || told.as_ref().is_ok_and(|(_, fit)| fit.is_ok()));
            prop_assert_eq!(tell(&by_parts), told);
        }
    }

    #[test]
    fn a_constant_column_starts_a_fit_as_any_other_and_takes_no_part_in_it() {
        let varies = [1.0, 3.0, 4.0, 3.0, -2.0, 0.0, 2.0, 5.0];
        for constant in [7.0, 0.0] {
            let problem = problem(&[&varies, &[constant; 8]], &Y, false, Preparation::default());
            assert_eq!(problem.scale(1), 1.0);
            let fit = |init| Lasso::params().ratio(3.0).tolerance(1e-12).init(init).fit(&problem).unwrap();
            let (cold, warm) = (fit(Vec::new()), fit(vec![(0, 0.2), (1, 0.5)]));
            assert!(warm.report.metric.is_reached(), "{:?}", warm.report.metric);
            let of = |fit: &Fit| fit.coefficients.iter().find(|(j, _)| *j == 0).map(|(_, value)| *value);
            assert!((of(&cold).unwrap() - of(&warm).unwrap()).abs() < 1e-9);
        }
    }

    #[test]
    fn a_column_that_varies_in_rows_that_count_nothing_alone_is_constant() {
        let weights = vec![0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 1.0];
        let varies = [1.0, 3.0, 4.0, 3.0, -2.0, 0.0, 2.0, 5.0];
        for (is_sparse, columns) in [
            (false, [&varies, &[0.3, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6]]),
            (false, [&varies, &[1e3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]]),
            // The only nonzero value is in a row of weight 0.
            (true, [&[0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0], &[5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]),
        ] {
            let problem = problem(&[columns[0], columns[1]], &Y, is_sparse, Preparation::default());
            assert_eq!(problem.is_sparse(), is_sparse);
            let problem = problem.weights(weights.clone()).unwrap();
            let fit = Lasso::params().ratio(10.0).fit(&problem).unwrap();
            assert!(fit.report.metric.is_reached() && problem.scale(1).is_finite(), "{}", problem.scale(1));
            let others: Vec<u32> = fit.coefficients.iter().map(|(j, _)| *j).collect();
            assert_eq!(others, [0], "{:?}", fit.coefficients);
        }
    }
}
