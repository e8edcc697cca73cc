//! [`SideShard`]: some rows of one side with their ratings, row by row.

use std::ops::Range;

use raddle::state::{Learned, Reader, StateError, Writer};
use raddle_datasets::Triples;

use super::column_index::ColumnIndex;
use super::dictionary::{Dictionary, Values};
use super::partitioning::{Partitioning, Tally, positions};
use super::rating_format::RatingFormat;
use super::sides::{FactorColumns, FactorMatrices, FactorRows};
use super::staged_chunk::{StagedChunk, join};
use crate::input::chunk::{Chunk, Columns};
use crate::model::Side;
use raddle_kernels::factors::Vector;

/// A range of rows of one side, with their ratings in compressed rows: 4 bytes per rating if values are
/// listed in a table, else 6; and 2 more if rows have few ratings and the other side is large.
#[derive(Debug, Clone, Default)]
pub struct SideShard {
    /// 0 for users, 1 for items.
    pub(crate) side: usize,
    /// The first row.
    pub(crate) first: usize,
    /// The rows of the other side that the ratings name.
    pub(crate) named: ColumnIndex,
    /// Centred ratings; for coordinate descent their residuals.
    pub(crate) values: Values,
    /// For least squares: factors of the rows here, once the first ratings are taken.
    pub(crate) own: Option<FactorRows>,
    /// Factors of the best epoch, unless it is the last one.
    pub(crate) best: Option<FactorRows>,
    /// Held-out ratings of the users here: (user, item, rating).
    pub(crate) held: Vec<(u32, u32, f32)>,
    /// The rank whose product has not been subtracted from `values` yet.
    pub(crate) pending: Option<u32>,
    /// The chunk of the input that is counted here, if there is one.
    pub(crate) counted: Option<CountedChunk>,
    /// The chunks of the input from which the shard has not taken its ratings yet, in order.
    pub(crate) input: Vec<Chunk>,
    /// Ratings taken from earlier chunks, until they are joined.
    taken: Vec<StagedChunk>,
    /// Residuals from a checkpoint, until the shard has its ratings.
    left: Option<Vec<f32>>,
    /// `true` if the shard had its ratings and was restored to a boundary before that, at which its run ends.
    is_undone: bool,
}

raddle::state!(SideShard {
    side,
    first,
    named,
    values,
    own,
    best,
    held,
    pending,
    counted,
    input,
    taken,
    left,
    is_undone
});

/// A chunk of the input to be counted at the first boundary, or its counts if it was counted when read.
#[derive(Debug, Clone)]
pub(crate) enum CountedChunk {
    /// The ratings.
    Ratings(Chunk),
    /// The number of times that the ratings name each row.
    Tally(Box<Tally>),
}

raddle::state!(
    enum CountedChunk {
        Ratings(chunk),
        Tally(tally),
    }
);

impl SideShard {
    /// A shard of a side that will take its rows' ratings from the chunks of the input.
    pub(crate) fn new(side: Side, input: Vec<Chunk>) -> Self {
        Self { side: side as usize, input, ..Self::default() }
    }

    /// A shard with all ratings of `rows` rows of a side, less `center`.
    pub(crate) fn whole(triples: &Triples, [rows, others]: [usize; 2], side: Side, center: f32) -> Self {
        let mut shard = Self { side: side as usize, ..Self::default() };
        let all = Columns::of(triples, &(0..triples.len()));
        (shard.named, shard.values) = shard.lay_out(all, 0..rows as u32, others, center, None);
        shard
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.named.len()
    }

    /// Returns the positions of the ratings of a row, counted from the first.
    pub(crate) fn range(&self, row: usize) -> Range<usize> {
        self.named.range(row)
    }

    /// Takes the ratings of a part of the side from the next chunk of the input; held-out ratings go with the
    /// users. After the last of several chunks it joins them. Returns `true` if the shard has all its ratings
    /// now and had not before.
    pub(crate) fn take(&mut self, part: usize, partitioning: &Partitioning, format: RatingFormat) -> bool {
        self.counted = None;
        let (rows, others) = (partitioning.rows(self.side, part), partitioning.count(1 - self.side));
        if self.input.is_empty() {
            let taken = std::mem::take(&mut self.taken);
            if taken.is_empty() {
                return false;
            }
            (self.named, self.values) = join(&taken, [rows.len(), others], partitioning.list.clone());
            return true;
        }
        let chunk = self.input.remove(0);
        let (named, values) = self.take_from(&chunk, rows, others, format, partitioning.list.clone());
        let is_only = self.taken.is_empty() && self.input.is_empty();
        match is_only {
            true => (self.named, self.values) = (named, values),
            false => self.taken.push(StagedChunk::new(&named, &values)),
        }
        is_only
    }

    /// Takes the ratings of these rows from a chunk, to be joined with those of other chunks; the other side
    /// has `others` rows.
    pub(super) fn stage(&mut self, chunk: &Chunk, rows: Range<u32>, others: usize, format: RatingFormat) {
        let (named, values) = self.take_from(chunk, rows, others, format, None);
        self.taken.push(StagedChunk::new(&named, &values));
    }

