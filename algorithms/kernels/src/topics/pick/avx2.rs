//! The draw from a dense row's sums in pairs of 256-bit registers.

#![allow(unsafe_code)] // intrinsics, as in the forms of the lanes

use std::arch::x86_64::*;

use super::super::lanes::LANES;
use crate::f32x16::Avx2;

/// Adds to each lane those before it in its group of four.
#[inline]
#[target_feature(enable = "avx2")]
fn running(lanes: __m256) -> __m256 {
    let lanes = _mm256_add_ps(lanes, earlier::<4>(lanes));
    _mm256_add_ps(lanes, earlier::<8>(lanes))
}

/// Returns for each lane the one that is this number of bytes before it in its group of four.
#[inline]
#[target_feature(enable = "avx2")]
fn earlier<const BYTES: i32>(lanes: __m256) -> __m256 {
    _mm256_castsi256_ps(_mm256_slli_si256::<BYTES>(_mm256_castps_si256(lanes)))
}

/// Returns, for eight lanes, a bit for each whose sum is at most the point, and the rest of the point in
/// each.
#[inline]
#[target_feature(enable = "avx2")]
fn parts(fours: __m256, starts: __m256, point: __m256) -> (u32, __m256) {
    let upto = _mm256_add_ps(starts, fours);
    let before = _mm256_add_ps(starts, earlier::<4>(fours));
    let is_below = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(upto, point)) as u32;
    (is_below, _mm256_sub_ps(point, before))
}

/// Same as [`portable`](super::portable). Lanes 0 to 7 are in the first register of each pair.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
pub(in super::super) fn pick<const N: usize>(sums: &[Avx2; N], unit: f32) -> usize {
    let (low, high) = (running(sums[N - 1].0), running(sums[N - 1].1));
    // The sums of the groups of four: first and third, second and fourth, then side by side.
    let ends = _mm256_shuffle_ps::<0xff>(low, high);
    let ends = _mm_blend_ps::<0b1010>(_mm256_castps256_ps128(ends), _mm256_extractf128_ps::<1>(ends));
    let ends = running(_mm256_castps128_ps256(ends));
    let ends = _mm256_castps256_ps128(ends);
    // Each group adds the sums of the groups before it.
    let first = _mm_setzero_ps();
    let second = _mm_shuffle_ps::<0x00>(ends, ends);
    let (third, fourth) = (_mm_shuffle_ps::<0x55>(ends, ends), _mm_shuffle_ps::<0xaa>(ends, ends));
    let starts = (_mm256_set_m128(second, first), _mm256_set_m128(fourth, third));
    let all = _mm_shuffle_ps::<0xff>(ends, ends);
    let point = _mm256_mul_ps(_mm256_set_m128(all, all), _mm256_set1_ps(unit));
    let (below, within) = parts(low, starts.0, point);
    let (above, beyond) = parts(high, starts.1, point);
    let (mut lines, mut more) = (_mm256_setzero_si256(), _mm256_setzero_si256());
    let mut line = 0;
    while line + 1 < N {
        // Lanes that are true are -1.
        let is_below = _mm256_cmp_ps::<_CMP_LE_OQ>(sums[line].0, within);
        lines = _mm256_sub_epi32(lines, _mm256_castps_si256(is_below));
        let is_below = _mm256_cmp_ps::<_CMP_LE_OQ>(sums[line].1, beyond);
        more = _mm256_sub_epi32(more, _mm256_castps_si256(is_below));
        line += 1;
    }
    let lane = ((below | above << 8) & 0x7fff).count_ones() as usize;
    let mut stored = [0u32; LANES];
    // SAFETY: sixteen numbers are written.
    unsafe {
        _mm256_storeu_si256(stored.as_mut_ptr().cast(), lines);
        _mm256_storeu_si256(stored.as_mut_ptr().add(8).cast(), more);
    }
    stored[lane % LANES] as usize * LANES + lane
}
