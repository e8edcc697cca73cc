//! Values on a connection: a length of 8 bytes, then the bytes of the value's [`State`].

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::base::state::{State, from_bytes, to_bytes};
use crate::base::sync::lock;
use crate::cluster::net::link::{HEARTBEAT, messenger};
use crate::cluster::net::records::Records;
use crate::cluster::net::socket::Socket;

/// Sends a heartbeat every second, on a thread of its own, as long as the connection is in use, so that a
/// long task is not taken for silence.
pub(crate) fn heartbeat<T: State>(
    to: &Arc<Mutex<Socket>>,
    alive: impl Fn() -> T + Send + 'static,
) -> io::Result<()> {
    let to = Arc::downgrade(to);
    let beat = move || {
        loop {
            let alive = alive();
            if to.upgrade().is_none_or(|to| send(&mut *lock(&to), &alive).is_err()) {
                return;
            }
            thread::park_timeout(HEARTBEAT);
        }
    };
    messenger("heartbeat").spawn(beat).map(drop)
}

/// Sends a value.
pub(crate) fn send<T: State>(to: &mut impl Write, value: &T) -> io::Result<()> {
    send_bytes(to, &to_bytes(value))
}

/// Sends the bytes of a value.
pub(crate) fn send_bytes(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let mut out = Vec::with_capacity(8 + bytes.len());
    out.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
    to.write_all(&out)?;
    to.flush()
}

/// Receives a value of at most `most` bytes.
pub(crate) fn receive<T: State>(from: &mut impl Read, most: u64) -> io::Result<T> {
    let bytes = receive_bytes(from, most)?;
    from_bytes(&bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.to_string()))
}

/// Receives the bytes of a value. The buffer grows with them: an announced length is not trusted.
pub(crate) fn receive_bytes(from: &mut impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > most {
        let why = format!("a message of {length} bytes, where {most} are the most");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    let mut bytes = Vec::with_capacity(length.min(1 << 20) as usize);
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// A socket whose reads and writes must be done by a point in time, if there is one.
pub(crate) struct Timed<'a> {
    socket: &'a TcpStream,
    records: Option<&'a Records>,
    until: Option<Instant>,
}

impl<'a> Timed<'a> {
    pub(crate) fn new(socket: &'a TcpStream, limit: Option<Duration>) -> Self {
        Self { socket, records: None, until: limit.map(|limit| Instant::now() + limit) }
    }

    /// Makes a timed socket of a connection whose handshake is done.
    pub(crate) fn behind(socket: &'a Socket, limit: Duration) -> Self {
        Self { records: Some(socket.records()), ..Self::new(socket.tcp(), Some(limit)) }
    }

    fn left(&self) -> io::Result<Option<Duration>> {
        let Some(until) = self.until else { return Ok(None) };
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(self.left()?)?;
        let mut socket = self.socket;
        match self.records {
            Some(records) => records.read(socket, to),
            None => socket.read(to),
        }
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(self.left()?)?;
        let mut socket = self.socket;
        match self.records {
            Some(records) => records.write(socket, bytes),
            None => socket.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        // Later users of the socket set limits of their own; a closed socket needs none.
        let _ = self.socket.set_read_timeout(None);
        let _ = self.socket.set_write_timeout(None);
    }
}
