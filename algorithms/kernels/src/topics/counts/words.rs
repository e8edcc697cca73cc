//! [`WordRows`]: how often each topic occurs in the words of a block.

use raddle_base::State;
use raddle_base::state::{Reader, StateError, Writer};

use super::packing::{FloatLine, LANES};

/// A word's full row must not take more than this number of bytes for each entry for which a list would have
/// capacity; an entry takes six bytes.
const BYTES: usize = 8;

/// Largest number of tokens that a count stored as `f32` represents exactly.
const MOST: f32 = (1 << 24) as f32;

/// Largest capacity of a list: one entry for each topic, and one more.
const MOST_ROOM: u64 = (1 << 16) + 1;

/// The rows of a block's words. A row is a list of topics and their counts, without order, with capacity for
/// as many topics as its word can have; or, if asked for, words with many tokens have full rows: a count for
/// each topic.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WordRows {
    pub starts: Vec<u64>,
    pub lengths: Vec<u32>,
    pub topics: Vec<u16>,
    pub counts: Vec<u32>,
    pub full: FullRows,
    /// Bytes of capacity that were freed.
    pub drop_training_data: u64,
}

/// Unused capacity is not written: it is as long as a row may ever become, and rows are short once topics
/// have settled.
impl State for WordRows {
    fn save(&self, out: &mut Writer) {
        let Self { starts, lengths, topics, counts, full, drop_training_data } = self;
        out.write(starts);
        out.write(lengths);
        let used = lengths.iter().map(|&length| length as usize).sum();
        let (mut used_topics, mut used_counts) = (Vec::with_capacity(used), Vec::with_capacity(used));
        for (&start, &length) in starts.iter().zip(lengths) {
            let range = start as usize..start as usize + length as usize;
            used_topics.extend_from_slice(&topics[range.clone()]);
            used_counts.extend_from_slice(&counts[range]);
        }
        out.write(&used_topics);
        out.write(&used_counts);
        out.write(full);
        out.write(drop_training_data);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let broken = || StateError::new("the rows of words");
        let (starts, lengths): (Vec<u64>, Vec<u32>) = (from.read()?, from.read()?);
        let (used_topics, used_counts): (Vec<u16>, Vec<u32>) = (from.read()?, from.read()?);
        let (full, drop_training_data) = (from.read()?, from.read()?);
        if starts.is_empty() && lengths.is_empty() {
            return Ok(Self { full, drop_training_data, ..Self::default() });
        }
        let fits = |(bounds, &length): (&[u64], &u32)| {
            bounds[0] <= bounds[1]
                && bounds[1] - bounds[0] <= MOST_ROOM
                && u64::from(length) <= bounds[1] - bounds[0]
        };
        let used: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        let are_sound = starts.first() == Some(&0)
            && starts.len() == lengths.len() + 1
            && starts.windows(2).zip(&lengths).all(fits)
            && used == used_topics.len() as u64
            && used == used_counts.len() as u64;
        let room = starts.last().and_then(|&room| usize::try_from(room).ok()).filter(|_| are_sound);
        let room = room.ok_or_else(broken)?;
        let (mut topics, mut counts) = (Vec::new(), Vec::new());
        topics.try_reserve_exact(room).map_err(|_| broken())?;
        counts.try_reserve_exact(room).map_err(|_| broken())?;
        topics.resize(room, 0);
        counts.resize(room, 0);
        let mut at = 0;
        for (&start, &length) in starts.iter().zip(&lengths) {
            let (start, length) = (start as usize, length as usize);
            topics[start..start + length].copy_from_slice(&used_topics[at..at + length]);
            counts[start..start + length].copy_from_slice(&used_counts[at..at + length]);
            at += length;
        }
        Ok(Self { starts, lengths, topics, counts, full, drop_training_data })
    }
}

