//! Products of a few rows with many, for recommendations and metrics.

use super::lanes::{LANES, Lanes, Vector};
use super::{Kernel, run};

/// Number of rows that are multiplied side by side, so that each of the many rows is loaded once for all.
pub const TOGETHER: usize = 4;

/// Computes `out[j][i]` = p_j . q_i for four rows p_j and the rows of `items`, all of `chunks` vectors.
///
/// # Panics
/// If the slices do not hold whole rows.
pub fn scores(four: [&[Vector]; TOGETHER], items: &[Vector], chunks: usize, out: &mut [Vec<f32>; TOGETHER]) {
    assert!(chunks > 0 && items.len().is_multiple_of(chunks), "whole rows");
    assert!(four.iter().all(|row| row.len() == chunks), "rows of both sides are as wide");
    scores_of(four, items, chunks, out);
}

in_every_form! {
    fn scores_of(
        four: [&[Vector]; TOGETHER],
        items: &[Vector],
        chunks: usize,
        out: &mut [Vec<f32>; TOGETHER],
    ) = scores_in;

    /// Returns the product of two rows of whole vectors, with the same lane structure as [`scores`].
    pub fn product(p: &[Vector], q: &[Vector]) -> f32 = product_in;
}

/// Converts rows to whole vectors, padded with zeros.
pub fn padded(rows: &[f32], rank: usize) -> Vec<Vector> {
    let chunks = rank.div_ceil(LANES).max(1);
    let count = rows.len().checked_div(rank).unwrap_or(0);
    let mut out = vec![Vector([0.0; LANES]); count * chunks];
    for (to, from) in out.chunks_exact_mut(chunks).zip(rows.chunks_exact(rank.max(1))) {
        bytemuck::cast_slice_mut::<Vector, f32>(to)[..rank].copy_from_slice(from);
    }
    out
}

#[inline(always)]
fn scores_in<L: Lanes>(
    four: [&[Vector]; TOGETHER],
    items: &[Vector],
    chunks: usize,
    out: &mut [Vec<f32>; TOGETHER],
) {
    let count = items.len() / chunks;
    out.iter_mut().for_each(|scores| scores.resize(count, 0.0));
    let tiled = if L::HAS_32_REGISTERS { count - count % TOGETHER } else { 0 };
    for (tile, items) in items[..tiled * chunks].chunks_exact(TOGETHER * chunks).enumerate() {
        score_tile::<L>(four, items, chunks, tile * TOGETHER, out);
    }
    for (number, item) in (tiled..).zip(items[tiled * chunks..].chunks_exact(chunks)) {
        let mut sums = [L::zero(); TOGETHER];
        for chunk in 0..chunks {
            let q = L::load(&item[chunk].0);
            for j in 0..TOGETHER {
                sums[j] = L::load(&four[j][chunk].0).mul_add(q, sums[j]);
            }
        }
        let sums = L::sums(sums);
        for j in 0..TOGETHER {
            out[j][number] = sums[j];
        }
    }
}

/// Scores four items, the first of which has the number `first`: as one at a time, but that the four rows are
/// loaded once for them, and that the sums of a row are stored together.
#[inline(always)]
fn score_tile<L: Lanes>(
    four: [&[Vector]; TOGETHER],
    items: &[Vector],
    chunks: usize,
    first: usize,
    out: &mut [Vec<f32>; TOGETHER],
) {
    let mut sums = [[L::zero(); TOGETHER]; TOGETHER];
    for chunk in 0..chunks {
        let mut q = [L::zero(); TOGETHER];
        for i in 0..TOGETHER {
            q[i] = L::load(&items[i * chunks + chunk].0);
        }
        for j in 0..TOGETHER {
            let p = L::load(&four[j][chunk].0);
            for i in 0..TOGETHER {
                sums[j][i] = p.mul_add(q[i], sums[j][i]);
            }
        }
    }
    for j in 0..TOGETHER {
        out[j][first..first + TOGETHER].copy_from_slice(&L::sums(sums[j]));
    }
}

#[inline(always)]
fn product_in<L: Lanes>(p: &[Vector], q: &[Vector]) -> f32 {
    let mut sum = L::zero();
    for (p, q) in p.iter().zip(q) {
        sum = L::load(&p.0).mul_add(L::load(&q.0), sum);
    }
    sum.sum()
}
