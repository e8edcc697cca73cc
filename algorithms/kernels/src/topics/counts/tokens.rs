//! [`Slice`]: a shard's tokens of the words of a block, with their topics.

/// A word of a block in a shard, and the end of its tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// The place of the word in its block.
    pub word: u32,
    /// The end of the word's tokens in the slice.
    pub end: u32,
}

raddle_base::state!(Visit { word, end });

/// The visits of a stream: those up to `long` are processed one after another; then the short ones, up to
/// `end`, each of which starts together with those of the other streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    pub long: u32,
    pub end: u32,
}

raddle_base::state!(Ends { long, end });

/// A shard's tokens of the words of a block: word by word, and within a word by document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slice {
    pub visits: Vec<Visit>,
    /// The document of each token, counted within the shard.
    pub documents: Vec<u16>,
    /// The topic of each token that has one.
    pub topics: Vec<u16>,
    /// The ends of the visits of each stream, if the words are assigned to streams.
    pub streams: Vec<Ends>,
}

raddle_base::state!(Slice { visits, documents, topics, streams });

impl Slice {
    /// `true` if words are assigned to streams, which draw from totals that are fixed within a task.
    pub fn has_streams(&self) -> bool {
        !self.streams.is_empty()
    }

    /// Returns the visits in the order of their words.
    pub fn by_word(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.visits.len()).collect();
        order.sort_by_key(|&visit| self.visits[visit].word);
        order
    }

    /// Returns the range of the tokens of a visit.
    pub fn tokens(&self, visit: usize) -> std::ops::Range<usize> {
        let start = visit.checked_sub(1).map_or(0, |before| self.visits[before].end);
        start as usize..self.visits[visit].end as usize
    }
}
