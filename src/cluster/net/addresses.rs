//! [`Addresses`]: the address at which a process listens, the one that it advertises to others, and which of
//! its connections are encrypted.

use std::env;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use super::socket::Encryption;
use crate::base::error::EngineError;

/// Environment variables with the address to listen at, the one to advertise, and the choice of encrypted
/// connections.
const LISTEN: &str = "RADDLE_LISTEN";
const ADVERTISE: &str = "RADDLE_ADVERTISE";
const ENCRYPTION: &str = "RADDLE_ENCRYPTION";

/// An IP address, with an optional port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// The IP address.
    pub ip: IpAddr,
    /// The port; `None` for any that is free.
    pub port: Option<u16>,
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(ip) = text.parse() {
            return Ok(Self { ip, port: None });
        }
        match text.parse::<SocketAddr>() {
            Ok(both) if both.port() > 0 => Ok(Self { ip: both.ip(), port: Some(both.port()) }),
            _ => Err("give an IP address, as 192.0.2.1, or one with a port, as 192.0.2.1:7000".into()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}", SocketAddr::new(self.ip, port)),
            None => write!(f, "{}", self.ip),
        }
    }
}

impl Address {
    /// Returns the socket address, with this port if the address has none.
    pub fn or_port(self, port: u16) -> SocketAddr {
        SocketAddr::new(self.ip, self.port.unwrap_or(port))
    }

    /// Returns the address without its port.
    pub fn without_port(self) -> Self {
        Self { port: None, ..self }
    }
}

/// The address at which a process listens, by default the one from which it reached the coordinator, and the
/// one that it advertises, by default the one at which it listens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Addresses {
    /// The address to listen at.
    pub listen: Option<Address>,
    /// The address to advertise.
    pub advertise: Option<Address>,
    /// Connections that are encrypted.
    pub encryption: Encryption,
}

impl Addresses {
    /// Returns the environment variables that pass the addresses to a process.
    pub fn variables(&self) -> impl Iterator<Item = (&'static str, String)> {
        let listen = self.listen.map(|address| (LISTEN, address.to_string()));
        let advertise = self.advertise.map(|address| (ADVERTISE, address.to_string()));
        let encryption = Some(self.encryption).filter(|&encryption| encryption != Encryption::default());
        let encryption = encryption.map(|encryption| (ENCRYPTION, encryption.to_string()));
        [listen, advertise, encryption].into_iter().flatten()
    }

    /// Reads the addresses from this process's environment.
    pub(crate) fn from_environment() -> Result<Self, EngineError> {
        Ok(Self {
            listen: read(LISTEN)?,
            advertise: read(ADVERTISE)?,
            encryption: read(ENCRYPTION)?.unwrap_or_default(),
        })
    }

    /// Returns the socket address to listen at, for a process that reached the coordinator from `from`; port
    /// 0 if the address has none.
    pub(crate) fn listens(&self, from: IpAddr) -> SocketAddr {
        self.listen.map_or(SocketAddr::new(from, 0), |address| address.or_port(0))
    }

    /// Returns the socket address to advertise, for a process that listens at `listens`.
    pub(crate) fn advertised(&self, listens: SocketAddr) -> SocketAddr {
        self.advertise.map_or(listens, |address| address.or_port(listens.port()))
    }
}

/// Reads the value of an environment variable, if it is set.
fn read<T: FromStr<Err = String>>(name: &str) -> Result<Option<T>, EngineError> {
    let Ok(text) = env::var(name) else { return Ok(None) };
    text.parse().map(Some).map_err(|why| EngineError::Setting(format!("{name}={text}: {why}")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails so")]

    use super::*;

    #[test]
    fn addresses_are_read_with_and_without_a_port() {
        for text in ["192.0.2.1", "192.0.2.1:7000", "::1", "[::1]:7000"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
        for text in ["", "here", "192.0.2.1:", "192.0.2.1:0", "192.0.2.1:70000", "192.0.2"] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }

    #[test]
    fn others_are_told_what_is_advertised_with_the_port_that_is_listened_at() {
        let listens: SocketAddr = "127.0.0.1:5000".parse().unwrap();
        let advertised = |listen: Option<&str>, advertise: Option<&str>| {
            let read = |text: Option<&str>| text.map(|text| text.parse().unwrap());
            let addresses =
                Addresses { listen: read(listen), advertise: read(advertise), ..Addresses::default() };
            (addresses.listens(listens.ip()).to_string(), addresses.advertised(listens).to_string())
        };
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(advertised(None, None), pair("127.0.0.1:0", "127.0.0.1:5000"));
        assert_eq!(advertised(Some("0.0.0.0"), Some("192.0.2.1")), pair("0.0.0.0:0", "192.0.2.1:5000"));
        assert_eq!(advertised(Some("127.0.0.2:7"), Some("192.0.2.1:9")), pair("127.0.0.2:7", "192.0.2.1:9"));
    }
}
