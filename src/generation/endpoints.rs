//! [`Sender`] and [`Receiver`]: convert messages into parcels, and back.
//!
//! A message to another process names its shared values (changes, the rounds of a plan) by number. The bytes
//! of the values are sent ahead of the message, once to each process, where they wait in [`ArrivedValues`].
//! With more than a few processes they are passed on along a tree ([`tree`]), and a message may overtake a
//! value: the message then waits here, and so do all after it.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::ops::{Deref, Range};
use std::sync::Arc;

use super::arrived::ArrivedValues;
use super::parcel::{Content, Parcel, Payload, Piece, thread_of};
use super::tree;
use crate::base::panic_context::PanicContext;
use crate::base::state::{Apart, Reader, StateError, Values, Writer};
use crate::program::Program;
use crate::run::message::{Message, end_with, split};
use crate::run::placement::Layout;
use crate::run::traffic::Traffic;

/// Payload bytes in a piece; with its header it stays below timely's buffers of 2^20 bytes.
const PIECE: usize = 900_000;

/// Limit of the pieces for which capacity is reserved when the first one arrives: the announced number is not
/// trusted.
const RESERVED: u32 = 64;

/// Size limit of a buffer that is kept for the next message, in bytes. Fresh pages of the system cost more
/// than writing into them.
const KEPT: usize = 1 << 20;

/// Maker of parcels from messages: whole for workers that share this memory, in pieces of bytes for others.
pub(crate) struct Sender {
    from: u32,
    /// The thread of each worker, those threads that get messages whole, and those of this process.
    thread_of: Arc<Vec<u32>>,
    whole: Range<usize>,
    here: Range<usize>,
    /// Processes to which this one hands shared values.
    children: Range<usize>,
    sent: u64,
    /// The last message, whose buffer is used for the next one once all its pieces have left.
    last: Arc<Vec<u8>>,
    /// Shared values that have been named.
    apart: Option<Box<Apart>>,
    /// Messages that have left as bytes so far.
    pub(crate) traffic: Traffic,
}

impl Sender {
    pub(crate) fn new(from: u32, layout: &Layout, serialized: bool) -> Self {
        let here = layout.here.clone();
        let whole = if serialized { 0..0 } else { here.clone() };
        let (thread_of, last, apart) = (Arc::clone(&layout.thread_of), Arc::default(), Some(Box::default()));
        let children = tree::children(layout.process(), layout.processes());
        Self { from, thread_of, whole, here, children, sent: 0, last, apart, traffic: Traffic::default() }
    }

    /// Returns the parcels of the shared values that a message names for the first time, which go ahead of
    /// the message, and the parcels that carry the message to a worker.
    pub(crate) fn pack<P: Program>(&mut self, to: u32, message: Message<P>) -> (Vec<Parcel>, Vec<Parcel>) {
        let thread = thread_of(&self.thread_of, to);
        if self.whole.contains(&thread) {
            return (Vec::new(), vec![Parcel { to, content: Content::Whole(Box::new(message)) }]);
        }
        PanicContext::verb("save").of("a message to worker", to).enter();
        let mut out = Writer::over(Arc::get_mut(&mut self.last).map(std::mem::take).unwrap_or_default());
        // Within this process every message has its own copy, as the serialized mode requires.
        out.apart = self.apart.take_if(|_| !self.here.contains(&thread));
        out.write(&message);
        let (mut made, mut named) = Default::default();
        if let Some(mut apart) = out.apart.take() {
            (made, named) = (std::mem::take(&mut apart.made), std::mem::take(&mut apart.named));
            self.apart = Some(apart);
        }
        end_with(&mut out, &named);
        let shared = made.into_iter().flat_map(|(number, bytes)| {
            let bytes = Arc::new(bytes);
            let pieces = ranges(bytes.len()).map(|range| Payload::Leaving(Arc::clone(&bytes), range));
            self.hand_on(number, &pieces.collect::<Vec<_>>())
        });
        let shared = shared.collect();
        let bytes = out.into_bytes();
        if let Message::Block { .. } = message {
            self.traffic.block_bytes += bytes.len() as u64;
        }
        (shared, self.cut(to, bytes))
    }

    /// Returns the parcels that carry a shared value to the processes to which this one passes it on.
    pub(super) fn hand_on(&mut self, number: u64, pieces: &[Payload]) -> Vec<Parcel> {
        let bytes = pieces.iter().map(|piece| piece.len() as u64).sum();
        let (from, parts, threads) = (self.from, pieces.len() as u32, self.here.len());
        let mut parcels = Vec::new();
        for process in self.children.clone() {
            self.traffic += Traffic { messages: 1, bytes, block_bytes: 0 };
            parcels.extend((0..).zip(pieces).map(|(part, bytes)| {
                let piece = Piece { from, number, part, parts, bytes: bytes.clone() };
                Parcel { to: process as u32, content: Content::Shared(piece, threads) }
            }));
        }
        parcels
    }

