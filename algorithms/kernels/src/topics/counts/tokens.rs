//! [`Slice`]: the tokens that a shard has of a block's words, with their topics.

/// A word of a block in a shard: its tokens end there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// The word's place in its block.
    pub word: u32,
    /// Where its tokens end in the slice.
    pub end: u32,
}

raddle::state!(Visit { word, end });

/// The visits of a stream: those up to `long` are gone through one after the other; then each of the short
/// ones, up to `end`, begins when those of the other streams do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    pub long: u32,
    pub end: u32,
}

raddle::state!(Ends { long, end });

/// The tokens that a shard has of a block's words: word by word, of each word by document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slice {
    pub visits: Vec<Visit>,
    /// The document of each token, counted within the shard.
    pub documents: Vec<u16>,
    /// The topic of each token, where it has one.
    pub topics: Vec<u16>,
    /// Where the visits of each stream end, if the words are assigned to streams.
    pub streams: Vec<Ends>,
}

raddle::state!(Slice { visits, documents, topics, streams });

impl Slice {
    /// Words have streams, which draw from totals that are fixed within a task.
    pub fn has_streams(&self) -> bool {
        !self.streams.is_empty()
    }

    /// The visits in the order of their words.
    pub fn by_word(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.visits.len()).collect();
        order.sort_by_key(|&visit| self.visits[visit].word);
        order
    }

    /// The tokens of a visit.
    pub fn tokens(&self, visit: usize) -> std::ops::Range<usize> {
        let start = visit.checked_sub(1).map_or(0, |before| self.visits[before].end);
        start as usize..self.visits[visit].end as usize
    }
}