    /// Returns the ratings of these rows in a chunk, with the number of rows of the other side.
    fn take_from(
        &mut self,
        chunk: &Chunk,
        rows: Range<u32>,
        others: usize,
        format: RatingFormat,
        list: Option<Dictionary>,
    ) -> (ColumnIndex, Values) {
        self.first = rows.start as usize;
        if self.side == 0 {
            let Columns { users, items, values } = chunk.held();
            let held = positions(users, rows.clone()).into_iter().map(|at| at as usize);
            let value = |at: usize| format.held_as.unwrap_or(values[at] - format.center);
            self.held.extend(held.map(|at| (users[at], items[at], value(at))));
        }
        self.lay_out(chunk.ratings(), rows, others, format.center, list)
    }

    fn lay_out(
        &self,
        Columns { users, items, values }: Columns<'_>,
        rows: Range<u32>,
        others: usize,
        center: f32,
        mut list: Option<Dictionary>,
    ) -> (ColumnIndex, Values) {
        let (mine, theirs) = if self.side == 0 { (users, items) } else { (items, users) };
        let found = positions(mine, rows.clone());
        let ratings =
            found.iter().map(|&at| ((mine[at as usize] - rows.start) as usize, theirs[at as usize]));
        let mut laid = Values::zeros(found.len(), list.as_ref());
        let mut given = found.iter().map(|&at| values[at as usize] - center);
        let named = ColumnIndex::new([rows.len(), others], found.len(), ratings, |place| {
            laid.set(place, given.next().unwrap_or_default(), list.as_mut());
        });
        (named, laid)
    }

    /// Subtracts the products of all columns from the values, so that the residual is left; unless the run is
    /// resumed with stored residuals.
    pub(crate) fn take_off(&mut self, columns: &[FactorColumns; 2]) {
        if let Some(left) = self.left.take() {
            self.values = Values::Plain(left);
            return;
        }
        let mut scratch = Vec::new();
        for (mine, others) in columns[self.side].iter().zip(&columns[1 - self.side]) {
            for row in 0..self.len() {
                let own = mine[self.first + row];
                let values = &mut self.values.plain()[self.named.range(row)];
                for (value, &other) in values.iter_mut().zip(self.named.read(row, &mut scratch)) {
                    *value -= own * others[other as usize];
                }
            }
        }
    }

    /// Copies the factors of the rows here from the initial ones, unless the run is resumed with other
    /// factors.
    pub(crate) fn begin(
        &mut self,
        starts: &FactorRows,
        chunks: usize,
        partitioning: &Partitioning,
        part: usize,
    ) {
        if self.own.is_none() {
            let rows = partitioning.rows(self.side, part);
            let rows = starts.0.get(rows.start as usize * chunks..rows.end as usize * chunks);
            self.own = rows.map(|rows| FactorRows(rows.to_vec()));
        }
    }

    /// Returns the factors of the rows here from which the epoch starts, unless it starts from their own.
    pub(super) fn started(&self, sides: &FactorMatrices, chunks: usize) -> Option<FactorRows> {
        let start = &sides.start[self.side].0;
        let rows = start.get(self.first * chunks..(self.first + self.len()) * chunks);
        rows.filter(|_| !start.is_empty()).map(|rows| FactorRows(rows.to_vec()))
    }

    /// Returns the factors of a row, counted from the first, of `chunks` vectors.
    pub(super) fn own_row(&self, row: usize, chunks: usize) -> &[Vector] {
        self.own.as_ref().map_or(&[], |own| &own.0[row * chunks..][..chunks])
    }

    /// Drops the data and keeps the factors.
    pub(super) fn drop_training_data(&mut self) {
        let Self { side, first, own, best, .. } = std::mem::take(self);
        *self = Self { side, first, own, best, ..Self::default() };
    }

    /// Writes the factors of least squares.
    pub(crate) fn save_rows(&self, out: &mut Learned<Writer>) {
        out.write(&self.first);
        out.write(&self.own);
        out.write(&self.best);
    }

    /// Reads the factors of least squares.
    pub(crate) fn load_rows(&mut self, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        (self.first, self.own, self.best) = (from.read()?, from.read()?, from.read()?);
        Ok(())
    }

    /// Writes the residuals, which data and factors do not determine to the last bit.
    pub(crate) fn save_state(&self, out: &mut Learned<Writer>) {
        let left = match (&self.left, &self.values) {
            (Some(left), _) | (None, Values::Plain(left)) => left,
            (None, Values::DictionaryEncoded(..)) => &Vec::new(),
        };
        out.write(&self.pending);
        out.write(&(!self.awaits_ratings() || self.left.is_some()));
        out.write(left);
    }

    /// `true` if some ratings of the shard are still to be taken or joined.
    fn awaits_ratings(&self) -> bool {
        self.is_undone || !(self.input.is_empty() && self.taken.is_empty())
    }

    /// Returns the residuals of the ratings, if they are known.
    pub(super) fn left(&self) -> Option<&[f32]> {
        self.left.as_deref()
    }

    /// Reads the residuals. A shard that has its ratings uses them at once; another one when it has its
    /// ratings.
    pub(crate) fn load_state(&mut self, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        self.pending = from.read()?;
        let (is_set_up, left): (bool, Vec<f32>) = (from.read()?, from.read()?);
        match (is_set_up, self.awaits_ratings()) {
            (true, true) => self.left = Some(left),
            (true, false) => self.values = Values::Plain(left),
            (false, true) => {}
            // Residuals are no state of that boundary: a run that starts there takes the ratings again.
            (false, false) => {
                (self.named, self.values) = <(ColumnIndex, Values)>::default();
                self.is_undone = true;
            }
        }
        Ok(())
    }
}
