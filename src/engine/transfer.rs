//! The hand-over: what changes process before a generation begins, streamed over the connections that the generation
//! then runs on. All of it crosses whole, as its [`State`]: nothing is made anew where it arrives.

use std::io::{self, BufWriter, Write};
use std::thread;

use crate::base::panic_context::{self, PanicContext};
use crate::base::state::{State, from_bytes, to_bytes};
use crate::cluster::net::link::Link;
use crate::cluster::net::wire::receive_bytes;
use crate::program::Program;

/// No shard is larger.
const MOST: u64 = 1 << 42;

/// What changes hands.
pub(crate) enum Transfer<P: Program> {
    Shard(u32, P::Shard),
    Block(u32, P::Block),
    /// The replica, for one who has none.
    Replica(P::Replica),
    /// State that the first process hands on to the next first: the pinned block, then bytes of the rest of the hub and of the
    /// history.
    Pinned(P::Pinned),
    Hub(Vec<u8>),
    /// The last: what the giver has to say of itself.
    End(ProcessStats),
}

/// What a process says of itself when it hands over.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct ProcessStats {
    pub(crate) process: u32,
    pub(crate) peak_memory: u64,
    pub(crate) cpu_seconds: f64,
    /// Bytes that its threads sent to others in the generation before, and those of blocks among them.
    pub(crate) bytes: u64,
    pub(crate) block_bytes: u64,
    /// Bytes that were handed over to it before that.
    pub(crate) moved: u64,
}

crate::state!(ProcessStats { process, peak_memory, cpu_seconds, bytes, block_bytes, moved });

impl<P: Program> Transfer<P> {
    /// As bytes, with a tag and a number; the value itself is gone then.
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
        }
    }

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
            5 => Ok(Self::End(read("account", 0, &bytes)?)),
            _ => Err(format!("something unknown, {tag}, was handed over")),
        }
    }
}

/// One connection of a hand-over: what goes out on it, if anything does, and whether something comes.
pub(crate) struct TransferChannel<'a, P: Program> {
    pub(crate) name: String,
    pub(crate) link: &'a Link,
    pub(crate) gives: Option<Vec<Transfer<P>>>,
    pub(crate) takes: bool,
}

/// Goods, each with the number of its bytes.
pub(crate) type SizedTransfers<P> = Vec<(Transfer<P>, u64)>;

/// Gives and takes on all lanes at the same time; no more than one of them is held as bytes for each. Returns what came,
/// lane by lane, and the bytes that left.
///
/// # Errors
/// If a connection breaks, or what comes cannot be read: with the name of who is there.
pub(crate) fn exchange<P: Program>(
    channels: Vec<TransferChannel<'_, P>>,
) -> Result<(Vec<SizedTransfers<P>>, u64), String> {
    thread::scope(|scope| {
        let mut under_way = Vec::new();
        for lane in channels {
            let TransferChannel { name, link, gives, takes } = lane;
            let giving =
                gives.map(|transfers| scope.spawn(move || giving_up(link, || give(link, transfers))));
            let taking = takes.then(|| scope.spawn(move || giving_up(link, || take::<P>(link))));
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

/// Closes the link where the work fails: who reads or writes on the other half of it would wait for ever.
fn giving_up<T>(link: &Link, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let done = panic_context::guarded(work);
    if done.is_err() {
        link.close();
    }
    done
}

fn give<P: Program>(link: &Link, transfers: Vec<Transfer<P>>) -> Result<u64, String> {
    let mut out = BufWriter::with_capacity(1 << 16, link);
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

fn take<P: Program>(mut link: &Link) -> Result<SizedTransfers<P>, String> {
    let mut transfers = Vec::new();
    loop {
        let mut head = [0; 5];
        let read = io::Read::read_exact(&mut link, &mut head);
        let bytes = read.and_then(|()| receive_bytes(&mut link, MOST));
        let bytes = bytes.map_err(|why| why.to_string())?;
        let (tag, number) = (head[0], u32::from_le_bytes([head[1], head[2], head[3], head[4]]));
        let length = bytes.len() as u64;
        let one = Transfer::unpack(tag, number, bytes)?;
        let is_last = matches!(one, Transfer::End(_));
        transfers.push((one, length));
        if is_last {
            return Ok(transfers);
        }
    }
}
