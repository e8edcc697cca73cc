//! [`Parcel`]: the container in which messages cross timely's channels.
//!
//! Between workers that share memory a message moves as it is, by pointer. For another process, and in
//! serialized mode, it is turned into bytes once and cut into pieces below timely's buffer size, because one
//! large message makes both ends' buffers double for good; the receiver joins the pieces and reads the
//! message from them.

use std::any::Any;
use std::collections::HashMap;
use std::ops::{Deref, Range};
use std::sync::Arc;

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message as Envelope};

use crate::base::panic_context::PanicContext;
use crate::base::state::{Reader, StateError, Writer, from_bytes, to_bytes};
use crate::program::Program;
use crate::run::message::Message;
use crate::run::placement::Layout;
use crate::run::traffic::Traffic;

/// Payload bytes in a piece; with its header it stays below timely's buffers of 2^20 bytes.
const PIECE: usize = 900_000;

/// Pieces for which room is made at once when the first arrives; the number announced is not trusted beyond.
const RESERVED: u32 = 64;

/// Bytes of the largest room that is kept for the next message. Pages that the system gives anew cost more
/// than writing into them.
const KEPT: usize = 1 << 20;

/// One message, or one piece of a message's bytes, with its address. Empty only as a placeholder.
#[derive(Default)]
pub(crate) struct Parcel {
    to: u32,
    content: Content,
}

#[derive(Default)]
enum Content {
    #[default]
    Nothing,
    Whole(Box<dyn Whole>),
    Piece(Piece),
}

/// A message of any program.
trait Whole: Any + Send {
    fn bytes(&self) -> Vec<u8>;
}

impl<P: Program> Whole for Message<P> {
    fn bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }
}

/// A piece of a message's bytes.
struct Piece {
    from: u32,
    /// Numbers the messages of one sender and channel.
    number: u64,
    part: u32,
    parts: u32,
    bytes: Payload,
}

/// A megabyte is copied as rarely as can be: pieces share the bytes of their message until timely writes them
/// into its buffer, and are read where they lie in the buffer that they arrived in.
enum Payload {
    Leaving(Arc<Vec<u8>>, Range<usize>),
    Arrived(Bytes, Range<usize>),
}

impl Deref for Payload {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Payload::Leaving(bytes, range) => &bytes[range.clone()],
            Payload::Arrived(bytes, range) => &bytes[range.clone()],
        }
    }
}

impl Piece {
    /// Bytes before the payload: the address, the four numbers, and the payload's length.
    const HEADER: usize = 4 + 4 + 8 + 4 + 4 + 8;

    /// A whole message as one piece, whatever its size.
    fn whole(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        Self { from: u32::MAX, number: 0, part: 0, parts: 1, bytes: Payload::Leaving(Arc::new(bytes), range) }
    }

    /// A piece without content: the joining end fails on it with an error.
    fn broken() -> Self {
        Self { parts: 0, ..Self::whole(Vec::new()) }
    }

    fn header(&self, to: u32) -> Vec<u8> {
        let mut out = Writer::default();
        out.write(&(to, self.from, self.number));
        out.write(&(self.part, self.parts, self.bytes.len()));
        out.into_bytes()
    }

    /// The address and the piece that `bytes` hold.
    fn read(bytes: Bytes) -> Result<(u32, Self), StateError> {
        let mut from = Reader::new(&bytes);
        let (to, sender, number) = from.read()?;
        let (part, parts, length) = from.read()?;
        from.take(length, "a piece of a message")?;
        let bytes = Payload::Arrived(bytes, Self::HEADER..Self::HEADER + length);
        Ok((to, Self { from: sender, number, part, parts, bytes }))
    }
}

impl Accountable for Parcel {
    fn record_count(&self) -> i64 {
        i64::from(!matches!(self.content, Content::Nothing))
    }
}

impl ContainerBytes for Parcel {
    fn from_bytes(bytes: Bytes) -> Self {
        // Only this implementation wrote the bytes: a mismatch is two different builds talking to each other,
        // and the container cannot refuse.
        let (to, piece) = Piece::read(bytes).unwrap_or_else(|_| (0, Piece::broken()));
        Self { to, content: Content::Piece(piece) }
    }

    fn length_in_bytes(&self) -> usize {
        let payload = match &self.content {
            Content::Nothing => 0,
            Content::Whole(message) => message.bytes().len(),
            Content::Piece(piece) => piece.bytes.len(),
        };
        // Rounded up to timely's alignment.
        (Piece::HEADER + payload).next_multiple_of(8)
    }

    fn into_bytes<W: std::io::Write>(&self, writer: &mut W) {
        let made;
        let piece = match &self.content {
            Content::Piece(piece) => piece,
            // Reached where timely serializes although the engine was not told so.
            Content::Whole(message) => {
                made = Piece::whole(message.bytes());
                &made
            }
            Content::Nothing => {
                made = Piece::broken();
                &made
            }
        };
        let length = Piece::HEADER + piece.bytes.len();
        let padding = &[0; 8][..length.next_multiple_of(8) - length];
        for bytes in [&piece.header(self.to), &*piece.bytes, padding] {
            // Timely writes into memory of the length announced above: there is no failure to report.
            let _ = writer.write_all(bytes);
        }
    }
}

