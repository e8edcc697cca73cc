//! Thinning of a line to as many points as a screen can show.

/// Most points of a line.
pub(super) const MOST: usize = 1000;

/// The numbers of the points to draw: all of up to `most` (at least 4), else the first, the last, the lowest
/// and the highest of each of `most / 4` equal runs of points, so that no minimum or maximum of a run is
/// lost. A value that is not finite interrupts a line: of each run the first such is kept, too, in the place
/// of its lowest.
pub(super) fn thinned(values: &[f64], most: usize) -> Vec<usize> {
    if values.len() <= most {
        return (0..values.len()).collect();
    }
    let runs = (most / 4).max(1);
    let mut kept = Vec::with_capacity(most);
    for run in 0..runs {
        let range = run * values.len() / runs..(run + 1) * values.len() / runs;
        let finite = range.clone().filter(|&at| values[at].is_finite());
        let low = finite.clone().min_by(|&a, &b| values[a].total_cmp(&values[b]));
        let high = finite.max_by(|&a, &b| values[a].total_cmp(&values[b]));
        let gap = range.clone().find(|&at| !values[at].is_finite());
        let (first, last) = (range.start, range.end - 1);
        let mut points: Vec<usize> = match gap {
            // A run with a gap: its ends give way, its extremes do not.
            Some(gap) => [Some(gap), low, high].into_iter().flatten().collect(),
            None => [Some(first), low, high, Some(last)].into_iter().flatten().collect(),
        };
        points.sort_unstable();
        points.dedup();
        kept.append(&mut points);
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn few_points_are_all_drawn() {
        assert_eq!(thinned(&[3.0, 1.0, 2.0], MOST), [0, 1, 2]);
        assert_eq!(thinned(&[], MOST), [0; 0]);
    }

    proptest! {
        #[test]
        fn every_minimum_and_maximum_of_a_run_is_kept(
            values in prop::collection::vec(prop_oneof![9 => -1e3..1e3f64, 1 => Just(f64::NAN)], 41..3000)
        ) {
            let most = 40;
            let kept = thinned(&values, most);
            prop_assert!(kept.len() <= most);
            prop_assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
            for run in 0..10 {
                let range = run * values.len() / 10..(run + 1) * values.len() / 10;
                let of = |fold: fn(f64, f64) -> f64, points: &mut dyn Iterator<Item = usize>| {
                    points.map(|at| values[at]).fold(f64::NAN, fold)
                };
                for fold in [f64::min as fn(f64, f64) -> f64, f64::max] {
                    let all = of(fold, &mut range.clone());
                    let thin = of(fold, &mut kept.iter().copied().filter(|at| range.contains(at)));
                    prop_assert!(all == thin || all.is_nan() && thin.is_nan());
                }
                let is_gap = |at: &usize| !values[*at].is_finite();
                let gaps = kept.iter().filter(|at| range.contains(at)).any(is_gap);
                prop_assert_eq!(range.clone().any(|at| is_gap(&at)), gaps);
            }
        }
    }
}
