//! [`View`]: which data count while records are inserted and retracted, maintained by differential dataflow.
//!
//! A program lays its data out once. When records come and go, something has to say which of them count now: of several
//! records of one id the last, none of a user who has fewer ratings than asked for, and so on to the end of what follows
//! from that. A [`View`] keeps this up to date from version to version and gives the difference, a [`Delta`]; what a model
//! makes of it is the program's. All numbers are whole, and one worker on the calling thread does the work, which grows
//! with the change and not with the data. Without a view nothing of differential dataflow is started.
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

mod key;
mod roster;
mod rules;

use std::cell::RefCell;
use std::fmt::{self, Debug, Formatter};
use std::hash::Hash;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use differential_dataflow::VecCollection;
use differential_dataflow::input::{Input as _, InputSession};
use differential_dataflow::operators::iterate::Iterate as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use timely::communication::Allocator;
use timely::communication::allocator::thread::Thread;
use timely::dataflow::{ProbeHandle, Scope};
use timely::worker::{Config, Worker};

pub use self::key::Key;
pub use self::roster::{Done, Refused, Roster, Taken};
use self::rules::Within;
pub use self::rules::{Keep, Rules};

/// What a view can hold: plain values that are compared, hashed and copied.
pub trait Value: Ord + Hash + Debug + Clone + Send + Serialize + DeserializeOwned + 'static {}

impl<T: Ord + Hash + Debug + Clone + Send + Serialize + DeserializeOwned + 'static> Value for T {}

/// A piece of the data that is inserted and retracted whole: a rating, a document, a row.
pub trait Record: Value {
    /// What it is called. Several records may have one id; [`Keep`] says which of them count.
    type Id: Value;

    /// Its id.
    fn id(&self) -> Self::Id;

    /// What it belongs to, each key once, and what it costs there: a user and an item, or the words of a document, each with
    /// how often it occurs.
    fn keys(&self) -> Vec<(Key, u64)>;
}

/// How many records of the view have a key, and the sum of what they cost there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Tally {
    /// Records.
    pub records: u64,
    /// Their cost.
    pub cost: u64,
}

/// What one version of the data has that the one before had not, and the other way round. All lists are in ascending order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta<R> {
    /// The version, from 0.
    pub version: u64,
    /// Records that came into the view, by their numbers.
    pub entered: Vec<(u64, R)>,
    /// Records that left it.
    pub left: Vec<(u64, R)>,
    /// Keys whose records changed in number or cost, and what they are now; zeros where nothing is left.
    pub counts: Vec<(Key, Tally)>,
    /// Keys of records that entered or left.
    pub touched: Vec<Key>,
    /// Keys that came within their bounds.
    pub admitted: Vec<Key>,
    /// Keys that are no longer within them.
    pub dropped: Vec<Key>,
}

type Seen<T> = Rc<RefCell<Vec<(T, isize)>>>;

/// The records that count, kept up to date.
pub struct View<R: Record> {
    worker: Worker,
    input: InputSession<u64, (R::Id, (u64, R)), isize>,
    probe: ProbeHandle<u64>,
    records: Seen<(u64, R)>,
    tallies: Seen<(Key, Tally)>,
    admitted: Seen<Key>,
    version: u64,
}

impl<R: Record> Debug for View<R> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "View(version {})", self.version)
    }
}
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// How many views this process has begun.
#[doc(hidden)] // for tests
pub fn begun() -> u64 {
    BEGUN.load(Ordering::Relaxed)
}

type Of<'scope, D> = VecCollection<'scope, u64, D, isize>;

impl<R: Record> View<R> {
    /// A view without records.
    pub fn new(rules: Rules) -> Self {
        BEGUN.fetch_add(1, Ordering::Relaxed);
        let mut worker = Worker::new(Config::default(), Allocator::Thread(Thread::default()), None);
        let probe = ProbeHandle::new();
        let (records, tallies, admitted) = (Seen::default(), Seen::default(), Seen::default());
        let input = worker.dataflow(|scope: Scope<'_, u64>| {
            let (input, all) = scope.new_collection();
            let kept = kept(all, &rules);
            let counted = tallied(kept.clone());
            if !rules.within.is_empty() {
                let admitted = Rc::clone(&admitted);
                bounded(kept.clone(), counted.clone(), rules.within.clone())
                    .inspect(move |(key, _, diff)| admitted.borrow_mut().push((*key, *diff)))
                    .probe_with(&probe);
            }
            let (of_records, of_tallies) = (Rc::clone(&records), Rc::clone(&tallies));
            kept.inspect(move |(record, _, diff)| of_records.borrow_mut().push((record.clone(), *diff)))
                .probe_with(&probe);
            counted
                .inspect(move |(tally, _, diff)| of_tallies.borrow_mut().push((*tally, *diff)))
                .probe_with(&probe);
            input
        });
        Self { worker, input, probe, records, tallies, admitted, version: 0 }
    }

    /// Inserts a record with the next [`advance`](Self::advance). Its number says where it stands among those of its id; it
    /// must not be one that a record of this id has.
    pub fn insert(&mut self, number: u64, record: R) {
        self.input.update((record.id(), (number, record)), 1);
    }

    /// Retracts a record that was inserted under this number.
    pub fn retract(&mut self, number: u64, record: R) {
        self.input.update((record.id(), (number, record)), -1);
    }

    /// Makes what was inserted and retracted the next version.
    pub fn advance(&mut self) -> Delta<R> {
        let version = self.version;
        self.version += 1;
        self.input.advance_to(self.version);
        self.input.flush();
        let Self { worker, input, probe, .. } = self;
        worker.step_while(|| probe.less_than(input.time()));
        let (entered, left) = split(&self.records);
        let (counts, gone) = split(&self.tallies);
        let (admitted, dropped) = split(&self.admitted);
        let counted: Vec<Key> = counts.iter().map(|(key, _)| *key).collect();
        let lost = gone.into_iter().map(|(key, _)| key).filter(|key| counted.binary_search(key).is_err());
        let mut counts: Vec<(Key, Tally)> =
            counts.into_iter().chain(lost.map(|key| (key, Tally::default()))).collect();
        counts.sort_unstable();
        let changed = entered.iter().chain(&left);
        let mut touched: Vec<Key> =
            changed.flat_map(|(_, record)| record.keys()).map(|(key, _)| key).collect();
        touched.sort_unstable();
        touched.dedup();
        Delta { version, entered, left, counts, touched, admitted, dropped }
    }
}

