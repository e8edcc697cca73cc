//! [`Flow`]: the dataflow of a view, over numbers.
//!
//! It is the same for every type of record, and all its collections have rows of one type and times of one
//! type, so that each operator of differential dataflow is built once, whatever a program keeps in views. A
//! record is known by its *slot*, whose keys are asked for where they are needed.

use std::cell::RefCell;
use std::rc::Rc;

use differential_dataflow::consolidation::consolidate;
use differential_dataflow::input::{Input as _, InputSession};
use differential_dataflow::operators::arrange::TraceAgent;
use differential_dataflow::operators::arrange::arrangement::{Arranged, arrange_core};
use differential_dataflow::trace::implementations::chunker::ContainerChunker;
use differential_dataflow::trace::implementations::{ValBatcher, ValBuilder, ValSpine};
use differential_dataflow::{AsCollection as _, VecCollection};
use timely::communication::Allocator;
use timely::communication::allocator::thread::Thread;
use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::operators::vec::Map as _;
use timely::dataflow::operators::{ConnectLoop as _, Feedback as _};
use timely::dataflow::{ProbeHandle, Scope};
use timely::order::Product;
use timely::worker::{Config, Worker};

use super::key::Key;
use super::rules::{Keep, Rules, Within};

/// A key, and its value.
pub(super) type Row = (u64, Pair);
type Pair = (u64, u64);

/// A version, and how often thresholds were asked about in it.
type Time = Product<u64, u64>;
type Change = (Row, Time, isize);
type Rows<'scope> = VecCollection<'scope, Time, Row, isize>;
type ByKey<'scope> = Arranged<'scope, TraceAgent<ValSpine<u64, Pair, Time, isize>>>;

/// Keys of the record in a slot, with its cost there.
pub(super) type KeysOf = Rc<dyn Fn(u64) -> Vec<(Key, u64)>>;

/// Value of a row of which the key alone counts.
const NONE: Pair = (0, 0);

/// Rows that came since the last version, and rows that went; each in ascending order.
pub(super) type Moved = (Vec<Row>, Vec<Row>);

/// Rows of a collection as they change.
#[derive(Clone, Default)]
struct Seen(Rc<RefCell<Vec<(Row, isize)>>>);

impl Seen {
    fn take(&self) -> Moved {
        let mut seen = std::mem::take(&mut *self.0.borrow_mut());
        consolidate(&mut seen);
        let (came, went): (Vec<_>, Vec<_>) = seen.into_iter().partition(|&(_, diff)| diff > 0);
        let rows = |seen: Vec<(Row, isize)>| seen.into_iter().map(|(row, _)| row).collect();
        (rows(came), rows(went))
    }
}

/// The dataflow, and the worker that it runs on.
pub(super) struct Flow {
    worker: Worker,
    input: InputSession<u64, Row, isize>,
    probe: ProbeHandle<Time>,
    slots: Seen,
    tallies: Seen,
    admitted: Seen,
}

/// Rows that a version has and the one before had not, and the other way round.
pub(super) struct Difference {
    /// Slots whose records count.
    pub(super) slots: Moved,
    /// Keys by number, each with its records and their cost.
    pub(super) tallies: Moved,
    /// Keys by number that are within their bounds.
    pub(super) admitted: Moved,
}

