//! The prepared corpus: documents assigned to shards, words assigned to blocks, and the held-out documents.

pub(crate) mod block;
pub(crate) mod carried;
pub(crate) mod held_out;
pub(crate) mod layout;
pub(crate) mod made;
pub(crate) mod place;
pub(crate) mod problem;
pub(crate) mod shard;
pub(crate) mod source;
pub(crate) mod taken;
pub(crate) mod way;
