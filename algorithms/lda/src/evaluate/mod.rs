//! Measures of topics: perplexity of held-out documents, functions of the likelihood, coherence.

pub(crate) mod coherence;
pub(crate) mod perplexity;
pub(crate) mod special;
