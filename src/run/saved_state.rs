//! Learned state of shards and of the pinned block, as bytes.

use crate::base::panic_context::PanicContext;
use crate::base::state::Learned;
use crate::program::Program;

/// Learned state of a shard, as bytes.
pub(crate) fn shard_state<P: Program>(program: &P, number: u32, shard: &P::Shard) -> Vec<u8> {
    PanicContext::verb("save_state").of("shard", number).enter();
    let mut out = Learned::default();
    program.save_state(shard, &mut out);
    out.into_bytes()
}

/// Learned state of the pinned block, as bytes.
pub(crate) fn pinned_state<P: Program>(program: &P, pinned: &P::Pinned) -> Vec<u8> {
    PanicContext::verb("save_pinned").enter();
    let mut out = Learned::default();
    program.save_pinned(pinned, &mut out);
    out.into_bytes()
}