/// Full rows of `width` times sixteen counts, stored as `f32`: no word has more tokens than these can count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FullRows {
    pub width: usize,
    /// The number of each word's full row, counted from 1; 0 for a word with a list. Empty if all words have
    /// lists.
    pub places: Vec<u32>,
    pub rows: Vec<FloatLine>,
}

raddle_base::state!(FullRows { width, places, rows });

impl FullRows {
    /// `true` for a word with a full row.
    pub fn has(&self, word: usize) -> bool {
        self.places.get(word).is_some_and(|&place| place > 0)
    }

    /// Checks rows of this number of words and topics: each belongs to one word, and has whole counts.
    fn are_sound(&self, words: usize, topics: usize, width: usize) -> bool {
        let mut own: Vec<u32> = self.places.iter().copied().filter(|&place| place > 0).collect();
        own.sort_unstable();
        let count = self.rows.len().checked_div(width).unwrap_or(0);
        self.width == width
            && self.rows.len() == count * width
            && self.places.len() == if width > 0 { words } else { 0 }
            && own.iter().map(|&place| place as usize).eq(1..=count)
            && self.rows.iter().enumerate().all(|(line, sixteen)| {
                let first = line % width * LANES;
                (first..).zip(sixteen.0).all(|(topic, count)| {
                    (0.0..=MOST).contains(&count) && count.fract() == 0.0 && (count == 0.0 || topic < topics)
                })
            })
    }

    /// Returns the full row of a word, if it has one, in a block with rows of N times sixteen.
    #[inline(always)]
    pub fn row<const N: usize>(&self, word: usize) -> Option<&[FloatLine; N]> {
        let place = self.places.get(word).copied()?.checked_sub(1)?;
        self.rows.as_chunks().0.get(place as usize)
    }

    /// Returns the mutable full row of a word, if it has one.
    #[inline(always)]
    pub fn row_mut<const N: usize>(&mut self, word: usize) -> Option<&mut [FloatLine; N]> {
        let place = self.places.get(word).copied()?.checked_sub(1)?;
        self.rows.as_chunks_mut().0.get_mut(place as usize)
    }

    /// Returns the counts of a word, topic by topic; empty for a word with a list.
    fn of(&self, word: usize) -> impl Iterator<Item = u32> + Clone + '_ {
        let place = self.places.get(word).copied().unwrap_or(0) as usize;
        let row = match place.checked_sub(1) {
            Some(place) => self.rows.get(place * self.width..(place + 1) * self.width).unwrap_or_default(),
            None => &[],
        };
        row.iter().flat_map(|sixteen| sixteen.0).map(|count| count as u32)
    }
}

impl WordRows {
    /// `true` if a word with this number of tokens has a full row, given full rows of this width.
    pub fn is_full(tokens: u64, topics: usize, width: usize) -> bool {
        width * size_of::<FloatLine>() <= BYTES * tokens.min(topics as u64) as usize
    }

    /// Makes empty rows for words with these numbers of tokens: full rows of this width, if it is given, for
    /// words with many tokens.
    pub fn new(tokens: impl Iterator<Item = u64>, topics: usize, width: Option<usize>) -> Self {
        let (mut starts, mut end) = (vec![0], 0);
        let mut full = FullRows { width: width.unwrap_or(0), ..FullRows::default() };
        let mut count = 0u32;
        for tokens in tokens {
            let room = tokens.min(topics as u64);
            match width {
                None => end += room,
                Some(width) if Self::is_full(tokens, topics, width) => {
                    count += 1;
                    full.places.push(count);
                }
                // One more entry, which serves as a place for topics without a count.
                Some(_) => {
                    end += room + 1;
                    full.places.push(0);
                }
            }
            starts.push(end);
        }
        full.rows = vec![FloatLine::default(); count as usize * full.width];
        let room = end as usize;
        Self {
            lengths: vec![0; starts.len() - 1],
            starts,
            topics: vec![0; room],
            counts: vec![0; room],
            full,
            drop_training_data: 0,
        }
    }

