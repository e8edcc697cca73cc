//! [`SamplerKind`]: how topics are drawn, chosen by the number of topics and counted sizes.

use raddle_kernels::topics::counts::documents::Kind;
use raddle_kernels::topics::counts::packing::{CountLine, FloatLine, LANES};
use raddle_kernels::topics::{WIDE_WIDTHS, WIDTHS};

/// With at most this number of topics, drawing one token after another uses dense rows.
const CHAIN: usize = 7 * LANES;

/// Counts in `f32` are exact up to this number of tokens.
const MOST_WIDE: u64 = 1 << 24;

/// How topics are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SamplerKind {
    /// One token after another; each draw sees the changes of the totals by earlier ones.
    Chain(Kind),
    /// Four words at a time; a task draws from the totals at its start.
    Lockstep(Kind),
}

/// Sizes that determine how topics are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) topics: usize,
    pub(crate) shards: usize,
    /// Tokens of the longest document.
    pub(crate) longest: u64,
    /// Number of documents; then bytes of their sparse rows.
    pub(crate) documents: u64,
    pub(crate) sparse: u64,
}

impl SamplerKind {
    /// Chooses for these sizes. With one shard, and with `follow`, every draw sees all moves before it.
    pub(crate) fn of(sizes: Sizes, follow: bool) -> Self {
        let Sizes { topics, shards, longest, documents, sparse } = sizes;
        let fitting = |widths: &[usize]| widths.iter().copied().find(|width| topics <= width * LANES);
        let is_short = longest <= u64::from(u16::MAX);
        let (width, kind, bytes): (_, fn(usize) -> Kind, _) = match is_short {
            true => (fitting(&WIDTHS), Kind::Dense, size_of::<CountLine>()),
            false => (fitting(&WIDE_WIDTHS), Kind::Wide, size_of::<FloatLine>()),
        };
        // Wide rows of short documents would be nearly empty: they would take memory, and no less time per
        // line.
        let is_filled = |width: usize| 2 * documents * (width * bytes) as u64 <= 3 * sparse;
        let fits =
            |width: &usize| longest < MOST_WIDE && ((is_short && topics <= CHAIN) || is_filled(*width));
        if let Some(width) = width.filter(fits).filter(|_| !follow && shards > 1) {
            return Self::Lockstep(kind(width));
        }
        match fitting(&[1, 2, 4, 7]) {
            Some(width) if topics <= CHAIN && is_short => Self::Chain(Kind::Dense(width)),
            _ => Self::Chain(Kind::Sparse),
        }
    }

    /// Returns the kind of the documents' rows.
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Chain(kind) | Self::Lockstep(kind) => kind,
        }
    }

    /// Returns the width of full rows of frequent words, in units of sixteen topics, if there are such rows.
    pub(crate) fn full(self) -> Option<usize> {
        match self {
            Self::Lockstep(Kind::Dense(width) | Kind::Wide(width)) => Some(width),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hundred documents of a hundred tokens, in four shards.
    fn sizes(topics: usize) -> Sizes {
        Sizes { topics, shards: 4, longest: 100, documents: 100, sparse: 100 * (7 * 64 + 8) }
    }

    #[test]
    fn few_topics_go_in_lockstep_unless_every_move_is_to_be_seen() {
        for (topics, way) in [
            (1, SamplerKind::Lockstep(Kind::Dense(1))),
            (20, SamplerKind::Lockstep(Kind::Dense(2))),
            (100, SamplerKind::Lockstep(Kind::Dense(7))),
            (113, SamplerKind::Lockstep(Kind::Dense(8))),
            (208, SamplerKind::Lockstep(Kind::Dense(13))),
            (256, SamplerKind::Lockstep(Kind::Dense(16))),
            (257, SamplerKind::Chain(Kind::Sparse)),
            (65_536, SamplerKind::Chain(Kind::Sparse)),
        ] {
            assert_eq!(SamplerKind::of(sizes(topics), false), way, "{topics} topics");
        }
        for (topics, kind) in [(20, Kind::Dense(2)), (100, Kind::Dense(7)), (113, Kind::Sparse)] {
            assert_eq!(SamplerKind::of(sizes(topics), true), SamplerKind::Chain(kind));
            assert_eq!(
                SamplerKind::of(Sizes { shards: 1, ..sizes(topics) }, false),
                SamplerKind::Chain(kind)
            );
        }
    }

    #[test]
    fn long_documents_take_wider_rows_and_short_ones_none_that_are_nearly_empty() {
        let long =
            |topics, longest| SamplerKind::of(Sizes { longest, sparse: 100 * 4096, ..sizes(topics) }, false);
        assert_eq!(long(100, 65_535), SamplerKind::Lockstep(Kind::Dense(7)));
        assert_eq!(long(100, 65_536), SamplerKind::Lockstep(Kind::Wide(8)));
        assert_eq!(long(256, 1 << 23), SamplerKind::Lockstep(Kind::Wide(16)));
        assert_eq!(long(100, 1 << 24), SamplerKind::Chain(Kind::Sparse));
        let short =
            |topics| SamplerKind::of(Sizes { longest: 10, sparse: 100 * (64 + 8), ..sizes(topics) }, false);
        assert_eq!(
            (short(100), short(200)),
            (SamplerKind::Lockstep(Kind::Dense(7)), SamplerKind::Chain(Kind::Sparse))
        );
    }
}
