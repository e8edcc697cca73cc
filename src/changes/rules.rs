//! [`Rules`]: the condition for records of a view to count.

use std::fmt::{self, Debug, Formatter};
use std::rc::Rc;

use super::key::Key;

/// Choice among several records of one id: those that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Keep {
    /// The record with the greatest number. When it is retracted, the one before counts again.
    #[default]
    Last,
    /// The record with the smallest number.
    First,
    /// All records.
    All,
}

/// Condition for a key to be part of the view, by the number of records that have it and the number of all
/// records.
pub(super) type Within = Rc<dyn Fn(u64, u64) -> bool>;

/// Condition for records and keys to count.
#[derive(Clone, Default)]
pub struct Rules {
    pub(super) keep: Keep,
    pub(super) least: Vec<(u8, u64)>,
    pub(super) within: Vec<(u8, Within)>,
}

impl Rules {
    /// Sets which of several records of one id count.
    pub fn keep(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self
    }

    /// Leaves out records whose key of this kind has fewer than `least` records. This is repeated until no
    /// key has, so that leaving out a user may leave out an item, and that item another user.
    pub fn at_least(mut self, kind: u8, least: u64) -> Self {
        self.least.push((kind, least));
        self
    }

    /// Admits and drops keys of this kind while their records stay: a key is part of the view if `is_within`
    /// is `true` for the number of records that have it and the number of all records.
    /// [`Delta::admitted`](super::Delta::admitted) and [`Delta::dropped`](super::Delta::dropped) report the
    /// changes.
    pub fn within(mut self, kind: u8, is_within: impl Fn(u64, u64) -> bool + 'static) -> Self {
        self.within.push((kind, Rc::new(is_within)));
        self
    }

    pub(super) fn least(&self, key: Key) -> u64 {
        let of_kind = self.least.iter().filter(|(kind, _)| *kind == key.kind);
        of_kind.map(|&(_, least)| least).max().unwrap_or(0)
    }
}

impl Debug for Rules {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Rules({:?}, at least {:?})", self.keep, self.least)
    }
}
