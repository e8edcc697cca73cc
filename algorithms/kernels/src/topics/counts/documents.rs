//! Rows of documents: how often each topic occurs in a document.

use super::packing::{CountLine, EntryLine, FloatLine, LANES, LineCounts, Packing};

/// The form of the documents' rows in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The topics that occur, with their counts.
    Sparse,
    /// Sixteen counts of 16 bits, this number of times, which count to 65,535.
    Dense(usize),
    /// Sixteen counts stored as `f32`, this number of times, which count to 2^24.
    Wide(usize),
}

/// The counts of topics in the documents of a shard.
#[derive(Clone, Debug, PartialEq)]
pub enum DocumentRows {
    /// The topics that occur, with their counts.
    Sparse(SparseRows),
    /// The counts of all topics: for few of them.
    Dense(DenseRows<CountLine>),
    /// Dense rows with wide counts, for long documents.
    Wide(DenseRows<FloatLine>),
}

impl Default for DocumentRows {
    fn default() -> Self {
        Self::Sparse(SparseRows::default())
    }
}

impl DocumentRows {
    /// Makes empty rows for documents of these lengths; `None` if there are more lines than 32 bits count.
    pub fn new(lengths: impl ExactSizeIterator<Item = u64>, topics: usize, kind: Kind) -> Option<Self> {
        match kind {
            Kind::Sparse => SparseRows::new(lengths, topics).map(Self::Sparse),
            Kind::Dense(width) => Some(Self::Dense(DenseRows::new(width, lengths.len()))),
            Kind::Wide(width) => Some(Self::Wide(DenseRows::new(width, lengths.len()))),
        }
    }

    /// Returns (topic, count) of a document, of `topics` topics, in no particular order; no count is 0. Empty
    /// for a document that does not exist.
    pub fn of(&self, document: usize, topics: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (sparse, dense, wide) = match self {
            Self::Sparse(rows) => (Some(rows.entries(document)), None, None),
            Self::Dense(rows) => (None, Some((0..).zip(rows.of(document))), None),
            Self::Wide(rows) => (None, None, Some((0..).zip(rows.of(document)))),
        };
        let packing = Packing::of(topics);
        let entries =
            sparse.into_iter().flatten().map(move |entry| (packing.topic(entry), packing.count(entry)));
        let all = entries.chain(dense.into_iter().flatten()).chain(wide.into_iter().flatten());
        all.filter(|&(_, count)| count > 0)
    }

    /// Gives a document without counts topics and their counts, each topic once and no more than its row can
    /// hold.
    pub fn put(&mut self, document: usize, topics: usize, row: impl Iterator<Item = (u32, u32)>) {
        let packing = Packing::of(topics);
        for (topic, count) in row {
            let (line, lane) = (topic as usize / LANES, topic as usize % LANES);
            match self {
                Self::Sparse(SparseRows { rows, lines }) => {
                    let Row { start, length } = &mut rows[document];
                    let at = *length as usize;
                    lines[*start as usize + at / LANES].0[at % LANES] = packing.entry(topic, count);
                    *length += 1;
                }
                Self::Dense(DenseRows { width, counts }) => {
                    counts[document * *width + line].0[lane] = count as u16;
                }
                Self::Wide(DenseRows { width, counts }) => {
                    counts[document * *width + line].0[lane] = count as f32;
                }
            }
        }
    }

    /// Returns the bytes that the rows take, filled or not.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Sparse(rows) => size_of_val(&*rows.rows) + size_of_val(&*rows.lines),
            Self::Dense(rows) => size_of_val(&*rows.counts),
            Self::Wide(rows) => size_of_val(&*rows.counts),
        }
    }

    /// Frees unused capacity, as nothing is drawn any more.
    pub fn drop_training_data(&mut self) {
        if let Self::Sparse(rows) = self {
            rows.drop_training_data();
        }
    }

    /// `true` if rows that were read are for the same documents as these.
    pub fn fit(&self, other: &Self) -> bool {
        let start = |row: &Row| row.start;
        match (self, other) {
            (Self::Sparse(rows), Self::Sparse(other)) => {
                rows.lines.len() == other.lines.len()
                    && rows.rows.iter().map(start).eq(other.rows.iter().map(start))
                    && other.are_padded()
            }
            (Self::Dense(rows), Self::Dense(other)) => rows.fit(other),
            (Self::Wide(rows), Self::Wide(other)) => rows.fit(other),
            _ => false,
        }
    }
}

