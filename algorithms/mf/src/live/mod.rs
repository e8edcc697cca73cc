//! [`LiveRatings`]: ratings that are inserted and retracted, version by version.

mod change;
mod names;

use std::collections::HashMap;
use std::fmt::{self, Debug, Formatter};

use raddle::changes::{Delta, Done, Refused, Rules, Taken, View};
use raddle_datasets::ratings::{Exact, Narrowed, as_in_file};
use raddle_datasets::{Duplicates, Ids, Ratings, Triples};

use self::change::{ITEM, USER};
pub use self::change::{Pair, RatingChange};
use self::names::Names;

/// Number that stands for no previous observation.
const NONE: u32 = u32::MAX;

/// Ratings of users and items that are inserted and retracted. Rows keep their numbers; new users and items
/// come after them.
///
/// ```
/// use raddle_datasets::{Duplicates, RatingsOptions, read_any_ratings};
/// use raddle_mf::{LiveRatings, RatingChange};
///
/// let base = read_any_ratings("synth:ratings:users=50,items=40,n=600", &RatingsOptions::default())?;
/// let mut live = LiveRatings::new(&base, Duplicates::Last, 1);
/// let change = RatingChange::Insert { user: "50".into(), item: "7".into(), value: 4.5 };
/// assert_eq!(live.apply(&[change]).unwrap().inserted, 1);
/// assert_eq!(live.ratings().users.len(), 51);
/// let taken = live.apply(&[RatingChange::Forget { user: "50".into() }]).unwrap();
/// assert_eq!((taken.inserted, taken.retracted), (0, 1));
/// let refused = live.apply(&[RatingChange::Forget { user: "50".into() }]).unwrap_err();
/// assert_eq!(refused.why, "user 50 has no rating that could be retracted");
/// # Ok::<(), raddle_datasets::ReadError>(())
/// ```
pub struct LiveRatings {
    base: Ratings,
    users: Names,
    items: Names,
    rule: Duplicates,
    view: View<Pair>,
    observed: Exact,
    /// `true` if no offset is subtracted from ratings, whatever single precision loses.
    are_as_they_are: bool,
    /// Number subtracted from the ratings of all versions, so that a model can start from the one before.
    offset: f64,
    /// `true` for each observation that is still present.
    is_there: Vec<bool>,
    /// `true` for each observation that is in the view.
    counts: Vec<bool>,
    /// The previous observation of the same pair, for each observation.
    before: Vec<u32>,
    /// The last observation of each pair.
    last: HashMap<u64, u32>,
    /// Number of present observations that are superseded by a later one of their pair.
    shadowed: usize,
    done: Vec<Done>,
}

impl Debug for LiveRatings {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "LiveRatings({} pairs, {:?})", self.last.len(), self.view)
    }
}

fn key(user: u32, item: u32) -> u64 {
    u64::from(user) << 32 | u64::from(item)
}

impl LiveRatings {
    /// Live ratings that start with all observations of a pair as they were read
    /// ([`keep_repeated`](raddle_datasets::RatingsOptions::keep_repeated)), and the rule for several ratings
    /// of a pair. Users and items with fewer than `least` ratings are left out, until none has fewer.
    pub fn new(base: &Ratings, rule: Duplicates, least: u64) -> Self {
        let rules = match least {
            0 | 1 => Rules::default(),
            _ => Rules::default().at_least(USER, least).at_least(ITEM, least),
        };
        let count = base.triples.len();
        let mut live = Self {
            users: Names::new(&base.users),
            items: Names::new(&base.items),
            rule,
            view: View::new(rules),
            observed: Exact::default(),
            are_as_they_are: false,
            offset: 0.0,
            is_there: Vec::with_capacity(count),
            counts: Vec::with_capacity(count),
            before: Vec::with_capacity(count),
            last: HashMap::with_capacity(count),
            shadowed: 0,
            done: Vec::new(),
            base: Ratings { triples: Triples::default(), times: None, exact: None, ..base.clone() },
        };
        for (at, (user, item, value)) in base.triples.iter().enumerate() {
            let exact = base.exact.as_ref().and_then(|exact| exact.get(at).copied());
            live.insert(user, item, exact.unwrap_or(f64::from(value) + base.offset));
        }
        live.advance();
        let (all, sizes) = (live.some(live.there()), (live.users.ids.len(), live.items.ids.len()));
        live.offset = all.narrowed(live.shadowed(), sizes, None).map_or(0.0, |found| found.offset);
        live
    }

