//! [`Partition`]: which users make up a shard and which items a block, with even numbers of ratings.

use raddle::schedule::even_parts;

/// Rows of one side, dealt to parts: users to shards, or items to blocks.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Partition {
    /// For each row `part << 16 | place in the part`; [`NOWHERE`] for a row without ratings.
    pub(crate) place: Vec<u32>,
    /// The rows of all parts, one part behind the other.
    pub(crate) rows: Vec<u32>,
    /// Where each part's rows begin in `rows`; one more than there are parts.
    pub(crate) starts: Vec<u32>,
    /// How many ratings each row has.
    pub(crate) counts: Vec<u32>,
}

raddle::state!(Partition { place, rows, starts, counts });

/// The place of a row without ratings.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Places within a part fit 16 bits.
const PART: usize = 1 << 16;

impl Partition {
    /// Deals rows with these numbers of ratings to parts of even numbers of ratings.
    ///
    /// Rows are walked in steps near the golden section of their number, so that neighbours (often alike in how much
    /// they are rated) come apart; then the walk is cut. Within a part rows keep the order of the data: what is then done
    /// row by row goes through every part from front to back.
    pub(crate) fn new(counts: Vec<u32>, parts: usize) -> Self {
        let mut rows: Vec<u32> = walk(counts.len()).filter(|&row| counts[row as usize] > 0).collect();
        let costs: Vec<u64> = rows.iter().map(|&row| u64::from(counts[row as usize])).collect();
        let (mut place, mut starts) = (vec![NOWHERE; counts.len()], vec![0]);
        let mut ranges = even_parts(&costs, parts);
        if ranges.iter().any(|range| range.len() > PART) {
            // Many rarely rated rows: each costs the mean besides, so that no part has over twice its share of rows.
            let mean = costs.iter().sum::<u64>() / rows.len().max(1) as u64 + 1;
            ranges = even_parts(&costs.iter().map(|cost| cost + mean).collect::<Vec<_>>(), parts);
        }
        for (part, range) in (0..).zip(ranges) {
            rows[range.clone()].iter().for_each(|&row| place[row as usize] = part);
            starts.push(range.end as u32);
        }
        let mut ends = starts.clone();
        for (row, place) in (0..).zip(&mut place).filter(|(_, place)| **place != NOWHERE) {
            let (start, end) = (starts[*place as usize], &mut ends[*place as usize]);
            rows[*end as usize] = row;
            *place = *place << 16 | (*end - start);
            *end += 1;
        }
        Self { place, rows, starts, counts }
    }

    /// How many parts there are.
    pub(crate) fn parts(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of a part, in the order of their places.
    pub(crate) fn part(&self, part: u32) -> &[u32] {
        &self.rows[self.starts[part as usize] as usize..self.starts[part as usize + 1] as usize]
    }
}

/// The fewest parts for this number of rows: places within a part fit 16 bits, even where parts are uneven in rows.
pub(crate) fn fewest_parts(rows: usize) -> usize {
    if rows <= PART { 1 } else { (2 * rows).div_ceil(PART) + 1 }
}

/// All of `0..count`, each once, neighbours far apart.
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
            let deal = Partition::new(counts.clone(), parts);
            prop_assert_eq!(deal.parts(), parts);
            for (row, &count) in counts.iter().enumerate() {
                let place = deal.place[row];
                if count == 0 {
                    prop_assert_eq!(place, NOWHERE);
                } else {
                    prop_assert_eq!(deal.part(place >> 16)[(place & 0xffff) as usize] as usize, row);
                }
            }
            prop_assert_eq!(deal.rows.len(), counts.iter().filter(|&&count| count > 0).count());
        }
    }

    #[test]
    fn parts_have_even_numbers_of_ratings_and_places_fit() {
        let counts: Vec<u32> = (0..5000).map(|row| 2_000_000 / (row + 10)).collect();
        let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        let deal = Partition::new(counts, 4);
        for part in 0..4 {
            let sum: u64 = deal.part(part).iter().map(|&row| u64::from(deal.counts[row as usize])).sum();
            assert!((sum as f64 / (total as f64 / 4.0) - 1.0).abs() < 0.1, "{sum} of {total}");
        }
        // One popular row and very many rare ones.
        let rows = 300_000;
        let counts = (0..rows as u32).map(|row| if row == 0 { 10_000_000 } else { 1 }).collect();
        let deal = Partition::new(counts, fewest_parts(rows));
        assert!((0..deal.parts() as u32).all(|part| deal.part(part).len() <= PART));
    }
}
