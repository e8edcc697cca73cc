//! [`Pool`]: memory that runs leave to later runs.

use std::fmt::{Debug, Formatter};
use std::sync::{Arc, Mutex};

use bytemuck::Zeroable;

use crate::sync::lock;

/// Memory for plain values that later runs use again, because getting fresh pages from the system takes
/// workers longer than filling them. Clones share one pool. The values in the memory are never read, so
/// results do not depend on it.
///
/// ```
/// use raddle::Pool;
///
/// let pool = Pool::default();
/// let ratings: Vec<f32> = pool.take(1000);
/// pool.give(ratings);
/// assert!(pool.clone().take(900).len() >= 900);
/// ```
pub struct Pool<T>(Arc<Mutex<Vec<Vec<T>>>>);

impl<T: Zeroable> Pool<T> {
    /// Takes memory for at least this number of values, which are arbitrary, as in uninitialised memory.
    pub fn take(&self, count: usize) -> Vec<T> {
        let mut kept = lock(&self.0);
        match kept.iter().position(|buffer| (count..=count + count / 4).contains(&buffer.len())) {
            Some(at) => kept.swap_remove(at),
            None => {
                // The data has changed: buffers of other sizes are of no use any more.
                kept.clear();
                drop(kept);
                bytemuck::zeroed_vec(count)
            }
        }
    }

    /// Returns memory to the pool.
    pub fn give(&self, buffer: Vec<T>) {
        lock(&self.0).push(buffer);
    }
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for Pool<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Debug for Pool<T> {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        to.write_str("Pool")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_taken_again_where_it_fits_and_given_up_where_not() {
        let pool = Pool::<u64>::default();
        let (first, second) = (pool.take(100), pool.take(100));
        let at = first.as_ptr();
        pool.give(first);
        let again = pool.clone().take(90);
        assert_eq!((again.as_ptr(), again.len()), (at, 100));
        pool.give(again);
        pool.give(second);
        assert_eq!(pool.take(1000).len(), 1000);
        assert!(lock(&pool.0).is_empty());
    }
}
