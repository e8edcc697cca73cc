//! Connections between processes: addresses, the handshake, frames on a socket, and the bytes of timely on it.

pub(crate) mod addresses;
pub(crate) mod frames;
pub(crate) mod handshake;
pub(crate) mod link;
pub(crate) mod listener;
pub(crate) mod wire;
