//! [`Duplicates`]: what a pair counts that is observed more than once.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::triples::Triples;
use crate::error::ReadError;
use crate::records::RecordCounts;

/// Rule for several observations of one user and one item. The pair keeps the place of its first observation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// The last one counts: by time, where the file has a column of times, and of one moment by its place in
    /// the file.
    #[default]
    Last,
    /// The first one counts, likewise.
    First,
    /// Values add up: for counts, such as plays.
    Sum,
    /// The mean of the values.
    Mean,
    /// They are an error.
    Refuse,
}

impl Duplicates {
    const ALL: [(&'static str, Self); 5] = [
        ("last", Self::Last),
        ("first", Self::First),
        ("sum", Self::Sum),
        ("mean", Self::Mean),
        ("refuse", Self::Refuse),
    ];
}

impl fmt::Display for Duplicates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, rule)| rule == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl FromStr for Duplicates {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, rule)| rule);
        found.ok_or_else(|| {
            format!("`{name}` is no rule for duplicates: choose last, first, sum, mean or refuse")
        })
    }
}

impl Duplicates {
    /// The records of data of which so many observations are left, and so many were merged into others of
    /// their pair.
    pub fn records(self, left: usize, merged: usize) -> RecordCounts {
        let mut records = RecordCounts::of(left + merged);
        let reason = match self {
            Self::Sum | Self::Mean => "merged with others of their pair",
            Self::Last | Self::First | Self::Refuse => "repeated pair",
        };
        records.leave_out(reason, merged);
        records
    }

    /// `true` if it matters when a pair was observed.
    pub(super) fn asks_when(self) -> bool {
        matches!(self, Self::Last | Self::First)
    }

    /// Merges observations of one pair by this rule; returns how many there were too many. Rows are below
    /// `users` and `items`.
    ///
    /// # Errors
    /// The position of the first repeated observation, where they are refused.
    pub fn merge(self, triples: &mut Triples, users: usize, items: usize) -> Result<usize, usize> {
        merge(triples, None, users, items, self).map_err(|Refused(position)| position)
    }
}

/// The position of a duplicate that is an error.
pub(super) struct Refused(pub(super) usize);

/// Error for a pair that is observed again.
pub(super) fn refused(path: &Path, (user, item): (&str, &str), position: usize) -> ReadError {
    let message = format!(
        "user {user} rates item {item} again, in observation {}: choose a rule for duplicates other than refuse",
        position + 1
    );
    ReadError::file(path, message)
}

/// Puts the observations of each pair that has several into the order of their times, in the places that they
/// have together; those of one moment keep their order.
pub(super) fn by_time(triples: &mut Triples, times: &mut [f64]) {
    let pair = |at: u32| (triples.users[at as usize], triples.items[at as usize]);
    let mut order: Vec<u32> = (0..triples.len() as u32).collect();
    order.sort_unstable_by_key(|&at| (pair(at), at));
    let several: Vec<Vec<u32>> = order
        .chunk_by(|&a, &b| pair(a) == pair(b))
        .filter(|same| !same.is_sorted_by(|&a, &b| times[a as usize] <= times[b as usize]))
        .map(<[u32]>::to_vec)
        .collect();
    for places in several {
        let mut seen: Vec<(f64, f32)> =
            places.iter().map(|&at| (times[at as usize], triples.values[at as usize])).collect();
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, (time, value)) in places.into_iter().zip(seen) {
            (times[at as usize], triples.values[at as usize]) = (time, value);
        }
    }
}

