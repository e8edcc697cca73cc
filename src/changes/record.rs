//! [`Record`]: a piece of data that is inserted and retracted.

use std::fmt::Debug;
use std::hash::Hash;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::key::Key;

/// Parts of records and ids: plain values that are compared, hashed and copied.
pub trait Value: Ord + Hash + Debug + Clone + Send + Serialize + DeserializeOwned + 'static {}

impl<T: Ord + Hash + Debug + Clone + Send + Serialize + DeserializeOwned + 'static> Value for T {}

/// A piece of the data that is inserted and retracted whole: a rating, a document, a row.
pub trait Record: Value {
    /// Name of a record. Several records may have one id; [`Keep`](super::Keep) says which of them count.
    type Id: Value;

    /// Returns the id of the record.
    fn id(&self) -> Self::Id;

    /// Returns the keys to which the record belongs, each once, with its cost there: a user and an item, or
    /// the words of a document, each with the number of its occurrences.
    fn keys(&self) -> Vec<(Key, u64)>;
}
