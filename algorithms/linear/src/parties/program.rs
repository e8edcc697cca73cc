//! [`PartiesProgram`]: pinned rows as shards, what all parties know as the replica, and sums of integers as
//! partials.

use raddle::exact::{ExactSums, Grid};
use raddle::prelude::*;
use raddle::{Additive, PinnedShard};

use crate::error::LinearError;
use crate::params::Linear;
use crate::sums::{Bounds, Point, Standing, SumShard, cut, too_large};

/// Most rows of all parties together.
const MOST_ROWS: u64 = 1 << 32;

/// State that all parties have at a round: the rows of each class, none before they are counted, and the
/// point whose sums are next.
#[derive(Debug, Clone, Default)]
pub struct Known {
    pub(super) rows: Vec<u64>,
    point: Point,
}

raddle::state!(Known { rows, point });

/// State of a fit where the sums of all parties meet.
#[derive(Debug, Clone, Default)]
pub struct Summed {
    /// Rows of each class, and the mean of each column; none before the first round.
    pub(super) rows: Vec<u64>,
    pub(super) means: Vec<f64>,
    pub(super) standing: Standing,
    /// Number of sums of each round.
    pub(super) sums: Vec<u64>,
}

raddle::state!(Summed { rows, means, standing, sums });

/// A linear classifier of two classes over parties.
#[derive(Debug)]
pub struct PartiesProgram {
    pub(super) linear: Linear,
    /// A power of two for each column, that of the bias last, that no value is beyond.
    pub(super) scales: Vec<f64>,
    pub(super) least_rows: u64,
}

impl PartiesProgram {
    /// Returns C and the bounds of so many rows of each class.
    ///
    /// # Errors
    /// If there are too few, or all are of one class.
    pub(super) fn bounds(&self, rows: &[u64]) -> Result<(f64, Bounds), LinearError> {
        let all: u64 = rows.iter().sum();
        if rows.is_empty() {
            // They are not counted yet.
            return Err(LinearError::Empty { rows: 0, columns: self.scales.len() });
        }
        if let Some(class) = rows.iter().position(|rows| *rows == 0) {
            return Err(LinearError::OneClass { class: 1.0 - class as f64 });
        }
        if all < self.least_rows {
            let why = format!(
                "it is {}, and all parties together have {all} rows: sums of few rows tell on them; leave \
                 columns out, or find more parties",
                self.least_rows
            );
            return Err(LinearError::Parameter { name: "least-rows", why });
        }
        let (c, factors) = self.linear.factors_of(rows.iter().map(|&rows| rows as f64).collect())?;
        let factors = [factors[0], factors[1]];
        let (scales, most, loss) = (self.scales.clone(), factors[0].max(factors[1]), self.linear.loss);
        let bounds = Bounds { scales, most, rows: all, loss, factors };
        if bounds.are_usual() { Ok((c, bounds)) } else { Err(too_large()) }
    }

    /// Returns the grid of the first round.
    fn first_grid() -> Option<Grid> {
        Grid::new(1.0, MOST_ROWS)
    }

    /// Counts the rows of each class, and adds up the scaled columns.
    fn counted(&self, shard: &SumShard) -> Vec<i64> {
        let Some(grid) = Self::first_grid() else { return Vec::new() };
        let mut sums = ExactSums::wide(grid, 2 + self.scales.len());
        for (&at, &signed) in shard.at.iter().zip(&shard.signed) {
            let mut term = vec![0.0; 2 + self.scales.len()];
            term[usize::from(signed > 0.0)] = 1.0;
            let (columns, values) = shard.rows.row(at as usize);
            for (&column, value) in columns.iter().zip(values) {
                term[2 + column as usize] = value / self.scales[column as usize];
            }
            if let Err(why) = sums.add(&term) {
                // Bounds of the data were checked: there are more rows than any disk has.
                panic!("{why}");
            }
        }
        sums.words()
    }

    /// Reads the sums of the first round.
    fn read(&self, words: &[i64], summed: &mut Summed) {
        let Some(grid) = Self::first_grid() else { return };
        let (high, low) = words.split_at(words.len() / 2);
        let mut sums = high.iter().zip(low).map(|(high, low)| grid.wide_value(*high, *low));
        summed.rows = sums.by_ref().take(2).map(|rows| rows as u64).collect();
        let all = summed.rows.iter().sum::<u64>() as f64;
        summed.means = sums.zip(&self.scales).map(|(sum, scale)| sum * scale / all).collect();
        summed.standing = Standing::at(Point::first(self.scales.len()));
    }
}

impl Program for PartiesProgram {
    raddle::program!(
        Shard = PinnedShard<SumShard>,
        Pinned = Summed,
        Replica = Known,
        Partial = Vec<i64>, // words; none at a boundary
        Change = Known;
        update, additive
    );

    fn is_monotone(&self) -> bool {
        true
    }

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Known {
        let (summed, words) = (at.pinned, at.partials.concat());
        summed.sums.push(words.len() as u64);
        match self.bounds(&summed.rows) {
            _ if summed.rows.is_empty() => self.read(&words, summed),
            Ok((_, bounds)) => summed.standing.go_on(&words, &bounds),
            // The run is over.
            Err(_) => {}
        }
        Known { rows: summed.rows.clone(), point: summed.standing.point().clone() }
    }

    fn commit(&self, change: &Known, known: &mut Known) {
        known.clone_from(change);
    }

    fn evaluate(&self, _: Evaluate<'_, Self>) -> Vec<i64> {
        Vec::new()
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Known> {
        let Summed { rows, standing, .. } = at.pinned;
        let verdict = standing.verdict(self.linear.tolerance);
        let is_refused = !rows.is_empty() && self.bounds(rows).is_err();
        if is_refused { verdict.status(Status::Converged) } else { verdict }
    }
}

impl Update for PartiesProgram {
    fn update(&self, at: TaskOf<'_, Self>) -> Vec<i64> {
        let (Known { rows, point }, PinnedShard(shard)) = (at.replica, at.shard);
        match self.bounds(rows) {
            _ if rows.is_empty() => self.counted(shard),
            Ok((_, bounds)) => bounds.add_up(shard, point),
            Err(_) => Vec::new(),
        }
    }
}

impl Additive for PartiesProgram {
    fn words<'a>(&self, partial: &'a mut Vec<i64>) -> &'a mut [i64] {
        partial
    }

    fn recut(&self, shards: Vec<PinnedShard<SumShard>>, ends: &[f64]) -> Vec<PinnedShard<SumShard>> {
        let shards: Vec<SumShard> = shards.into_iter().map(|PinnedShard(shard)| shard).collect();
        cut(&shards, ends).into_iter().map(PinnedShard).collect()
    }
}
