//! [`Link`]: a connection between two processes of a run. Each end sends a heartbeat every second, so that a
//! connection that passes nothing on is noticed, in either direction.
//!
//! ```text
//! length (4 bytes, little-endian) ‖ so many bytes      for each write
//! 0 0 0 0                                               every second: a heartbeat
//! ```

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::Shutdown;
use std::sync::{Arc, Mutex, Weak};
use std::thread::{self, Thread};
use std::time::Duration;

use super::socket::Socket;
use crate::base::sync::lock;

/// Time between two heartbeats of each end of a connection.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(1);
/// Number of bytes of a length.
pub(crate) const HEAD: usize = 4;
/// Bytes to read at once, and most bytes of one write.
const CHUNK: usize = 1 << 16;

/// Builder of a thread that only passes messages on, and so needs little of a stack: there are several in
/// each process.
pub(crate) fn messenger(name: &str) -> thread::Builder {
    thread::Builder::new().name(format!("raddle:{name}")).stack_size(256 << 10)
}

/// A connection to another process. Clones are the same connection.
#[derive(Clone)]
pub(crate) struct Link(Arc<Ends>);

struct Ends {
    socket: Socket,
    incoming: Mutex<Incoming>,
    outgoing: Mutex<Outgoing>,
    /// The thread that sends heartbeats.
    heartbeat: Mutex<Option<Thread>>,
}

struct Incoming {
    from: BufReader<Socket>,
    /// Bytes of the length that is being read.
    head: Vec<u8>,
    /// Bytes still to come of those that the last length announced.
    left: usize,
    /// Heartbeat timeout: time after which the other end is lost if it has sent nothing.
    timeout: Option<Duration>,
}

struct Outgoing {
    to: Socket,
    chunk: Vec<u8>,
    over: bool,
}

impl Link {
    /// A link over this socket, which sends heartbeats from now on.
    pub(crate) fn new(socket: Socket) -> io::Result<Self> {
        let from = BufReader::with_capacity(CHUNK, socket.clone());
        let incoming = Mutex::new(Incoming { from, head: Vec::with_capacity(HEAD), left: 0, timeout: None });
        let outgoing = Mutex::new(Outgoing { to: socket.clone(), chunk: Vec::new(), over: false });
        let ends = Arc::new(Ends { socket, incoming, outgoing, heartbeat: Mutex::default() });
        let weak = Arc::downgrade(&ends);
        let beating = messenger("link").spawn(move || beat(&weak))?;
        *lock(&ends.heartbeat) = Some(beating.thread().clone());
        Ok(Self(ends))
    }

    /// `true` if nothing arrives on it that the other end has not sent.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.0.socket.is_encrypted()
    }

    /// Sets the heartbeat timeout: a read fails where the other end has sent nothing for so long.
    pub(crate) fn limit(&self, timeout: Option<Duration>) -> io::Result<()> {
        let timeout = timeout.filter(|timeout| !timeout.is_zero());
        lock(&self.0.incoming).timeout = timeout;
        self.0.socket.set_read_timeout(timeout)
    }

    /// Sends the bytes behind the first [`HEAD`], which this function fills in, as one write.
    pub(crate) fn send(&self, chunk: &mut [u8]) -> io::Result<()> {
        lock(&self.0.outgoing).send(chunk)
    }

    /// Closes the connection at once: reads and writes end, at both ends.
    pub(crate) fn close(&self) {
        // It may be closed already.
        let _ = self.0.socket.shutdown(Shutdown::Both);
    }

    /// Ends one direction, or both, behind the bytes that were sent.
    pub(crate) fn shutdown(&self, how: Shutdown) {
        let mut outgoing = lock(&self.0.outgoing);
        outgoing.over |= how != Shutdown::Read;
        // The other end may have closed it already.
        let _ = outgoing.to.shutdown(how);
    }

    pub(crate) fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.0.socket.set_nonblocking(nonblocking)
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        lock(&self.heartbeat).iter().for_each(Thread::unpark);
    }
}

/// Sends a heartbeat every second, as long as the link is in use.
fn beat(ends: &Weak<Ends>) {
    loop {
        thread::park_timeout(HEARTBEAT);
        let Some(ends) = ends.upgrade() else { return };
        let mut outgoing = lock(&ends.outgoing);
        if outgoing.over || outgoing.send(&mut [0; HEAD]).is_err() {
            return;
        }
    }
}

impl Outgoing {
    fn send(&mut self, chunk: &mut [u8]) -> io::Result<()> {
        let (head, bytes) = chunk.split_at_mut(HEAD);
        let length = u32::try_from(bytes.len());
        let length = length.map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        head.copy_from_slice(&length.to_le_bytes());
        self.to.write_all(chunk)
    }
}

