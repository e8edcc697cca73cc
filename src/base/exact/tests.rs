//! Sums do not know the order of their terms, and are those of whole numbers.

use super::*;
use crate::random::Stream;
use crate::simd_level::SimdLevel;

/// Returns the sum of numbers by definition: each is rounded to a multiple of 2^-f, ties to even, and
/// they are added as integers.
fn naive(numbers: &[f64], fraction: i32) -> i128 {
    numbers.iter().map(|x| (x * 2_f64.powi(fraction)).round_ties_even() as i128).sum()
}

fn drawn(count: usize, bound: f64, seed: u64) -> Vec<f64> {
    let mut draw = Stream::new(&[seed]);
    (0..count).map(|_| (2.0 * draw.unit() - 1.0) * bound * draw.unit().powi(9)).collect()
}

#[test]
fn sums_are_those_of_the_definition_in_any_order_and_grouping() {
    for (terms, bound, bits) in
        [(1, 1.0, 51), (4095, 1.0, 51), (4096, 3.0, 50), (100_000, 1e-9, 46), (70_000, 1e200, 46)]
    {
        let numbers = drawn(terms, bound, terms as u64);
        let grid = Grid::new(bound, terms as u64).unwrap();
        let fraction = bits - bound.log2().ceil() as i32;
        assert_eq!((grid.bits as i32, grid.scale), (bits, 2_f64.powi(fraction)));
        let sum = |numbers: &[f64]| {
            let mut sums = ExactSums::wide(grid, 1);
            numbers.iter().for_each(|number| sums.add(&[*number]).unwrap());
            sums.words()
        };
        let whole = sum(&numbers);
        assert_eq!(i128::from(whole[0]), naive(&numbers, fraction));
        let mut shuffled = numbers.clone();
        Stream::new(&[9]).shuffle(&mut shuffled);
        let (one, two) = shuffled.split_at(terms / 3);
        let apart: Vec<i64> = sum(one).iter().zip(sum(two)).map(|(one, two)| one + two).collect();
        assert_eq!(apart, whole);
        // Words of two have as many bits again.
        let finer: i128 = numbers
            .iter()
            .map(|x| {
                let scaled = x * 2_f64.powi(fraction);
                let high = scaled.round_ties_even();
                ((high as i128) << bits) + ((scaled - high) * 2_f64.powi(bits)).round_ties_even() as i128
            })
            .sum();
        assert_eq!((i128::from(whole[0]) << bits) + i128::from(whole[1]), finer);
        let value = grid.wide_value(whole[0], whole[1]);
        assert!((value - numbers.iter().sum::<f64>()).abs() <= 1e-13 * bound * terms as f64);
    }
}

#[test]
fn triangles_are_sums_of_products_in_every_vector_form() {
    for width in [1, 2, 7, 33] {
        let (count, bound) = (40, 0.3);
        let (rows, factors) = (drawn(count * width, 1.0, 5), drawn(count, bound, 6));
        let grid = Grid::new(bound, 50).unwrap();
        let found = SimdLevel::in_every_form(|| {
            let mut sums = ExactSums::new(grid, width * (width + 1) / 2);
            sums.add_products(&factors[..17], &rows[..17 * width]).unwrap();
            sums.add_products(&factors[17..], &rows[17 * width..]).unwrap();
            sums.words()
        });
        let mut at = 0;
        for i in 0..width {
            for j in 0..=i {
                let of = |row: usize| factors[row] * rows[row * width + i] * rows[row * width + j];
                let terms: Vec<f64> = (0..count).map(of).collect();
                let expected = naive(&terms, 51 + 1) as i64;
                assert!(found.iter().all(|(_, words)| words[at] == expected), "{width}: {i}, {j}");
                assert!((grid.value(expected) - terms.iter().sum::<f64>()).abs() < 1e-13);
                at += 1;
            }
        }
    }
}

#[test]
fn what_would_wrap_is_refused() {
    let grid = Grid::new(2.0, 3).unwrap();
    for bad in [2.000_001, -2.1, f64::NAN, f64::INFINITY] {
        let refused = ExactSums::new(grid, 2).add(&[1.0, bad]).unwrap_err();
        assert!(matches!(refused, ExactError::Beyond { at: 1, bound: 2.0, .. }), "{refused}");
        let mut sums = ExactSums::new(grid, 1);
        assert!(matches!(sums.add_products(&[1.0, bad], &[1.0, 1.0]), Err(ExactError::Beyond { .. })));
    }
    let mut sums = ExactSums::new(grid, 1);
    assert!(matches!(sums.add_products(&[1.0], &[1.5]), Err(ExactError::Beyond { .. })));
    let mut sums = ExactSums::wide(grid, 1);
    (0..3).for_each(|_| sums.add(&[-2.0]).unwrap());
    assert_eq!(grid.wide_value(sums.clone().words()[0], 0), -6.0);
    assert_eq!(sums.add(&[0.0]), Err(ExactError::Terms(3)));
    for (bound, terms) in [(0.0, 1), (-1.0, 1), (f64::NAN, 1), (f64::INFINITY, 1), (1e290, 1), (1.0, 1 << 40)]
    {
        assert_eq!(Grid::new(bound, terms), None);
    }
}

#[test]
fn the_power_above_a_number_is_the_smallest() {
    for (number, power) in [(1.0, 1.0), (1.1, 2.0), (4.0, 4.0), (0.3, 0.5), (4254.0, 8192.0), (0.0, 1.0)] {
        assert_eq!(power_above(number), power);
    }
}
