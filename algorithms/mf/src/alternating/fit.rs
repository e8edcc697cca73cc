//! A fit that alternates between the sides: makes an engine from parameters, and a model from its outcome.

use std::sync::Arc;

use raddle::{Engine, Lazy, LazyParts};

use super::coordinate_descent::CoordinateDescent;
use super::course::Course;
use super::early_stopping::AlternatingStopping;
use super::lazy_shards::{shards_by_parts, side};
use super::least_squares::{LeastSquares, squares_of};
use super::list_metric::ListMetric;
use super::program::{AlternatingProgram, SideSolver};
use super::rating_format::RatingFormat;
use super::schedule::Alternation;
use super::shard::{CountedChunk, SideShard};
use super::sides::{FactorMatrices, FactorRows};
use crate::error::MfError;
use crate::fitted::Fit;
use crate::input::chunk::{CHUNKS, Chunk, chunk_owner};
use crate::input::problem::Problem;
use crate::input::source::RatingsSource;
use crate::model::Side;
use crate::params::{Equations, Method, Mf};
use crate::runner::Runner;
use raddle_kernels::factors::{LANES, Vector};

/// Smallest number of ratings times rank in a shard: some tenths of a millisecond of work.
const TASK: usize = 400_000;
/// Largest number of shards of a side chosen by the size of the data; `shards` may be larger.
const MOST_SHARDS: usize = 32;

/// Largest number of epochs of a run without a given length; the next constant is the number if nothing is
/// measured.
const MOST_EPOCHS: u64 = 60;
const EPOCHS: u64 = 15;

/// Default regularisation at every rating, in standard deviations; the next constant is that once per row,
/// for implicit feedback.
const REG: f64 = 0.06;
const IMPLICIT_REG: f64 = 0.05;

/// Number of conjugate gradient steps for implicit feedback.
const STEPS: usize = 3;

/// The shards of a run, which have yet to take their ratings.
struct Input {
    shards: Lazy<SideShard>,
    /// Number of chunks that they take one after another, and of ratings in all of these.
    chunks: usize,
    ratings: usize,
}

impl Input {
    /// Makes `count` shards, which count chunks of the input side by side, and take their ratings from others
    /// one after another.
    fn new(count: usize, counted: Vec<Chunk>, taken: Vec<Chunk>) -> Self {
        let ratings = taken.iter().map(|chunk| chunk.ratings().values.len()).sum();
        let mut shards: Vec<SideShard> =
            (0..count).map(|number| SideShard::new(side(number), taken.clone())).collect();
        let chunks = counted.len() as u32;
        for (number, chunk) in (0..).zip(counted) {
            let owner = chunk_owner(number, chunks, count as u32) as usize;
            shards[owner].counted = Some(CountedChunk::Ratings(chunk));
        }
        Self { shards: shards.into(), chunks: taken.len(), ratings }
    }
}

/// The start of a run: how the sides are solved, the center of the ratings, and the factors to start from.
struct Beginning {
    way: SideSolver,
    center: f64,
    sides: FactorMatrices,
}

impl Mf {
    pub(crate) fn fit_alternating<R: Runner>(
        &self,
        problem: &Problem,
        runner: &mut R,
    ) -> Result<Fit, R::Error> {
        let beginning = self.beginning(problem);
        let shards = 2 * self.parts(problem);
        let chunks = CHUNKS.min(shards);
        let input = match &problem.train {
            RatingsSource::Memory(..) => {
                Input::new(shards, Chunk::cut(problem, chunks)?, Chunk::cut(problem, 1)?)
            }
            // As many rounds as for chunks in memory, although all chunks are staged before the first round.
            RatingsSource::Stored(_) => {
                let format = self.rating_format(beginning.way, beginning.center);
                let shards = shards_by_parts(problem, shards, chunks, format);
                Input { shards, chunks, ratings: problem.ratings() }
            }
        };
        let mut fit = self.run_alternating(problem, beginning, input, runner)?;
        fit.keep_what_is_not_trained(self.init.as_ref(), || problem.rated());
        Ok(fit.admit_divergence())
    }

