//! [`Frames`]: a connection through which timely talks to another process, checked before timely sees a byte.
//!
//! Timely trusts the bytes that it reads and panics, on a thread of its own, if a connection breaks. Here
//! each of its frames is read whole, in verified records, and its header is checked. If a frame is wrong, or
//! the connection ends too early, the loss is reported to the run, and timely reads a regular end of the
//! stream, which ends its threads in good order.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use timely::communication::allocator::zero_copy::stream::Stream;

use crate::base::sync::lock;
use crate::cluster::net::link::Link;

/// Bytes of timely's header: six big-endian numbers: channel, source, first target, end of the targets,
/// length, sequence.
const HEADER: usize = 48;
/// Longest frame in bytes: timely's buffers hold 2^20, and parcels are split to fit.
const MOST: u64 = 1 << 21;
/// Bytes to read at once.
const READ: usize = 1 << 16;

/// Function that is called with the reason why the other end is lost.
pub(crate) type Lost = Arc<dyn Fn(&str) + Send + Sync>;

/// Channels whose frames are for every thread of the other end, whichever of them they are addressed to: they
/// cross once, and timely gives all threads the same memory.
#[derive(Debug, Default)]
pub(crate) struct ToProcess(Mutex<Vec<u64>>);

impl ToProcess {
    /// Adds a channel, before anything is sent through it.
    pub(crate) fn add(&self, channel: usize) {
        let mut channels = lock(&self.0);
        if !channels.contains(&(channel as u64)) {
            channels.push(channel as u64);
        }
    }

    fn has(&self, channel: u64) -> bool {
        lock(&self.0).contains(&channel)
    }
}

/// A connection to another process of a generation.
pub(crate) struct Frames {
    link: Link,
    name: Arc<str>,
    to_process: Arc<ToProcess>,
    /// The threads of the other end, which may send, and those of this end, which receive.
    threads: (Range<usize>, Range<usize>),
    lost: Lost,
    arriving: Arriving,
    leaving: Leaving,
}

/// Bytes that have arrived, up to `end`: timely may read those in `ready`, and the next frame begins at
/// `next`.
#[derive(Default)]
struct Arriving {
    bytes: Vec<u8>,
    end: usize,
    ready: Range<usize>,
    next: usize,
    over: bool,
}

impl Arriving {
    /// Drops the bytes that have been read, and makes space for this number of bytes.
    fn make_room(&mut self, wanted: usize) {
        self.bytes.copy_within(self.next..self.end, 0);
        (self.end, self.next, self.ready) = (self.end - self.next, 0, 0..0);
        if self.bytes.len() < self.end + wanted {
            self.bytes.resize(self.end + wanted, 0);
        }
    }
}

/// The frame that is being written.
#[derive(Default)]
struct Leaving {
    header: Vec<u8>,
    left: u64,
    out: Vec<u8>,
}

