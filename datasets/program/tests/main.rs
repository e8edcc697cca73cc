//! Tests of `raddle data`, in one program.

#![allow(clippy::unwrap_used)]

mod bad_input;
#[cfg(feature = "fetch")]
mod failures;
#[cfg(feature = "fetch")]
mod fetch;
mod generate;
mod here;
#[cfg(feature = "fetch")]
mod interrupted;
mod list;
mod run;
#[cfg(feature = "fetch")]
mod server;