    /// Fits, and frees the ratings as shards take them.
    pub(crate) fn fit_alternating_owned<R: Runner>(
        &self,
        mut problem: Problem,
        runner: &mut R,
    ) -> Result<Fit, R::Error> {
        let beginning = self.beginning(&problem);
        let shards = 2 * self.parts(&problem);
        let chunks = Chunk::use_up(&mut problem, CHUNKS.min(shards))?;
        if chunks.is_empty() {
            return self.fit_alternating(&problem, runner);
        }
        let input = Input::new(shards, chunks.clone(), chunks);
        Ok(self.run_alternating(&problem, beginning, input, runner)?.admit_divergence())
    }

    fn run_alternating<R: Runner>(
        &self,
        problem: &Problem,
        beginning: Beginning,
        input: Input,
        runner: &mut R,
    ) -> Result<Fit, R::Error> {
        let Beginning { way, center, .. } = beginning;
        let engine = self.alternating_engine(problem, beginning, input)?;
        Ok(self.collect(problem, way, center, runner.run(engine)?))
    }

    fn beginning(&self, problem: &Problem) -> Beginning {
        let (mean, deviation) = moments(problem);
        let center = if self.is_centered() { mean } else { 0.0 };
        let way = self.way(deviation, problem);
        Beginning { way, center, sides: self.sides(problem, way, center, mean) }
    }

    /// Returns how shards store their ratings: values are listed in a table unless coordinate descent changes
    /// them.
    fn rating_format(&self, way: SideSolver, center: f64) -> RatingFormat {
        let held_as = self.implicit.is_some().then_some(1.0);
        RatingFormat { center: center as f32, held_as, listed: matches!(way, SideSolver::Rows(_)) }
    }

    /// Returns the number of parts of each side.
    fn parts(&self, problem: &Problem) -> usize {
        let by_cost = (problem.ratings() * self.rank / TASK).clamp(1, MOST_SHARDS);
        self.shards.unwrap_or(by_cost).min(problem.users.max(problem.items))
    }

    fn way(&self, deviation: f64, problem: &Problem) -> SideSolver {
        let reg = match (self.reg, self.implicit) {
            (Some(reg), _) => reg,
            (None, Some(_)) => IMPLICIT_REG,
            // A row with the middle count has the weight that it would have if counted at every rating.
            (None, None) => {
                let [users, items] = self.learned(problem);
                let middle = problem.ratings() as f64 / (users as f64 * items as f64).sqrt();
                REG * deviation * libm::pow(middle, 1.0 - self.power())
            }
        };
        let biases = self.biases && self.implicit.is_none();
        match self.method {
            Method::Ccd => SideSolver::Columns(CoordinateDescent {
                rank: self.rank,
                biases,
                inner: self.inner,
                reg,
                bias_reg: self.bias_reg,
                reg_power: self.power(),
                non_negative: self.non_negative,
            }),
            _ => SideSolver::Rows(LeastSquares {
                rank: self.rank,
                biases,
                equations: self.equations.unwrap_or(match self.implicit {
                    Some(_) => Equations::Gradients(STEPS),
                    None => Equations::Cholesky,
                }),
                implicit: self.implicit,
                count_alone: self.count_alone,
                reg,
                reg_power: self.power(),
                non_negative: self.non_negative,
            }),
        }
    }

    fn alternating_engine(
        &self,
        problem: &Problem,
        Beginning { way, center, sides: replica }: Beginning,
        Input { shards, chunks, ratings }: Input,
    ) -> Result<Engine<AlternatingProgram>, MfError> {
        let measured = problem.measured.as_ref();
        let judged = self.implicit.map(|_| ListMetric::of(problem, self.seed));
        let judged = judged.transpose()?.flatten();
        let parts = shards.len() / 2;
        let rows = [problem.users, problem.items];
        let choice = self.choice.as_ref().filter(|_| judged.is_some());
        let course = choice.map(|choice| Course::new(choice, ratings, rows, self.power()));
        let replica = FactorMatrices { turn: course.as_ref().map(Course::first), ..replica };
        // Shards of users and of items alternate and count as equal: one of each is a round over both sides.
        let cost = way.cost(2 * ratings, problem.users + problem.items) / (2 * parts);
        let of_lists = judged.as_ref().map(|judged| judged.users() * problem.items);
        let measure = measured.map(|measured| of_lists.unwrap_or(measured.ratings.len()) * self.rank / parts);
        let most = if measured.is_some() { MOST_EPOCHS } else { EPOCHS };
        let program = AlternatingProgram {
            way,
            measured_on: measured.map(|measured| measured.on),
            judged,
            target: self.target,
            epochs: self.epochs.unwrap_or(most),
            rows,
            parts,
            format: self.rating_format(way, center),
        };
        let schedule = Alternation::new(way, parts as u32, chunks, measure.map(|cost| cost as u64));
        let blocks = Vec::new().into();
        let lazy_parts: LazyParts<AlternatingProgram> =
            LazyParts { shards, blocks, pinned: AlternatingStopping::new(course), replica };
        let costs = vec![cost.max(1) as u64; 2 * parts];
        Ok(Engine::new(program, schedule, lazy_parts).costs(costs).workers(self.workers))
    }

