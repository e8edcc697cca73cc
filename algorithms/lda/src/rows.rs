//! Rows: how often each topic occurs in a document, and in a word.

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use crate::kernels::{Counts, LANES, Line};

/// With so many topics or fewer, documents have dense rows.
pub(crate) const DENSE: usize = 7 * LANES;

/// How a topic and its count share 32 bits: the topic in the high bits, the count below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packing {
    bits: u32,
}

impl Packing {
    /// The packing for so many topics: as few bits as name them, at least four, so that a table over all names has
    /// sixteen entries.
    pub(crate) fn of(topics: usize) -> Self {
        Self { bits: (usize::BITS - (topics.max(2) - 1).leading_zeros()).max(LANES.ilog2()) }
    }

    /// Bits of a topic.
    pub(crate) fn bits(self) -> u32 {
        self.bits
    }

    /// How many topics the bits can name, a multiple of sixteen.
    pub(crate) fn names(self) -> usize {
        1 << self.bits
    }

    /// The largest count.
    pub(crate) fn most(self) -> u32 {
        u32::MAX >> self.bits
    }

    #[inline(always)]
    pub(crate) fn entry(self, topic: u32, count: u32) -> u32 {
        topic << (u32::BITS - self.bits) | count
    }

    #[inline(always)]
    pub(crate) fn topic(self, entry: u32) -> u32 {
        entry >> (u32::BITS - self.bits)
    }

    #[inline(always)]
    pub(crate) fn count(self, entry: u32) -> u32 {
        entry & self.most()
    }
}

/// How often each topic occurs in the documents of a shard.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DocumentRows {
    /// The topics that occur, with their counts.
    Sparse(SparseRows),
    /// The counts of all topics: for few of them.
    Dense(DenseRows),
}

impl Default for DocumentRows {
    fn default() -> Self {
        Self::Sparse(SparseRows::default())
    }
}

impl DocumentRows {
    /// Empty rows for documents of these lengths; `None` if there are more lines than 32 bits count.
    pub(crate) fn new(
        lengths: impl ExactSizeIterator<Item = u64>,
        topics: usize,
        dense: bool,
    ) -> Option<Self> {
        match dense {
            true => {
                // As many sixteens as a kernel is made for.
                let width = [1, 2, 4, 7].into_iter().find(|width| topics <= width * LANES)?;
                Some(Self::Dense(DenseRows { width, counts: vec![Counts::default(); width * lengths.len()] }))
            }
            false => SparseRows::new(lengths, topics).map(Self::Sparse),
        }
    }

    /// (topic, count) of a document, of `topics` topics, in no particular order; no count is 0. None for a document that
    /// does not exist.
    pub(crate) fn of(&self, document: usize, topics: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let (sparse, dense) = match self {
            Self::Sparse(rows) => (Some(rows.entries(document)), None),
            Self::Dense(rows) => (None, rows.counts.chunks_exact(rows.width).nth(document)),
        };
        let packing = Packing::of(topics);
        let entries =
            sparse.into_iter().flatten().map(move |entry| (packing.topic(entry), packing.count(entry)));
        let counts = dense.into_iter().flatten().flat_map(|counts| counts.0);
        entries.chain((0..).zip(counts.map(u32::from))).filter(|&(_, count)| count > 0)
    }

    /// Bytes that the rows take, filled or not.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Sparse(rows) => size_of_val(&*rows.rows) + size_of_val(&*rows.lines),
            Self::Dense(rows) => size_of_val(&*rows.counts),
        }
    }

    /// Whether rows read from elsewhere are for the same documents.
    pub(crate) fn fit(&self, other: &Self) -> bool {
        let start = |row: &Row| row.start;
        match (self, other) {
            (Self::Sparse(rows), Self::Sparse(other)) => {
                rows.lines.len() == other.lines.len()
                    && rows.rows.iter().map(start).eq(other.rows.iter().map(start))
                    && other.are_padded()
            }
            (Self::Dense(rows), Self::Dense(other)) => {
                (rows.width, rows.counts.len()) == (other.width, other.counts.len())
            }
            _ => false,
        }
    }
}

