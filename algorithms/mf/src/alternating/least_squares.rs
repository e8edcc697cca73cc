//! Alternating least squares: each row is solved separately, given the other side (Hu, Koren and Volinsky
//! 2008; Zhou, Wilkinson, Schreiber and Pan 2008).

use super::course::Setting;
use super::shard::SideShard;
use super::sides::{FactorMatrices, FactorRows, Half};
use crate::params::Equations;
use raddle_kernels::factors::{self as kernels, LANES, Vector};

/// Settings for solving rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LeastSquares {
    pub(crate) rank: usize,
    pub(crate) biases: bool,
    pub(crate) equations: Equations,
    /// The weight of a count, for implicit feedback.
    pub(crate) implicit: Option<f64>,
    /// `true` if a count alone is the weight of its pair, without the 1 of pairs that did not occur.
    pub(crate) count_alone: bool,
    pub(crate) reg: f64,
    /// The power of a row's count by which its regularisation grows.
    pub(crate) reg_power: f64,
    pub(crate) non_negative: bool,
}

/// Number of coordinate-descent passes over a row that may not be negative.
const PASSES: usize = 8;

/// Number of ratings of a row whose features are gathered at a time, so that they stay in the cache.
const PIECE: usize = 1024;

/// Ratings of a row: the rows of the other side that they name, and their values.
#[derive(Clone, Copy)]
pub(crate) struct RowRatings<'a> {
    pub(crate) others: &'a [u32],
    pub(crate) values: &'a [f32],
}

/// The other side: its rows, and for implicit feedback the sum of x x' over them.
#[derive(Clone, Copy)]
pub(crate) struct OtherSide<'a> {
    pub(crate) rows: &'a [Vector],
    pub(crate) square: &'a [Vector],
    /// Number of all its rows.
    pub(crate) count: usize,
}

/// Buffers for solving a row, reused from row to row.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    features: Vec<Vector>,
    weights: Vec<f32>,
    targets: Vec<f32>,
    matrix: Vec<Vector>,
    right: Vec<Vector>,
}

impl LeastSquares {
    /// Number of vectors in a row.
    pub(crate) fn chunks(&self) -> usize {
        (self.rank + if self.biases { 2 } else { 0 }).div_ceil(LANES)
    }

    /// Returns the position that is always 1 in a row of this side.
    pub(crate) fn fixed(&self, side: usize) -> Option<usize> {
        // A user's row ends with its bias and 1, an item's with 1 and its bias.
        self.biases.then(|| self.rank + 1 - side)
    }

    /// Returns the multiply-adds for solving `rows` rows with `ratings` ratings.
    pub(crate) fn cost(&self, ratings: usize, rows: usize) -> usize {
        let width = self.rank + if self.biases { 2 } else { 0 };
        match self.equations {
            // Each step passes through the features of a row twice, and once through the sum of squares.
            Equations::Gradients(steps) if !self.non_negative => {
                (steps + 1) * width * (2 * ratings + rows * width)
            }
            _ => width * width * (ratings / 2 + rows * width / 6),
        }
    }

    /// Returns the settings of the next epoch.
    fn at(&self, sides: &FactorMatrices) -> Self {
        match sides.turn.map(|turn| turn.setting) {
            Some(Setting { weight, reg }) => Self { implicit: Some(weight), reg, ..*self },
            None => *self,
        }
    }

