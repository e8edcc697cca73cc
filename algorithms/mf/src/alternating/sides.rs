//! [`Sides`]: the factors of both sides, of which every worker has a copy.

use std::sync::Arc;

use super::setup::{Setup, Tally};
use crate::kernels::Vector;
use raddle::State;
use raddle::state::{Reader, StateError, Writer};

/// The factors of users (0) and items (1).
///
/// With biases, values `rank` and `rank + 1` of a row are the user's bias and 1, or 1 and the item's bias: the product of
/// two rows is then the whole prediction less the mean. Copies share what neither has changed.
#[derive(Debug, Clone, Default)]
pub struct Sides {
    /// For least squares: whole vectors, row behind row.
    pub(crate) rows: [Arc<Rows>; 2],
    /// The sum of x x' over the rows of each side, whole vectors; for implicit feedback.
    pub(crate) squares: [Rows; 2],
    /// For coordinate descent: rank by rank, a value a row.
    pub(crate) columns: [Columns; 2],
    /// The column changed last, as it was before.
    pub(crate) before: Vec<f32>,
    /// Squares of what has moved in this epoch, and of what there is.
    pub(crate) moved: (f64, f64),
    /// Which rows each shard has, once that is known.
    pub(crate) setup: Option<Arc<Setup>>,
}

/// A value a row, rank by rank.
pub(crate) type Columns = Vec<Arc<Vec<f32>>>;

/// Rows of whole vectors.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Rows(pub(crate) Vec<Vector>);

impl State for Rows {
    fn save(&self, out: &mut Writer) {
        out.write(&self.0.len());
        out.put(bytemuck::cast_slice(&self.0));
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let count = usize::load(from)?.checked_mul(size_of::<Vector>()).ok_or(StateError::new("rows"))?;
        let bytes = from.take(count, "rows")?;
        Ok(Self(bytes.chunks_exact(size_of::<Vector>()).map(bytemuck::pod_read_unaligned).collect()))
    }
}

impl State for Sides {
    fn save(&self, out: &mut Writer) {
        for side in 0..2 {
            out.write(&self.rows[side]);
            out.write(&self.squares[side]);
            out.write(&self.columns[side]);
        }
        out.write(&self.before);
        out.write(&self.moved);
        out.write(&self.setup);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let mut sides = Self::default();
        for side in 0..2 {
            sides.rows[side] = from.read()?;
            sides.squares[side] = from.read()?;
            sides.columns[side] = from.read()?;
        }
        sides.before = from.read()?;
        sides.moved = from.read()?;
        sides.setup = from.read()?;
        Ok(sides)
    }
}

/// What a shard answers: new rows or a new column of its rows, and squared errors.
#[derive(Debug, Clone, Default)]
pub struct Half {
    pub(crate) rows: Rows,
    pub(crate) square: Rows,
    pub(crate) column: Vec<f32>,
    pub(crate) moved: (f64, f64),
    pub(crate) errors: (f64, u64),
    pub(crate) tally: Option<Box<Tally>>,
}

raddle::state!(Half { rows, square, column, moved, errors, tally });

/// What a round makes visible: the answers of all its shards, in their order; or which rows each has.
#[derive(Debug, Clone, Default)]
pub struct Moved {
    pub(crate) side: usize,
    pub(crate) rank: Option<u32>,
    pub(crate) begins: bool,
    pub(crate) halves: Vec<Arc<Half>>,
    pub(crate) setup: Option<Arc<Setup>>,
}

raddle::state!(Moved { side, rank, begins, halves, setup });

impl Moved {
    /// Puts the answers where they belong.
    pub(crate) fn commit(&self, sides: &mut Sides) {
        if let Some(setup) = &self.setup {
            sides.setup = Some(Arc::clone(setup));
        }
        if self.halves.is_empty() {
            return;
        }
        if self.begins {
            sides.moved = (0.0, 0.0);
        }
        for half in &self.halves {
            sides.moved.0 += half.moved.0;
            sides.moved.1 += half.moved.1;
        }
        let Some(rank) = self.rank else {
            let rows = &mut Arc::make_mut(&mut sides.rows[self.side]).0;
            let mut at = 0;
            for half in &self.halves {
                rows[at..at + half.rows.0.len()].copy_from_slice(&half.rows.0);
                at += half.rows.0.len();
            }
            let square = &mut sides.squares[self.side].0;
            square.iter_mut().for_each(|sum| sum.0.fill(0.0));
            for half in &self.halves {
                for (sum, part) in square.iter_mut().zip(&half.square.0) {
                    sum.0.iter_mut().zip(&part.0).for_each(|(sum, part)| *sum += part);
                }
            }
            return;
        };
        let column = Arc::make_mut(&mut sides.columns[self.side][rank as usize]);
        sides.before.clone_from(column);
        let mut at = 0;
        for half in &self.halves {
            column[at..at + half.column.len()].copy_from_slice(&half.column);
            at += half.column.len();
        }
    }
}
