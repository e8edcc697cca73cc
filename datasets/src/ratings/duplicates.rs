//! [`Duplicates`]: the rule for pairs that are observed more than once.

use std::path::Path;

use super::data::Triples;
use crate::error::ReadError;
use crate::names::named;
use crate::records::RecordCounts;

/// The rule for several observations of one user and one item. The pair keeps the position of its first
/// observation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// The last observation counts: the latest by time if the file has a column of times; among equally late
    /// ones, the last in the file.
    #[default]
    Last,
    /// The first observation counts: the earliest by time if the file has a column of times.
    First,
    /// The sum of the values, for counts such as plays.
    Sum,
    /// The mean of the values.
    Mean,
    /// A repeated pair is an error.
    Refuse,
}

named! {
    Duplicates { Last = "last", First = "first", Sum = "sum", Mean = "mean", Refuse = "refuse" }
    |name| format!("`{name}` is no rule for duplicates: choose last, first, sum, mean or refuse")
}

impl Duplicates {
    /// Returns the given rule, or the default: pairs without ratings add up, as each is an event; of ratings
    /// the last counts.
    pub fn or_usual(given: Option<Self>, pairs_only: bool) -> Self {
        given.unwrap_or(if pairs_only { Self::Sum } else { Self::Last })
    }

    /// Returns the record counts of data with this many observations `left` and `merged` into others.
    pub fn records(self, left: usize, merged: usize) -> RecordCounts {
        let mut records = RecordCounts::of(left + merged);
        let reason = match self {
            Self::Sum | Self::Mean => "merged with others of their pair",
            Self::Last | Self::First | Self::Refuse => "repeated pair",
        };
        records.leave_out(reason, merged);
        records
    }

    /// Returns `true` if the times of observations matter.
    pub(super) fn asks_when(self) -> bool {
        matches!(self, Self::Last | Self::First)
    }

    /// Returns `true` if the values of several observations are added.
    pub(super) fn adds(self) -> bool {
        matches!(self, Self::Sum | Self::Mean)
    }

    /// Merges the observations of each pair by this rule; returns how many disappeared. Rows must be below
    /// `users` and `items`. Values are added in double precision.
    ///
    /// # Errors
    /// The position of the first repeated observation, if the rule is [`Refuse`](Self::Refuse).
    pub fn merge(self, triples: &mut Triples, users: usize, items: usize) -> Result<usize, usize> {
        let Triples { users: of_users, items: of_items, values } = triples;
        let observations = Observations { users: of_users, items: of_items, values, times: None };
        let merged = merge(observations, users, items, self);
        merged.map_err(|Refused(position)| position)
    }
}

/// A rating in single or double precision.
pub(super) trait Value: Copy + Into<f64> {
    fn of(value: f64) -> Self;
}

impl Value for f32 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value as Self
    }
}

impl Value for f64 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }
}

/// The position of a repeated observation that is an error.
pub(super) struct Refused(pub(super) usize);

/// Makes the error for a repeated pair.
pub(super) fn refused(path: &Path, user: &str, item: &str, position: usize) -> ReadError {
    let message = format!(
        "user {user} rates item {item} again, in observation {}: choose a rule for duplicates other than \
         refuse",
        position + 1
    );
    ReadError::file(path, message)
}

/// Sorts the observations of each pair by time, within the positions of that pair; equal times keep their
/// order.
pub(super) fn by_time<V: Value>(users: &[u32], items: &[u32], values: &mut [V], times: &mut [f64]) {
    let pair = |at: u32| (users[at as usize], items[at as usize]);
    let mut order: Vec<u32> = (0..users.len() as u32).collect();
    order.sort_unstable_by_key(|&at| (pair(at), at));
    let several: Vec<Vec<u32>> = order
        .chunk_by(|&a, &b| pair(a) == pair(b))
        .filter(|same| !same.is_sorted_by(|&a, &b| times[a as usize] <= times[b as usize]))
        .map(<[u32]>::to_vec)
        .collect();
    for places in several {
        let mut seen: Vec<(f64, V)> =
            places.iter().map(|&at| (times[at as usize], values[at as usize])).collect();
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, (time, value)) in places.into_iter().zip(seen) {
            (times[at as usize], values[at as usize]) = (time, value);
        }
    }
}

