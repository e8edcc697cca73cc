//! [`View`]: the records that count while others are inserted and retracted, maintained by differential
//! dataflow.
//!
//! A program lays its data out once. When records are inserted and retracted, a view finds which of them
//! count now: the last of several records of one id, no record of a user who has too few ratings, and all
//! that follows from that. A [`View`] is maintained from version to version and returns the difference, a
//! [`Delta`], by which the program updates its model. All numbers are whole, and one worker on the calling
//! thread does the work, which grows with the change and not with the data. Without a view differential
//! dataflow is not started.
//!
//! ```
//! use raddle::changes::{Key, Record, Rules, View};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
//! struct Rating(u32, u32);
//!
//! impl Record for Rating {
//!     type Id = (u32, u32);
//!     fn id(&self) -> (u32, u32) {
//!         (self.0, self.1)
//!     }
//!     fn keys(&self) -> Vec<(Key, u64)> {
//!         vec![(Key::new(0, self.0), 1), (Key::new(1, self.1), 1)]
//!     }
//! }
//!
//! let mut view = View::new(Rules::default().at_least(0, 2));
//! view.insert(0, Rating(7, 1));
//! view.insert(1, Rating(7, 2));
//! view.insert(2, Rating(8, 2)); // the only rating of user 8: too few
//! assert_eq!(view.advance().entered, [(0, Rating(7, 1)), (1, Rating(7, 2))]);
//! view.insert(3, Rating(7, 1)); // a correction: of several records of an id the last counts
//! let delta = view.advance();
//! assert_eq!((delta.entered, delta.left), (vec![(3, Rating(7, 1))], vec![(0, Rating(7, 1))]));
//! view.retract(3, Rating(7, 1));
//! assert_eq!(view.advance().entered, [(0, Rating(7, 1))]);
//! ```

mod flow;
mod key;
mod numbers;
mod record;
mod roster;
mod rules;

use std::cell::RefCell;
use std::fmt::{self, Debug, Formatter};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use self::flow::{Difference, Flow, KeysOf, Moved, Row};
pub use self::key::Key;
use self::numbers::Numbers;
pub use self::record::{Record, Value};
pub use self::roster::{Done, Refused, Roster, Taken};
pub use self::rules::{Keep, Rules};

/// Number of records of the view that have a key, and the sum of their costs there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Tally {
    /// Number of records.
    pub records: u64,
    /// Sum of the costs of the records.
    pub cost: u64,
}

/// Difference of one version of the data to the one before. All lists are in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta<R> {
    /// The version, from 0.
    pub version: u64,
    /// Records that came into the view, by their numbers.
    pub entered: Vec<(u64, R)>,
    /// Records that left the view.
    pub left: Vec<(u64, R)>,
    /// Keys whose records changed in number or cost, with their new tallies; zeros if no record is left.
    pub counts: Vec<(Key, Tally)>,
    /// Keys of records that entered or left.
    pub touched: Vec<Key>,
    /// Keys that came within their bounds.
    pub admitted: Vec<Key>,
    /// Keys that are no longer within their bounds.
    pub dropped: Vec<Key>,
}

/// The records that count, kept up to date.
pub struct View<R: Record> {
    numbers: Rc<RefCell<Numbers<R>>>,
    flow: Flow,
    version: u64,
}

impl<R: Record> Debug for View<R> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "View(version {})", self.version)
    }
}

static BEGUN: AtomicU64 = AtomicU64::new(0);

/// Returns the number of views that this process has started.
#[doc(hidden)] // for tests
pub fn begun() -> u64 {
    BEGUN.load(Ordering::Relaxed)
}

impl<R: Record> View<R> {
    /// Makes a view without records.
    pub fn new(rules: Rules) -> Self {
        BEGUN.fetch_add(1, Ordering::Relaxed);
        let numbers = Rc::new(RefCell::new(Numbers::<R>::default()));
        let of_slots = Rc::clone(&numbers);
        let keys_of: KeysOf = Rc::new(move |slot| of_slots.borrow().keys(slot));
        Self { numbers, flow: Flow::new(&rules, &keys_of), version: 0 }
    }

    /// Inserts a record with the next [`advance`](Self::advance). Its number gives its place among the
    /// records of its id, none of which may have the same number.
    pub fn insert(&mut self, number: u64, record: R) {
        self.update(number, record, 1);
    }

    /// Retracts a record that was inserted under this number.
    pub fn retract(&mut self, number: u64, record: R) {
        self.update(number, record, -1);
    }

    fn update(&mut self, number: u64, record: R, times: isize) {
        let (id, slot) = self.numbers.borrow_mut().note(number, record, times);
        self.flow.update(id, number, slot, times);
    }

    /// Makes the insertions and retractions so far the next version.
    pub fn advance(&mut self) -> Delta<R> {
        let version = self.version;
        self.version += 1;
        let Difference { slots, tallies, admitted } = self.flow.advance();
        let mut numbers = self.numbers.borrow_mut();
        let records = |slots: Vec<Row>| {
            let mut records: Vec<(u64, R)> =
                slots.into_iter().filter_map(|(slot, _)| numbers.record(slot)).collect();
            records.sort_unstable();
            records
        };
        let (entered, left) = (records(slots.0), records(slots.1));
        numbers.forget();
        let changed = entered.iter().chain(&left);
        let mut touched: Vec<Key> =
            changed.flat_map(|(_, record)| record.keys()).map(|(key, _)| key).collect();
        touched.sort_unstable();
        touched.dedup();
        let (admitted, dropped) = (keys(admitted.0), keys(admitted.1));
        Delta { version, entered, left, counts: counts(tallies), touched, admitted, dropped }
    }
}

fn keys(rows: Vec<Row>) -> Vec<Key> {
    rows.into_iter().map(|(key, _)| Key::of(key)).collect()
}

/// Returns the new tallies of the keys whose tallies changed.
fn counts((came, gone): Moved) -> Vec<(Key, Tally)> {
    let lost = gone.into_iter().map(|(key, _)| key);
    let lost = lost.filter(|key| came.binary_search_by_key(key, |&(key, _)| key).is_err());
    let lost: Vec<(Key, Tally)> = lost.map(|key| (Key::of(key), Tally::default())).collect();
    let now = came.iter().map(|&(key, (records, cost))| (Key::of(key), Tally { records, cost }));
    let mut counts: Vec<(Key, Tally)> = now.chain(lost).collect();
    counts.sort_unstable();
    counts
}
