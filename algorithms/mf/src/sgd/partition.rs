//! [`Partition`]: the users of each shard and the items of each block, with nearly equal numbers of ratings.

use raddle::schedule::even_parts;

/// Rows of one side, assigned to parts: users to shards, or items to blocks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Partition {
    /// For each row `part << 16 | place in the part`; [`NOWHERE`] for a row without ratings.
    pub(crate) place: Vec<u32>,
    /// The rows of all parts, one part after another.
    pub(crate) rows: Vec<u32>,
    /// Start of each part's rows in `rows`, and the end of the last.
    pub(crate) starts: Vec<u32>,
    /// Number of ratings of each row.
    pub(crate) counts: Vec<u32>,
}

raddle::state!(Partition { place, rows, starts, counts });

/// The place of a row without ratings.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Places within a part fit 16 bits.
const PART: usize = 1 << 16;

impl Partition {
    /// Assigns rows with these numbers of ratings to parts with nearly equal numbers of ratings.
    ///
    /// Rows are visited in steps near the golden section of their number, so that neighbours, which often
    /// have similar numbers of ratings, are separated; then the sequence is cut. Within a part rows keep the
    /// order of the data, so that work done row by row passes through every part from front to back.
    pub(crate) fn new(counts: Vec<u32>, parts: usize) -> Self {
        let rows: Vec<u32> = walk(counts.len()).filter(|&row| counts[row as usize] > 0).collect();
        let costs: Vec<u64> = rows.iter().map(|&row| u64::from(counts[row as usize])).collect();
        let mut parts_of = vec![NOWHERE; counts.len()];
        let mut ranges = even_parts(&costs, parts);
        if ranges.iter().any(|range| range.len() > PART) {
            // Each row costs the mean in addition, so that with many rarely rated rows no part has more than
            // twice its share of rows.
            let mean = costs.iter().sum::<u64>() / rows.len().max(1) as u64 + 1;
            ranges = even_parts(&costs.iter().map(|cost| cost + mean).collect::<Vec<_>>(), parts);
        }
        for (part, range) in (0..).zip(ranges) {
            rows[range.clone()].iter().for_each(|&row| parts_of[row as usize] = part);
        }
        Self::placed(parts_of, counts, parts)
    }

    /// Returns the partition for other numbers of ratings, and for more rows: rows stay in their part, and
    /// new ones go to the part with the fewest ratings. All rows are partitioned again if a part exceeds the
    /// mean by a quarter.
    pub(crate) fn carried(&self, counts: Vec<u32>) -> Self {
        let mut parts_of = vec![NOWHERE; counts.len()];
        let mut loads = vec![0_u64; self.parts()];
        let known =
            |row: usize| self.place.get(row).filter(|&&place| place != NOWHERE).map(|place| place >> 16);
        let rated = || counts.iter().enumerate().filter(|&(_, &count)| count > 0);
        for (row, &count) in rated() {
            if let Some(part) = known(row) {
                parts_of[row] = part;
                loads[part as usize] += u64::from(count);
            }
        }
        for (row, &count) in rated().filter(|&(row, _)| known(row).is_none()) {
            let least = (0..loads.len()).min_by_key(|&part| loads[part]).unwrap_or(0);
            parts_of[row] = least as u32;
            loads[least] += u64::from(count);
        }
        let total: u64 = loads.iter().sum();
        let mut sizes = vec![0; loads.len()];
        parts_of.iter().filter(|&&part| part != NOWHERE).for_each(|&part| sizes[part as usize] += 1);
        let is_uneven = loads.iter().any(|&load| 4 * load * loads.len() as u64 > 5 * total);
        if is_uneven || sizes.iter().any(|&size| size > PART) {
            let parts = self.parts().max(fewest_parts(counts.len()));
            return Self::new(counts, parts);
        }
        Self::placed(parts_of, counts, self.parts())
    }

    /// The partition of rows whose parts are known; [`NOWHERE`] marks those without ratings.
    fn placed(mut place: Vec<u32>, counts: Vec<u32>, parts: usize) -> Self {
        let mut starts = vec![0; parts + 1];
        let is_placed = |place: &u32| *place != NOWHERE;
        place.iter().filter(|place| is_placed(place)).for_each(|&part| starts[part as usize + 1] += 1);
        (0..parts).for_each(|part| starts[part + 1] += starts[part]);
        let mut rows = vec![0; starts[parts] as usize];
        let mut ends = starts.clone();
        for (row, place) in (0..).zip(&mut place).filter(|(_, place)| is_placed(place)) {
            let (start, end) = (starts[*place as usize], &mut ends[*place as usize]);
            rows[*end as usize] = row;
            *place = *place << 16 | (*end - start);
            *end += 1;
        }
        Self { place, rows, starts, counts }
    }