    /// Returns the new rows of a shard, given the other side.
    pub(crate) fn half(&self, shard: &mut SideShard, sides: &FactorMatrices) -> Half {
        let (this, chunks) = (self.at(sides), self.chunks());
        let (rows, square) = (&sides.rows[1 - shard.side].0, &sides.squares[1 - shard.side].0);
        let other = OtherSide { rows, square, count: rows.len() / chunks };
        let old = shard.started(sides, chunks).or(shard.own.take()).unwrap_or_default();
        let mut rows = old.0.clone();
        let (mut scratch, mut listed, mut names) = (Scratch::default(), Vec::new(), Vec::new());
        let mut moved = (0.0, 0.0);
        for (number, row) in rows.chunks_exact_mut(chunks).enumerate() {
            let ratings = shard.range(number);
            raddle::cancellation_point((ratings.len() * self.rank * self.rank) as u64);
            if ratings.is_empty() {
                // A row without ratings is zero: it must not count in the sum of squares either.
                row.fill(Vector([0.0; LANES]));
                continue;
            }
            let before: Vec<Vector> = row.to_vec();
            let (others, values) =
                (shard.named.read(number, &mut names), shard.values.read(ratings, &mut listed));
            this.row(RowRatings { others, values }, shard.side, other, &mut scratch, row);
            for (new, old) in row.iter().zip(&before) {
                for (new, old) in new.0.iter().zip(&old.0) {
                    moved.0 += f64::from(new - old).powi(2);
                    moved.1 += f64::from(*new).powi(2);
                }
            }
        }
        let square = match self.implicit {
            Some(_) => squares_of(&rows, chunks),
            None => Vec::new(),
        };
        if sides.is_best {
            shard.best = Some(old);
        }
        let rows = FactorRows(rows);
        shard.own = Some(rows.clone());
        Half { rows, square: FactorRows(square), moved, ..Half::default() }
    }

    /// Returns the weight of the square of a row with `count` ratings of `all` that there could be (Rendle,
    /// Krichene, Zhang and Koren 2022): for implicit feedback absent pairs count, too.
    fn weight(&self, count: usize, all: usize) -> f64 {
        let absent = self.implicit.map_or(0.0, |weight| all as f64 / weight);
        self.reg * libm::pow(count as f64 + absent, self.reg_power)
    }

    /// Solves one row of `side`, starting from its values.
    pub(crate) fn row(
        &self,
        ratings: RowRatings<'_>,
        side: usize,
        other: OtherSide<'_>,
        scratch: &mut Scratch,
        row: &mut [Vector],
    ) {
        let count = ratings.others.len();
        let ridge = (self.weight(count, other.count) as f32).max(1e-9);
        match (self.equations, self.non_negative) {
            (Equations::Gradients(steps), false) => {
                self.prepare(ratings, side, other.rows, scratch);
                let gathered: Vec<u32>;
                let (features, rows) = match self.fixed(side) {
                    None => (other.rows, ratings.others),
                    Some(_) => {
                        gathered = (0..count as u32).collect();
                        (&*scratch.features, &*gathered)
                    }
                };
                let (weights, targets) = (&*scratch.weights, &*scratch.targets);
                let (chunks, square) = (self.chunks(), other.square);
                let equations =
                    kernels::LinearSystem { features, chunks, rows, weights, targets, square, ridge };
                kernels::descend(&equations, steps, row);
            }
            _ => self.exactly(ratings, side, other, ridge, scratch, row),
        }
        if let Some(fixed) = self.fixed(side) {
            row[fixed / LANES].0[fixed % LANES] = 1.0;
        }
    }

    /// Gathers features, weights and targets, less what the other side's biases contribute.
    fn prepare(
        &self,
        RowRatings { others, values }: RowRatings<'_>,
        side: usize,
        other: &[Vector],
        scratch: &mut Scratch,
    ) {
        let chunks = self.chunks();
        scratch.weights.clear();
        scratch.targets.clear();
        // What a pair weighs more than one that did not occur.
        let more = if self.count_alone { -1.0 } else { 0.0 };
        for &value in values {
            let (weight, target) = match self.implicit {
                Some(weight) => {
                    let extra = weight as f32 * value.abs() + more;
                    // A value below 0 is not preferred, with a confidence by its size.
                    (extra, if value > 0.0 { 1.0 + extra } else { 0.0 })
                }
                None => (1.0, value),
            };
            scratch.weights.push(weight);
            scratch.targets.push(target);
        }
        let by_gradients = matches!(self.equations, Equations::Gradients(_)) && !self.non_negative;
        let fixed = self.fixed(side);
        if by_gradients && fixed.is_none() {
            return;
        }
        scratch.features.clear();
        for (&row, target) in others.iter().zip(&mut scratch.targets) {
            scratch.features.extend_from_slice(&other[row as usize * chunks..][..chunks]);
            if let Some(fixed) = fixed {
                // The feature that is multiplied by the 1 of this row is the other side's bias: it is known,
                // and set to 0 here.
                let at = scratch.features.len() - chunks + fixed / LANES;
                *target -= std::mem::take(&mut scratch.features[at].0[fixed % LANES]);
            }
        }
    }

