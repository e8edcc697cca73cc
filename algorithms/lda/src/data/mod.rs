//! The corpus as it is fitted, made once: documents assigned to shards, words to blocks, and what is held
//! out.

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