/// Returns the number at this position of the header, from 0.
fn field(header: &[u8], at: usize) -> u64 {
    header[at * 8..at * 8 + 8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

impl Frames {
    pub(crate) fn new(
        link: Link,
        name: &str,
        there: Range<usize>,
        here: Range<usize>,
        to_process: Arc<ToProcess>,
        lost: Lost,
    ) -> Self {
        let (arriving, leaving) = Default::default();
        Self { link, name: name.into(), to_process, threads: (there, here), lost, arriving, leaving }
    }

    /// Checks that timely can have sent a frame with this header.
    fn check(&self, header: &[u8]) -> Result<(), String> {
        let [source, lower, upper, length] = [1, 2, 3, 4].map(|at| field(header, at));
        if length == 0 {
            return Ok(());
        }
        let (there, here) = &self.threads;
        let is_in = |range: &Range<usize>, thread: u64| range.contains(&(thread as usize));
        let targets = lower < upper && is_in(here, lower) && is_in(here, upper - 1);
        match targets && is_in(there, source) && length <= MOST {
            true => Ok(()),
            false => Err(format!(
                "it sent {length} bytes from thread {source} to threads {lower} to {upper}, which nobody \
                 sends"
            )),
        }
    }

    /// Reads until a whole frame is there; the error names a wrong frame or a broken connection.
    fn fill(&mut self) -> Result<(), String> {
        let mut arriving = std::mem::take(&mut self.arriving);
        let filled = self.fill_up(&mut arriving);
        self.arriving = arriving;
        filled
    }

    /// Reads into `arriving` until a whole frame is there.
    fn fill_up(&mut self, arriving: &mut Arriving) -> Result<(), String> {
        loop {
            let bytes = &arriving.bytes[arriving.next..arriving.end];
            let mut wanted = READ;
            if let Some(header) = bytes.get(..HEADER) {
                self.check(header)?;
                let length = HEADER + field(header, 4) as usize;
                if bytes.len() >= length {
                    arriving.ready = arriving.next..arriving.next + length;
                    arriving.next += length;
                    // The last frame of a clean end has no content.
                    arriving.over = length == HEADER;
                    return Ok(());
                }
                wanted = wanted.max(length - bytes.len());
            }
            arriving.make_room(wanted);
            match (&self.link).read(&mut arriving.bytes[arriving.end..]) {
                Ok(0) => return Err("its connection has ended".into()),
                Ok(count) => arriving.end += count,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) if matches!(why.kind(), io::ErrorKind::TimedOut | io::ErrorKind::InvalidData) => {
                    return Err(why.to_string());
                }
                Err(why) => return Err(format!("its connection broke ({why})")),
            }
        }
    }

    /// Reports that the other end is lost.
    fn report_loss(&self, why: &str) {
        (self.lost)(&format!("{} is lost: {why}", self.name));
    }
}

impl Read for Frames {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.arriving.ready.is_empty() {
            if self.arriving.over {
                return Ok(0);
            }
            if let Err(why) = self.fill() {
                self.report_loss(&why);
                // Timely reads a regular end of the stream.
                self.arriving =
                    Arriving { bytes: vec![0; HEADER], ready: 0..HEADER, over: true, ..Arriving::default() };
            }
        }
        let Arriving { bytes, ready, .. } = &mut self.arriving;
        let count = to.len().min(ready.len());
        to[..count].copy_from_slice(&bytes[ready.start..ready.start + count]);
        ready.start += count;
        Ok(count)
    }
}

impl Write for Frames {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Leaving { header, left, out } = &mut self.leaving;
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = match *left {
                0 => rest.len().min(HEADER - header.len()),
                left => rest.len().min(left as usize),
            };
            let (mut head, tail) = rest.split_at(count);
            rest = tail;
            if *left > 0 {
                *left -= count as u64;
            } else {
                header.extend_from_slice(head);
                if header.len() < HEADER {
                    continue;
                }
                *left = field(header, 4);
                if self.to_process.has(field(header, 0)) {
                    let there = &self.threads.0;
                    for (at, thread) in [(2, there.start), (3, there.end)] {
                        header[at * 8..at * 8 + 8].copy_from_slice(&(thread as u64).to_be_bytes());
                    }
                }
                head = &header[..];
            }
            out.extend_from_slice(head);
            if *left == 0 {
                header.clear();
            }
        }
        // A part of a header alone waits for the rest.
        if let Err(why) = (&self.link).write_all(&self.leaving.out) {
            // Timely's thread runs on to its end, which comes soon.
            self.report_loss(&format!("its connection broke ({why})"));
        }
        self.leaving.out.clear();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Frames {
    /// Makes a second handle to the connection, before anything has been read or written.
    fn try_clone(&self) -> io::Result<Self> {
        let (arriving, leaving) = Default::default();
        let link = self.link.clone();
        let (name, threads) = (Arc::clone(&self.name), self.threads.clone());
        let (lost, to_process) = (Arc::clone(&self.lost), Arc::clone(&self.to_process));
        Ok(Self { link, name, to_process, threads, lost, arriving, leaving })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.link.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.link.shutdown(how);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
