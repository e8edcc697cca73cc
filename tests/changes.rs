//! Views of changing data against a naive recomputation: the records that count, their counts and costs, and
//! the keys that were touched.

use std::collections::{BTreeMap, BTreeSet};

use raddle::changes::{Delta, Keep, Key, Record, Rules, Tally, View};
use raddle::random::splitmix64;
use serde::{Deserialize, Serialize};

const USER: u8 = 0;
const ITEM: u8 = 1;
const WORD: u8 = 2;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Rating(u32, u32);

impl Record for Rating {
    type Id = (u32, u32);
    fn id(&self) -> (u32, u32) {
        (self.0, self.1)
    }
    fn keys(&self) -> Vec<(Key, u64)> {
        vec![(Key::new(USER, self.0), 1), (Key::new(ITEM, self.1), 1)]
    }
}

/// A document or a row: a name, and words with how often they occur.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
struct Document(u32, Vec<(u32, u32)>);

impl Record for Document {
    type Id = u32;
    fn id(&self) -> u32 {
        self.0
    }
    fn keys(&self) -> Vec<(Key, u64)> {
        self.1.iter().map(|&(word, times)| (Key::new(WORD, word), u64::from(times))).collect()
    }
}

/// Numbers that look random, always the same.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_add(1);
        (splitmix64(self.0) % u64::from(end)) as u32
    }
}

/// Returns the records and counts of a view, computed again from everything that was inserted and not
/// retracted.
#[derive(Debug, Clone, PartialEq)]
struct Naive<R: Ord> {
    records: BTreeSet<(u64, R)>,
    tallies: BTreeMap<Key, Tally>,
    admitted: BTreeSet<Key>,
}

type Bound = fn(u64, u64) -> bool;

struct NaiveRules {
    keep: Keep,
    least: Vec<(u8, u64)>,
    within: Option<(u8, Bound)>,
}

impl NaiveRules {
    fn rules(&self) -> Rules {
        let rules = self
            .least
            .iter()
            .fold(Rules::default().keep(self.keep), |rules, &(kind, least)| rules.at_least(kind, least));
        self.within.into_iter().fold(rules, |rules, (kind, within)| rules.within(kind, within))
    }

    fn of<R: Record>(&self, alive: &[(u64, R)]) -> Naive<R> {
        let mut by_id: BTreeMap<R::Id, Vec<(u64, R)>> = BTreeMap::new();
        alive.iter().for_each(|(number, record)| {
            by_id.entry(record.id()).or_default().push((*number, record.clone()))
        });
        let mut records = BTreeSet::new();
        for same in by_id.values_mut() {
            same.sort();
            match self.keep {
                Keep::All => records.extend(same.iter().cloned()),
                Keep::First => records.extend(same.first().cloned()),
                Keep::Last => records.extend(same.last().cloned()),
            }
        }
        loop {
            let tallies = tallies(&records);
            let is_enough = |(_, record): &(u64, R)| {
                record.keys().iter().all(|(key, _)| {
                    self.least.iter().all(|&(kind, least)| kind != key.kind || tallies[key].records >= least)
                })
            };
            let before = records.len();
            records.retain(is_enough);
            if records.len() == before {
                let mut admitted = BTreeSet::new();
                if let Some((kind, within)) = self.within {
                    let all = records.len() as u64;
                    admitted.extend(
                        tallies
                            .iter()
                            .filter(|(key, tally)| key.kind == kind && within(tally.records, all))
                            .map(|(key, _)| *key),
                    );
                }
                return Naive { records, tallies, admitted };
            }
        }
    }
}

fn tallies<R: Record>(records: &BTreeSet<(u64, R)>) -> BTreeMap<Key, Tally> {
    let mut tallies: BTreeMap<Key, Tally> = BTreeMap::new();
    for (_, record) in records {
        for (key, cost) in record.keys() {
            let tally = tallies.entry(key).or_default();
            tally.records += 1;
            tally.cost += cost;
        }
    }
    tallies
}

/// The difference of two versions, found by comparing them.
fn difference<R: Record>(version: u64, before: &Naive<R>, after: &Naive<R>) -> Delta<R> {
    let entered: Vec<(u64, R)> = after.records.difference(&before.records).cloned().collect();
    let left: Vec<(u64, R)> = before.records.difference(&after.records).cloned().collect();
    let keys: BTreeSet<Key> = before.tallies.keys().chain(after.tallies.keys()).copied().collect();
    let now = |key: &Key| after.tallies.get(key).copied().unwrap_or_default();
    let changed = keys.iter().filter(|key| before.tallies.get(key) != after.tallies.get(key));
    let touched: BTreeSet<Key> =
        entered.iter().chain(&left).flat_map(|(_, record)| record.keys()).map(|(key, _)| key).collect();
    Delta {
        version,
        counts: changed.map(|key| (*key, now(key))).collect(),
        touched: touched.into_iter().collect(),
        admitted: after.admitted.difference(&before.admitted).copied().collect(),
        dropped: before.admitted.difference(&after.admitted).copied().collect(),
        entered,
        left,
    }
}