/// Merges observations of one pair, and their times; returns how many there were too many.
///
/// The cost is a stable counting sort by user: 4 bytes an observation while it lasts.
pub(super) fn merge(
    triples: &mut Triples,
    mut times: Option<&mut Vec<f64>>,
    users: usize,
    items: usize,
    rule: Duplicates,
) -> Result<usize, Refused> {
    let count = triples.len();
    let mut starts = vec![0_usize; users + 1];
    triples.users.iter().for_each(|&user| starts[user as usize + 1] += 1);
    (0..users).for_each(|user| starts[user + 1] += starts[user]);
    let mut order = vec![0_u32; count];
    let mut next = starts.clone();
    for (at, &user) in triples.users.iter().enumerate() {
        order[next[user as usize]] = at as u32;
        next[user as usize] += 1;
    }
    // For each item, where its first observation by this user is; marks of other users lie before the user's
    // own.
    let mut first = vec![usize::MAX; items];
    let mut extra = Vec::new();
    let (mut several, mut number): (Vec<(u32, u32)>, usize) = (Vec::new(), 0);
    let mut owner = vec![u32::MAX; items];
    for user in 0..users {
        for &at in &order[starts[user]..starts[user + 1]] {
            let (item, value) = (triples.items[at as usize] as usize, triples.values[at as usize]);
            if owner[item] != user as u32 {
                (owner[item], first[item]) = (user as u32, at as usize);
                continue;
            }
            number += 1;
            extra.push(at);
            let takes_its_place = match times.as_deref_mut() {
                Some(times) => merge_times(times, first[item], at as usize, rule),
                None => rule == Duplicates::Last,
            };
            let kept = &mut triples.values[first[item]];
            match rule {
                Duplicates::Last | Duplicates::First if takes_its_place => *kept = value,
                Duplicates::Last | Duplicates::First => {}
                Duplicates::Sum => *kept += value,
                Duplicates::Mean => {
                    *kept += value;
                    several.push((first[item] as u32, 1));
                }
                Duplicates::Refuse => {}
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
    several.sort_unstable();
    for same in several.chunk_by(|a, b| a.0 == b.0) {
        triples.values[same[0].0 as usize] /= (same.len() + 1) as f32;
    }
    remove(triples, &extra);
    if let Some(times) = times {
        let (mut gone, mut at) = (extra.iter().peekable(), 0);
        times.retain(|_| {
            at += 1;
            gone.next_if(|&&position| position as usize == at - 1).is_none()
        });
    }
    Ok(number)
}

/// Merges the time of a duplicate into that of the observation that is kept; whether the duplicate counts in
/// its place.
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
        // A value of several observations counts from the latest on.
        Duplicates::Sum | Duplicates::Mean => *kept = kept.max(time),
        Duplicates::Last | Duplicates::First | Duplicates::Refuse => {}
    }
    takes_its_place
}

/// Takes the observations at these ascending positions out.
fn remove(triples: &mut Triples, positions: &[u32]) {
    let mut gone = positions.iter().peekable();
    let mut to = 0;
    for at in 0..triples.len() {
        if gone.next_if(|&&position| position as usize == at).is_some() {
            continue;
        }
        triples.users[to] = triples.users[at];
        triples.items[to] = triples.items[at];
        triples.values[to] = triples.values[at];
        to += 1;
    }
    triples.truncate(to);
}

#[cfg(test)]
mod tests {
    use super::*;

    type Merged = (Vec<(u32, u32, f32)>, usize);

    fn merged(rule: Duplicates) -> Result<Merged, usize> {
        let mut triples: Triples =
            [(0, 1, 1.0), (1, 1, 5.0), (0, 1, 2.0), (0, 0, 4.0), (0, 1, 6.0)].into_iter().collect();
        let mut times = vec![5.0, 1.0, 9.0, 1.0, 7.0];
        let number = merge(&mut triples, Some(&mut times), 2, 2, rule).map_err(|refused| refused.0)?;
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
                assert!(merge(&mut triples, Some(&mut times), 1, 1, rule).is_ok());
                assert_eq!(triples.values, [by_time], "{rule} {times:?}");
            }
        }
    }

    #[test]
    fn observations_of_a_pair_are_put_into_the_order_of_their_times() {
        let mut triples: Triples =
            [(0, 1, 5.0), (1, 1, 9.0), (0, 1, 1.0), (0, 0, 4.0), (0, 1, 2.0)].into_iter().collect();
        let mut times = vec![2024.0, 3.0, 2020.0, 7.0, 2020.0];
        by_time(&mut triples, &mut times);
        assert_eq!(
            (&triples.values[..], &times[..]),
            (&[1.0, 9.0, 2.0, 4.0, 5.0][..], &[2020.0, 3.0, 2020.0, 7.0, 2024.0][..])
        );
    }

    #[test]
    fn rules_are_named() {
        assert_eq!("mean".parse(), Ok(Duplicates::Mean));
        assert_eq!(Duplicates::default().to_string(), "last");
        assert!("best".parse::<Duplicates>().unwrap_err().contains("choose last"));
    }
}