    /// Returns the factors to start from: zeros for users, small random numbers for items, or those of a
    /// model.
    fn sides(&self, problem: &Problem, way: SideSolver, center: f64, mean: f64) -> FactorMatrices {
        let start = self.start();
        let rank = self.rank;
        // If no mean is subtracted, the products must add up to it.
        let level =
            if center == 0.0 && self.non_negative { (mean.max(0.0) / rank as f64).sqrt() } else { 0.0 };
        let rated = self.init.as_ref().map(|_| problem.rated());
        let sides = [(Side::Users, problem.users), (Side::Items, problem.items)].map(|(side, rows)| {
            let mut factors = vec![0.0; rows * rank];
            if side == Side::Items || self.implicit.is_some() {
                start.plain_rows(0..rows as u32, side, &mut factors);
            }
            if self.non_negative {
                factors.iter_mut().for_each(|value| *value = value.abs() + level as f32);
            }
            let mut biases = vec![0.0; rows];
            for row in 0..rows as u32 {
                if rated.as_ref().is_some_and(|rated| !rated[side as usize][row as usize]) {
                    // A row without ratings stays as in the model, and counts nothing during the fit.
                    factors[row as usize * rank..][..rank].fill(0.0);
                } else if let Some((given, bias)) = start.given(side, row) {
                    if let Some(given) = given {
                        factors[row as usize * rank..][..rank].copy_from_slice(given);
                    }
                    biases[row as usize] = if self.biases { bias } else { 0.0 };
                }
            }
            (factors, biases)
        });
        let mut out = FactorMatrices::default();
        for (side, (factors, biases)) in sides.into_iter().enumerate() {
            match way {
                SideSolver::Rows(rows) => {
                    let chunks = rows.chunks();
                    let mut padded = vec![Vector([0.0; LANES]); biases.len() * chunks];
                    for (row, to) in padded.chunks_exact_mut(chunks).enumerate() {
                        let to: &mut [f32] = bytemuck::cast_slice_mut(to);
                        to[..rank].copy_from_slice(&factors[row * rank..(row + 1) * rank]);
                        if let Some(fixed) = rows.fixed(side) {
                            (to[fixed], to[rank + side]) = (1.0, biases[row]);
                        }
                    }
                    if rows.implicit.is_some() {
                        out.squares[side] = FactorRows(squares_of(&padded, chunks));
                    }
                    out.rows[side] = Arc::new(FactorRows(padded));
                }
                SideSolver::Columns(columns) => {
                    let column = |rank: usize| factors.iter().skip(rank).step_by(self.rank).copied();
                    out.columns[side] = (0..self.rank).map(|rank| Arc::new(column(rank).collect())).collect();
                    for column in self.rank as u32..columns.columns() as u32 {
                        let ones = vec![1.0; biases.len()];
                        let is_fixed = columns.is_fixed(side, column);
                        out.columns[side].push(Arc::new(if is_fixed { ones } else { biases.clone() }));
                    }
                }
            }
        }
        out
    }
}

/// Returns mean and standard deviation of the values; 1 for a deviation of 0.
fn moments(problem: &Problem) -> (f64, f64) {
    let count = problem.ratings() as f64;
    let (sum, squares) = problem.moments();
    let mean = sum / count;
    let deviation = (squares / count - mean * mean).max(0.0).sqrt();
    (mean, if deviation > 1e-6 * mean.abs() { deviation } else { 1.0 })
}
