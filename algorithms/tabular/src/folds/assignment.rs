//! Assignment of rows to the folds that hold them out.

use std::collections::BTreeSet;

use raddle::random::Stream;

/// Number of the random stream of the assignment, which no schedule's stream has.
const ASSIGNMENT: u64 = 0x666f_6c64;

/// Labels of rows that the folds respect: for each row a number from 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct FoldLabels<'a> {
    /// The class of each row: every fold gets its share of each class.
    pub strata: Option<&'a [u32]>,
    /// The group of each row: rows of one group stay in one fold.
    pub groups: Option<&'a [u32]>,
}

/// Returns the rows (ascending) that each of `folds` folds holds out.
///
/// Without strata and groups, the rows are shuffled by the seed and cut evenly. With strata, the rows of each
/// class are shuffled and dealt to the folds in turn, one class after another, so that the counts of a class,
/// and of all rows, differ by at most one between folds. With groups, each group, the largest first, goes to
/// the fold that keeps the folds most even, over all rows or over each class (as scikit-learn's `GroupKFold`
/// and `StratifiedGroupKFold` do).
pub fn assign(rows: usize, folds: usize, seed: u64, of: FoldLabels<'_>) -> Vec<Vec<usize>> {
    let mut held_out = match of {
        FoldLabels { strata: None, groups: None } => {
            let mut order: Vec<usize> = (0..rows).collect();
            Stream::new(&[seed, ASSIGNMENT]).shuffle(&mut order);
            (0..folds).map(|fold| order[fold * rows / folds..(fold + 1) * rows / folds].to_vec()).collect()
        }
        FoldLabels { strata: Some(strata), groups: None } => {
            let mut held_out = vec![Vec::new(); folds];
            let order = members(strata).into_iter().zip(1..).flat_map(|(mut members, class)| {
                Stream::new(&[seed, ASSIGNMENT, class]).shuffle(&mut members);
                members
            });
            order.zip((0..folds).cycle()).for_each(|(row, fold)| held_out[fold].push(row));
            held_out
        }
        FoldLabels { strata, groups: Some(groups) } => by_groups(folds, seed, strata, groups),
    };
    held_out.iter_mut().for_each(|rows| rows.sort_unstable());
    held_out
}

/// Returns the number of different groups.
pub fn distinct(groups: &[u32]) -> usize {
    groups.iter().collect::<BTreeSet<_>>().len()
}

/// Returns the first of `classes` classes, by number, that none of these rows has; `class` returns the class
/// of a row, or `None` for one that does not count.
pub fn absent(
    rows: impl IntoIterator<Item = usize>,
    classes: usize,
    class: impl Fn(usize) -> Option<usize>,
) -> Option<usize> {
    let mut has = vec![false; classes];
    rows.into_iter().filter_map(class).for_each(|class| has[class] = true);
    has.iter().position(|has| !has)
}

/// Returns the rows of each label.
fn members(numbers: &[u32]) -> Vec<Vec<usize>> {
    let count = numbers.iter().max().map_or(0, |&most| most as usize + 1);
    let mut members = vec![Vec::new(); count];
    numbers.iter().enumerate().for_each(|(row, &number)| members[number as usize].push(row));
    members
}

fn by_groups(folds: usize, seed: u64, strata: Option<&[u32]>, groups: &[u32]) -> Vec<Vec<usize>> {
    let class = |row: usize| strata.map_or(0, |strata| strata[row] as usize);
    let mut groups = members(groups);
    Stream::new(&[seed, ASSIGNMENT]).shuffle(&mut groups);
    // The sort is stable: groups of equal size keep their shuffled order.
    groups.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
    let classes = strata.and_then(|strata| strata.iter().max()).map_or(1, |&most| most as usize + 1);
    let mut sizes = vec![0.0; classes];
    groups.iter().flatten().for_each(|&row| sizes[class(row)] += 1.0);
    let mut held_out = vec![Vec::new(); folds];
    let mut counts = vec![vec![0.0; classes]; folds];
    for rows in groups {
        let mut own = vec![0.0; classes];
        rows.iter().for_each(|&row| own[class(row)] += 1.0);
        // The growth of the sum of squared class shares is smallest where most rows are missing.
        let growth = |count: &Vec<f64>| -> f64 {
            let classes = count.iter().zip(&own).zip(&sizes).filter(|(_, size)| **size > 0.0);
            classes.map(|((count, own), size)| own * (2.0 * count + own) / (size * size)).sum()
        };
        let growths: Vec<f64> = counts.iter().map(growth).collect();
        let fold = (0..folds).fold(0, |best, fold| if growths[fold] < growths[best] { fold } else { best });
        counts[fold].iter_mut().zip(&own).for_each(|(count, own)| *count += own);
        held_out[fold].extend(rows);
    }
    held_out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(rows: &[usize], numbers: &[u32], number: u32) -> usize {
        rows.iter().filter(|&&row| numbers[row] == number).count()
    }

    fn is_whole(held_out: &[Vec<usize>], rows: usize) {
        let mut all = held_out.concat();
        assert!(held_out.iter().all(|rows| rows.is_sorted()));
        all.sort_unstable();
        assert_eq!(all, (0..rows).collect::<Vec<_>>(), "every row is held out once");
    }

    #[test]
    fn every_fold_has_its_part_of_every_class() {
        let strata: Vec<u32> = (0..47).map(|row| u32::from(row % 9 == 0) + u32::from(row > 40)).collect();
        for folds in [2, 3, 5, 10] {
            for seed in 0..5 {
                let held_out = assign(47, folds, seed, FoldLabels { strata: Some(&strata), groups: None });
                is_whole(&held_out, 47);
                for class in 0..3 {
                    let counts: Vec<usize> =
                        held_out.iter().map(|rows| count(rows, &strata, class)).collect();
                    let (least, most) = (counts.iter().min(), counts.iter().max());
                    assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1), "{counts:?}");
                }
                let sizes: Vec<usize> = held_out.iter().map(Vec::len).collect();
                assert!(
                    sizes.iter().max().zip(sizes.iter().min()).is_some_and(|(a, b)| a - b <= 1),
                    "{sizes:?}"
                );
            }
        }
    }

    #[test]
    fn rows_of_a_group_stay_together_and_folds_stay_even() {
        let groups: Vec<u32> = (0..120).map(|row| (row * row % 37) / 2).collect();
        let strata: Vec<u32> = (0..120).map(|row| u32::from(row % 4 == 0)).collect();
        for strata in [None, Some(&strata[..])] {
            let held_out = assign(120, 4, 42, FoldLabels { strata, groups: Some(&groups) });
            is_whole(&held_out, 120);
            for group in 0..19 {
                let folds = held_out.iter().filter(|rows| count(rows, &groups, group) > 0).count();
                assert!(folds <= 1, "group {group} is in {folds} folds");
            }
            assert!(held_out.iter().all(|rows| (24..=36).contains(&rows.len())));
        }
        let cut = |seed| assign(120, 4, seed, FoldLabels { strata: None, groups: Some(&groups) });
        assert!(cut(1) == cut(1) && cut(1) != cut(2));
    }
}
