//! [`at_least`]: leaves out the ratings of users and items that have few.

use raddle_datasets::Triples;

/// Removes ratings of users and items that have fewer than `least`, until none has fewer.
pub fn at_least(triples: Triples, least: u64) -> Triples {
    at_least_of_timed(triples, None, least).0
}

/// Removes the same ratings as [`at_least`], with their times.
pub(crate) fn at_least_of_timed(
    mut triples: Triples,
    mut times: Option<Vec<f64>>,
    least: u64,
) -> (Triples, Option<Vec<f64>>) {
    loop {
        let count = |rows: &[u32]| {
            let mut counts = vec![0_u64; rows.iter().max().map_or(0, |&row| row as usize + 1)];
            rows.iter().for_each(|&row| counts[row as usize] += 1);
            counts
        };
        let (users, items) = (count(&triples.users), count(&triples.items));
        let is_enough = |&(user, item, _): &(u32, u32, f32)| {
            users[user as usize] >= least && items[item as usize] >= least
        };
        if triples.iter().all(|rating| is_enough(&rating)) {
            return (triples, times);
        }
        times = times.map(|times| {
            let left = triples.iter().zip(times).filter(|(rating, _)| is_enough(rating));
            left.map(|(_, time)| time).collect()
        });
        triples = triples.iter().filter(is_enough).collect();
    }
}