impl Flow {
    pub(super) fn new(rules: &Rules, keys_of: &KeysOf) -> Self {
        let mut worker = Worker::new(Config::default(), Allocator::Thread(Thread::default()), None);
        let probe = ProbeHandle::new();
        let (slots, tallies, admitted) = (Seen::default(), Seen::default(), Seen::default());
        let input = worker.dataflow(|scope: Scope<'_, u64>| {
            let (input, all) = scope.new_collection();
            scope.iterative::<u64, _, _>(|scope| {
                let kept = kept(all.enter(scope), rules, keys_of);
                let counted = tallied(kept.clone(), keys_of);
                if !rules.within.is_empty() {
                    watch(bounded(kept.clone(), counted.clone(), rules.within.clone()), &admitted, &probe);
                }
                watch(kept, &slots, &probe);
                watch(counted, &tallies, &probe);
            });
            input
        });
        Self { worker, input, probe, slots, tallies, admitted }
    }

    /// Inserts (1) or retracts (-1) a record: the number of its id, its own among those of its id, and its
    /// slot.
    pub(super) fn update(&mut self, id: u64, number: u64, slot: u64, diff: isize) {
        self.input.update((id, (number, slot)), diff);
    }

    /// Makes the insertions and retractions so far the next version.
    pub(super) fn advance(&mut self) -> Difference {
        let version = self.input.time() + 1;
        self.input.advance_to(version);
        self.input.flush();
        let Self { worker, probe, .. } = self;
        worker.step_while(|| probe.with_frontier(|times| times.iter().any(|time| time.outer < version)));
        let (slots, tallies, admitted) = (self.slots.take(), self.tallies.take(), self.admitted.take());
        Difference { slots, tallies, admitted }
    }
}

fn watch(rows: Rows<'_>, seen: &Seen, probe: &ProbeHandle<Time>) {
    let seen = seen.clone();
    each(rows, move |row, diff, _| seen.0.borrow_mut().push((row, diff))).probe_with(probe);
}

// ---- the operators: one of each type ----

/// Rows made of rows, each with how often it is there.
fn each<'scope>(
    rows: Rows<'scope>,
    mut make: impl FnMut(Row, isize, &mut dyn FnMut(Row, isize)) + 'static,
) -> Rows<'scope> {
    let made: Box<dyn FnMut(Change) -> Vec<Change>> = Box::new(move |(row, time, diff)| {
        let mut made = Vec::new();
        make(row, diff, &mut |row, diff| made.push((row, time, diff)));
        made
    });
    rows.inner.flat_map(made).as_collection()
}

