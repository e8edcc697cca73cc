//! The hand-over: transfers between processes before a generation starts, streamed over the connections that
//! the generation then uses. Each value crosses whole, as its [`State`]: the receiver recomputes nothing.

use std::io::{self, BufWriter, Write};
use std::thread;

use crate::base::panic_context::{self, PanicContext};
use crate::base::state::{State, from_bytes, to_bytes};
use crate::cluster::net::link::Link;
use crate::cluster::net::records::CONTENT;
use crate::cluster::net::wire::receive_bytes;
use crate::program::Program;
use crate::program::shard::Shard;
use crate::run::traffic::Traffic;

/// Largest transfer in bytes.
const MOST: u64 = 1 << 42;

/// A value that one process hands over to another.
pub(crate) enum Transfer<P: Program> {
    Shard(u32, <P::Shard as Shard>::Crossing),
    Block(u32, P::Block),
    /// The replica, for a process that has none.
    Replica(P::Replica),
    /// State that the first process hands over to the next first one: the pinned block, then the bytes of the
    /// rest of the hub and of the history.
    Pinned(P::Pinned),
    Hub(Vec<u8>),
    /// The last transfer: statistics of the sender.
    End(ProcessStats),
    /// Bytes of a question of a restoration by shard, to all; of the answers to it; and its end.
    Question(Vec<u8>),
    Answers(Vec<u8>),
    Restored,
}

/// Statistics of a process, sent with its hand-over.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ProcessStats {
    pub(crate) process: u32,
    pub(crate) peak_memory: u64,
    pub(crate) cpu_seconds: f64,
    /// Messages that the threads of the process sent to other processes in the generation before.
    pub(crate) traffic: Traffic,
    /// Bytes that were handed over to the process before that generation.
    pub(crate) moved: u64,
    /// Processor and system of the process.
    pub(crate) machine: String,
}

crate::state!(ProcessStats { process, peak_memory, cpu_seconds, traffic, moved, machine });

impl<P: Program> Transfer<P> {
    /// Converts the transfer to a tag, a number and bytes; the value itself is dropped.
    pub(crate) fn pack(self) -> (u8, u32, Vec<u8>) {
        match self {
            Self::Shard(number, shard) => {
                PanicContext::verb("save").of("shard", number).enter();
                (0, number, to_bytes(&shard))
            }
            Self::Block(number, block) => {
                PanicContext::verb("save").of("block", number).enter();
                (1, number, to_bytes(&block))
            }
            Self::Replica(replica) => {
                PanicContext::verb("save of the replica").enter();
                (2, 0, to_bytes(&replica))
            }
            Self::Pinned(pinned) => {
                PanicContext::verb("save of the pinned block").enter();
                (3, 0, to_bytes(&pinned))
            }
            Self::Hub(bytes) => (4, 0, bytes),
            Self::End(stats) => (5, 0, to_bytes(&stats)),
            Self::Question(bytes) => (6, 0, bytes),
            Self::Answers(bytes) => (7, 0, bytes),
            Self::Restored => (8, 0, Vec::new()),
        }
    }

    /// Makes the transfer of this tag, number and bytes.
    pub(crate) fn unpack(tag: u8, number: u32, bytes: Vec<u8>) -> Result<Self, String> {
        fn read<T: State>(what: &'static str, number: u32, bytes: &[u8]) -> Result<T, String> {
            PanicContext::verb("load").of(what, number).enter();
            from_bytes(bytes).map_err(|error| format!("{what} {number} cannot be read: {error}"))
        }
        match tag {
            0 => Ok(Self::Shard(number, read("shard", number, &bytes)?)),
            1 => Ok(Self::Block(number, read("block", number, &bytes)?)),
            2 => Ok(Self::Replica(read("the replica", 0, &bytes)?)),
            3 => Ok(Self::Pinned(read("the pinned block", 0, &bytes)?)),
            4 => Ok(Self::Hub(bytes)),
            5 => Ok(Self::End(read("statistics", 0, &bytes)?)),
            6 => Ok(Self::Question(bytes)),
            7 => Ok(Self::Answers(bytes)),
            8 => Ok(Self::Restored),
            _ => Err(format!("something unknown, {tag}, was handed over")),
        }
    }
}