impl State for DocumentRows {
    fn save(&self, out: &mut Writer) {
        match self {
            Self::Sparse(rows) => {
                out.write(&0u32);
                out.write(rows);
            }
            Self::Dense(rows) => {
                out.write(&1u32);
                out.write(rows);
            }
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        match from.read::<u32>()? {
            0 => from.read().map(Self::Sparse),
            1 => from.read().map(Self::Dense),
            _ => Err(StateError::new("rows of topics")),
        }
    }
}

/// Dense rows: `width` times sixteen counts for each document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DenseRows {
    pub(crate) width: usize,
    pub(crate) counts: Vec<Counts>,
}

impl State for DenseRows {
    fn save(&self, out: &mut Writer) {
        out.write(&self.width);
        out.write(&self.counts.len());
        self.counts.iter().for_each(|counts| u16::save_slice(&counts.0, out));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let (width, count): (usize, usize) = (from.read()?, from.read()?);
        let length = count.checked_mul(2 * LANES).ok_or(StateError::new("rows of topics"))?;
        let bytes = from.take(length, "rows of topics")?;
        let mut counts = vec![Counts::default(); count];
        for (count, bytes) in counts.iter_mut().flat_map(|counts| &mut counts.0).zip(bytes.as_chunks().0) {
            *count = u16::from_le_bytes(*bytes);
        }
        Ok(Self { width, counts })
    }
}

/// Where a document's sparse row is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    /// Its first line.
    pub(crate) start: u32,
    /// Its entries; behind them the lines are filled up with zeros.
    pub(crate) length: u32,
}

raddle::state!(Row { start, length });

/// Sparse rows of packed entries. A row has room for as many topics as its document can have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SparseRows {
    pub(crate) rows: Vec<Row>,
    pub(crate) lines: Vec<Line>,
}

impl SparseRows {
    /// Empty rows for documents of these lengths; `None` if there are more lines than 32 bits count.
    pub(crate) fn new(lengths: impl Iterator<Item = u64>, topics: usize) -> Option<Self> {
        let mut end = 0u64;
        let mut row = |length: u64| {
            let start = u32::try_from(end).ok()?;
            end += length.min(topics as u64).div_ceil(LANES as u64);
            Some(Row { start, length: 0 })
        };
        let rows = lengths.map(&mut row).collect::<Option<Vec<_>>>()?;
        Some(Self { rows, lines: vec![Line::default(); u32::try_from(end).ok()? as usize] })
    }

    /// The entries of a document, in no particular order; none for a document that does not exist.
    fn entries(&self, document: usize) -> impl Iterator<Item = u32> + '_ {
        let row = self.rows.get(document).copied().unwrap_or_default();
        let lines = &self.lines[(row.start as usize).min(self.lines.len())..];
        lines.iter().flat_map(|line| line.0).take(row.length as usize)
    }

    /// Whether each row's entries lie within its lines, with zeros behind them. Rows begin where lines are.
    fn are_padded(&self) -> bool {
        let ends = self.rows.iter().skip(1).map(|row| row.start).chain([self.lines.len() as u32]);
        self.rows.iter().zip(ends).all(|(row, end)| {
            let lines = &self.lines[row.start as usize..end as usize];
            let mut behind = lines.iter().flat_map(|line| line.0).skip(row.length as usize);
            row.length as usize <= lines.len() * LANES && behind.all(|entry| entry == 0)
        })
    }

    /// The longest row, in lines.
    pub(crate) fn longest(&self) -> usize {
        let ends = self.rows.iter().skip(1).map(|row| row.start).chain([self.lines.len() as u32]);
        self.rows.iter().zip(ends).map(|(row, end)| (end - row.start) as usize).max().unwrap_or(0)
    }
}

impl State for SparseRows {
    fn save(&self, out: &mut Writer) {
        out.write(&self.rows);
        out.write(&self.lines.len());
        for line in &self.lines {
            u32::save_slice(&line.0, out);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let rows: Vec<Row> = from.read()?;
        let count = usize::load(from)?;
        let length = count.checked_mul(4 * LANES).ok_or(StateError::new("rows of topics"))?;
        let bytes = from.take(length, "rows of topics")?;
        let mut lines = vec![Line::default(); count];
        for (entry, bytes) in lines.iter_mut().flat_map(|line| &mut line.0).zip(bytes.chunks_exact(4)) {
            *entry = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Ok(Self { rows, lines })
    }
}

/// The rows of a block's words: topics and their counts, without order. A row has room for as many topics as its word
/// can have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WordRows {
    pub(crate) starts: Vec<u64>,
    pub(crate) lengths: Vec<u32>,
    pub(crate) topics: Vec<u16>,
    pub(crate) counts: Vec<u32>,
}

raddle::state!(WordRows { starts, lengths, topics, counts });

impl WordRows {
    /// Empty rows for words with so many tokens.
    pub(crate) fn new(tokens: impl Iterator<Item = u64>, topics: usize) -> Self {
        let (mut starts, mut end) = (vec![0], 0);
        for tokens in tokens {
            end += tokens.min(topics as u64);
            starts.push(end);
        }
        let room = end as usize;
        Self { lengths: vec![0; starts.len() - 1], starts, topics: vec![0; room], counts: vec![0; room] }
    }

