//! The network: [`Client`] and the client of this build.

mod asked;
#[cfg(feature = "fetch")]
mod http;

use std::time::Duration;

pub(crate) use asked::{Answer, Client};

/// Returns the client of this build; `silence` is the longest wait for a server that sends nothing.
#[cfg(feature = "fetch")]
pub(crate) fn client(silence: Duration) -> Option<Result<Box<dyn Client>, String>> {
    Some(http::Http::new(silence).map(|client| Box::new(client) as Box<dyn Client>))
}

/// Returns `None`: this build has no client.
#[cfg(not(feature = "fetch"))]
pub(crate) fn client(_silence: Duration) -> Option<Result<Box<dyn Client>, String>> {
    None
}
