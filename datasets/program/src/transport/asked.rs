//! [`Client`]: the interface between a download and the network.

use std::io::Read;

/// An HTTP client.
pub(crate) trait Client {
    /// Requests a file. `from` is a position in it and an entity tag: the server then sends the bytes from
    /// that position, if the file still has that tag.
    ///
    /// # Errors
    /// If there is no answer; the text says why.
    fn get(&self, address: &str, from: Option<(u64, &str)>) -> Result<Answer, String>;
}

/// A server's answer.
pub(crate) struct Answer {
    /// HTTP status, 200 for a complete file.
    pub(crate) status: u16,
    /// Length of the body in bytes, if stated.
    pub(crate) length: Option<u64>,
    /// Strong entity tag: equal tags mean equal bytes.
    pub(crate) tag: Option<String>,
    /// For a partial answer: the position of its first byte, and the size of the whole file if stated.
    pub(crate) range: Option<(u64, Option<u64>)>,
    /// The body.
    pub(crate) body: Box<dyn Read>,
}