/// Sorts positions by user with a stable counting sort; returns them and the offset of each user's first.
fn order_by_user(rows: &[u32], users: usize) -> (Vec<u32>, Vec<usize>) {
    let mut starts = vec![0_usize; users + 1];
    rows.iter().for_each(|&user| starts[user as usize + 1] += 1);
    (0..users).for_each(|user| starts[user + 1] += starts[user]);
    let (mut order, mut next) = (vec![0_u32; rows.len()], starts.clone());
    for (at, &user) in rows.iter().enumerate() {
        order[next[user as usize]] = at as u32;
        next[user as usize] += 1;
    }
    (order, starts)
}

/// Columns of observations: the rows of their users and items, their values and, if known, their times.
pub(super) struct Observations<'a, V> {
    pub(super) users: &'a mut Vec<u32>,
    pub(super) items: &'a mut Vec<u32>,
    pub(super) values: &'a mut Vec<V>,
    pub(super) times: Option<&'a mut Vec<f64>>,
}

/// Merges the observations of each pair, and their times; returns how many disappeared.
///
/// Takes a stable counting sort by user, 4 bytes per observation meanwhile, and 16 bytes for each observation
/// that is added to another.
pub(super) fn merge<V: Value>(
    observations: Observations<'_, V>,
    users: usize,
    items: usize,
    rule: Duplicates,
) -> Result<usize, Refused> {
    let Observations { users: user_rows, items: item_rows, values, mut times } = observations;
    let (order, starts) = order_by_user(user_rows, users);
    // For each item, the position of its first observation by this user; positions of earlier users are
    // smaller than any of this user's.
    let mut first = vec![usize::MAX; items];
    let (mut extra, mut added): (Vec<u32>, Vec<(u32, f64)>) = (Vec::new(), Vec::new());
    let mut owner = vec![u32::MAX; items];
    for user in 0..users {
        for &at in &order[starts[user]..starts[user + 1]] {
            let (item, value) = (item_rows[at as usize] as usize, values[at as usize]);
            if owner[item] != user as u32 {
                (owner[item], first[item]) = (user as u32, at as usize);
                continue;
            }
            extra.push(at);
            let takes_its_place = match times.as_deref_mut() {
                Some(times) => merge_times(times, first[item], at as usize, rule),
                None => rule == Duplicates::Last,
            };
            match rule {
                Duplicates::Last | Duplicates::First if takes_its_place => values[first[item]] = value,
                Duplicates::Last | Duplicates::First | Duplicates::Refuse => {}
                Duplicates::Sum | Duplicates::Mean => added.push((first[item] as u32, value.into())),
            }
        }
    }
    if extra.is_empty() {
        return Ok(0);
    }
    extra.sort_unstable();
    if rule == Duplicates::Refuse {
        return Err(Refused(extra[0] as usize));
    }
    // A stable sort: the observations of a pair keep their order.
    added.sort_by_key(|one| one.0);
    for same in added.chunk_by(|a, b| a.0 == b.0) {
        let kept = &mut values[same[0].0 as usize];
        let sum = same.iter().fold((*kept).into(), |sum: f64, one| sum + one.1);
        let count = if rule == Duplicates::Mean { same.len() + 1 } else { 1 };
        *kept = V::of(sum / count as f64);
    }
    remove(user_rows, &extra);
    remove(item_rows, &extra);
    remove(values, &extra);
    if let Some(times) = times {
        remove(times, &extra);
    }
    Ok(extra.len())
}

/// Merges the time of a duplicate into that of the kept observation; returns `true` if the duplicate's value
/// replaces the kept one.
fn merge_times(times: &mut [f64], kept: usize, duplicate: usize, rule: Duplicates) -> bool {
    let time = times[duplicate];
    let kept = &mut times[kept];
    let takes_its_place = match rule {
        Duplicates::Last => time >= *kept,
        Duplicates::First => time < *kept,
        Duplicates::Sum | Duplicates::Mean | Duplicates::Refuse => false,
    };
    match rule {
        _ if takes_its_place => *kept = time,
        // A merged value counts from its latest observation on.
        Duplicates::Sum | Duplicates::Mean => *kept = kept.max(time),
        Duplicates::Last | Duplicates::First | Duplicates::Refuse => {}
    }
    takes_its_place
}

