//! [`Link`]: a connection between two processes of a run. Each end sends a heartbeat every second, so that
//! silence in either direction is noticed.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::{Arc, Mutex, Weak};
use std::thread::{self, Thread};
use std::time::Duration;

use super::socket::Socket;
use crate::base::sync::lock;

/// Time between two heartbeats of each end of a connection.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(1);

/// Returns the builder of a thread that only passes messages on. Its stack is small, as each process has
/// several of these threads.
pub(crate) fn messenger(name: &str) -> thread::Builder {
    thread::Builder::new().name(format!("raddle:{name}")).stack_size(256 << 10)
}

/// A connection to another process. Clones are the same connection.
#[derive(Clone)]
pub(crate) struct Link(Arc<Ends>);

struct Ends {
    socket: Socket,
    /// Heartbeat timeout: time after which the other end is lost if it has sent nothing.
    timeout: Mutex<Option<Duration>>,
    /// `true` once nothing more is sent. The lock is held while a record is sent, so that the end cuts off
    /// none.
    is_over: Mutex<bool>,
    /// The thread that sends heartbeats.
    heartbeat: Mutex<Option<Thread>>,
}

impl Link {
    /// Makes a link over this socket, which sends heartbeats from now on.
    pub(crate) fn new(socket: Socket) -> io::Result<Self> {
        let (timeout, is_over, heartbeat) = Default::default();
        let ends = Arc::new(Ends { socket, timeout, is_over, heartbeat });
        let weak = Arc::downgrade(&ends);
        let beating = messenger("link").spawn(move || beat(&weak))?;
        *lock(&ends.heartbeat) = Some(beating.thread().clone());
        Ok(Self(ends))
    }

    /// Sets the heartbeat timeout: a read fails if the other end has sent nothing for this time.
    pub(crate) fn limit(&self, timeout: Option<Duration>) -> io::Result<()> {
        let timeout = timeout.filter(|timeout| !timeout.is_zero());
        *lock(&self.0.timeout) = timeout;
        self.0.socket.set_read_timeout(timeout)
    }

    /// Returns bytes that both ends of an encrypted connection have, and no other connection.
    pub(crate) fn binding(&self) -> Option<[u8; 32]> {
        self.0.socket.records().binding()
    }

    /// Closes the connection at once: reads and writes end, at both ends.
    pub(crate) fn close(&self) {
        // It may be closed already.
        let _ = self.0.socket.shutdown(Shutdown::Both);
    }

    /// Ends one direction, or both, after the bytes that were sent.
    pub(crate) fn shutdown(&self, how: Shutdown) {
        let mut is_over = lock(&self.0.is_over);
        *is_over |= how != Shutdown::Read;
        // The other end may have closed it already.
        let _ = self.0.socket.shutdown(how);
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
        if ends.write(&[]).is_err() {
            return;
        }
    }
}

impl Ends {
    /// Sends a record of the first of these bytes, or a heartbeat if there are none; returns the number of
    /// bytes sent.
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let is_over = lock(&self.is_over);
        if *is_over { Err(io::ErrorKind::BrokenPipe.into()) } else { (&self.socket).write(bytes) }
    }
}

impl Read for &Link {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match (&self.0.socket).read(to) {
            Err(why) if matches!(why.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                let seconds = lock(&self.0.timeout).unwrap_or_default().as_secs_f64();
                let why = format!("it has sent nothing for {seconds} s");
                Err(io::Error::new(io::ErrorKind::TimedOut, why))
            }
            read => read,
        }
    }
}

impl Write for &Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() { Ok(0) } else { self.0.write(bytes) }
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
    use crate::cluster::net::records::{Records, Seal};

    /// The bytes of a record with this content, the first on its connection.
    fn record(content: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        Records::new(Seal::Sums).write(&mut bytes, content).unwrap();
        bytes
    }

    fn link(socket: TcpStream) -> Link {
        Link::new(Socket::new(socket, Seal::Sums)).unwrap()
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
            let mut beats = vec![1; 4 * record(&[]).len()];
            hands.read_exact(&mut beats).unwrap();
            let beats = Records::new(Seal::Sums).read(&beats[..], &mut [0]);
            assert_eq!(beats.unwrap(), 0, "heartbeats have no content");
            (&other).write_all(b"hello").unwrap();
            drop(clock);
            reading.join().unwrap()
        });
        assert_eq!(came.unwrap(), *b"hello");
    }

    #[test]
    fn an_end_that_says_nothing_is_lost_by_name_even_in_the_middle_of_a_write() {
        let said = record(b"content");
        // Nothing, a heartbeat, a part of a head and parts of a body.
        for said in [b"".to_vec(), record(&[]), said[..5].to_vec(), said[..12].to_vec(), said[..20].to_vec()]
        {
            let (one, mut other) = pair();
            let one = link(one);
            one.limit(Some(Duration::from_millis(200))).unwrap();
            other.write_all(&said).unwrap();
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
        assert_eq!(came, record(b"last"));
        assert!((&one).write_all(b"more").is_err());
    }
}
