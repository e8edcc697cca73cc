//! The network: [`Client`], and the one of this build.

mod asked;
#[cfg(feature = "fetch")]
mod http;

use std::time::Duration;

pub(crate) use asked::{Answer, Client};

/// The client of this build; a server may say nothing for this long.
#[cfg(feature = "fetch")]
pub(crate) fn client(silence: Duration) -> Option<Result<Box<dyn Client>, String>> {
    Some(http::Http::new(silence).map(|client| Box::new(client) as Box<dyn Client>))
}

/// The client of this build, which has none.
#[cfg(not(feature = "fetch"))]
pub(crate) fn client(_silence: Duration) -> Option<Result<Box<dyn Client>, String>> {
    None
}