/// Removes the elements at these ascending positions.
fn remove<T>(column: &mut Vec<T>, positions: &[u32]) {
    let (mut gone, mut at) = (positions.iter().peekable(), 0);
    column.retain(|_| {
        at += 1;
        gone.next_if(|&&position| position as usize == at - 1).is_none()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    type Merged = (Vec<(u32, u32, f32)>, usize);

    fn of(
        triples: &mut Triples,
        times: &mut Vec<f64>,
        rows: usize,
        rule: Duplicates,
    ) -> Result<usize, Refused> {
        let Triples { users, items, values } = triples;
        merge(Observations { users, items, values, times: Some(times) }, rows, rows, rule)
    }

    fn merged(rule: Duplicates) -> Result<Merged, usize> {
        let mut triples: Triples =
            [(0, 1, 1.0), (1, 1, 5.0), (0, 1, 2.0), (0, 0, 4.0), (0, 1, 6.0)].into_iter().collect();
        let mut times = vec![5.0, 1.0, 9.0, 1.0, 7.0];
        let number = of(&mut triples, &mut times, 2, rule).map_err(|refused| refused.0)?;
        let time = match rule {
            Duplicates::First => 5.0,
            _ => 9.0,
        };
        assert_eq!(times, [time, 1.0, 1.0]);
        Ok((triples.iter().collect(), number))
    }

    #[test]
    fn the_rule_decides_and_the_first_place_is_kept() {
        for (rule, value) in [
            (Duplicates::Last, 2.0),
            (Duplicates::First, 1.0),
            (Duplicates::Sum, 9.0),
            (Duplicates::Mean, 3.0),
        ] {
            assert_eq!(merged(rule), Ok((vec![(0, 1, value), (1, 1, 5.0), (0, 0, 4.0)], 2)), "{rule}");
        }
        assert_eq!(merged(Duplicates::Refuse), Err(2));
    }

    #[test]
    fn without_times_the_last_is_that_of_the_file() {
        for (rule, value) in [(Duplicates::Last, 1.0), (Duplicates::First, 5.0)] {
            for (times, by_time) in [([2024.0, 2020.0], 6.0 - value), ([7.0, 7.0], value)] {
                let given = || -> Triples { [(0, 0, 5.0), (0, 0, 1.0)].into_iter().collect() };
                let mut triples = given();
                assert_eq!(rule.merge(&mut triples, 1, 1), Ok(1));
                assert_eq!(triples.values, [value], "{rule}");
                let (mut triples, mut times) = (given(), times.to_vec());
                assert!(of(&mut triples, &mut times, 1, rule).is_ok());
                assert_eq!(triples.values, [by_time], "{rule} {times:?}");
            }
        }
    }

    #[test]
    fn observations_of_a_pair_are_put_into_the_order_of_their_times() {
        let mut triples: Triples =
            [(0, 1, 5.0), (1, 1, 9.0), (0, 1, 1.0), (0, 0, 4.0), (0, 1, 2.0)].into_iter().collect();
        let mut times = vec![2024.0, 3.0, 2020.0, 7.0, 2020.0];
        by_time(&triples.users, &triples.items, &mut triples.values, &mut times);
        assert_eq!(
            (&triples.values[..], &times[..]),
            (&[1.0, 9.0, 2.0, 4.0, 5.0][..], &[2020.0, 3.0, 2020.0, 7.0, 2024.0][..])
        );
    }

    #[test]
    fn values_are_added_in_double_precision() {
        for (values, sum) in [
            (&[16_777_216.0, 1.0, 1.0, 1.0, 1.0, 1.0][..], 16_777_221.0_f64),
            (&[0.1; 100_000][..], 10_000.0),
            (&[1e8, 1.0, -1e8, 3.0], 4.0),
        ] {
            for (rule, expected) in [(Duplicates::Sum, sum), (Duplicates::Mean, sum / values.len() as f64)] {
                let mut triples: Triples = values.iter().map(|&value| (0, 0, value as f32)).collect();
                assert_eq!(rule.merge(&mut triples, 1, 1), Ok(values.len() - 1));
                assert_eq!(triples.values, [expected as f32], "{rule}");
            }
        }
    }

    #[test]
    fn rules_are_named() {
        let usual = [false, true].map(|pairs_only| Duplicates::or_usual(None, pairs_only));
        assert_eq!(usual, [Duplicates::Last, Duplicates::Sum]);
        assert_eq!("mean".parse(), Ok(Duplicates::Mean));
        assert_eq!(Duplicates::default().to_string(), "last");
        assert!("best".parse::<Duplicates>().unwrap_err().contains("choose last"));
    }
}
