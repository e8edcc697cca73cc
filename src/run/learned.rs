//! State that shards and the pinned block have learned, as bytes.

use crate::base::doing::Doing;
use crate::base::state::Learned;
use crate::program::Program;

/// State that a shard has learned, as bytes.
pub(crate) fn learned<P: Program>(program: &P, number: u32, shard: &P::Shard) -> Vec<u8> {
    Doing::verb("remember").of("shard", number).note();
    let mut out = Learned::default();
    program.remember(shard, &mut out);
    out.into_bytes()
}

/// State that the pinned block has learned, as bytes.
pub(crate) fn learned_pinned<P: Program>(program: &P, pinned: &P::Pinned) -> Vec<u8> {
    Doing::verb("remember_pinned").note();
    let mut out = Learned::default();
    program.remember_pinned(pinned, &mut out);
    out.into_bytes()
}
