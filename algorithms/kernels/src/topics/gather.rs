//! Sparse rows on x86-64: how entries are unpacked, the weights of eight of them at once, and a comparison of
//! one lane in eight sums.

#![allow(unsafe_code)] // instructions spelt out; measured: half the time of a gather

use std::arch::x86_64::*;

use super::lanes::{EntryLine, FloatLine, LANES};

/// Panics unless there is a weight for every topic that the bits can name.
#[inline(always)]
fn check(names: usize, weights: &[f32]) {
    assert!(weights.len() >= names, "a weight for every topic");
}

/// Unpacking of entries: the shift of the topic, the bits of the count, and the number of topics that can be
/// named.
#[derive(Clone, Copy)]
pub(crate) struct Split {
    pub(super) shift: u32,
    names: usize,
}

impl Split {
    pub(super) fn new(bits: u32) -> Self {
        Self { shift: u32::BITS - bits, names: 1 << bits }
    }
}

/// Returns a bit for each of eight sixteens whose value in a lane is at most `bound`, with the first in the
/// lowest bit.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn below(eight: &[FloatLine; 8], lane: usize, bound: f32) -> u32 {
    let [a, b, c, d, e, f, g, h] = std::array::from_fn(|number| eight[number].0[lane % LANES]);
    let column = _mm256_setr_ps(a, b, c, d, e, f, g, h);
    _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(column, _mm256_set1_ps(bound))) as u32
}

/// Returns the weights of the topics of eight entries, in the first half of a line or the second.
///
/// Weights are loaded one by one. On processors whose gathers are slowed by the mitigation of data sampling
/// this takes half the time of a gather, and later instructions need not wait for all loads. The loads are
/// written as instructions, because a compiler would insert into vectors, for which there is only one port.
#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn eight(line: &EntryLine, half: usize, split: Split, weights: &[f32]) -> __m256 {
    check(split.names, weights);
    let entries = &line.0[half * 8..][..8];
    let gathered: __m256;
    // SAFETY: avx2 and bmi2 were detected. Eight entries are read in pairs; a topic is the rest of 32 bits
    // after a shift by `split.shift`, so below `split.names`, and that number of weights was checked.
    unsafe {
        std::arch::asm!(
            "mov {one}, [{entries}]",
            "mov {two}, [{entries} + 8]",
            "shrx {next}, {one}, {high}",
            "shrx {one:e}, {one:e}, {low:e}",
            "vmovss {a:x}, [{weights} + 4*{one}]",
            "vbroadcastss {b:x}, [{weights} + 4*{next}]",
            "shrx {next}, {two}, {high}",
            "shrx {two:e}, {two:e}, {low:e}",
            "vbroadcastss {c:x}, [{weights} + 4*{two}]",
            "vbroadcastss {d:x}, [{weights} + 4*{next}]",
            "mov {one}, [{entries} + 16]",
            "mov {two}, [{entries} + 24]",
            "vblendps {a:x}, {a:x}, {b:x}, 2",
            "vblendps {c:x}, {c:x}, {d:x}, 8",
            "vblendps {a:x}, {a:x}, {c:x}, 12",
            "shrx {next}, {one}, {high}",
            "shrx {one:e}, {one:e}, {low:e}",
            "vbroadcastss {b:y}, [{weights} + 4*{one}]",
            "vbroadcastss {c:y}, [{weights} + 4*{next}]",
            "shrx {next}, {two}, {high}",
            "shrx {two:e}, {two:e}, {low:e}",
            "vbroadcastss {d:y}, [{weights} + 4*{two}]",
            "vbroadcastss {e:y}, [{weights} + 4*{next}]",
            "vblendps {b:y}, {b:y}, {c:y}, 0x20",
            "vblendps {d:y}, {d:y}, {e:y}, 0x80",
            "vblendps {b:y}, {b:y}, {d:y}, 0xc0",
            "vblendps {a:y}, {b:y}, {a:y}, 0x0f",
            entries = in(reg) entries.as_ptr(),
            weights = in(reg) weights.as_ptr(),
            low = in(reg) u64::from(split.shift),
            high = in(reg) u64::from(split.shift) + 32,
            one = out(reg) _,
            two = out(reg) _,
            next = out(reg) _,
            a = out(ymm_reg) gathered,
            b = out(ymm_reg) _,
            c = out(ymm_reg) _,
            d = out(ymm_reg) _,
            e = out(ymm_reg) _,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    gathered
}