raddle_base::state!(
    enum DocumentRows {
        Sparse(rows),
        Dense(rows),
        Wide(rows),
    }
);

/// Dense rows: `width` times sixteen counts for each document, sixteen to a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DenseRows<C> {
    pub width: usize,
    pub counts: Vec<C>,
}

impl<C: LineCounts> DenseRows<C> {
    fn new(width: usize, documents: usize) -> Self {
        Self { width, counts: vec![C::default(); width * documents] }
    }

    fn fit(&self, other: &Self) -> bool {
        (self.width, self.counts.len()) == (other.width, other.counts.len())
    }

    /// Returns the counts of a document, topic by topic; empty for a document that does not exist.
    fn of(&self, document: usize) -> impl Iterator<Item = u32> + '_ {
        let row = self.counts.chunks_exact(self.width.max(1)).nth(document).unwrap_or_default();
        row.iter().flat_map(|cell| cell.counts())
    }
}

raddle_base::state!([C: LineCounts] DenseRows<C> { width, counts });

/// The place of a document's sparse row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// First line of the row.
    pub start: u32,
    /// Number of entries; the lines are padded with zeros after them.
    pub length: u32,
}

raddle_base::state!(Row { start, length });

/// Sparse rows of packed entries. A row has capacity for as many topics as its document can have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseRows {
    pub rows: Vec<Row>,
    pub lines: Vec<EntryLine>,
}

impl SparseRows {
    /// Returns the bytes of rows for documents of these lengths.
    pub fn bytes_for(lengths: impl Iterator<Item = u64>, topics: usize) -> u64 {
        let lines = |length: u64| length.min(topics as u64).div_ceil(LANES as u64);
        lengths.map(|length| lines(length) * size_of::<EntryLine>() as u64 + size_of::<Row>() as u64).sum()
    }

    /// Makes empty rows for documents of these lengths; `None` if there are more lines than 32 bits count.
    pub fn new(lengths: impl Iterator<Item = u64>, topics: usize) -> Option<Self> {
        let mut end = 0u64;
        let mut row = |length: u64| {
            let start = u32::try_from(end).ok()?;
            end += length.min(topics as u64).div_ceil(LANES as u64);
            Some(Row { start, length: 0 })
        };
        let rows = lengths.map(&mut row).collect::<Option<Vec<_>>>()?;
        Some(Self { rows, lines: vec![EntryLine::default(); u32::try_from(end).ok()? as usize] })
    }

    /// Drops the lines without entries.
    fn drop_training_data(&mut self) {
        let mut end = 0;
        for row in &mut self.rows {
            let (start, lines) = (row.start as usize, (row.length as usize).div_ceil(LANES));
            self.lines.copy_within(start..start + lines, end);
            // Lines only move to the front.
            row.start = end as u32;
            end += lines;
        }
        self.lines.truncate(end);
        self.lines.shrink_to_fit();
    }

    /// Returns the entries of a document, in no particular order; empty for a document that does not exist.
    fn entries(&self, document: usize) -> impl Iterator<Item = u32> + '_ {
        let row = self.rows.get(document).copied().unwrap_or_default();
        let lines = &self.lines[(row.start as usize).min(self.lines.len())..];
        lines.iter().flat_map(|line| line.0).take(row.length as usize)
    }

    /// Checks that each row's entries are within its lines, with zeros after them, and that rows start within
    /// the lines.
    fn are_padded(&self) -> bool {
        let ends = self.rows.iter().skip(1).map(|row| row.start).chain([self.lines.len() as u32]);
        self.rows.iter().zip(ends).all(|(row, end)| {
            let lines = &self.lines[row.start as usize..end as usize];
            let mut behind = lines.iter().flat_map(|line| line.0).skip(row.length as usize);
            row.length as usize <= lines.len() * LANES && behind.all(|entry| entry == 0)
        })
    }

    /// Returns the length of the longest row, in lines.
    pub fn longest(&self) -> usize {
        let ends = self.rows.iter().skip(1).map(|row| row.start).chain([self.lines.len() as u32]);
        self.rows.iter().zip(ends).map(|(row, end)| (end - row.start) as usize).max().unwrap_or(0)
    }
}

