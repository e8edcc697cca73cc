//! The prepared corpus: documents assigned to shards, words assigned to blocks, and the held-out documents.

pub(crate) mod block;
pub(crate) mod carried;
pub(crate) mod held_out;
pub(crate) mod hold_out;
pub(crate) mod layout;
pub(crate) mod making;
pub(crate) mod place;
pub(crate) mod problem;
pub(crate) mod sampler;
pub(crate) mod shard;
pub(crate) mod source;