    /// How many words there are.
    pub(crate) fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Gives a word topics with counts, each topic once and no more than it has room for.
    pub(crate) fn put(&mut self, word: usize, row: impl Iterator<Item = (u32, u32)>) {
        let range = self.starts[word] as usize..self.starts[word + 1] as usize;
        let places = self.topics[range.clone()].iter_mut().zip(&mut self.counts[range]);
        for ((to_topic, to_count), (topic, count)) in places.zip(row) {
            (*to_topic, *to_count) = (topic as u16, count);
            self.lengths[word] += 1;
        }
    }

    /// Bytes that the rows take, filled or not.
    pub(crate) fn bytes(&self) -> usize {
        let Self { starts, lengths, topics, counts } = self;
        size_of_val(&**starts) + size_of_val(&**lengths) + size_of_val(&**topics) + size_of_val(&**counts)
    }

    /// Whether these are rows of so many words in so many topics: those of a checkpoint may be any.
    pub(crate) fn are_sound(&self, words: usize, topics: usize) -> bool {
        let Self { starts, lengths, topics: names, counts } = self;
        let end = starts.last().copied();
        lengths.len() == words
            && starts.len() == words + 1
            && starts.first() == Some(&0)
            && starts.is_sorted()
            && end == Some(names.len() as u64)
            && end == Some(counts.len() as u64)
            && (0..words).all(|word| {
                let mut row: Vec<u32> = match u64::from(lengths[word]) <= starts[word + 1] - starts[word] {
                    true => self.of(word).map(|(topic, _)| topic).collect(),
                    false => return false,
                };
                row.sort_unstable();
                let are_topics = row.last().is_none_or(|&last| (last as usize) < topics);
                are_topics && row.is_sorted_by(|a, b| a < b) && self.of(word).all(|(_, count)| count > 0)
            })
    }

    /// How many topics a word has room for.
    pub(crate) fn room(&self, word: usize) -> u64 {
        self.starts[word + 1] - self.starts[word]
    }

    /// (topic, count) of a word; no count is 0.
    pub(crate) fn of(&self, word: usize) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
        let start = self.starts[word] as usize;
        let range = start..start + self.lengths[word] as usize;
        self.topics[range.clone()]
            .iter()
            .map(|&topic| u32::from(topic))
            .zip(self.counts[range].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_follow_the_topics() {
        for (topics, bits) in
            [(1, 4), (2, 4), (16, 4), (17, 5), (1000, 10), (1024, 10), (1025, 11), (65_536, 16)]
        {
            assert_eq!(Packing::of(topics).bits(), bits, "{topics}");
        }
        let packing = Packing::of(65_536);
        let entry = packing.entry(65_535, packing.most());
        assert_eq!((packing.topic(entry), packing.count(entry)), (65_535, 65_535));
    }

    #[test]
    fn rows_survive_their_bytes() {
        let mut rows = SparseRows::new([3, 0, 40, 17].into_iter(), 20).expect("few lines");
        assert_eq!((rows.lines.len(), rows.longest()), (1 + 2 + 2, 2));
        rows.rows[2].length = 2;
        rows.lines[1].0[..2].copy_from_slice(&[7, 9]);
        let copy: SparseRows =
            raddle::state::from_bytes(&raddle::state::to_bytes(&rows)).expect("what was written");
        assert_eq!(copy, rows);
        assert_eq!(copy.entries(2).collect::<Vec<_>>(), [7, 9]);
        assert_eq!(copy.entries(9).count(), 0);
    }

    #[test]
    fn a_row_has_room_for_what_its_word_can_have() {
        let rows = WordRows::new([3, 0, 200_000].into_iter(), 65_536);
        assert_eq!((rows.starts, rows.topics.len()), (vec![0, 3, 3, 65_539], 65_539));
    }
}