    /// Returns the number of words.
    pub fn words(&self) -> usize {
        self.lengths.len()
    }

    /// Gives a word topics and their counts, each topic once and no more than its row can hold.
    pub fn put(&mut self, word: usize, row: impl Iterator<Item = (u32, u32)>) {
        if self.full.has(word) {
            let start = (self.full.places[word] as usize - 1) * self.full.width;
            for (topic, count) in row {
                let (line, lane) = (topic as usize / LANES, topic as usize % LANES);
                self.full.rows[start + line].0[lane] = count as f32;
            }
            return;
        }
        let range = self.starts[word] as usize..self.starts[word + 1] as usize;
        let places = self.topics[range.clone()].iter_mut().zip(&mut self.counts[range]);
        for ((to_topic, to_count), (topic, count)) in places.zip(row) {
            (*to_topic, *to_count) = (topic as u16, count);
            self.lengths[word] += 1;
        }
    }

    /// Frees unused capacity, as nothing is drawn any more.
    pub fn drop_training_data(&mut self) {
        let before = self.bytes();
        let ranges = self.starts.iter().zip(&self.lengths);
        let used: Vec<_> =
            ranges.map(|(&start, &length)| start as usize..start as usize + length as usize).collect();
        let mut end = 0;
        for range in used {
            self.topics.copy_within(range.clone(), end);
            self.counts.copy_within(range.clone(), end);
            end += range.len();
        }
        self.topics.truncate(end);
        self.counts.truncate(end);
        self.topics.shrink_to_fit();
        self.counts.shrink_to_fit();
        let mut end = 0;
        for (start, &length) in self.starts.iter_mut().skip(1).zip(&self.lengths) {
            end += u64::from(length);
            *start = end;
        }
        self.drop_training_data += (before - self.bytes()) as u64;
    }

    /// Returns the bytes that the rows take, filled or not, or took before capacity was freed.
    pub fn bytes(&self) -> usize {
        let Self { starts, lengths, topics, counts, full, drop_training_data } = self;
        let full = size_of_val(&*full.places) + size_of_val(&*full.rows);
        size_of_val(&**starts)
            + size_of_val(&**lengths)
            + size_of_val(&**topics)
            + size_of_val(&**counts)
            + full
            + *drop_training_data as usize
    }

    /// Checks rows of this number of words and topics, with full ones of this width, as those of a checkpoint
    /// may be anything.
    pub fn are_sound(&self, words: usize, topics: usize, width: usize) -> bool {
        let Self { starts, lengths, topics: names, counts, full, .. } = self;
        let end = starts.last().copied();
        lengths.len() == words
            && starts.len() == words + 1
            && starts.first() == Some(&0)
            && starts.is_sorted()
            && end == Some(names.len() as u64)
            && end == Some(counts.len() as u64)
            && full.are_sound(words, topics, width)
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

    /// Returns how many topics a word's row can hold. If other words have full rows, a list can hold one
    /// more, as a place for topics without a count.
    pub fn room(&self, word: usize) -> u64 {
        match self.full.has(word) {
            true => (self.full.width * LANES) as u64,
            false => {
                let room = self.starts[word + 1] - self.starts[word];
                room.saturating_sub(u64::from(self.full.width > 0))
            }
        }
    }

    /// Returns (topic, count) of a word; no count is 0.
    pub fn of(&self, word: usize) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
        self.listed(word).chain((0..).zip(self.full.of(word)).filter(|&(_, count)| count > 0))
    }

    /// Returns (topic, count) of a word with a list; no count is 0.
    #[inline(always)]
    pub fn listed(&self, word: usize) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
        let start = self.starts[word] as usize;
        let range = start..start + self.lengths[word] as usize;
        let topics = self.topics[range.clone()].iter().map(|&topic| u32::from(topic));
        topics.zip(self.counts[range].iter().copied())
    }
}

#[cfg(test)]
mod tests;
