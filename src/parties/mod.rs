//! Parties: owners of data that train one model together and hand out nothing but sums. Each has a key pair
//! ([`PrivateKey`], [`PublicKey`]); a [`Keyring`] authenticates the connections of one of them; [`Masks`]
//! hide its sums in streams that cancel in the sum of all. `src/PARTIES.md` has the threat model.

pub(crate) mod bytes;
mod keyring;
mod keys;
mod masks;
#[cfg(test)]
mod tests;

pub(crate) use self::keyring::{COORDINATOR, LinkKeys};
pub use self::keyring::{Keyring, KeyringError};
pub use self::keys::{PrivateKey, PublicKey};
pub use self::masks::{Masks, MasksError, Moment};

/// Fewest parties of a run: of two, each learns the other's sums by subtraction.
pub const FEWEST: u32 = 3;