/// What was seen since the last version: what came and what went, each in order.
fn split<T: Ord>(seen: &Seen<T>) -> (Vec<T>, Vec<T>) {
    let mut seen = std::mem::take(&mut *seen.borrow_mut());
    seen.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let (mut came, mut went) = (Vec::new(), Vec::new());
    let mut rest = seen.into_iter().peekable();
    while let Some((value, mut sum)) = rest.next() {
        while let Some((_, diff)) = rest.next_if(|(next, _)| *next == value) {
            sum += diff;
        }
        match sum.signum() {
            1 => came.push(value),
            -1 => went.push(value),
            _ => {}
        }
    }
    (came, went)
}

/// The records that count: of each id those that are kept, less those that fall below a threshold.
fn kept<'scope, R: Record>(all: Of<'scope, (R::Id, (u64, R))>, rules: &Rules) -> Of<'scope, (u64, R)> {
    let current = match rules.keep {
        Keep::All => all.map(|(_, record)| record),
        Keep::First => {
            all.reduce(|_, records, out| out.push((records[0].0.clone(), 1))).map(|(_, record)| record)
        }
        Keep::Last => {
            let last = |records: &[(&(u64, R), isize)]| records[records.len() - 1].0.clone();
            all.reduce(move |_, records, out| out.push((last(records), 1))).map(|(_, record)| record)
        }
    };
    if rules.least.is_empty() {
        return current;
    }
    let bounded = rules.clone();
    let bound_keys = move |(_, record): &(u64, R)| -> Vec<Key> {
        record.keys().into_iter().map(|(key, _)| key).filter(|&key| bounded.least(key) > 0).collect()
    };
    let keys_of = bound_keys.clone();
    let by_key = current
        .clone()
        .flat_map(move |record| keys_of(&record).into_iter().map(move |key| (key, record.clone())));
    let by_key = by_key.arrange_by_key();
    let keys_of = bound_keys.clone();
    let terms = current.clone().flat_map(move |record| keys_of(&record));
    let keys = terms.clone().distinct();
    let rules = rules.clone();
    // Records leave with their keys: what goes round is the few keys that are below, not the many records that are not.
    let below = keys.clone().filter(|_| false).iterate(|scope, below| {
        let leaving = by_key
            .clone()
            .enter(scope)
            .join_core(below.arrange_by_self(), |_, record, _| Some(record.clone()));
        let taken = leaving.distinct().flat_map(move |record| bound_keys(&record));
        let left = terms.enter(scope).concat(taken.negate()).count();
        let enough = left.filter(move |&(key, count)| count as u64 >= rules.least(key)).map(|(key, _)| key);
        keys.enter(scope).concat(enough.negate()).consolidate()
    });
    let leaving = by_key.join_core(below.arrange_by_self(), |_, record, _| Some(record.clone())).distinct();
    current.concat(leaving.negate())
}

/// How many records have each key, and what they cost there.
fn tallied<R: Record>(kept: Of<'_, (u64, R)>) -> Of<'_, (Key, Tally)> {
    let each = kept
        .explode(|(_, record)| record.keys().into_iter().map(|(key, cost)| (key, (1_isize, cost as isize))));
    each.count().map(|(key, (records, cost))| (key, Tally { records: records as u64, cost: cost as u64 }))
}

/// The keys that are within their bounds.
fn bounded<'scope, R: Record>(
    kept: Of<'scope, (u64, R)>,
    counted: Of<'scope, (Key, Tally)>,
    within: Vec<(u8, Within)>,
) -> Of<'scope, Key> {
    let all = kept.map(|_| ()).count();
    let kinds: Vec<u8> = within.iter().map(|(kind, _)| *kind).collect();
    let counted = counted.filter(move |(key, _)| kinds.contains(&key.kind)).map(|counted| ((), counted));
    let is_within = move |key: Key, tally: Tally, all: isize| {
        let mut bounds = within.iter().filter(|(kind, _)| *kind == key.kind);
        bounds.all(|(_, is_within)| is_within(tally.records, all as u64))
    };
    counted
        .join_map(all, move |(), &(key, tally), &all| (key, is_within(key, tally, all)))
        .filter(|(_, is)| *is)
        .map(|(key, _)| key)
}