    /// Adds up the equations of a row in pieces, in the order of its ratings, and solves them.
    fn exactly(
        &self,
        RowRatings { others, values }: RowRatings<'_>,
        side: usize,
        OtherSide { rows, square, .. }: OtherSide<'_>,
        ridge: f32,
        scratch: &mut Scratch,
        row: &mut [Vector],
    ) {
        let chunks = self.chunks();
        let width = chunks * LANES;
        scratch.matrix.clear();
        match square.is_empty() {
            true => scratch.matrix.resize(width * chunks, Vector([0.0; LANES])),
            false => scratch.matrix.extend_from_slice(square),
        }
        scratch.right.clear();
        scratch.right.resize(chunks, Vector([0.0; LANES]));
        for j in 0..width {
            scratch.matrix[j * chunks + j / LANES].0[j % LANES] += ridge;
        }
        for (others, values) in others.chunks(PIECE).zip(values.chunks(PIECE)) {
            self.prepare(RowRatings { others, values }, side, rows, scratch);
            let Scratch { features, weights, targets, matrix, right } = &mut *scratch;
            kernels::add_products(features, chunks, weights, targets, matrix, right);
        }
        let Scratch { matrix, right, .. } = scratch;
        if self.non_negative {
            self.positive(matrix, right, side, row);
        } else if kernels::solve(matrix, right, chunks) {
            row.copy_from_slice(right);
        }
    }

    /// Solves the equations by coordinate descent with factors at 0 or above; the bias has no limit.
    fn positive(&self, matrix: &[Vector], right: &[Vector], side: usize, row: &mut [Vector]) {
        let chunks = self.chunks();
        let at = |i: usize, j: usize| {
            // Only the upper triangle is stored.
            let (i, j) = (i.min(j), i.max(j));
            matrix[i * chunks + j / LANES].0[j % LANES]
        };
        let used = self.rank + if self.biases { 2 } else { 0 };
        // Every product with a fixed factor is 0.
        let fixed = self.fixed(side);
        for _ in 0..PASSES {
            for j in (0..used).filter(|&j| Some(j) != fixed) {
                let mut slope = right[j / LANES].0[j % LANES];
                for i in (0..used).filter(|&i| i != j) {
                    slope -= at(i, j) * row[i / LANES].0[i % LANES];
                }
                let value = slope / at(j, j);
                row[j / LANES].0[j % LANES] = if j < self.rank { value.max(0.0) } else { value };
            }
        }
    }
}

/// Returns the sum of x x' over rows, as a full square.
pub(crate) fn squares_of(rows: &[Vector], chunks: usize) -> Vec<Vector> {
    let width = chunks * LANES;
    let mut square = vec![Vector([0.0; LANES]); width * chunks];
    let mut unused = vec![Vector([0.0; LANES]); chunks];
    let count = rows.len() / chunks;
    let (ones, zeros) = (vec![1.0; count.min(4096)], vec![0.0; count.min(4096)]);
    for some in rows.chunks(4096 * chunks) {
        let count = some.len() / chunks;
        kernels::add_products(some, chunks, &ones[..count], &zeros[..count], &mut square, &mut unused);
    }
    for i in 0..width {
        for j in 0..i {
            square[i * chunks + j / LANES].0[j % LANES] = square[j * chunks + i / LANES].0[i % LANES];
        }
    }
    square
}
