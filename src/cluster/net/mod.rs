//! Connections between processes: addresses, the listener, the handshake, values and frames on a socket.

pub(crate) mod addresses;
mod cipher;
pub(crate) mod first_message;
pub(crate) mod frames;
pub(crate) mod handshake;
pub(crate) mod link;
pub(crate) mod listener;
pub(crate) mod records;
pub(crate) mod secret;
pub(crate) mod socket;
pub(crate) mod sum;
pub(crate) mod token;
pub(crate) mod wire;
