//! [`Name`] and [`Table`]: values of topics, looked up without a bounds check.

#![allow(unsafe_code)] // reads without a check; measured: with checks a pass over 20ng takes a twentieth longer

use std::ops::{Index, IndexMut};

use crate::topics::counts::packing::Packing;

/// The names of topics that a task's packing can represent: a power of two, and at least the number of
/// topics.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    last: u32,
}

impl Names {
    pub(super) fn of(topics: usize) -> Self {
        Self { last: Packing::of(topics).names() as u32 - 1 }
    }

    /// Returns the number of names, a multiple of sixteen.
    pub(super) fn count(self) -> usize {
        self.last as usize + 1
    }

    /// Returns the name of a topic.
    #[inline(always)]
    pub(super) fn name(self, topic: u32) -> Name {
        Name(topic & self.last)
    }
}

/// One of a task's [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Name(u32);

impl Name {
    #[inline(always)]
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }
}

/// A value for each of a task's names.
#[derive(Debug)]
pub(super) struct Table<'a, T>(&'a mut [T]);

impl<'a, T> Table<'a, T> {
    /// A table of `values`, one for each of the `names`.
    pub(super) fn new(values: &'a mut [T], names: Names) -> Self {
        assert_eq!(values.len(), names.count(), "a value for every name");
        Self(values)
    }

    #[inline(always)]
    pub(super) fn all(&self) -> &[T] {
        self.0
    }
}

impl<T> Index<Name> for Table<'_, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, name: Name) -> &T {
        debug_assert!(name.number() < self.0.len());
        // SAFETY: a task makes all names and all tables from one `Names`, so a name is below the number of
        // values.
        unsafe { self.0.get_unchecked(name.number()) }
    }
}

impl<T> IndexMut<Name> for Table<'_, T> {
    #[inline(always)]
    fn index_mut(&mut self, name: Name) -> &mut T {
        debug_assert!(name.number() < self.0.len());
        // SAFETY: as above.
        unsafe { self.0.get_unchecked_mut(name.number()) }
    }
}