    /// Cuts the bytes of a message into pieces.
    fn cut(&mut self, to: u32, bytes: Vec<u8>) -> Vec<Parcel> {
        let bytes = Arc::new(bytes);
        if bytes.capacity() <= KEPT {
            self.last = Arc::clone(&bytes);
        }
        let length = bytes.len() as u64;
        self.traffic += Traffic { messages: 1, bytes: length, block_bytes: 0 };
        self.sent += 1;
        let (from, number) = (self.from, self.sent);
        let parts = ranges(bytes.len()).len() as u32;
        let piece = |(part, range)| {
            let bytes = Payload::Leaving(Arc::clone(&bytes), range);
            Parcel { to, content: Content::Piece(Piece { from, number, part, parts, bytes }) }
        };
        (0..).zip(ranges(bytes.len())).map(piece).collect()
    }
}

/// Returns the ranges of the pieces of this number of bytes.
fn ranges(length: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
    (0..length.div_ceil(PIECE)).map(move |part| part * PIECE..length.min((part + 1) * PIECE))
}

/// Bytes of a message.
enum Joined {
    Whole(Payload),
    OfPieces(Vec<u8>),
}

impl Deref for Joined {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Whole(payload) => payload,
            Self::OfPieces(bytes) => bytes,
        }
    }
}

/// A message that has arrived.
enum Arrival {
    InMemory(Box<dyn Any>),
    Bytes(Joined),
}

/// Reader of messages in their order, from pieces that it joins; there is one for each channel and receiver.
#[derive(Default)]
pub(crate) struct Receiver {
    open: HashMap<(u32, u64), Vec<u8>>,
    /// Messages that have arrived whole, with their addressees.
    arrived: VecDeque<(u32, Arrival)>,
    /// Buffer for the next message.
    room: Vec<u8>,
}

impl Receiver {
    /// Receives a parcel.
    pub(crate) fn put(&mut self, Parcel { to, content }: Parcel) {
        let arrival = match content {
            Content::Nothing => return,
            Content::Whole(message) => Arrival::InMemory(message),
            Content::Piece(piece) | Content::Shared(piece, _) if piece.parts == 1 => {
                Arrival::Bytes(Joined::Whole(piece.bytes))
            }
            Content::Piece(piece) | Content::Shared(piece, _) => match self.join(&piece) {
                Some(joined) => Arrival::Bytes(Joined::OfPieces(joined)),
                None => return,
            },
        };
        self.arrived.push_back((to, arrival));
    }

    /// `true` if messages have arrived that have not been taken out.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.arrived.is_empty()
    }

    /// Returns the next message with its addressee, once the shared values that it names are here.
    ///
    /// # Errors
    /// If its bytes do not describe one.
    pub(crate) fn next<P: Program>(
        &mut self,
        values: &ArrivedValues,
    ) -> Result<Option<(u32, Message<P>)>, String> {
        let broken = |error| format!("a message is broken: {error}");
        if let Some((_, Arrival::Bytes(bytes))) = self.arrived.front()
            && !values.has(&split(bytes).map_err(broken)?.1)
        {
            return Ok(None);
        }
        let Some((to, arrival)) = self.arrived.pop_front() else { return Ok(None) };
        let bytes = match arrival {
            Arrival::InMemory(message) => {
                let of_another = |_| String::from("a message is of another program");
                return message.downcast().map(|message| Some((to, *message))).map_err(of_another);
            }
            Arrival::Bytes(bytes) => bytes,
        };
        PanicContext::verb("load of a message").enter();
        let message = read(&bytes, values).map_err(broken)?;
        if let Joined::OfPieces(joined) = bytes {
            self.keep(joined);
        }
        Ok(Some((to, message)))
    }

    /// Adds a piece, and returns the bytes of the message if the piece completes it. Pieces of one message
    /// arrive in order: a channel keeps the order of each sender.
    fn join(&mut self, piece: &Piece) -> Option<Vec<u8>> {
        let room = &mut self.room;
        let joined = self.open.entry((piece.from, piece.number)).or_insert_with(|| {
            let mut joined = std::mem::take(room);
            joined.reserve(piece.bytes.len().saturating_mul(piece.parts.min(RESERVED) as usize));
            joined
        });
        joined.extend_from_slice(&piece.bytes);
        if piece.part + 1 < piece.parts {
            return None;
        }
        Some(self.open.remove(&(piece.from, piece.number)).unwrap_or_default())
    }

    /// Keeps a buffer for the next message.
    fn keep(&mut self, mut joined: Vec<u8>) {
        if joined.capacity() <= KEPT {
            joined.clear();
            self.room = joined;
        }
    }
}

/// Reads a message, and takes out the values that it names.
fn read<P: Program>(bytes: &[u8], values: &dyn Values) -> Result<Message<P>, StateError> {
    let mut from = Reader::new(split(bytes)?.0);
    from.values = Some(values);
    let message = from.read()?;
    from.end("a message").map(|()| message)
}

#[cfg(test)]
mod tests;