    /// Subtracts no offset from ratings, whatever single precision loses.
    pub fn as_they_are(mut self) -> Self {
        (self.are_as_they_are, self.offset) = (true, 0.0);
        self
    }

    /// Applies changes in order: all of them or, if one is refused, none.
    ///
    /// # Errors
    /// If a retracted rating is not present, a value is not finite, or a pair is rated again although that is
    /// refused.
    pub fn apply(&mut self, changes: &[RatingChange]) -> Result<Taken<Pair>, Refused> {
        self.done.clear();
        self.users.begin();
        self.items.begin();
        if let Err(refused) = Refused::first(changes, |change| self.change(change)) {
            self.take_back();
            return Err(refused);
        }
        let (inserted, retracted) = Done::counts(&self.done);
        Ok(Taken { inserted, retracted, delta: self.advance() })
    }

    /// Reverts the changes that were applied last.
    pub fn undo(&mut self) {
        self.take_back();
        self.advance();
    }

    /// Returns the ratings that count, with all rows that there have ever been.
    pub fn ratings(&self) -> Ratings {
        let (users, items) = (self.users.ids.clone(), self.items.ids.clone());
        let mut ratings = self.narrowed(self.some(self.counting()), [users, items], Some(self.offset));
        // Ratings of users and items with too few ratings are read, too.
        ratings.records.read =
            self.missing().map(|(_, count)| count).sum::<u64>() + self.there().count() as u64;
        ratings
    }

    /// Returns the ratings as if read from a file that has the remaining lines in order, including those of
    /// users and items with too few ratings.
    pub fn as_in_file(&self) -> Ratings {
        let all = self.some(self.there());
        let (users, user_ids) = as_in_file(&all.users, &self.users.ids);
        let (items, item_ids) = as_in_file(&all.items, &self.items.ids);
        let offset = self.are_as_they_are.then_some(0.0);
        self.narrowed(Exact { users, items, values: all.values }, [user_ids, item_ids], offset)
    }

    /// Returns the remaining ratings in double precision, with those of a pair merged, by the rows of these
    /// ids.
    pub fn exact(&self) -> (Exact, [&Ids; 2]) {
        let sizes = (self.users.ids.len(), self.items.ids.len());
        let left = self.some(self.there()).merged(self.shadowed(), sizes).unwrap_or_default();
        (left, [&self.users.ids, &self.items.ids])
    }

    /// Converts these observations, with their ids, to ratings in single precision less an offset.
    fn narrowed(&self, of: Exact, [users, items]: [Ids; 2], offset: Option<f64>) -> Ratings {
        // Repeated pairs are refused before this.
        let found = of.narrowed(self.shadowed(), (users.len(), items.len()), offset);
        let found = found.unwrap_or_else(|_| Narrowed::default());
        let Narrowed { triples, offset, duplicates, notes } = found;
        let mut records = self.rule.records(triples.len(), duplicates);
        for (reason, count) in self.missing() {
            records.read += count;
            records.leave_out(reason, count as usize);
        }
        let notes = self.base.notes.iter().cloned().chain(notes).collect();
        Ratings { triples, offset, users, items, duplicates, records, notes, ..self.base.clone() }
    }

    /// Returns whether the initial ratings were pairs without values.
    pub fn pairs_only(&self) -> bool {
        self.base.pairs_only
    }

    /// `true` if no rating counts.
    pub fn is_empty(&self) -> bool {
        self.counting().next().is_none()
    }

    /// Returns the numbers of lines of the initial data without a rating or an id, by reason.
    fn missing(&self) -> impl Iterator<Item = (&str, u64)> {
        let left_out = self.base.records.left_out.iter();
        left_out
            .filter(|(reason, _)| reason.starts_with("missing"))
            .map(|(reason, &count)| (reason.as_str(), count))
    }

    /// Returns the rule by which pairs are merged; `None` if no pair is repeated.
    fn shadowed(&self) -> Option<Duplicates> {
        (self.shadowed > 0).then_some(self.rule)
    }

    /// Returns these observations.
    fn some(&self, numbers: impl Iterator<Item = u32>) -> Exact {
        let mut some = Exact::default();
        for at in numbers.map(|number| number as usize) {
            some.users.push(self.observed.users[at]);
            some.items.push(self.observed.items[at]);
            some.values.push(self.observed.values[at]);
        }
        some
    }

