//! The engine's side: the rows' dual values are a shard, the weights are the replica.

pub(crate) mod program;
pub(crate) mod shard;
