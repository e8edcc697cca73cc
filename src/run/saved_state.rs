//! State that shards and the pinned block have learned, as bytes.

use crate::base::panic_context::PanicContext;
use crate::base::state::Learned;
use crate::program::Program;

/// State that a shard has learned, as bytes.
pub(crate) fn shard_state<P: Program>(program: &P, number: u32, shard: &P::Shard) -> Vec<u8> {
    PanicContext::verb("save_state").of("shard", number).enter();
    let mut out = Learned::default();
    program.save_state(shard, &mut out);
    out.into_bytes()
}

/// State that the pinned block has learned, as bytes.
pub(crate) fn pinned_state<P: Program>(program: &P, pinned: &P::Pinned) -> Vec<u8> {
    PanicContext::verb("save_pinned").enter();
    let mut out = Learned::default();
    program.save_pinned(pinned, &mut out);
    out.into_bytes()
}
