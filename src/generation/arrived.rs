//! [`ArrivedValues`]: the values that have arrived at this process separately from the messages that name
//! them.
//!
//! Their pieces are delivered to every thread of the process, in shared memory: the first thread that is
//! scheduled stores a piece here, and no thread waits for another one that is in the middle of a task. The
//! first worker whose message names a value decodes it; the others get the same memory.

use std::any::type_name;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex};

use super::parcel::{Payload, Piece};
use crate::base::state::{Decoded, StateError, Values};
use crate::base::sync::lock;
use crate::run::placement::Layout;

/// Values that have arrived at this process and have not been used by every worker.
pub(crate) struct ArrivedValues {
    /// The threads of this process, each of which receives every piece; and, next, its workers, each of which
    /// uses a value once.
    threads: usize,
    workers: usize,
    there: Mutex<HashMap<u64, Entry>>,
}

/// A value that is arriving, or in use.
struct Entry {
    /// Number of pieces that have not arrived at all threads.
    awaited: usize,
    /// Number of uses that are left.
    uses: usize,
    /// Pieces of a value that is not complete.
    pieces: BTreeMap<u32, Payload>,
    is_complete: bool,
    content: Arc<Mutex<Content>>,
}

#[derive(Default)]
enum Content {
    #[default]
    Nothing,
    Pieces(Vec<Payload>),
    Decoded(Decoded),
}

impl Entry {
    fn is_over(&self) -> bool {
        self.awaited == 0 && self.uses == 0
    }
}

impl fmt::Debug for ArrivedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(type_name::<Self>())
    }
}

impl ArrivedValues {
    pub(crate) fn new(layout: &Layout) -> Self {
        let workers = (0..layout.workers as u32).filter(|&worker| layout.is_here(worker)).count();
        Self { threads: layout.here.len(), workers, there: Mutex::default() }
    }

    /// Stores a piece that has arrived at one of the threads. If the piece completes its value, returns all
    /// pieces of the value, once and to this thread alone.
    ///
    /// # Errors
    /// If there is no such piece.
    pub(super) fn put(&self, piece: Piece) -> Result<Option<(u64, Vec<Payload>)>, String> {
        let Piece { number, part, parts, bytes, .. } = piece;
        let mut there = lock(&self.there);
        let entry = there.entry(number).or_insert_with(|| Entry {
            awaited: self.threads.saturating_mul(parts as usize),
            uses: self.workers,
            pieces: BTreeMap::new(),
            is_complete: false,
            content: Arc::default(),
        });
        if part >= parts || entry.awaited == 0 {
            return Err(format!("piece {part} of {parts} of a shared value arrived, which nobody sends"));
        }
        entry.awaited -= 1;
        let mut completed = None;
        if !entry.is_complete {
            entry.pieces.entry(part).or_insert(bytes);
            if entry.pieces.len() == parts as usize {
                entry.is_complete = true;
                let pieces: Vec<_> = std::mem::take(&mut entry.pieces).into_values().collect();
                *lock(&entry.content) = Content::Pieces(pieces.clone());
                completed = Some((number, pieces));
            }
        }
        if entry.is_over() {
            there.remove(&number);
        }
        Ok(completed)
    }

    /// `true` if all of these values are here.
    pub(crate) fn has(&self, numbers: &[u64]) -> bool {
        let there = lock(&self.there);
        numbers.iter().all(|number| there.get(number).is_some_and(|entry| entry.is_complete))
    }

    /// `true` if every value has been used by every worker.
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.there).is_empty()
    }
}

impl Values for ArrivedValues {
    fn take(
        &self,
        number: u64,
        decode: &mut dyn FnMut(&[u8]) -> Result<Decoded, StateError>,
    ) -> Result<Decoded, StateError> {
        const WHAT: &str = "a shared value that is not here";
        let mut there = lock(&self.there);
        let entry = there.get_mut(&number).filter(|entry| entry.is_complete && entry.uses > 0);
        let entry = entry.ok_or(StateError::new(WHAT))?;
        entry.uses -= 1;
        let content = Arc::clone(&entry.content);
        if entry.is_over() {
            there.remove(&number);
        }
        drop(there);
        // Only threads that use this value wait here until it is decoded.
        let mut content = lock(&content);
        let decoded = match &*content {
            Content::Nothing => return Err(StateError::new(WHAT)),
            Content::Decoded(decoded) => return Ok(Arc::clone(decoded)),
            Content::Pieces(pieces) => match &pieces[..] {
                [whole] => decode(whole)?,
                pieces => decode(&pieces.iter().map(|piece| &**piece).collect::<Vec<_>>().concat())?,
            },
        };
        *content = Content::Decoded(Arc::clone(&decoded));
        Ok(decoded)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use super::*;

    /// A process of two threads and three workers.
    fn values() -> ArrivedValues {
        ArrivedValues { threads: 2, workers: 3, there: Mutex::default() }
    }

    fn piece(number: u64, part: u32, parts: u32) -> Piece {
        let bytes = Arc::new(vec![part as u8; 3]);
        Piece { from: 0, number, part, parts, bytes: Payload::Leaving(bytes, 0..3) }
    }

    /// Takes a use of a value; decoding it is counted.
    fn take(values: &ArrivedValues, number: u64, decoded: &AtomicU32) -> Vec<u8> {
        let mut decode = |bytes: &[u8]| {
            decoded.fetch_add(1, Ordering::Relaxed);
            Ok(Arc::new(bytes.to_vec()) as Decoded)
        };
        values.take(number, &mut decode).unwrap().downcast_ref::<Vec<u8>>().unwrap().clone()
    }

    #[test]
    fn a_value_is_decoded_once_and_gone_when_every_worker_has_used_it() {
        let (values, decoded) = (values(), AtomicU32::new(0));
        for part in 0..2 {
            assert!(!values.has(&[5]), "before part {part}");
            let completed = values.put(piece(5, part, 2)).unwrap();
            assert_eq!(completed.is_some(), part == 1);
        }
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| assert_eq!(take(&values, 5, &decoded), [0, 0, 0, 1, 1, 1]));
            }
        });
        assert_eq!(decoded.load(Ordering::Relaxed), 1);
        // The other thread of the process comes by late, and does not bring it back.
        for part in 0..2 {
            assert!(!values.is_empty());
            assert!(values.put(piece(5, part, 2)).unwrap().is_none());
        }
        assert!(values.is_empty());
    }

    #[test]
    fn one_thread_completes_a_value_of_which_two_have_seen_a_part_each() {
        let values = values();
        for (part, completes) in [(1, false), (1, false), (0, true), (0, false)] {
            assert_eq!(values.put(piece(1, part, 2)).unwrap().is_some(), completes);
        }
        assert!(values.has(&[1]) && !values.has(&[1, 2]));
    }

    #[test]
    fn more_than_was_sent_is_refused() {
        let values = values();
        assert!(values.put(piece(1, 0, 0)).is_err());
        assert!(values.put(piece(2, 3, 2)).is_err());
        let decoded = AtomicU32::new(0);
        for _ in 0..2 {
            values.put(piece(3, 0, 1)).unwrap();
        }
        assert!(values.put(piece(3, 0, 1)).is_err());
        (0..3).for_each(|_| assert_eq!(take(&values, 3, &decoded), [0; 3]));
        assert!(values.take(3, &mut |_| Ok(Arc::new(()))).is_err());
        assert!(values.take(4, &mut |_| Ok(Arc::new(()))).is_err());
    }
}
