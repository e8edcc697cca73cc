//! The draw from a dense row's sums: [`Lanes::pick`](super::lanes::Lanes::pick), and its definition.
//!
//! `sums[n]` holds, lane by lane, the masses of the first n + 1 sixteens of topics. A point in the whole mass
//! first falls into a lane, by sums over lanes, and the rest of it then into one of the lane's topics:
//!
//! ```text
//! upto[l]   = mass of lanes 0 to l
//! before[l] = mass of lanes 0 to l - 1
//! point     = unit times all mass
//! lane      = how many of upto[0] to upto[14] are at most point
//! line      = how many of sums[0] to sums[N - 2] have at most point - before[lane] in that lane
//! topic     = 16 line + lane
//! ```
//!
//! Sums over lanes are made in two steps within each group of four lanes, and two more over the sums of the
//! groups: see [`Upto`]. There is no branch, and lines are counted for all lanes at once, so that a draw does
//! not wait for its lane. Rounding may lead past the mass of a lane, by a few parts in 2^24 of all, to the
//! lane's last topic.

#![allow(clippy::needless_range_loop)] // lanes of several sums side by side

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use crate::topics::counts::packing::LANES;
#[cfg(target_arch = "x86_64")]
pub(super) use {avx2::pick as avx2, avx512::pick as avx512};

/// Number of lanes that are summed first.
const FOUR: usize = 4;

/// Sums up to each lane.
struct Upto {
    upto: [f32; LANES],
    before: [f32; LANES],
    all: f32,
}

/// Adds to each of four values those before it, in two steps: the one before, then the two before.
fn running([a, b, c, d]: [f32; FOUR]) -> [f32; FOUR] {
    let [a, b, c, d] = [a, b + a, c + b, d + c];
    [a, b, c + a, d + b]
}

impl Upto {
    fn new(masses: &[f32; LANES]) -> Self {
        let mut fours = [[0.0; FOUR]; FOUR];
        for (to, from) in fours.iter_mut().zip(masses.as_chunks().0) {
            *to = running(*from);
        }
        let ends = running(fours.map(|[.., end]| end));
        let (mut upto, mut before) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            let (four, at) = (lane / FOUR, lane % FOUR);
            let start = if four > 0 { ends[four - 1] } else { 0.0 };
            upto[lane] = start + fours[four][at];
            before[lane] = start + if at > 0 { fours[four][at - 1] } else { 0.0 };
        }
        Self { upto, before, all: ends[FOUR - 1] }
    }
}

/// Returns the topic at the fraction `unit`, from 0 to below 1, of the whole mass: the definition above.
#[inline(always)]
pub(super) fn portable<const N: usize>(sums: &[[f32; LANES]; N], unit: f32) -> usize {
    let Upto { upto, before, all } = Upto::new(&sums[N - 1]);
    let point = unit * all;
    let mut lines = [0u32; LANES];
    for sums in &sums[..N - 1] {
        for lane in 0..LANES {
            lines[lane] += u32::from(sums[lane] <= point - before[lane]);
        }
    }
    let lane = upto[..LANES - 1].iter().filter(|&&upto| upto <= point).count();
    lines[lane] as usize * LANES + lane
}

#[cfg(test)]
mod tests {
    use super::super::lanes::Lanes;
    use super::super::{Kernel, run};
    use super::*;

    /// Picks in one vector form, for points all over the mass.
    struct Picks<const N: usize>([[f32; LANES]; N]);

    impl<const N: usize> Kernel for Picks<N> {
        type Output = Vec<usize>;

        #[inline(always)]
        fn run<L: Lanes>(self) -> Vec<usize> {
            let mut sums = [L::zero(); N];
            let mut sum = L::zero();
            for (sums, masses) in sums.iter_mut().zip(&self.0) {
                sum = sum.add(L::load(masses));
                *sums = sum;
            }
            let mut picked = Vec::new();
            for step in 0..4096u32 {
                picked.push(L::pick(&sums, step as f32 / 4096.0));
            }
            picked
        }
    }

    fn check<const N: usize>() {
        let mass = |topic: usize| ((topic * 7919 + 13) % 17) as f32;
        let masses: [[f32; LANES]; N] =
            std::array::from_fn(|line| std::array::from_fn(|lane| mass(line * LANES + lane)));
        let all: f32 = masses.iter().flatten().sum();
        // Masses are whole numbers: no sum is rounded, so that every topic has its exact share of the points.
        let mut edge = 0.0;
        let mut expected = Vec::new();
        for lane in 0..LANES {
            for (line, masses) in masses.iter().enumerate() {
                edge += masses[lane];
                expected.push((edge / all, line * LANES + lane));
            }
        }
        for level in raddle_base::simd_level::SimdLevel::available() {
            let picked = level.during(|| run(Picks(masses)));
            for (step, &topic) in picked.iter().enumerate() {
                let unit = step as f32 / 4096.0;
                let at = expected.partition_point(|&(edge, _)| edge <= unit);
                assert_eq!(topic, expected[at].1, "{N} lines, {}: {unit}", level.name());
            }
        }
    }

    #[test]
    fn every_form_picks_the_topic_in_whose_mass_the_point_lies() {
        check::<1>();
        check::<2>();
        check::<3>();
        check::<7>();
        check::<13>();
        check::<16>();
        check::<17>();
        check::<18>();
        check::<32>();
    }
}
