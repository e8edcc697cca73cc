//! Search for the few columns that a certificate must report.

use super::form::{Kernel, run};
use super::lanes::{LANES, Lanes};

/// The slot of a column outside the working set.
pub const OUTSIDE: u32 = u32::MAX;

in_every_form! {
    /// Collects, in ascending order, the columns whose |gradient| exceeds `threshold`, whose coefficient is
    /// not zero, or which have a slot, and returns the largest |gradient| of the columns without a
    /// coefficient; NaN exceeds nothing.
    ///
    /// The three slices are of one length.
    pub fn scan(
        gradient: &[f64],
        coefficients: &[f64],
        slots: &[u32],
        threshold: f64,
        noted: &mut Vec<usize>,
    ) -> f64 = scan_in;
}

// Nothing is rounded here, so the compiler's own vectors give the same bits in every form.
#[inline(always)]
fn scan_in<L: Lanes>(
    gradient: &[f64],
    coefficients: &[f64],
    slots: &[u32],
    threshold: f64,
    noted: &mut Vec<usize>,
) -> f64 {
    let (gradients, g_rest) = gradient.as_chunks::<LANES>();
    let (groups, b_rest) = coefficients.as_chunks::<LANES>();
    let (slot_groups, s_rest) = slots.as_chunks::<LANES>();
    let mut most = [0.0; LANES];
    for (group, ((g, b), slots)) in gradients.iter().zip(groups).zip(slot_groups).enumerate() {
        // Nearly all groups have nothing to report: one branch serves eight columns.
        let mut loud = [0_u64; LANES];
        for lane in 0..LANES {
            let (size, free) = (g[lane].abs(), b[lane] == 0.0);
            let is_loud = (size > threshold) | !free | (slots[lane] != OUTSIDE);
            loud[lane] = if is_loud { 1 << lane } else { 0 };
            let counted = if free { size } else { 0.0 };
            most[lane] = if counted > most[lane] { counted } else { most[lane] };
        }
        let mut left = loud.iter().fold(0, |all, lane| all | lane);
        while left != 0 {
            noted.push(group * LANES + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
    let mut largest = most.into_iter().fold(0.0, f64::max);
    for (at, ((g, b), slot)) in (gradients.len() * LANES..).zip(g_rest.iter().zip(b_rest).zip(s_rest)) {
        if *b == 0.0 && g.abs() > largest {
            largest = g.abs();
        }
        if g.abs() > threshold || *b != 0.0 || *slot != OUTSIDE {
            noted.push(at);
        }
    }
    largest
}
