//! [`Ratings`]: ratings in memory of their own, or in a part of a shared allocation.

#![allow(unsafe_code)] // parts of one memory that do not overlap, each with one owner

use std::fmt::{Debug, Formatter};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use raddle_base::State;
use raddle_base::pool::Pool;
use raddle_base::state::{Reader, StateError, Writer};

use super::rating::Rating;

/// Ratings for reading and writing; their memory lives as long as any part of it.
pub struct Ratings {
    start: *mut Rating,
    length: usize,
    memory: Arc<Memory>,
}

// SAFETY: no other part of the memory overlaps this one, so that its owner may read and write it on any
// thread.
unsafe impl Send for Ratings {}
// SAFETY: through a shared reference the memory is only read.
unsafe impl Sync for Ratings {}

/// The memory of one or several parts, and the pool to which it returns with the last.
struct Memory(Vec<Rating>, Option<Pool<Rating>>);

impl Drop for Memory {
    fn drop(&mut self) {
        let Self(memory, pool) = self;
        if let Some(pool) = pool {
            pool.give(std::mem::take(memory));
        }
    }
}

impl Ratings {
    /// Allocates memory for `room` ratings, cut into equal parts with arbitrary content.
    pub fn cut(parts: usize, room: usize, pool: &Pool<Rating>) -> Vec<Self> {
        let all = Self::all(Memory(pool.take(parts * room), Some(pool.clone())));
        let part = |part| Self {
            start: all.start.wrapping_add(part * room),
            length: room,
            memory: Arc::clone(&all.memory),
        };
        (0..parts).map(part).collect()
    }

    fn all(memory: Memory) -> Self {
        let mut memory = Arc::new(memory);
        // The memory does not move any more, so its start can be taken.
        let (start, length) = match Arc::get_mut(&mut memory) {
            Some(Memory(all, _)) => (all.as_mut_ptr(), all.len()),
            None => (std::ptr::dangling_mut(), 0),
        };
        Self { start, length, memory }
    }

    /// Keeps the first `length` ratings, if there are more.
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }
}

impl From<Vec<Rating>> for Ratings {
    fn from(ratings: Vec<Rating>) -> Self {
        Self::all(Memory(ratings, None))
    }
}

impl Deref for Ratings {
    type Target = [Rating];
    fn deref(&self) -> &[Rating] {
        // SAFETY: this number of ratings starts there, in memory that lives as long as `self`; any bits are a
        // valid rating.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl DerefMut for Ratings {
    fn deref_mut(&mut self) -> &mut [Rating] {
        // SAFETY: see above; and this part has no other owner.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.length) }
    }
}

impl Default for Ratings {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl Clone for Ratings {
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

impl PartialEq for Ratings {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Debug for Ratings {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(to)
    }
}

impl State for Ratings {
    fn save(&self, out: &mut Writer) {
        out.write(&self.len());
        out.put(bytemuck::cast_slice(self));
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let bytes = usize::load(from)?.checked_mul(size_of::<Rating>()).ok_or(StateError::new("ratings"))?;
        let bytes = from.take(bytes, "ratings")?;
        let rating = bytemuck::pod_read_unaligned;
        Ok(bytes.chunks_exact(size_of::<Rating>()).map(rating).collect::<Vec<Rating>>().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_common::testing::pairs;

    #[test]
    #[allow(clippy::disallowed_methods, reason = "another thread reads a part")]
    fn parts_do_not_overlap_and_outlive_each_other() {
        let pool = Pool::default();
        let rating = |value| Rating { value, ..Rating::default() };
        for room in [0, 1, 7, 1 << 20] {
            let mut parts = Ratings::cut(3, room, &pool);
            for (part, value) in pairs(parts.iter_mut(), [1.0, 2.0, 3.0]) {
                assert_eq!(part.len(), room);
                part.fill(rating(value));
            }
            let last = parts.pop().unwrap();
            let there = std::thread::spawn(move || last.iter().all(|&here| here == rating(3.0)));
            assert!(parts[0].iter().all(|&here| here == rating(1.0)));
            assert!(parts[1].iter().all(|&here| here == rating(2.0)));
            parts[1].truncate(5);
            let copy = parts[1].clone();
            drop(parts);
            assert!(there.join().unwrap());
            assert_eq!(*copy, vec![rating(2.0); room.min(5)]);
        }
    }
}
