//! [`Buffers`]: memory that fits leave to those that come after them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::kernels::Rating;

/// Memory for ratings that is used again. It is what a fit has most of; to have it anew from the system, page by page,
/// takes workers longer than to fill it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Buffers(Arc<Mutex<Vec<Vec<Rating>>>>);

impl Buffers {
    /// Memory for so many ratings or a few more, in which anything may stand.
    pub(crate) fn take(&self, count: usize) -> Vec<Rating> {
        let mut kept = self.kept();
        match kept.iter().position(|buffer| (count..=count + count / 4).contains(&buffer.len())) {
            Some(at) => kept.swap_remove(at),
            None => {
                // Other data has come: what does not fit it is of no more use.
                kept.clear();
                drop(kept);
                bytemuck::zeroed_vec(count)
            }
        }
    }

    /// Keeps memory for those who take it next.
    pub(crate) fn give(&self, buffer: Vec<Rating>) {
        self.kept().push(buffer);
    }

    /// What a thread that panicked has left is memory like any other.
    fn kept(&self) -> MutexGuard<'_, Vec<Vec<Rating>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_taken_again_where_it_fits_and_given_up_where_not() {
        let buffers = Buffers::default();
        let (first, second) = (buffers.take(100), buffers.take(100));
        let at = first.as_ptr();
        buffers.give(first);
        let again = buffers.clone().take(90);
        assert_eq!((again.as_ptr(), again.len()), (at, 100));
        buffers.give(again);
        buffers.give(second);
        assert_eq!(buffers.take(1000).len(), 1000);
        assert!(buffers.kept().is_empty());
    }
}
