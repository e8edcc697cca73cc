//! How good topics are: the perplexity of held-out documents, the likelihood's functions, coherence.

pub(crate) mod coherence;
pub(crate) mod perplexity;
pub(crate) mod special;
