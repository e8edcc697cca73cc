//! The `mf` program: what it accepts, writes, prints and refuses.

pub(crate) mod program;
mod quality;
mod records;

mod bad_input;
mod changes;
mod dialects;
mod endings;
mod fit;
#[cfg(target_os = "linux")]
mod large;
mod pictures;
mod seen;
mod similar;
mod stored;
mod times;
mod usage;
mod values;
