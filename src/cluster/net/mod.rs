//! Connections between processes: addresses, the handshake, frames on a socket, and the bytes of timely on it.

pub(crate) mod frames;
pub(crate) mod gate;
pub(crate) mod hello;
pub(crate) mod link;
pub(crate) mod reach;
pub(crate) mod wire;