/// One connection of a hand-over: the transfers to send on it, if any, and `true` in `takes` if some are to
/// be received.
pub(crate) struct TransferChannel<'a, P: Program> {
    pub(crate) name: String,
    pub(crate) link: &'a Link,
    pub(crate) gives: Option<Vec<Transfer<P>>>,
    pub(crate) takes: bool,
}

/// Transfers, each with its length in bytes.
pub(crate) type SizedTransfers<P> = Vec<(Transfer<P>, u64)>;

/// Sends and receives on all channels at the same time; of each channel and direction at most one value is
/// held as bytes. Returns the transfers received, channel by channel, and the number of bytes sent.
///
/// # Errors
/// If a connection breaks, or a transfer cannot be read: with the name of the other process.
pub(crate) fn exchange<P: Program>(
    channels: Vec<TransferChannel<'_, P>>,
) -> Result<(Vec<SizedTransfers<P>>, u64), String> {
    thread::scope(|scope| {
        let mut under_way = Vec::new();
        for channel in channels {
            let TransferChannel { name, link, gives, takes } = channel;
            let giving = gives
                .map(|transfers| scope.spawn(move || closing_on_failure(link, || give(link, transfers))));
            let taking = takes.then(|| scope.spawn(move || closing_on_failure(link, || take::<P>(link))));
            under_way.push((name, giving, taking));
        }
        let (mut came, mut left, mut failed) = (Vec::new(), 0, None);
        for (name, giving, taking) in under_way {
            let gave = giving.map_or(Ok(Ok(0)), thread::ScopedJoinHandle::join);
            let took = taking.map_or_else(|| Ok(Ok(Vec::new())), thread::ScopedJoinHandle::join);
            // `guarded` has caught every panic.
            let gone = || "its thread has panicked".to_owned();
            match (gave.unwrap_or_else(|_| Err(gone())), took.unwrap_or_else(|_| Err(gone()))) {
                (Ok(bytes), Ok(transfers)) => {
                    left += bytes;
                    came.push(transfers);
                }
                (Err(why), _) | (_, Err(why)) => {
                    failed.get_or_insert(format!("the hand-over with {name} failed: {why}"));
                }
            }
        }
        failed.map_or(Ok((came, left)), Err)
    })
}

/// Runs the work, and closes the link if it fails: the thread of the other direction would wait for ever.
fn closing_on_failure<T>(link: &Link, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let done = panic_context::guarded(work);
    if done.is_err() {
        link.close();
    }
    done
}

/// Sends transfers; returns their bytes.
pub(crate) fn give<P: Program>(link: &Link, transfers: Vec<Transfer<P>>) -> Result<u64, String> {
    let mut out = BufWriter::with_capacity(CONTENT, link);
    let mut left = 0;
    let mut put = |one: Transfer<P>| -> io::Result<()> {
        let (tag, number, bytes) = one.pack();
        out.write_all(&[tag])?;
        out.write_all(&number.to_le_bytes())?;
        out.write_all(&(bytes.len() as u64).to_le_bytes())?;
        out.write_all(&bytes)?;
        left += bytes.len() as u64;
        Ok(())
    };
    transfers.into_iter().try_for_each(&mut put).map_err(|why| why.to_string())?;
    out.flush().map_err(|why| why.to_string())?;
    Ok(left)
}

/// Receives transfers, up to the last one.
fn take<P: Program>(link: &Link) -> Result<SizedTransfers<P>, String> {
    let mut transfers = Vec::new();
    loop {
        let (one, length) = take_one(link)?;
        let is_last = matches!(one, Transfer::End(_));
        transfers.push((one, length));
        if is_last {
            return Ok(transfers);
        }
    }
}

/// Receives a transfer; returns it with its length in bytes.
pub(crate) fn take_one<P: Program>(mut link: &Link) -> Result<(Transfer<P>, u64), String> {
    let mut head = [0; 5];
    let read = io::Read::read_exact(&mut link, &mut head);
    let bytes = read.and_then(|()| receive_bytes(&mut link, MOST));
    let bytes = bytes.map_err(|why| why.to_string())?;
    let (tag, number) = (head[0], u32::from_le_bytes([head[1], head[2], head[3], head[4]]));
    let length = bytes.len() as u64;
    Ok((Transfer::unpack(tag, number, bytes)?, length))
}

#[cfg(test)]
mod tests;