    /// Checks that every row of a part has its place.
    pub(crate) fn is_whole(&self) -> bool {
        let parts_are = self.starts.first() == Some(&0)
            && self.starts.is_sorted()
            && self.starts.last().is_some_and(|&end| end as usize == self.rows.len());
        let is_there = |(row, &place): (usize, &u32)| {
            let (part, at) = (place >> 16, (place & 0xffff) as usize);
            place == NOWHERE
                || (part as usize) < self.parts() && self.part(part).get(at) == Some(&(row as u32))
        };
        parts_are && self.counts.len() == self.place.len() && self.place.iter().enumerate().all(is_there)
    }

    /// Returns the number of parts.
    pub(crate) fn parts(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the rows of a part, in the order of their places.
    pub(crate) fn part(&self, part: u32) -> &[u32] {
        &self.rows[self.starts[part as usize] as usize..self.starts[part as usize + 1] as usize]
    }
}

/// Returns the smallest number of parts for this number of rows: places within a part must fit 16 bits, even
/// if parts have unequal numbers of rows.
pub(crate) fn fewest_parts(rows: usize) -> usize {
    if rows <= PART { 1 } else { (2 * rows).div_ceil(PART) + 1 }
}

/// Returns each number of `0..count` once, with neighbours far apart.
fn walk(count: usize) -> impl Iterator<Item = u32> {
    let mut step = (count as f64 * 0.618_033_988_749_894_9) as usize;
    while step > 1 && gcd(step, count) != 1 {
        step -= 1;
    }
    let mut at = 0;
    (0..count).map(move |_| {
        let row = at as u32;
        at += step.max(1);
        at -= if at >= count { count } else { 0 };
        row
    })
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_rated_row_has_one_place(counts in proptest::collection::vec(0u32..50, 1..300), parts in 1usize..9) {
            let partition = Partition::new(counts.clone(), parts);
            prop_assert_eq!(partition.parts(), parts);
            for (row, &count) in counts.iter().enumerate() {
                let place = partition.place[row];
                if count == 0 {
                    prop_assert_eq!(place, NOWHERE);
                } else {
                    prop_assert_eq!(partition.part(place >> 16)[(place & 0xffff) as usize] as usize, row);
                }
            }
            prop_assert_eq!(partition.rows.len(), counts.iter().filter(|&&count| count > 0).count());
        }
    }

    proptest! {
        #[test]
        fn known_rows_stay_in_their_parts_and_all_are_dealt_anew_where_these_are_uneven(
            before in proptest::collection::vec(0u32..50, 40..80),
            after in proptest::collection::vec(0u32..50, 80..90), parts in 1usize..5,
        ) {
            let old = Partition::new(before.clone(), parts);
            let new = old.carried(after.clone());
            let load = |part: u32| -> u64 { new.part(part).iter().map(|&row| u64::from(after[row as usize])).sum() };
            let total: u64 = (0..parts as u32).map(load).sum();
            prop_assert_eq!(total, after.iter().map(|&count| u64::from(count)).sum::<u64>());
            let stays = |row: usize| before[row] == 0 || after[row] == 0 || old.place[row] >> 16 == new.place[row] >> 16;
            let is_even = (0..parts as u32).all(|part| 4 * load(part) * parts as u64 <= 5 * total);
            prop_assert!((0..before.len()).all(stays) && is_even || new == Partition::new(after.clone(), parts));
            // Equal counts without new rows give equal parts.
            prop_assert_eq!(old.carried(before.clone()), old);
        }
    }

    #[test]
    fn what_does_not_belong_together_is_not_whole() {
        let whole = Partition::new(vec![3, 1, 0, 2, 5], 2);
        let forged: [fn(&mut Partition); 4] = [
            |forged| forged.starts[0] = 1,
            |forged| forged.starts[2] -= 1,
            |forged| forged.place.swap(0, 1),
            |forged| forged.counts.truncate(4),
        ];
        assert!(whole.is_whole());
        for (at, forge) in forged.iter().enumerate() {
            let mut forged = whole.clone();
            forge(&mut forged);
            assert!(!forged.is_whole(), "{at}");
        }
    }

    #[test]
    fn parts_have_even_numbers_of_ratings_and_places_fit() {
        let counts: Vec<u32> = (0..5000).map(|row| 2_000_000 / (row + 10)).collect();
        let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        let partition = Partition::new(counts, 4);
        for part in 0..4 {
            let sum: u64 =
                partition.part(part).iter().map(|&row| u64::from(partition.counts[row as usize])).sum();
            assert!((sum as f64 / (total as f64 / 4.0) - 1.0).abs() < 0.1, "{sum} of {total}");
        }
        // One popular row and very many rare ones.
        let rows = 300_000;
        let counts = (0..rows as u32).map(|row| if row == 0 { 10_000_000 } else { 1 }).collect();
        let partition = Partition::new(counts, fewest_parts(rows));
        assert!((0..partition.parts() as u32).all(|part| partition.part(part).len() <= PART));
    }
}
