//! [`Frames`]: a connection through which timely talks to another process, checked before timely sees a byte.
//!
//! Timely trusts the bytes that it reads and panics, on a thread of its own, where a connection breaks. Here
//! each of its frames is read whole, and its header and a checksum that the other end appends are verified.
//! Where a frame is wrong, or the connection ends too early, the run learns of the loss; timely reads a
//! regular end of the stream, which ends its threads in good order.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use timely::communication::allocator::zero_copy::stream::Stream;

use crate::base::sync::lock;
use crate::cluster::net::link::{HEAD, Link};

/// Bytes of timely's header: six big-endian numbers: channel, source, first target, end of the targets,
/// length, sequence.
const HEADER: usize = 48;
/// Longest frame in bytes: timely's buffers hold 2^20, and parcels are split to fit.
const MOST: u64 = 1 << 21;
/// Bytes of the checksum behind each frame.
const SUM: usize = 8;
/// Bytes to read at once.
const READ: usize = 1 << 16;

/// Function that is called with the reason why the other end is lost.
pub(crate) type Lost = Arc<dyn Fn(&str) + Send + Sync>;

/// Channels whose frames are for every thread of the other end, whichever of them they are addressed to: they cross once, and
/// timely gives all threads the same memory.
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
    /// Bytes of the checksum behind each frame: none where a cipher proves that it arrived as it was sent.
    sum: usize,
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
    /// Drops the bytes that have been read, and makes room for so many more.
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
    sum: Sum,
    out: Vec<u8>,
}

/// Checksum of a frame's bytes, which detects accidental changes. It does not authenticate the sender: the
/// handshake does.
#[derive(Clone)]
struct Sum {
    lanes: [u64; 4],
    rest: Vec<u8>,
}

impl Default for Sum {
    fn default() -> Self {
        Self { lanes: [1, 2, 3, 4], rest: Vec::with_capacity(32) }
    }
}

impl Sum {
    fn add(&mut self, mut bytes: &[u8]) {
        if !self.rest.is_empty() {
            let (head, tail) = bytes.split_at(bytes.len().min(32 - self.rest.len()));
            self.rest.extend_from_slice(head);
            bytes = tail;
            if self.rest.len() < 32 {
                return;
            }
            let rest = std::mem::take(&mut self.rest);
            self.mix(&rest);
        }
        let whole = bytes.len() / 32 * 32;
        self.mix(&bytes[..whole]);
        self.rest.extend_from_slice(&bytes[whole..]);
    }

    fn mix(&mut self, bytes: &[u8]) {
        for words in bytes.chunks_exact(32) {
            let words: [u64; 4] = bytemuck::pod_read_unaligned(words);
            for (lane, word) in self.lanes.iter_mut().zip(words) {
                *lane = (*lane ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
            }
        }
    }

    /// The sum of these bytes.
    fn of(bytes: &[u8]) -> [u8; SUM] {
        let mut sum = Self::default();
        sum.add(bytes);
        sum.take()
    }

    /// Returns the sum of the bytes added so far, and starts a new one.
    fn take(&mut self) -> [u8; SUM] {
        let Self { mut lanes, rest } = std::mem::take(self);
        for (at, &byte) in rest.iter().enumerate() {
            lanes[at % 4] = (lanes[at % 4] ^ u64::from(byte) ^ 0x100).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        lanes.into_iter().fold(0, |sum, lane| crate::base::random::splitmix64(sum ^ lane)).to_le_bytes()
    }
}

/// Sum of the bytes of a file.
pub(crate) fn sum_of(mut file: impl Read) -> io::Result<u64> {
    let (mut sum, mut bytes) = (Sum::default(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(u64::from_le_bytes(sum.take())),
            count => sum.add(&bytes[..count]),
        }
    }
}

/// The header's number at this position, from 0.
fn field(header: &[u8], at: usize) -> u64 {
    header[at * 8..at * 8 + 8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

impl Frames {
    pub(crate) fn new(
        (link, name): (Link, String),
        threads: (Range<usize>, Range<usize>),
        to_process: Arc<ToProcess>,
        lost: Lost,
    ) -> Self {
        let (arriving, leaving) = Default::default();
        let sum = if link.is_encrypted() { 0 } else { SUM };
        Self { link, name: name.into(), to_process, threads, sum, lost, arriving, leaving }
    }

    /// Error if timely cannot have sent a frame with this header.
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
                "it sent {length} bytes from thread {source} to threads {lower} to {upper}, which nobody sends"
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
                if let Some(sum) = bytes.get(length..length + self.sum) {
                    if !sum.is_empty() && Sum::of(&bytes[..length]) != sum {
                        return Err("what it sent did not arrive as it was".into());
                    }
                    arriving.ready = arriving.next..arriving.next + length;
                    arriving.next += length + self.sum;
                    // The last frame of a clean end has no content.
                    arriving.over = length == HEADER;
                    return Ok(());
                }
                wanted = wanted.max(length + self.sum - bytes.len());
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
        let (Leaving { header, left, sum, out }, sums) = (&mut self.leaving, self.sum > 0);
        let mut rest = bytes;
        // Room for the length of this write.
        out.extend_from_slice(&[0; HEAD]);
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
            if sums {
                sum.add(head);
            }
            if *left == 0 {
                if sums {
                    out.extend_from_slice(&sum.take());
                }
                header.clear();
            }
        }
        // A part of a header alone waits for the rest.
        let is_empty = self.leaving.out.len() == HEAD;
        if !is_empty && let Err(why) = self.link.send(&mut self.leaving.out) {
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
    /// A second handle to the connection, before anything has been read or written.
    fn try_clone(&self) -> io::Result<Self> {
        let (arriving, leaving) = Default::default();
        let link = self.link.clone();
        let (name, threads) = (Arc::clone(&self.name), self.threads.clone());
        let (sum, lost, to_process) = (self.sum, Arc::clone(&self.lost), Arc::clone(&self.to_process));
        Ok(Self { link, name, to_process, threads, sum, lost, arriving, leaving })
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
