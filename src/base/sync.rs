//! Locks whose holder may have panicked: they guard whole values all the same.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Value behind a lock.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Value of a lock that is needed no more.
pub(crate) fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
