//! [`Record`]: a piece of data that comes and goes.

use std::fmt::Debug;
use std::hash::Hash;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::key::Key;

/// What a view can hold: plain values that are compared, hashed and copied.
pub trait Value: Ord + Hash + Debug + Clone + Send + Serialize + DeserializeOwned + 'static {}

impl<T: Ord + Hash + Debug + Clone + Send + Serialize + DeserializeOwned + 'static> Value for T {}

/// A piece of the data that is inserted and retracted whole: a rating, a document, a row.
pub trait Record: Value {
    /// What it is called. Several records may have one id; [`Keep`](super::Keep) says which of them count.
    type Id: Value;

    /// Its id.
    fn id(&self) -> Self::Id;

    /// What it belongs to, each key once, and what it costs there: a user and an item, or the words of a document, each with
    /// how often it occurs.
    fn keys(&self) -> Vec<(Key, u64)>;
}
