//! [`Socket`]: a connection behind its handshake, in clear or under a [`Cipher`]; and [`Encryption`], which says which.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use super::cipher::Cipher;

/// Choice of the connections that one end of them wants encrypted. A connection is in clear only where neither end wants
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
    /// `true` if a connection with this other end is to be under a cipher.
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

/// A connection behind its handshake. Clones are the same connection.
#[derive(Debug, Clone)]
pub(crate) struct Socket {
    tcp: Arc<TcpStream>,
    cipher: Option<Arc<Cipher>>,
}

impl Socket {
    /// The connection over this socket, under a cipher if there is one.
    pub(crate) fn new(tcp: TcpStream, cipher: Option<Cipher>) -> Self {
        Self { tcp: Arc::new(tcp), cipher: cipher.map(Arc::new) }
    }

    /// `true` if it is under a cipher: then nothing arrives that the other end has not sent.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.cipher.is_some()
    }

    pub(crate) fn tcp(&self) -> &TcpStream {
        &self.tcp
    }

    pub(crate) fn cipher(&self) -> Option<&Cipher> {
        self.cipher.as_deref()
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

/// Reads from a socket, under a cipher if there is one.
pub(crate) fn read(mut tcp: &TcpStream, cipher: Option<&Cipher>, to: &mut [u8]) -> io::Result<usize> {
    match cipher {
        Some(cipher) => cipher.read(tcp, to),
        None => tcp.read(to),
    }
}

/// Writes to a socket, under a cipher if there is one: then all bytes.
pub(crate) fn write(mut tcp: &TcpStream, cipher: Option<&Cipher>, bytes: &[u8]) -> io::Result<usize> {
    match cipher {
        Some(cipher) => cipher.write_all(tcp, bytes).map(|()| bytes.len()),
        None => tcp.write(bytes),
    }
}

impl Read for &Socket {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        read(&self.tcp, self.cipher(), to)
    }
}

impl Write for &Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write(&self.tcp, self.cipher(), bytes)
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
