//! [`DocumentShard`]: documents with the topics of their tokens.

use raddle::state::{Learned, Reader, StateError, Writer};

use super::held_out::HeldOut;
use raddle_kernels::topics::counts::documents::DocumentRows;
use raddle_kernels::topics::counts::tokens::Slice;

/// Limit on the documents of a shard, whose numbers have 16 bits in the tokens.
pub(crate) const MOST_DOCUMENTS: usize = 1 << 16;

/// Documents with the topics of their tokens, and the held-out documents of the shard.
#[derive(Clone, Debug, Default)]
pub struct DocumentShard {
    /// Numbers of the documents in the corpus, in the shard's order.
    pub(crate) documents: Vec<u32>,
    /// Number of tokens up to and including each document.
    pub(crate) ends: Vec<u64>,
    /// Tokens of each block.
    pub(crate) slices: Vec<Slice>,
    pub(crate) rows: DocumentRows,
    pub(crate) held_out: HeldOut,
    /// Changes of the topics' totals by the shard's own tasks in the current epoch, which no other shard
    /// knows yet.
    pub(crate) moved: Moved,
    /// Largest error of the topics' totals that its tasks read in the last epoch, summed over topics. 0 if
    /// changes become visible each round.
    pub(crate) unseen: u64,
    /// Bytes of tokens and unused memory that were dropped.
    pub(crate) drop_training_data: usize,
}

raddle::state!(DocumentShard { documents, ends, slices, rows, held_out, moved, unseen, drop_training_data });

/// Changes of the topics' totals in an epoch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moved {
    /// The epoch, from 1; 0 before the first.
    epoch: u64,
    topics: Vec<i32>,
    /// Largest error of totals that were fixed within a task, at its end: summed over topics.
    pub(crate) fixed: u64,
}

raddle::state!(Moved { epoch, topics, fixed });

/// Returns the sum over topics of the changes of totals by other shards.
pub(crate) fn by_others(all: &[i64], own: impl Iterator<Item = i64>) -> u64 {
    all.iter().zip(own.chain(std::iter::repeat(0))).map(|(all, own)| (all - own).unsigned_abs()).sum()
}

impl Moved {
    /// Returns the changes in this epoch so far, for each topic.
    pub(crate) fn during(&mut self, epoch: u64, topics: usize) -> &mut [i32] {
        if self.epoch != epoch + 1 {
            (self.epoch, self.fixed) = (epoch + 1, 0);
            self.topics.clear();
            self.topics.resize(topics, 0);
        }
        &mut self.topics
    }
}

impl DocumentShard {
    /// Records the changes of the topics' totals by all shards in the finished epoch. The shard did not see
    /// the changes of the other shards and, in lockstep, those of its current task.
    pub(crate) fn learn_of(&mut self, all: &[i64]) {
        let own = self.moved.topics.iter().map(|&own| i64::from(own));
        self.unseen = by_others(all, own) + self.moved.fixed;
    }

    /// Returns how many of the first documents have about the fraction `fraction` of the tokens, rounded to
    /// the nearest document. Rounding down would lose much where shards are many and documents long.
    pub(crate) fn first_documents(&self, fraction: f64) -> usize {
        if fraction >= 1.0 {
            return self.documents.len();
        }
        let wanted = fraction * self.ends.last().copied().unwrap_or(0) as f64;
        let short = self.ends.partition_point(|&end| end as f64 <= wanted);
        let below = short.checked_sub(1).map_or(0.0, |last| self.ends[last] as f64);
        let above = self.ends.get(short).map_or(f64::INFINITY, |&end| end as f64);
        short + usize::from(above - wanted < wanted - below)
    }

    /// Returns the number of tokens of a document of the shard.
    pub(crate) fn length(&self, document: usize) -> u64 {
        self.ends[document] - document.checked_sub(1).map_or(0, |before| self.ends[before])
    }

    /// Returns the width of full rows of frequent words, in units of sixteen topics; 0 if there are none.
    pub(crate) fn full_width(&self) -> usize {
        match (&self.rows, self.slices.iter().any(Slice::has_streams)) {
            (DocumentRows::Dense(rows), true) => rows.width,
            (DocumentRows::Wide(rows), true) => rows.width,
            _ => 0,
        }
    }

    /// Iterates over the numbers of tokens of the documents.
    pub(crate) fn lengths(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        (0..self.documents.len()).map(|document| self.length(document))
    }

    /// Drops the tokens, the held-out documents, and the unused memory of rows.
    pub(crate) fn drop_training_data(&mut self) {
        let before = self.token_bytes() + self.rows.bytes();
        self.slices = Vec::new();
        (self.held_out, self.moved, self.unseen) = (HeldOut::default(), Moved::default(), 0);
        self.rows.drop_training_data();
        self.drop_training_data += before - self.rows.bytes();
    }

    /// Returns the bytes of the documents, their tokens with topics (dropped or not), and their rows.
    pub(crate) fn bytes(&self) -> usize {
        let tokens = self.token_bytes() + self.drop_training_data;
        size_of_val(&*self.documents) + size_of_val(&*self.ends) + tokens + self.rows.bytes()
    }

    fn token_bytes(&self) -> usize {
        let slice = |slice: &Slice| {
            let streams = size_of_val(&*slice.visits) + size_of_val(&*slice.streams);
            streams + size_of_val(&*slice.documents) + size_of_val(&*slice.topics)
        };
        self.slices.iter().map(slice).sum()
    }

    /// Writes topics and rows, whose order is part of the state, and what a boundary is to score and report.
    pub(crate) fn save_state(&self, out: &mut Learned<Writer>) {
        for slice in &self.slices {
            out.write(&slice.topics);
        }
        out.write(&self.rows);
        out.write(&self.held_out.is_gathered);
        out.write(&self.unseen);
    }

    /// Reads what [`save_state`](Self::save_state) wrote.
    pub(crate) fn load_state(&mut self, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        for slice in &mut self.slices {
            let topics: Vec<u16> = from.read()?;
            if topics.len() != slice.documents.len() {
                return Err(StateError::new("the topics of a shard's tokens"));
            }
            slice.topics = topics;
        }
        let rows: DocumentRows = from.read()?;
        if !self.rows.fit(&rows) {
            return Err(StateError::new("the rows of a shard's documents"));
        }
        self.rows = rows;
        self.held_out.is_gathered = from.read()?;
        self.unseen = from.read()?;
        // An epoch that is run again starts without its earlier changes and sums.
        (self.moved, self.held_out.totals) = (Moved::default(), Vec::new());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_as_near_as_whole_documents_come() {
        let shard = |ends: &[u64]| DocumentShard {
            documents: vec![0; ends.len()],
            ends: ends.to_vec(),
            ..DocumentShard::default()
        };
        let some = shard(&[10, 30, 100, 100, 200]);
        let of = |fraction| some.first_documents(fraction);
        assert_eq!([0.0, 0.04, 0.06, 0.15, 0.34, 0.5, 0.76, 1.0].map(of), [0, 1, 1, 2, 3, 4, 5, 5]);
        assert_eq!(shard(&[]).first_documents(0.25), 0);
        assert_eq!((shard(&[5]).first_documents(0.25), shard(&[5]).first_documents(0.75)), (0, 1));
    }
}
