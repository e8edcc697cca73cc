//! Products of sparse columns with a matrix of a few numbers for each row, such as one for each class.
//!
//! A block is the numbers of one row, side by side and padded to eight lanes: each stored value is read once
//! for all of them.

use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};
use super::sparse::SparseColumns;

in_every_form! {
    /// Computes the block of each column of `x` as the sum of the blocks of its rows in `b`, times the stored
    /// values. Blocks have `width` numbers, a multiple of eight.
    pub fn block_pass(x: SparseColumns<'_>, b: &[f64], width: usize, out: &mut [f64]) = pass;

    /// Adds to the block of each row in `out` the blocks in `b` of the columns of `x` that have the row,
    /// times the stored values, column by column.
    pub fn block_add(x: SparseColumns<'_>, b: &[f64], width: usize, out: &mut [f64]) = add;
}

/// Returns the lanes of a block from `first` on; `None` outside the matrix.
#[inline(always)]
fn part<const M: usize>(of: &[f64], start: usize) -> Option<&[[f64; LANES]; M]> {
    of.get(start..start + M * LANES)?.as_chunks().0.first_chunk()
}

#[inline(always)]
fn part_mut<const M: usize>(of: &mut [f64], start: usize) -> Option<&mut [[f64; LANES]; M]> {
    of.get_mut(start..start + M * LANES)?.as_chunks_mut().0.first_chunk_mut()
}

/// Calls a function for up to four groups of lanes at a time.
macro_rules! by_groups {
    ($width:expr, $part:ident($($argument:expr),*)) => {
        let mut first = 0;
        while first < $width {
            let groups = (($width - first) / LANES).min(4);
            match groups {
                1 => $part::<L, 1>($($argument,)* first),
                2 => $part::<L, 2>($($argument,)* first),
                3 => $part::<L, 3>($($argument,)* first),
                _ => $part::<L, 4>($($argument,)* first),
            }
            first += groups.max(1) * LANES;
        }
    };
}

#[inline(always)]
fn pass<L: Lanes>(x: SparseColumns<'_>, b: &[f64], width: usize, out: &mut [f64]) {
    by_groups!(width, pass_part(x, b, width, out));
}

#[inline(always)]
fn pass_part<L: Lanes, const M: usize>(
    x: SparseColumns<'_>,
    b: &[f64],
    width: usize,
    out: &mut [f64],
    first: usize,
) {
    for column in 0..x.len() {
        let (rows, values) = x.column(column);
        let mut sums = [L::zero(); M];
        for (&row, &value) in rows.iter().zip(values) {
            let (Some(block), value) = (part::<M>(b, row as usize * width + first), L::splat(value)) else {
                continue;
            };
            for (sum, lanes) in sums.iter_mut().zip(block) {
                *sum = L::load(lanes).mul_add(value, *sum);
            }
        }
        if let Some(block) = part_mut::<M>(out, column * width + first) {
            sums.into_iter().zip(block).for_each(|(sum, to)| sum.store(to));
        }
    }
}

#[inline(always)]
fn add<L: Lanes>(x: SparseColumns<'_>, b: &[f64], width: usize, out: &mut [f64]) {
    by_groups!(width, add_part(x, b, width, out));
}

#[inline(always)]
fn add_part<L: Lanes, const M: usize>(
    x: SparseColumns<'_>,
    b: &[f64],
    width: usize,
    out: &mut [f64],
    first: usize,
) {
    for column in 0..x.len() {
        let (rows, values) = x.column(column);
        let Some(block) = part::<M>(b, column * width + first) else { continue };
        let block: [L; M] = std::array::from_fn(|m| L::load(&block[m]));
        for (&row, &value) in rows.iter().zip(values) {
            let (Some(to), value) = (part_mut::<M>(out, row as usize * width + first), L::splat(value))
            else {
                continue;
            };
            for (to, lanes) in to.iter_mut().zip(block) {
                lanes.mul_add(value, L::load(to)).store(to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_base::simd_level::SimdLevel;

    #[test]
    fn blocks_are_products_of_each_of_their_numbers_in_every_form() {
        let (starts, rows) = (vec![0, 2, 2, 5], vec![0_u32, 3, 1, 2, 3]);
        let values = [0.5, -2.0, 3.0, 0.25, 1.5];
        let x = SparseColumns { starts: &starts, rows: &rows, values: &values };
        for width in [8, 16, 24, 32, 48] {
            let b: Vec<f64> = (0..4 * width).map(|at| (at as f64 * 0.7).sin()).collect();
            let forms = SimdLevel::in_every_form(|| {
                let (mut out, mut sums) = (vec![9.0; 3 * width], vec![1.0; 4 * width]);
                block_pass(x, &b, width, &mut out);
                block_add(x, &out, width, &mut sums);
                [out, sums]
            });
            for (name, [out, sums]) in &forms {
                assert_eq!([out, sums], [&forms[0].1[0], &forms[0].1[1]], "{name}, {width}");
                for at in 0..width {
                    let product = |column: usize| {
                        (starts[column]..starts[column + 1])
                            .fold(0.0, |sum, i| values[i].mul_add(b[rows[i] as usize * width + at], sum))
                    };
                    let of: Vec<f64> = (0..3).map(product).collect();
                    assert_eq!(of, (0..3).map(|column| out[column * width + at]).collect::<Vec<_>>());
                    let third = values[4].mul_add(of[2], values[1].mul_add(of[0], 1.0));
                    assert_eq!(sums[3 * width + at], third);
                }
            }
        }
    }
}
