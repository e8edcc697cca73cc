//! The sums of a shard at a point: its rows are added one by one.

use raddle::cancellation_point;
use raddle::exact::{ExactError, ExactSums};

use super::point::{Bounds, Point};
use super::shard::SumShard;

/// Rows whose products are added together, while a line of the triangle is near.
const TOGETHER: usize = 16;

/// The sums of a shard while its rows are added.
struct Adding {
    losses: ExactSums,
    first: ExactSums,
    second: ExactSums,
    /// Rows whose products are not added yet: their factors, and their values by scaled column.
    factors: Vec<f64>,
    rows: Vec<f64>,
}

impl Adding {
    fn add_products(&mut self) -> Result<(), ExactError> {
        self.second.add_products(&self.factors, &self.rows)?;
        self.factors.clear();
        self.rows.clear();
        Ok(())
    }

    /// Returns the words of the losses, of the first and of the second derivatives.
    fn words(mut self) -> Result<Vec<i64>, ExactError> {
        self.add_products()?;
        let mut words = self.losses.words();
        words.extend(self.first.words());
        words.extend(self.second.words());
        Ok(words)
    }
}

impl Bounds {
    /// Adds up the rows of a shard at a point; returns the words of their sums.
    pub(crate) fn add_up(&self, shard: &SumShard, point: &Point) -> Vec<i64> {
        match self.sums(shard, point) {
            Ok(words) => words.unwrap_or_default(),
            // Bounds of the data were checked; this would be a mistake of the grids.
            Err(why) => panic!("{why}"),
        }
    }

    /// Returns the words; `None` if the weights are too large, which no point's are.
    fn sums(&self, shard: &SumShard, point: &Point) -> Result<Option<Vec<i64>>, ExactError> {
        let (width, loss) = (self.scales.len(), self.loss);
        let halvings: Vec<f64> = point.halvings(loss).collect();
        let Some(grids) = self.grids(point) else { return Ok(None) };
        let mut adding = Adding {
            losses: ExactSums::wide(grids.losses, 2 + halvings.len()),
            first: ExactSums::wide(grids.first, width),
            second: ExactSums::new(grids.second, width * (width + 1) / 2),
            factors: Vec::with_capacity(TOGETHER),
            rows: Vec::with_capacity(TOGETHER * width),
        };
        let (mut losses, mut down) = (vec![0.0; 2 + halvings.len()], vec![0.0; width]);
        for (&at, &signed) in shard.at.iter().zip(&shard.signed) {
            let (at, sign) = (at as usize, signed.signum());
            let c = signed.abs() * self.factors[usize::from(sign > 0.0)];
            let margin = sign * shard.rows.dot(at, &point.w);
            let (slope, second) = loss.slopes(margin);
            (losses[0], losses[1]) = (loss.dual(c * slope, c), c * loss.value(margin));
            if !halvings.is_empty() {
                let along = sign * shard.rows.dot(at, &point.step);
                let halved = |back: &f64| c * loss.value(margin - back * along);
                losses[2..].iter_mut().zip(&halvings).for_each(|(loss, back)| *loss = halved(back));
            }
            adding.losses.add(&losses)?;
            let first = adding.rows.len();
            adding.rows.resize(first + width, 0.0);
            let row = &mut adding.rows[first..];
            let (columns, values) = shard.rows.row(at);
            for (&column, value) in columns.iter().zip(values) {
                row[column as usize] = value / self.scales[column as usize];
            }
            let factor = sign * c * slope;
            down.iter_mut().zip(&*row).for_each(|(down, x)| *down = factor * x);
            adding.first.add(&down)?;
            if second == 0.0 {
                adding.rows.truncate(first);
            } else {
                adding.factors.push(c * second);
            }
            cancellation_point((width * width / 8) as u64);
            if adding.factors.len() == TOGETHER {
                adding.add_products()?;
            }
        }
        adding.words().map(Some)
    }
}
