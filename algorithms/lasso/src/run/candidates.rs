//! Candidates for the working set: the worst violators that the shards name.

use super::messages::ShardCertificate;
use crate::working_set::{keep_worst, worst_first};

/// Number of candidates examined for each one wanted: the dependency check rejects some.
pub(super) const LOOKED_AT: usize = 4;

/// Returns the worst violators of a penalty on the absolute values, and how many of the `wanted` ones should
/// enter, when shards named up to `max_violators` each.
pub(super) fn candidates(
    shares: Vec<ShardCertificate>,
    penalty: f64,
    wanted: usize,
    max_violators: usize,
) -> (Vec<(u32, f64)>, usize) {
    // Coefficients outside the working set, such as those of a warm start: the working set must hold them all
    // before it is solved.
    let must_enter = shares.iter().any(|share| share.must_enter);
    let mut violators = Vec::with_capacity(shares.iter().map(|share| share.violators.len()).sum());
    for share in shares.into_iter().filter(|share| share.must_enter == must_enter) {
        violators.extend(share.violators);
    }
    if must_enter {
        violators.sort_unstable_by_key(worst_first);
        let count = violators.len();
        return (violators, count);
    }
    violators.retain(|(_, gradient)| gradient.abs() > penalty);
    // At most as many as one shard names: a larger number would depend on the number of shards.
    keep_worst(&mut violators, (LOOKED_AT * wanted).min(max_violators));
    violators.sort_unstable_by_key(worst_first);
    (violators, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(violators: &[(u32, f64)], must_enter: bool) -> ShardCertificate {
        ShardCertificate { violators: violators.to_vec(), must_enter, ..ShardCertificate::default() }
    }

    #[test]
    fn coefficients_outside_the_set_enter_before_any_violator() {
        // A shard names either violators or columns that must enter.
        let shares = vec![named(&[(0, 5.0), (3, -4.0)], false), named(&[(7, 0.1), (9, -0.2)], true)];
        assert_eq!(candidates(shares, 1.0, 1, 10), (vec![(9, -0.2), (7, 0.1)], 2));
    }

    #[test]
    fn candidates_are_the_same_however_columns_are_cut_into_shards() {
        let all: Vec<(u32, f64)> = (0..12).map(|j| (j, f64::from(2 + j % 5))).collect();
        let max_violators = 3;
        let cut = |columns: usize| -> Vec<ShardCertificate> {
            let shard = |all: &[(u32, f64)]| {
                let mut own = all.to_vec();
                keep_worst(&mut own, max_violators);
                named(&own, false)
            };
            all.chunks(columns).map(shard).collect()
        };
        // The largest come first, and among equals the one with the smaller column.
        let expected = (vec![(4, 6.0), (9, 6.0), (3, 5.0)], 10);
        for columns in [12, 6, 4, 1] {
            assert_eq!(
                candidates(cut(columns), 1.0, 10, max_violators),
                expected,
                "{columns} columns a shard"
            );
        }
    }
}
