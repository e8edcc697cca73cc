//! [`Socket`]: a connection after its handshake, in clear or encrypted; and [`Encryption`], the choice
//! between the two.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use super::records::{Records, Seal};

/// Choice of the connections that one end wants encrypted. A connection is in clear only if neither end wants
/// it encrypted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encryption {
    /// Connections that leave the machine: those whose other end has no loopback address.
    #[default]
    Remote,
    /// All connections over sockets that have an address.
    Always,
    /// No connection.
    Never,
}

impl Encryption {
    /// `true` if a connection with this other end is to be encrypted.
    pub(crate) fn wants(self, other_end: IpAddr) -> bool {
        match self {
            Self::Remote => !other_end.to_canonical().is_loopback(),
            Self::Always => true,
            Self::Never => false,
        }
    }
}

impl fmt::Display for Encryption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Remote => "remote",
            Self::Always => "always",
            Self::Never => "never",
        })
    }
}

impl FromStr for Encryption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Remote, Self::Always, Self::Never]
            .into_iter()
            .find(|encryption| encryption.to_string() == text)
            .ok_or_else(|| "give remote, always or never".into())
    }
}

/// A connection after its handshake. Clones are the same connection.
#[derive(Debug, Clone)]
pub(crate) struct Socket {
    tcp: Arc<TcpStream>,
    records: Arc<Records>,
}

impl Socket {
    /// Makes the connection over this socket, with this seal for its records.
    pub(crate) fn new(tcp: TcpStream, seal: Seal) -> Self {
        Self { tcp: Arc::new(tcp), records: Arc::new(Records::new(seal)) }
    }

    pub(crate) fn tcp(&self) -> &TcpStream {
        &self.tcp
    }

    pub(crate) fn records(&self) -> &Records {
        &self.records
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }

    pub(crate) fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.tcp.shutdown(how)
    }

    pub(crate) fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.tcp.set_nonblocking(nonblocking)
    }

    pub(crate) fn set_read_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        self.tcp.set_read_timeout(limit)
    }

    pub(crate) fn set_write_timeout(&self, limit: Option<Duration>) -> io::Result<()> {
        self.tcp.set_write_timeout(limit)
    }
}

impl Read for &Socket {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.records.read(&*self.tcp, to)
    }
}

impl Write for &Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.records.write(&*self.tcp, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Socket {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        (&*self).read(to)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
