//! Corpora: documents as bags of words, as topic models read them.

mod assemble;
mod data;
pub(crate) mod docword;
mod filter;
mod ldac;
mod looks;
mod matrix_market;
mod options;
mod phrases;
mod read;
mod split;
mod stop_words;
mod stored;
mod table;
mod text;
mod tokenizer;
mod vocabulary;

pub use data::{Corpus, WITHOUT_WORDS};
pub use filter::{Filter, Frequency, NoVocabulary, Removed};
pub use options::{CorpusFormat, CorpusOptions};
pub use phrases::Phrases;
pub(crate) use read::opened;
pub use read::read_corpus;
pub use split::{Completion, is_test_document, is_validation_document};
pub use stop_words::{english_stop_words, read_stop_words};
pub use stored::StoredCorpus;
pub use tokenizer::{Tokenizer, TokensLeftOut, Words};
pub use vocabulary::{Vocabulary, vocabulary_names};
