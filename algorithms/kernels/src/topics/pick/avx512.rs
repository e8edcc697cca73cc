//! The draw from a dense row's sums in 512-bit registers.

#![allow(unsafe_code)] // intrinsics, as in the forms of the lanes

use std::arch::x86_64::*;

use super::super::lanes::LANES;
use crate::f32x16::Avx512;

/// Adds to each lane those before it in its group of four.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn running(lanes: __m512) -> __m512 {
    let one = _mm512_bslli_epi128::<4>(_mm512_castps_si512(lanes));
    let lanes = _mm512_add_ps(lanes, _mm512_castsi512_ps(one));
    let two = _mm512_bslli_epi128::<8>(_mm512_castps_si512(lanes));
    _mm512_add_ps(lanes, _mm512_castsi512_ps(two))
}

/// Adds one to the counts in the mask: written as an instruction, because a compiler makes two of it.
#[inline]
#[target_feature(enable = "avx512f")]
fn more(counts: __m512i, mask: __mmask16, one: __m512i) -> __m512i {
    let mut counts = counts;
    // SAFETY: avx512f was detected; registers alone are touched.
    unsafe {
        std::arch::asm!(
            "vpaddd {counts} {{{mask}}}, {counts}, {one}",
            counts = inout(zmm_reg) counts,
            mask = in(kreg) mask,
            one = in(zmm_reg) one,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    counts
}

/// Same as [`portable`](super::portable).
#[inline]
#[target_feature(enable = "avx512f,avx512bw,popcnt")]
pub(in super::super) fn pick<const N: usize>(sums: &[Avx512; N], unit: f32) -> usize {
    let fours = running(sums[N - 1].0);
    // The sums of the groups of four, in every group.
    let ends = _mm512_setr_epi32(3, 7, 11, 15, 3, 7, 11, 15, 3, 7, 11, 15, 3, 7, 11, 15);
    let ends = running(_mm512_permutexvar_ps(ends, fours));
    // Each group adds the sums of the groups before it.
    let which = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2);
    let starts = _mm512_maskz_permutevar_ps(0xfff0, ends, which);
    let upto = _mm512_add_ps(starts, fours);
    let earlier = _mm512_castsi512_ps(_mm512_bslli_epi128::<4>(_mm512_castps_si512(fours)));
    let before = _mm512_add_ps(starts, earlier);
    let point = _mm512_mul_ps(_mm512_permute_ps::<0xff>(ends), _mm512_set1_ps(unit));
    let within = _mm512_sub_ps(point, before);
    let (one, mut lines) = (_mm512_set1_epi32(1), _mm512_setzero_si512());
    let mut line = 0;
    while line + 1 < N {
        let is_below = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(sums[line].0, within);
        lines = more(lines, is_below, one);
        line += 1;
    }
    let lane = (_mm512_cmp_ps_mask::<_CMP_LE_OQ>(upto, point) & 0x7fff).count_ones() as usize;
    let mut stored = [0u32; LANES];
    // SAFETY: sixteen numbers are written.
    unsafe { _mm512_storeu_si512(stored.as_mut_ptr().cast(), lines) }
    stored[lane % LANES] as usize * LANES + lane
}
