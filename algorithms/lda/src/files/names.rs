//! Names of a model's files.

/// The counts of words in topics.
pub(super) const COUNTS: &str = "topic_word_counts.npz";
/// The counts of topics in documents.
pub(super) const DOC_TOPIC: &str = "doc_topic.npz";
/// Names of the rows of `doc_topic.npz`, a line each, where documents have names.
pub(super) const DOCUMENTS: &str = "documents.txt";
/// alpha of each topic, where they differ.
pub(super) const ALPHA: &str = "alpha.npy";
/// The evaluations.
pub(super) const EVALUATIONS: &str = "evaluations.tsv";