/// The thread of a worker, or of the hub, which is on the first.
fn thread_of(threads: &[u32], to: u32) -> usize {
    threads.get(to as usize).map_or(0, |&thread| thread as usize)
}

/// Sends each parcel whole to the thread that carries the worker it is addressed to, or the hub.
pub(crate) struct ByAddress(pub(crate) Arc<Vec<u32>>);

impl Distributor<Parcel> for ByAddress {
    fn partition<T: Clone, O: Push<Envelope<T, Parcel>>>(
        &mut self,
        parcel: &mut Parcel,
        time: &T,
        pushers: &mut [O],
    ) {
        Envelope::push_at(parcel, time.clone(), &mut pushers[thread_of(&self.0, parcel.to)]);
    }
    fn flush<T: Clone, O: Push<Envelope<T, Parcel>>>(&mut self, _: &T, _: &mut [O]) {}
}

impl Parcel {
    /// The worker that the message is for, or the hub.
    pub(crate) fn to(&self) -> u32 {
        self.to
    }
}

/// Makes parcels of messages: whole for workers that share this memory, in pieces of bytes for others.
pub(crate) struct Sender {
    from: u32,
    /// The thread of each worker, and those threads that get messages whole.
    thread_of: Arc<Vec<u32>>,
    whole: Range<usize>,
    sent: u64,
    /// The last message, in whose room the next is written once all its pieces have left.
    last: Arc<Vec<u8>>,
    /// Messages that have left as bytes so far.
    pub(crate) traffic: Traffic,
}

impl Sender {
    pub(crate) fn new(from: u32, layout: &Layout, serialized: bool) -> Self {
        let whole = if serialized { 0..0 } else { layout.here.clone() };
        let (thread_of, last) = (Arc::clone(&layout.thread_of), Arc::default());
        Self { from, thread_of, whole, sent: 0, last, traffic: Traffic::default() }
    }

    /// The parcels that carry a message to a worker.
    pub(crate) fn pack<P: Program>(&mut self, to: u32, message: Message<P>) -> Vec<Parcel> {
        if self.whole.contains(&thread_of(&self.thread_of, to)) {
            return vec![Parcel { to, content: Content::Whole(Box::new(message)) }];
        }
        PanicContext::verb("save").of("a message to worker", to).enter();
        let mut out = Writer::over(Arc::get_mut(&mut self.last).map(std::mem::take).unwrap_or_default());
        out.write(&message);
        self.cut(to, out.into_bytes(), matches!(message, Message::Block { .. }))
    }

    /// The pieces of a message's bytes.
    fn cut(&mut self, to: u32, bytes: Vec<u8>, is_block: bool) -> Vec<Parcel> {
        let bytes = Arc::new(bytes);
        if bytes.capacity() <= KEPT {
            self.last = Arc::clone(&bytes);
        }
        let length = bytes.len() as u64;
        self.traffic +=
            Traffic { messages: 1, bytes: length, block_bytes: if is_block { length } else { 0 } };
        self.sent += 1;
        let parts = bytes.len().div_ceil(PIECE) as u32;
        let piece = |part: u32| {
            let range = part as usize * PIECE..bytes.len().min((part as usize + 1) * PIECE);
            let (from, number, bytes) = (self.from, self.sent, Payload::Leaving(Arc::clone(&bytes), range));
            Parcel { to, content: Content::Piece(Piece { from, number, part, parts, bytes }) }
        };
        (0..parts).map(piece).collect()
    }
}

/// Joins the pieces of messages; one for each channel and receiver.
#[derive(Default)]
pub(crate) struct Receiver {
    open: HashMap<(u32, u64), Vec<u8>>,
    /// Room for the next one.
    room: Vec<u8>,
}

impl Receiver {
    /// The message that a parcel completes, if it does.
    pub(crate) fn unpack<P: Program>(&mut self, parcel: Parcel) -> Result<Option<Message<P>>, String> {
        let read = |bytes: &[u8]| {
            from_bytes(bytes).map(Some).map_err(|error| format!("a message is broken: {error}"))
        };
        let piece = match parcel.content {
            Content::Nothing => return Ok(None),
            Content::Whole(message) => {
                let message: Box<dyn Any> = message;
                let of_another = |_| String::from("a message is of another program");
                return message.downcast::<Message<P>>().map(|message| Some(*message)).map_err(of_another);
            }
            Content::Piece(piece) => piece,
        };
        PanicContext::verb("load of a message").enter();
        if piece.parts == 1 {
            return read(&piece.bytes);
        }
        let Some(joined) = self.join(&piece) else { return Ok(None) };
        let message = read(&joined);
        self.keep(joined);
        message
    }

    /// The bytes of the message that a piece completes, if it does. Pieces of one message arrive in order: a
    /// channel keeps the order of each sender.
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

    /// Keeps room for the next message.
    fn keep(&mut self, mut joined: Vec<u8>) {
        if joined.capacity() <= KEPT {
            joined.clear();
            self.room = joined;
        }
    }
}