raddle_base::state!(SparseRows { rows, lines });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_lines_take_nothing_of_what_is_said() {
        let mut rows =
            DocumentRows::new([3, 0, 40, 17, 20].into_iter(), 100, Kind::Sparse).expect("few lines");
        rows.put(0, 100, [(5, 1), (99, 2)].into_iter());
        rows.put(2, 100, (0..9).map(|topic| (topic, topic + 1)));
        rows.put(4, 100, (0..17).map(|topic| (topic, 1)));
        let said = |rows: &DocumentRows| {
            (0..5).map(|document| rows.of(document, 100).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        let (before, bytes) = (said(&rows), rows.bytes());
        rows.drop_training_data();
        assert_eq!((said(&rows), rows.bytes()), (before, bytes - 4 * size_of::<EntryLine>()));
    }

    #[test]
    fn rows_survive_their_bytes() {
        let mut rows = SparseRows::new([3, 0, 40, 17].into_iter(), 20).expect("few lines");
        assert_eq!((rows.lines.len(), rows.longest()), (1 + 2 + 2, 2));
        rows.rows[2].length = 2;
        rows.lines[1].0[..2].copy_from_slice(&[7, 9]);
        let copy: SparseRows =
            raddle_base::state::from_bytes(&raddle_base::state::to_bytes(&rows)).expect("what was written");
        assert_eq!(copy, rows);
        assert_eq!(copy.entries(2).collect::<Vec<_>>(), [7, 9]);
        assert_eq!(copy.entries(9).count(), 0);
    }

    #[test]
    fn rows_of_other_documents_do_not_fit() {
        let lengths = [3, 0, 40, 17];
        let made = |kind| DocumentRows::new(lengths.into_iter(), 20, kind).expect("few lines");
        let kinds = [Kind::Sparse, Kind::Dense(2), Kind::Wide(2)];
        for (at, one) in kinds.into_iter().enumerate() {
            for (other_at, other) in kinds.into_iter().enumerate() {
                assert_eq!(made(one).fit(&made(other)), at == other_at, "{one:?} and {other:?}");
            }
        }
        // As many counts, in rows of another width.
        for kind in [Kind::Dense, Kind::Wide] {
            let of = |width, documents: usize| {
                DocumentRows::new(vec![1; documents].into_iter(), 20, kind(width)).expect("few lines")
            };
            assert!(of(2, 4).fit(&of(2, 4)) && !of(2, 4).fit(&of(4, 2)) && !of(2, 4).fit(&of(2, 3)));
        }
        let sparse = |change: fn(&mut SparseRows)| {
            let mut rows = SparseRows::new(lengths.into_iter(), 20).expect("few lines");
            rows.rows[2].length = 20;
            rows.lines[1].0 = [7; LANES];
            rows.lines[2].0[..20 - LANES].fill(9);
            change(&mut rows);
            made(Kind::Sparse).fit(&DocumentRows::Sparse(rows))
        };
        assert!(sparse(|_| ()));
        type Damage = fn(&mut SparseRows);
        let rows: [(&str, Damage); 8] = [
            ("a row that begins elsewhere", |rows| rows.rows[1].start = 0),
            ("a row that begins beyond all lines", |rows| rows.rows[3].start = 99),
            ("a line too many", |rows| rows.lines.push(EntryLine::default())),
            ("a line too few", |rows| rows.lines.truncate(rows.lines.len() - 1)),
            ("a document too few", |rows| rows.rows.truncate(rows.rows.len() - 1)),
            ("more entries than lines", |rows| rows.rows[0].length = 17),
            ("an entry in a row without lines", |rows| rows.rows[1].length = 1),
            ("something behind the entries", |rows| rows.lines[2].0[LANES - 1] = 1),
        ];
        for (what, change) in rows {
            assert!(!sparse(change), "{what}");
        }
    }
}
