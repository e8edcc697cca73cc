//! The engine's side: the rows' dual values are a shard.

pub(crate) mod course;
pub(crate) mod machine;
pub(crate) mod program;