/// Rows arranged by key, where they are: there is one worker.
fn by_key(rows: Rows<'_>) -> ByKey<'_> {
    arrange_core::<_, _, ContainerChunker<Vec<Change>>, ValBatcher<_, _, _, _>, ValBuilder<_, _, _, _>, _>(
        rows.inner, Pipeline, "arrange",
    )
}

type Reduce = Box<dyn FnMut(u64, &[(&Pair, isize)], &mut Vec<(Pair, isize)>)>;

fn reduce(rows: Rows<'_>, mut logic: Reduce) -> Rows<'_> {
    by_key(rows)
        .reduce_abelian::<_, ValBuilder<_, _, _, _>, ValSpine<u64, Pair, Time, isize>, _, _>(
            "reduce",
            move |&key, has, out| logic(key, has, out),
            |made, &key, changes| {
                made.clear();
                made.extend(changes.drain(..).map(|(value, time, diff)| ((key, value), time, diff)));
            },
        )
        .as_collection(|&key, &value| (key, value))
}

type Join = Box<dyn FnMut(Pair, Pair) -> Option<Row>>;

fn join<'scope>(one: ByKey<'scope>, other: Rows<'scope>, mut logic: Join) -> Rows<'scope> {
    one.join_core(by_key(other), move |_, &one, &other| logic(one, other))
}

fn distinct(rows: Rows<'_>) -> Rows<'_> {
    reduce(rows, Box::new(|_, has, out| out.extend((has[0].1 > 0).then_some((NONE, 1)))))
}

fn negate(rows: Rows<'_>) -> Rows<'_> {
    each(rows, |row, diff, out| out(row, -diff))
}

// ---- the rules ----

/// The slots of the records that count: of each id those that are kept, less those that fall below a
/// threshold.
fn kept<'scope>(all: Rows<'scope>, rules: &Rules, keys_of: &KeysOf) -> Rows<'scope> {
    let current = match rules.keep {
        Keep::All => all,
        Keep::First => {
            reduce(all, Box::new(|_, has, out| out.extend(has.first().map(|(one, _)| (**one, 1)))))
        }
        Keep::Last => reduce(all, Box::new(|_, has, out| out.extend(has.last().map(|(one, _)| (**one, 1))))),
    };
    let current = each(current, |(_, (_, slot)), diff, out| out((slot, NONE), diff));
    if rules.least.is_empty() {
        return current;
    }
    // The keys with a threshold of a slot's record, each with a mark.
    let bound = |slots: Rows<'scope>, mark: fn(u64) -> Pair| {
        let (rules, keys_of) = (rules.clone(), Rc::clone(keys_of));
        each(slots, move |(slot, _), diff, out| {
            let keys = keys_of(slot).into_iter().map(|(key, _)| key).filter(|&key| rules.least(key) > 0);
            keys.for_each(|key| out((key.code(), mark(slot)), diff));
        })
    };
    let records = by_key(bound(current.clone(), |slot| (slot, 0)));
    let terms = bound(current.clone(), |_| NONE);
    // Records leave with their keys: what goes round is the few keys that are below, not the many records
    // that are not.
    let (around, below) = current.inner.scope().feedback(Product::new(0, 1));
    let leaving = distinct(join(records, below.as_collection(), Box::new(|(slot, _), _| Some((slot, NONE)))));
    let taken = bound(leaving.clone(), |_| (1, 0));
    let rules = rules.clone();
    let below: Reduce = Box::new(move |key, has, out| {
        let sum =
            |mark| has.iter().filter(|(value, _)| **value == (mark, 0)).map(|&(_, sum)| sum).sum::<isize>();
        let (there, taken) = (sum(0), sum(1));
        if there > 0 && there - taken < rules.least(Key::of(key)) as isize {
            out.push((NONE, 1));
        }
    });
    let below = reduce(terms.concat(taken), below);
    let round = |time: Time| Product::new(time.outer, time.inner + 1);
    let later: Box<dyn FnMut(Change) -> Vec<Change>> =
        Box::new(move |(row, time, diff)| vec![(row, round(time), diff)]);
    below.inner.flat_map(later).connect_loop(around);
    current.concat(negate(leaving))
}

/// Tally of each key: the number of records that have it, and their cost there.
fn tallied<'scope>(kept: Rows<'scope>, keys_of: &KeysOf) -> Rows<'scope> {
    let keys_of = Rc::clone(keys_of);
    let terms = each(kept, move |(slot, _), diff, out| {
        for (key, cost) in keys_of(slot) {
            out((key.code(), NONE), diff);
            out((key.code(), (1, 0)), diff * cost as isize);
        }
    });
    let tally: Reduce = Box::new(|_, has, out| {
        let sum = |mark| has.iter().find(|(value, _)| **value == (mark, 0)).map_or(0, |&(_, sum)| sum as u64);
        out.push(((sum(0), sum(1)), 1));
    });
    reduce(terms, tally)
}

/// The keys that are within their bounds.
fn bounded<'scope>(kept: Rows<'scope>, counted: Rows<'scope>, within: Vec<(u8, Within)>) -> Rows<'scope> {
    let all = each(kept, |_, diff, out| out((0, NONE), diff));
    let all = reduce(all, Box::new(|_, has, out| out.push(((has[0].1 as u64, 0), 1))));
    let kinds: Vec<u8> = within.iter().map(|(kind, _)| *kind).collect();
    let counted = each(counted, move |(key, (records, _)), diff, out| {
        if kinds.contains(&Key::of(key).kind) {
            out((0, (key, records)), diff);
        }
    });
    let is_within: Join = Box::new(move |(key, records), (all, _)| {
        let mut bounds = within.iter().filter(|(kind, _)| *kind == Key::of(key).kind);
        bounds.all(|(_, is_within)| is_within(records, all)).then_some((key, NONE))
    });
    join(by_key(counted), all, is_within)
}
