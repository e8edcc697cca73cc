//! Names of a model's files.

/// Counts of words in topics.
pub(super) const COUNTS: &str = "topic_word_counts.npz";
/// Counts of topics in documents.
pub(super) const DOC_TOPIC: &str = "doc_topic.npz";
/// Names of the rows of `doc_topic.npz`, one per line, if documents have names.
pub(super) const DOCUMENTS: &str = "documents.txt";
/// alpha of each topic, if they differ.
pub(super) const ALPHA: &str = "alpha.npy";
/// The evaluations.
pub(super) const EVALUATIONS: &str = "evaluations.tsv";
