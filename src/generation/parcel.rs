//! [`Parcel`]: the container in which messages cross timely's channels.
//!
//! Between workers that share memory a message moves by pointer. For another process, and in serialized mode,
//! it is converted to bytes once and cut into pieces below timely's buffer size, because one large message
//! would double the buffers of both ends for good. The receiver joins the pieces and reads the message from
//! them.

use std::any::Any;
use std::ops::{Deref, Range};
use std::sync::Arc;

use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message as Envelope};

use crate::base::state::{Reader, StateError, Writer};
use crate::program::Program;
use crate::run::message::{Message, end_with};

/// One message, or one piece of a message's bytes, with its address. Empty only as a placeholder.
#[derive(Default)]
pub(crate) struct Parcel {
    /// The worker that is addressed, or the hub; the process for a piece of a shared value.
    pub(super) to: u32,
    pub(super) content: Content,
}

#[derive(Default)]
pub(super) enum Content {
    #[default]
    Nothing,
    Whole(Box<dyn Whole>),
    Piece(Piece),
    /// A piece of a shared value, which is sent once to all threads of a process, of this number.
    Shared(Piece, usize),
}

/// A message of any program.
pub(super) trait Whole: Any + Send {
    fn bytes(&self) -> Vec<u8>;
}

impl<P: Program> Whole for Message<P> {
    fn bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.write(self);
        end_with(&mut out, &[]);
        out.into_bytes()
    }
}

/// A piece of the bytes of a message, or of a shared value.
#[cfg_attr(test, derive(Clone))]
pub(super) struct Piece {
    pub(super) from: u32,
    /// Number of the message, of one sender and channel, or of the shared value, within a generation.
    pub(super) number: u64,
    pub(super) part: u32,
    pub(super) parts: u32,
    pub(super) bytes: Payload,
}

/// Bytes of a piece, copied as rarely as possible: pieces share the bytes of their message until timely
/// writes them into its buffer, and are read in the buffer in which they arrived.
#[derive(Clone)]
pub(super) enum Payload {
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

    /// Makes a whole message one piece, whatever its size.
    fn whole(bytes: Vec<u8>) -> Self {
        let range = 0..bytes.len();
        Self { from: u32::MAX, number: 0, part: 0, parts: 1, bytes: Payload::Leaving(Arc::new(bytes), range) }
    }

    /// Makes a piece without content: the receiver fails on it with an error.
    fn broken() -> Self {
        Self { parts: 0, ..Self::whole(Vec::new()) }
    }

    fn header(&self, to: u32) -> Vec<u8> {
        let mut out = Writer::default();
        out.write(&(to, self.from, self.number));
        out.write(&(self.part, self.parts, self.bytes.len()));
        out.into_bytes()
    }

    /// Reads the address and the piece that `bytes` hold.
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
        match &self.content {
            Content::Nothing => 0,
            Content::Whole(_) | Content::Piece(_) => 1,
            // Each of the threads counts it when it arrives.
            Content::Shared(_, threads) => *threads as i64,
        }
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
            Content::Piece(piece) | Content::Shared(piece, _) => piece.bytes.len(),
        };
        // Rounded up to timely's alignment.
        (Piece::HEADER + payload).next_multiple_of(8)
    }

    fn into_bytes<W: std::io::Write>(&self, writer: &mut W) {
        let made;
        let piece = match &self.content {
            Content::Piece(piece) | Content::Shared(piece, _) => piece,
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

/// Returns the thread of a worker, or of the hub, which is on the first.
pub(super) fn thread_of(threads: &[u32], to: u32) -> usize {
    threads.get(to as usize).map_or(0, |&thread| thread as usize)
}

/// Distributor that sends each parcel whole to the thread that carries its worker, or the hub.
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
    /// Returns the piece of a shared value that has arrived.
    pub(super) fn into_piece(self) -> Option<Piece> {
        if let Content::Piece(piece) = self.content { Some(piece) } else { None }
    }

    /// Returns the parcel as it arrives at the other end of a connection.
    #[cfg(test)]
    pub(super) fn travelled(&self) -> Self {
        let mut bytes = Vec::new();
        self.into_bytes(&mut bytes);
        Self::from_bytes(timely::bytes::arc::BytesMut::from(bytes).freeze())
    }
}

/// Distributor that sends each parcel to the first thread of its process; each process has this number of
/// threads. The connection between the two processes delivers it to all of them
/// ([`Frames`](crate::cluster::net::frames::Frames)).
pub(crate) struct ByProcess(pub(crate) usize);

impl Distributor<Parcel> for ByProcess {
    fn partition<T: Clone, O: Push<Envelope<T, Parcel>>>(
        &mut self,
        parcel: &mut Parcel,
        time: &T,
        pushers: &mut [O],
    ) {
        Envelope::push_at(parcel, time.clone(), &mut pushers[parcel.to as usize * self.0]);
    }
    fn flush<T: Clone, O: Push<Envelope<T, Parcel>>>(&mut self, _: &T, _: &mut [O]) {}
}
