//! Ridge regression by gradients on dense rows that are coded: of `n` shards, the answers of any `k` give the
//! products of all rows (after Lee et al., "Speeding up distributed machine learning using codes", 2015).
//!
//! Rows, and for the second product columns, are cut into `k` blocks of fixed-point numbers in the field of
//! 2^61 - 1. A shard holds a combination of the blocks, and answers with its product with a vector. In a
//! field decoding is exact: whichever shards answer, the same bytes come out.

use std::path::PathBuf;

use raddle::random::Stream;
use raddle::schedule::{EachShard, Round};
use raddle::{
    Aggregate, Conclude, Engine, Enough, Evaluate, Metric, Parts, Program, Task, TaskOf, Update, Verdict,
};

const PRIME: u64 = (1 << 61) - 1;
/// Magnitude of entries and of vectors, and number of terms, whose sum of products stays within the field.
const LIMIT: i64 = 1 << 20;

fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    add((product & u128::from(PRIME)) as u64, (product >> 61) as u64)
}

fn inverse(a: u64) -> u64 {
    (0..61)
        .filter(|&bit| ((PRIME - 2) >> bit) & 1 == 1)
        .fold(1, |power, bit| multiply(power, (0..bit).fold(a, |square, _| multiply(square, square))))
}

pub(crate) fn into_field(value: i64) -> u64 {
    value.rem_euclid(PRIME as i64) as u64
}

/// The number of the smallest magnitude.
pub(crate) fn from_field(value: u64) -> i64 {
    if value > PRIME / 2 { value as i64 - PRIME as i64 } else { value as i64 }
}

/// A code of `tasks` combinations of `blocks` blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Code {
    pub(crate) tasks: u32,
    pub(crate) blocks: u32,
    /// `true` if each task is a block itself, for rows whose combinations would not be sparse any more.
    pub(crate) copies: bool,
}

impl Code {
    /// Any `blocks` of the tasks give all blocks.
    pub(crate) fn any(blocks: u32, tasks: u32) -> Result<Self, String> {
        match (1..=tasks).contains(&blocks) {
            true => Ok(Self { tasks, blocks, copies: false }),
            false => Err(format!("a code of {tasks} tasks has from 1 to {tasks} blocks, not {blocks}")),
        }
    }

    /// Each block is in `copies` tasks.
    pub(crate) fn copies(copies: u32, tasks: u32) -> Self {
        Self { tasks, blocks: tasks / copies, copies: true }
    }

    /// A row of Vandermonde's matrix, any `blocks` rows of which are independent; or of the unit matrix.
    fn coefficients(&self, task: u32) -> Vec<u64> {
        match self.copies {
            true => (0..self.blocks).map(|block| u64::from(task % self.blocks == block)).collect(),
            false => std::iter::successors(Some(1), |&power| Some(multiply(power, u64::from(task) + 1)))
                .take(self.blocks as usize)
                .collect(),
        }
    }

    /// The combination of the blocks that belongs to a task.
    pub(crate) fn encode(&self, task: u32, blocks: &[Vec<u64>]) -> Vec<u64> {
        let mut coded = vec![0; blocks[0].len()];
        for (coefficient, block) in self.coefficients(task).into_iter().zip(blocks) {
            coded.iter_mut().zip(block).for_each(|(sum, &x)| *sum = add(*sum, multiply(coefficient, x)));
        }
        coded
    }

    /// `true` if the answers of these tasks give all blocks.
    pub(crate) fn is_enough(&self, tasks: &[u32]) -> bool {
        match self.copies {
            true => (0..self.blocks).all(|block| tasks.iter().any(|task| task % self.blocks == block)),
            false => tasks.len() >= self.blocks as usize,
        }
    }

    /// The blocks, from a sufficient set of answers, by elimination.
    pub(crate) fn decode(&self, answers: &[(u32, Vec<u64>)]) -> Vec<Vec<u64>> {
        let mut rows: Vec<(Vec<u64>, Vec<u64>)> =
            answers.iter().map(|(task, answer)| (self.coefficients(*task), answer.clone())).collect();
        for block in 0..self.blocks as usize {
            let pivot = (block..rows.len()).find(|&row| rows[row].0[block] != 0).unwrap();
            rows.swap(block, pivot);
            let scale = inverse(rows[block].0[block]);
            let by = |row: &[u64], factor: u64| row.iter().map(|&x| multiply(x, factor)).collect::<Vec<_>>();
            rows[block] = (by(&rows[block].0, scale), by(&rows[block].1, scale));
            let (left, right) = rows[block].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(at, _)| *at != block) {
                let factor = (PRIME - row.0[block]) % PRIME;
                row.0.iter_mut().zip(&left).for_each(|(x, &y)| *x = add(*x, multiply(factor, y)));
                row.1.iter_mut().zip(&right).for_each(|(x, &y)| *x = add(*x, multiply(factor, y)));
            }
        }
        rows.truncate(self.blocks as usize);
        rows.into_iter().map(|(_, answer)| answer).collect()
    }
}

/// Coded rows and coded columns, one after the other, of the task of a shard.
pub(crate) struct Coded {
    rows: Vec<u64>,
    columns: Vec<u64>,
}

raddle::state!(Coded { rows, columns });

/// The coefficients, and the residual that follows from the last product with them.
#[derive(Clone)]
pub(crate) struct Fit {
    pub(crate) coefficients: Vec<f64>,
    residual: Vec<f64>,
}

raddle::state!(Fit { coefficients, residual });

/// A round multiplies by the rows (false), or by the columns.
type ByColumns = bool;

