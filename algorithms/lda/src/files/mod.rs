//! Topic models in folders: the files that the program `lda` writes and reads, without its command line.
//!
//! ```
//! use std::sync::Arc;
//! use raddle_datasets::{Corpus, embedded};
//! use raddle_lda::files::Saved;
//! use raddle_lda::{Lda, Preparation, Problem};
//!
//! # let parent = tempfile::tempdir()?;
//! # let run = parent.path().join("run");
//! let corpus = embedded::pydoc();
//! let fit = Lda::params().topics(5).epochs(10).fit(Problem::new(&corpus, &Preparation::default())?)?;
//! fit.save(&run, &corpus)?; // as `lda fit --out run` would
//!
//! let saved = Saved::open(&run)?;
//! assert_eq!(saved.digest(), fit.digest());
//! let mut documents = Corpus::from_documents(2, [vec![(0, 3), (1, 1)]])?;
//! documents.vocabulary = Some(["string", "number"].into_iter().collect());
//! let words = saved.model.vocabulary.iter().flatten().map(String::as_str);
//! documents.match_words(words.collect())?;
//! let topics = Arc::new(saved.inference()?).thetas(&Arc::new(documents), 0..1, 1)?;
//! assert_eq!(topics.len(), 5); // shares of the topics
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod about;
mod documents;
mod evaluations;
mod names;
mod saved;
mod sparse;
#[cfg(test)]
mod tests;
mod to_save;

pub use about::{Model, symmetric};
pub use documents::SavedDocuments;
pub use saved::Saved;
pub use to_save::ToSave;
