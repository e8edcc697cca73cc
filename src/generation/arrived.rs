//! [`ArrivedValues`]: the values that have come to this process apart from the messages that name them.
//!
//! Their pieces are given to every thread of the process, in memory that all of them share: the first thread that comes by
//! puts a piece here, and no thread waits for another one that is in the middle of a task. The first worker whose message
//! names a value decodes it; the others get the same memory.

use std::any::type_name;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex};

use super::parcel::{Payload, Piece};
use crate::base::state::{Decoded, StateError, Values};
use crate::base::sync::lock;
use crate::run::placement::Layout;

/// Values that have arrived at this process and are still to be used.
pub(crate) struct ArrivedValues {
    /// The threads of this process, each of which is given every piece, and its workers, each of which uses a value once.
    threads: usize,
    workers: usize,
    there: Mutex<HashMap<u64, Entry>>,
}

/// A value that is arriving, or in use.
struct Entry {
    /// Pieces that are still to come to one of the threads.
    awaited: usize,
    /// Uses that are still to come.
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

    /// Takes in a piece that has come to one of the threads. Returns the pieces of the value that it completes, if it
    /// does: to one thread, once.
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
        // Others that use this value wait here until it is decoded, and nobody else does.
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