pub(crate) struct CodedRidge {
    pub(crate) code: Code,
    response: Vec<f64>,
    /// Factor by which entries were multiplied to become integers.
    scale: f64,
    lambda: f64,
    /// Work of a test before each task, and the file that gets a byte for each round that ends.
    pub(crate) before: fn(&Task<ByColumns>),
    pub(crate) ended: Option<PathBuf>,
}

/// A vector as integers just below the limit, and its factor, a power of two.
fn fixed(vector: &[f64]) -> (Vec<u64>, f64) {
    let most = vector.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let factor = if most > 0.0 { (19.0 - most.log2().floor()).exp2() } else { 1.0 };
    (vector.iter().map(|x| into_field((x * factor).round() as i64)).collect(), factor)
}

impl Program for CodedRidge {
    raddle::program!(
        Shard = Coded, Replica = Fit, Partial = Vec<u64>, Change = (bool, Vec<i64>), Phase = ByColumns;
        update, enough
    );

    fn aggregate(&self, at: Aggregate<'_, Self>) -> (bool, Vec<i64>) {
        if let Some(path) = &self.ended {
            append(path);
        }
        let products = self.code.decode(&at.partials.into_pairs()).concat();
        (at.round.phase, products.into_iter().map(from_field).collect())
    }

    fn commit(&self, (by_columns, products): &(bool, Vec<i64>), fit: &mut Fit) {
        let vector = if *by_columns { &fit.residual } else { &fit.coefficients };
        let unit = 1.0 / (fixed(vector).1 * self.scale);
        let products = products.iter().map(|&product| product as f64 * unit);
        if *by_columns {
            let step = 0.5 / self.response.len() as f64;
            for (b, slope) in fit.coefficients.iter_mut().zip(products) {
                *b -= step * (slope + self.lambda * *b);
            }
        } else {
            fit.residual = products.zip(&self.response).map(|(product, y)| product - y).collect();
        }
    }

    fn evaluate(&self, _: Evaluate<'_, Self>) -> Vec<u64> {
        Vec::new()
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<(bool, Vec<i64>)> {
        let square = |vector: &[f64]| vector.iter().map(|x| x * x).sum::<f64>();
        let loss = square(&at.replica.residual) + self.lambda * square(&at.replica.coefficients);
        Metric::new("loss", loss, "training data").into()
    }
}

impl Update for CodedRidge {
    fn update(&self, at: TaskOf<'_, Self>) -> Vec<u64> {
        (self.before)(at.task);
        let (coded, vector) = match at.task.phase {
            true => (&at.shard.columns, &at.replica.residual),
            false => (&at.shard.rows, &at.replica.coefficients),
        };
        let vector = fixed(vector).0;
        let product = |row: &[u64]| row.iter().zip(&vector).fold(0, |sum, (&x, &v)| add(sum, multiply(x, v)));
        coded.chunks(vector.len()).map(product).collect()
    }
}

impl Enough for CodedRidge {
    fn enough(&self, _: &Round<ByColumns>, answered: &[u32]) -> bool {
        self.code.is_enough(answered)
    }
}

/// Adds a byte to a file.
pub(crate) fn append(path: &std::path::Path) {
    use std::io::Write as _;
    std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap().write_all(b".").unwrap();
}

/// The program and the parts of a fit of these rows, whose number, as that of columns, the blocks divide.
pub(crate) fn ridge(
    code: Code,
    rows: &[Vec<f64>],
    response: Vec<f64>,
    scale: f64,
) -> Result<(CodedRidge, Parts<CodedRidge>), String> {
    let width = rows[0].len();
    let entry = |row: usize, column: usize| {
        let value = rows[row][column];
        let integer = (value * scale).round();
        match integer.abs() <= LIMIT as f64 {
            true => Ok(into_field(integer as i64)),
            false => Err(format!(
                "the entry {value} in row {row}, column {column} is too large for the field at a scale of \
                 {scale}: at most {} is possible",
                LIMIT as f64 / scale
            )),
        }
    };
    let blocks = |outer: usize, inner: usize, entry: &dyn Fn(usize, usize) -> Result<u64, String>| {
        let all = (0..outer).flat_map(|i| (0..inner).map(move |j| (i, j))).map(|(i, j)| entry(i, j));
        let all: Vec<u64> = all.collect::<Result<_, _>>()?;
        Ok::<_, String>(all.chunks(all.len() / code.blocks as usize).map(<[u64]>::to_vec).collect::<Vec<_>>())
    };
    let by_rows = blocks(rows.len(), width, &entry)?;
    let by_columns = blocks(width, rows.len(), &|column, row| entry(row, column))?;
    let shard = |task| Coded { rows: code.encode(task, &by_rows), columns: code.encode(task, &by_columns) };
    let fit = Fit { coefficients: vec![0.0; width], residual: response.clone() };
    let program = CodedRidge { code, response, scale, lambda: 0.1, before: |_| (), ended: None };
    Ok((program, Parts::new((0..code.tasks).map(shard).collect(), fit)))
}

/// Rounds of an epoch.
pub(crate) const ROUNDS: usize = 12;

/// A run on 48 random rows of 24 columns.
pub(crate) fn engine(code: Code, change: impl FnOnce(&mut CodedRidge)) -> Engine<CodedRidge> {
    let mut stream = Stream::new(&[5]);
    let rows: Vec<Vec<f64>> = (0..48).map(|_| (0..24).map(|_| stream.unit() - 0.5).collect()).collect();
    let response = rows.iter().map(|row| 3.0 * row[0] - row[7] + 0.1 * stream.unit()).collect();
    let (mut program, parts) = ridge(code, &rows, response, f64::from(1 << 20)).unwrap();
    change(&mut program);
    let schedule = EachShard::new(code.tasks).phase(false);
    let schedule = (1..ROUNDS).fold(schedule, |schedule, round| schedule.then(round % 2 == 1));
    Engine::new(program, schedule, parts).epochs(4)
}
