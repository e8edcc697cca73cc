//! [`FactorMatrices`]: the factors of which every worker has a copy, for shards of the other side.

use std::sync::Arc;

use super::course::{Start, Turn};
use super::partitioning::{Partitioning, Tally};
use raddle::State;
use raddle::state::{Reader, StateError, Writer};
use raddle_kernels::factors::{LANES, Vector};

/// The factors of users (0) and items (1) that shards of the other side need.
///
/// With biases, values `rank` and `rank + 1` of a row are the user's bias and 1, or 1 and the item's bias:
/// the product of two rows is then the whole prediction less the mean. Copies share unchanged parts.
#[derive(Debug, Clone, Default)]
pub struct FactorMatrices {
    /// For least squares: whole vectors, one row after another. At the start of a run both sides; from then
    /// on only the side solved last, as each shard has its own rows.
    pub(crate) rows: [Arc<FactorRows>; 2],
    /// For implicit feedback: the sum of x x' over the rows of each side, in whole vectors.
    pub(crate) squares: [FactorRows; 2],
    /// For coordinate descent: one column per rank, with a value per row.
    pub(crate) columns: [FactorColumns; 2],
    /// The column changed last, before its change.
    pub(crate) before: Arc<Vec<f32>>,
    /// The rows of each shard, once known.
    pub(crate) partitioning: Option<Arc<Partitioning>>,
    /// The next epoch, if weight and regularisation are chosen while the run goes on.
    pub(crate) turn: Option<Turn>,
    /// Users and items from which the next epoch starts, unless shards start from their own.
    pub(crate) start: [Arc<FactorRows>; 2],
    /// The factors from which all trials of weight and regularisation start.
    pub(crate) kept: Option<KeptFactors>,
    /// `true` if the factors were the best at the previous boundary: shards then keep a copy of them.
    pub(crate) is_best: bool,
}

/// One column per rank, with a value per row.
pub(crate) type FactorColumns = Vec<Arc<Vec<f32>>>;

/// Rows of whole vectors.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FactorRows(pub(crate) Vec<Vector>);

impl State for FactorRows {
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

impl State for FactorMatrices {
    fn save(&self, out: &mut Writer) {
        for side in 0..2 {
            out.write(&self.rows[side]);
            out.write(&self.squares[side]);
            out.write(&self.columns[side]);
        }
        out.write(&self.before);
        out.write(&self.partitioning);
        out.write(&self.turn);
        out.write(&self.start);
        out.write(&self.kept);
        out.write(&self.is_best);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let mut sides = Self::default();
        for side in 0..2 {
            sides.rows[side] = from.read()?;
            sides.squares[side] = from.read()?;
            sides.columns[side] = from.read()?;
        }
        sides.before = from.read()?;
        sides.partitioning = from.read()?;
        sides.turn = from.read()?;
        sides.start = from.read()?;
        sides.kept = from.read()?;
        sides.is_best = from.read()?;
        Ok(sides)
    }
}

/// Factors of users and items, and the sum of x x' over the items.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptFactors {
    pub(crate) rows: [Arc<FactorRows>; 2],
    pub(crate) square: FactorRows,
}

raddle::state!(KeptFactors { rows, square });

impl FactorMatrices {
    /// Loads the factors that are kept, if a trial or the fit starts from them. Users are solved first, from
    /// the items.
    fn turn(&mut self, turn: Turn) {
        self.turn = Some(turn);
        let kept = match turn.start {
            Start::Own => None,
            Start::Anew => self.kept.clone(),
            Start::Last => self.kept.take(),
        };
        if let Some(KeptFactors { rows, square }) = kept {
            (self.rows[1], self.squares[1], self.start) = (Arc::clone(&rows[1]), square, rows);
        }
    }
}