    /// Returns the numbers of the present observations.
    fn there(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.is_there.len() as u32).filter(|&number| self.is_there[number as usize])
    }

    /// Returns the numbers of the present observations whose pair is in the view.
    fn counting(&self) -> impl Iterator<Item = u32> + '_ {
        let has_pair = |number: u32| {
            let Pair { user, item } = self.pair(number);
            self.last.get(&key(user, item)).is_some_and(|&last| self.counts[last as usize])
        };
        let counts = move |number: u32| self.counts[number as usize] || self.shadowed > 0 && has_pair(number);
        self.there().filter(move |&number| counts(number))
    }

    fn pair(&self, number: u32) -> Pair {
        let at = number as usize;
        Pair { user: self.observed.users[at], item: self.observed.items[at] }
    }

    fn change(&mut self, change: &RatingChange) -> Result<(), String> {
        match change {
            RatingChange::Insert { value, .. } if !value.is_finite() => {
                Err(format!("the rating is {value}: it must be a finite number"))
            }
            RatingChange::Insert { user, item, value } => {
                if self.rule == Duplicates::Refuse && self.last_of(user, item).is_some() {
                    return Err(format!(
                        "user {user} rates item {item} again: retract the earlier rating, or choose another \
                         rule for duplicates"
                    ));
                }
                if self.is_there.len() >= NONE as usize - 1 {
                    return Err("more than 4294967294 ratings".into());
                }
                let (user, item) = (self.users.row_or_new(user), self.items.row_or_new(item));
                self.insert(user, item, *value);
                Ok(())
            }
            RatingChange::Retract { user, item } => {
                let last = self.last_of(user, item);
                let last = last.ok_or_else(|| {
                    format!("user {user} has no rating of item {item} that could be retracted")
                })?;
                self.retract(last);
                Ok(())
            }
            RatingChange::Forget { user } => {
                let row = self.users.row(user);
                let is_own = |number: &u32| Some(self.pair(*number).user) == row;
                let own: Vec<u32> = self.there().filter(is_own).collect();
                if own.is_empty() {
                    return Err(format!("user {user} has no rating that could be retracted"));
                }
                // Retracted from the last one back: each is then the last of its pair.
                own.into_iter().rev().for_each(|number| self.retract(number));
                Ok(())
            }
        }
    }

    fn last_of(&self, user: &str, item: &str) -> Option<u32> {
        self.last.get(&key(self.users.row(user)?, self.items.row(item)?)).copied()
    }

    fn insert(&mut self, user: u32, item: u32, value: f64) {
        let number = self.is_there.len() as u32;
        self.observed.users.push(user);
        self.observed.items.push(item);
        self.observed.values.push(value);
        let before = self.last.insert(key(user, item), number).unwrap_or(NONE);
        self.before.push(before);
        self.shadowed += usize::from(before != NONE);
        self.is_there.push(true);
        self.counts.push(false);
        self.view.insert(number.into(), Pair { user, item });
        self.done.push(Done::Inserted(number));
    }

    /// Retracts the last observation of a pair.
    fn retract(&mut self, number: u32) {
        self.unlink(number);
        self.is_there[number as usize] = false;
        self.view.retract(number.into(), self.pair(number));
        self.done.push(Done::Retracted(number));
    }

    /// Makes the previous observation the last of its pair again.
    fn unlink(&mut self, number: u32) {
        let Pair { user, item } = self.pair(number);
        match self.before[number as usize] {
            NONE => drop(self.last.remove(&key(user, item))),
            before => {
                self.last.insert(key(user, item), before);
                self.shadowed -= 1;
            }
        }
    }

    /// Undoes changes in the ratings and in the view.
    fn take_back(&mut self) {
        for done in std::mem::take(&mut self.done).into_iter().rev() {
            match done {
                Done::Inserted(number) => {
                    self.unlink(number);
                    self.is_there[number as usize] = false;
                    self.view.retract(number.into(), self.pair(number));
                }
                Done::Retracted(number) => {
                    let Pair { user, item } = self.pair(number);
                    self.shadowed += usize::from(self.before[number as usize] != NONE);
                    self.last.insert(key(user, item), number);
                    self.is_there[number as usize] = true;
                    self.view.insert(number.into(), self.pair(number));
                }
            }
        }
        self.users.take_back();
        self.items.take_back();
    }

    /// Makes the changes the next version of the view, and returns their effect.
    fn advance(&mut self) -> Delta<Pair> {
        let delta = self.view.advance();
        delta.left.iter().for_each(|&(number, _)| self.counts[number as usize] = false);
        delta.entered.iter().for_each(|&(number, _)| self.counts[number as usize] = true);
        delta
    }
}