impl Incoming {
    /// Reads bytes that have arrived, and waits where there are none.
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while self.left == 0 {
            let have = self.from.fill_buf()?;
            if have.is_empty() {
                return Ok(0);
            }
            let count = have.len().min(HEAD - self.head.len());
            self.head.extend_from_slice(&have[..count]);
            self.from.consume(count);
            if let Ok(head) = <[u8; HEAD]>::try_from(&self.head[..]) {
                self.left = u32::from_le_bytes(head) as usize;
                self.head.clear();
            }
        }
        let most = to.len().min(self.left);
        let count = self.from.read(&mut to[..most])?;
        self.left -= count;
        Ok(count)
    }
}

impl Read for &Link {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let mut incoming = lock(&self.0.incoming);
        match incoming.read(to) {
            Err(why) if matches!(why.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                let seconds = incoming.timeout.unwrap_or_default().as_secs_f64();
                let why = format!("it has sent nothing for {seconds} s");
                Err(io::Error::new(io::ErrorKind::TimedOut, why))
            }
            read => read,
        }
    }
}

impl Write for &Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        let mut outgoing = lock(&self.0.outgoing);
        let count = bytes.len().min(CHUNK);
        let mut chunk = std::mem::take(&mut outgoing.chunk);
        chunk.clear();
        chunk.extend_from_slice(&[0; HEAD]);
        chunk.extend_from_slice(&bytes[..count]);
        let sent = outgoing.send(&mut chunk);
        outgoing.chunk = chunk;
        sent.map(|()| count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc;

    use super::*;

    fn link(socket: TcpStream) -> Link {
        Link::new(Socket::new(socket, None)).unwrap()
    }

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (one, listener.accept().unwrap().0)
    }

    fn within_a_minute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
        let (tell, told) = mpsc::channel();
        thread::spawn(move || tell.send(work()));
        told.recv_timeout(Duration::from_secs(60)).unwrap()
    }

    #[test]
    fn bytes_arrive_as_they_were_written_and_then_the_end() {
        let (one, other) = pair();
        let (one, other) = (link(one), link(other));
        let sent: Vec<u8> = (0..1_000_000u32).map(|number| (number % 251) as u8).collect();
        let expected = sent.clone();
        let writing = thread::spawn(move || {
            let mut rest = &sent[..];
            for length in [1, 4, 100, 70_000].into_iter().cycle() {
                let (head, tail) = rest.split_at(rest.len().min(length));
                (&one).write_all(head).unwrap();
                rest = tail;
                if rest.is_empty() {
                    break;
                }
            }
            one.shutdown(Shutdown::Write);
        });
        let came = within_a_minute(move || {
            let mut came = Vec::new();
            (&other).read_to_end(&mut came).unwrap();
            came
        });
        writing.join().unwrap();
        assert!(came == expected);
    }

    #[test]
    fn an_end_that_has_nothing_to_send_is_there_all_the_same() {
        let (one, other) = pair();
        let (one, other) = (link(one), link(other));
        one.limit(Some(Duration::from_millis(1900))).unwrap();
        // Another link's heartbeats are the clock: four of them take longer than the limit.
        let (clock, mut hands) = pair();
        let clock = link(clock);
        let came = within_a_minute(move || {
            let reading = thread::spawn(move || {
                let mut came = [0; 5];
                (&one).read_exact(&mut came).map(|()| came)
            });
            let mut beats = [1; 4 * HEAD];
            hands.read_exact(&mut beats).unwrap();
            assert_eq!(beats, [0; 4 * HEAD]);
            (&other).write_all(b"hello").unwrap();
            drop(clock);
            reading.join().unwrap()
        });
        assert_eq!(came.unwrap(), *b"hello");
    }

    #[test]
    fn an_end_that_says_nothing_is_lost_by_name_even_in_the_middle_of_a_write() {
        for said in [&b""[..], &[7, 0, 0, 0, 1, 2], &[7, 0]] {
            let (one, mut other) = pair();
            let one = link(one);
            one.limit(Some(Duration::from_millis(200))).unwrap();
            other.write_all(said).unwrap();
            let why = within_a_minute(move || (&one).read_to_end(&mut Vec::new()).unwrap_err());
            assert_eq!(why.to_string(), "it has sent nothing for 0.2 s");
            drop(other);
        }
    }

    #[test]
    fn nothing_is_said_behind_the_end() {
        let (one, mut other) = pair();
        let one = link(one);
        (&one).write_all(b"last").unwrap();
        one.shutdown(Shutdown::Write);
        let came = within_a_minute(move || {
            let mut came = Vec::new();
            other.read_to_end(&mut came).unwrap();
            came
        });
        assert_eq!(came, b"\x04\0\0\0last");
        assert!((&one).write_all(b"more").is_err());
    }
}