/// 200 batches; each must lead from the recomputed version before to the recomputed version after. Returns in
/// how many batches more records left than were retracted, or more entered than were inserted.
fn agrees<R: Record>(rules: &NaiveRules, mut record: impl FnMut(&mut Draws) -> R, several: bool) -> usize {
    let (mut view, mut draws) = (View::new(rules.rules()), Draws(17));
    let (mut alive, mut before, mut next): (Vec<(u64, R)>, _, _) = (Vec::new(), rules.of(&[]), 0);
    let (mut cascades, mut full) = (0, 0);
    for version in 0..200 {
        let (inserted, retracted) = match version {
            0 => (200, 0),
            _ => (draws.below(13), draws.below(13)),
        };
        for _ in 0..retracted {
            if !alive.is_empty() {
                // In any order: the last of an id, or one before it.
                let (number, record) = alive.swap_remove(draws.below(alive.len() as u32) as usize);
                view.retract(number, record);
            }
        }
        for _ in 0..inserted {
            let record = record(&mut draws);
            if several || alive.iter().all(|(_, other)| other.id() != record.id()) {
                view.insert(next, record.clone());
                alive.push((next, record));
                next += 1;
            }
        }
        let after = rules.of(&alive);
        let expected = difference(version, &before, &after);
        cascades += usize::from(
            expected.left.len() > retracted as usize + inserted as usize
                || expected.entered.len() > inserted as usize,
        );
        assert_eq!(view.advance(), expected, "version {version}");
        full += usize::from(!after.records.is_empty());
        before = after;
    }
    assert!(full > 100, "{full} of 200 versions had any records, {cascades} cascades");
    cascades
}

fn rating(draws: &mut Draws) -> Rating {
    // Few enough pairs that many are rated several times.
    Rating(draws.below(14), draws.below(9))
}

fn document(draws: &mut Draws) -> Document {
    let words: BTreeSet<u32> = (0..draws.below(8)).map(|_| draws.below(30)).collect();
    Document(draws.below(400), words.into_iter().map(|word| (word, 1 + draws.below(3))).collect())
}

#[test]
fn ratings_count_as_a_naive_recomputation_has_them_for_every_rule_of_duplicates() {
    for keep in [Keep::Last, Keep::First, Keep::All] {
        let rules = NaiveRules { keep, least: Vec::new(), within: None };
        assert!(agrees(&rules, rating, true) > 0 || keep == Keep::All, "no record ever counted again");
    }
}

#[test]
fn thresholds_cascade_from_users_to_items_and_back() {
    let rules = NaiveRules { keep: Keep::Last, least: vec![(USER, 5), (ITEM, 7)], within: None };
    assert!(agrees(&rules, rating, true) > 20, "thresholds never took anybody along");
    let sparse = |draws: &mut Draws| Rating(draws.below(40), draws.below(40));
    let rules = NaiveRules { keep: Keep::Last, least: vec![(USER, 3), (ITEM, 3)], within: None };
    assert!(agrees(&rules, sparse, false) > 20, "thresholds never took anybody along");
}

#[test]
fn words_come_and_go_with_their_documents() {
    let within: Bound = |documents, all| documents >= 3 && 5 * documents <= all;
    let rules = NaiveRules { keep: Keep::Last, least: Vec::new(), within: Some((WORD, within)) };
    agrees(&rules, document, false);
}

#[test]
fn rows_are_counted_by_feature() {
    let rules = NaiveRules { keep: Keep::Last, least: Vec::new(), within: None };
    agrees(&rules, document, false);
}

#[test]
fn a_pair_rated_three_times_and_retracted_in_any_order_has_the_last_that_is_left() {
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut view = View::new(Rules::default());
        (0..3).for_each(|number| view.insert(number, Rating(1, 1)));
        assert_eq!(view.advance().entered, [(2, Rating(1, 1))]);
        let mut left = vec![0, 1, 2];
        for number in order {
            let before = left.last().copied();
            left.retain(|&other| other != number);
            view.retract(number, Rating(1, 1));
            let delta = view.advance();
            let now = left.last().copied();
            let of = |number: Option<u64>| {
                number.map(|number| (number, Rating(1, 1))).into_iter().collect::<Vec<_>>()
            };
            let (expected_in, expected_out) =
                if before == now { (vec![], vec![]) } else { (of(now), of(before)) };
            assert_eq!((delta.entered, delta.left), (expected_in, expected_out), "{order:?}");
        }
    }
}

#[test]
fn what_is_inserted_and_retracted_in_one_version_was_never_there() {
    let mut view = View::new(Rules::default().at_least(USER, 1));
    view.insert(0, Rating(1, 1));
    view.retract(0, Rating(1, 1));
    let delta = view.advance();
    assert_eq!((delta.entered, delta.counts, delta.touched), (vec![], vec![], vec![]));
}