/// Answer of a shard.
#[derive(Debug)]
pub enum SidePartial {
    /// The shard has taken its ratings from the input, or has nothing to answer at a boundary.
    Nothing(()),
    /// The shard's half of an epoch.
    Half(Half),
    /// A sum of the measure on held-out ratings, and the number of ratings or users in it.
    Measured((f64, u64)),
    /// The counts of the shard's chunk of the input, if it has one, at the first boundary.
    Tally(Option<Box<Tally>>),
}

/// New rows, or a new column, of a shard's rows; and squared norms of the change and of the factors.
#[derive(Debug, Clone, Default)]
pub struct Half {
    pub(crate) rows: FactorRows,
    pub(crate) square: FactorRows,
    pub(crate) column: Vec<f32>,
    pub(crate) moved: (f64, f64),
}

raddle::state!(Half { rows, square, column, moved });
raddle::state!(
    enum SidePartial {
        Nothing(nothing),
        Half(half),
        Measured(measured),
        Tally(tally),
    }
);

/// Change that a round makes visible: new rows or a new column of a side. Changes of boundaries have the rows
/// of each shard, what the next epoch does, and whether the factors were the best.
#[derive(Debug, Clone, Default)]
pub struct SideUpdate {
    pub(super) side: usize,
    pub(super) rank: Option<u32>,
    pub(super) rows: Option<Arc<FactorRows>>,
    pub(super) square: FactorRows,
    pub(super) column: Option<Arc<Vec<f32>>>,
    pub(super) partitioning: Option<Arc<Partitioning>>,
    pub(super) turn: Option<Turn>,
    pub(super) is_best: Option<bool>,
    /// `true` once shards have the rows to start from.
    pub(super) have_begun: bool,
}

raddle::state!(SideUpdate { side, rank, rows, square, column, partitioning, turn, is_best, have_begun });

impl SideUpdate {
    /// The answers of all shards of a side, in order, joined once for all workers. Each answer is dropped
    /// once it is copied. `rank` names a column.
    pub(super) fn new(side: usize, rank: Option<u32>, halves: Vec<Half>) -> Self {
        let scratch = |length: fn(&Half) -> usize| halves.iter().map(length).sum();
        let mut rows = Vec::with_capacity(scratch(|half| half.rows.0.len()));
        let mut column = Vec::with_capacity(scratch(|half| half.column.len()));
        let mut square = Vec::new();
        for half in halves {
            rows.extend_from_slice(&half.rows.0);
            column.extend_from_slice(&half.column);
            square.resize(half.square.0.len(), Vector([0.0; LANES]));
            for (sum, part) in square.iter_mut().zip(&half.square.0) {
                sum.0.iter_mut().zip(&part.0).for_each(|(sum, part)| *sum += part);
            }
        }
        let (rows, column) = match rank {
            None => (Some(Arc::new(FactorRows(rows))), None),
            Some(_) => (None, Some(Arc::new(column))),
        };
        Self { side, rank, rows, square: FactorRows(square), column, ..Self::default() }
    }

    /// Copies the new rows or column into the factors.
    pub(crate) fn commit(&self, sides: &mut FactorMatrices) {
        if let Some(partitioning) = &self.partitioning {
            sides.partitioning = Some(Arc::clone(partitioning));
            // Before the first epoch.
            let kept = || KeptFactors { rows: sides.rows.clone(), square: sides.squares[1].clone() };
            sides.kept = sides.turn.map(|_| kept());
        }
        if let Some(turn) = &self.turn {
            sides.turn(*turn);
        }
        if let Some(is_best) = self.is_best {
            sides.is_best = is_best;
        }
        if self.have_begun {
            // Users are solved first.
            sides.rows[0] = Arc::default();
        }
        if let Some(rows) = &self.rows {
            sides.rows[1 - self.side] = Arc::default();
            sides.start[self.side] = Arc::default();
            sides.rows[self.side] = Arc::clone(rows);
            sides.squares[self.side].clone_from(&self.square);
        }
        if let (Some(column), Some(rank)) = (&self.column, self.rank) {
            let to = &mut sides.columns[self.side][rank as usize];
            sides.before = std::mem::replace(to, Arc::clone(column));
        }
    }
}
