//! [`Client`]: what a download asks of the network.

use std::io::Read;

/// A client of http.
pub(crate) trait Client {
    /// Asks for a file; with a place and a tag for its bytes from there on, if it is still the one of this
    /// tag.
    ///
    /// The error says why there is no answer.
    fn get(&self, address: &str, from: Option<(u64, &str)>) -> Result<Answer, String>;
}

/// The answer of a server.
pub(crate) struct Answer {
    /// The status, as 200 for a file.
    pub(crate) status: u16,
    /// Bytes of what follows, if it says so.
    pub(crate) length: Option<u64>,
    /// Tag of the file, where it is one by which equal bytes are known.
    pub(crate) tag: Option<String>,
    /// Place in the file of the first byte, and the bytes of all of it, where it answers with a part.
    pub(crate) range: Option<(u64, Option<u64>)>,
    /// The bytes.
    pub(crate) body: Box<dyn Read>,
}
