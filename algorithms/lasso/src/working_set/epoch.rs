//! One epoch of coordinate descent on the Gram.

use raddle::cancellation_point;

use super::local::Local;
use raddle_kernels::algebra::add_scaled_ahead;

/// The minimiser over one coefficient: S(G_jj b_j + g_j, L) / G_jj with the soft threshold S.
#[inline(always)]
fn minimiser(moved: f64, penalty: f64, curvature: f64) -> f64 {
    if moved > penalty {
        (moved - penalty) / curvature
    } else if moved < -penalty {
        (moved + penalty) / curvature
    } else {
        0.0
    }
}

/// Counts of an epoch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Swept {
    /// Coefficients that changed.
    pub(crate) changed: usize,
    /// Coefficients whose sign changed, to or from zero included.
    pub(crate) signs: usize,
    /// Operations.
    pub(crate) flops: u64,
}

/// Minimises over each coefficient in turn, by ascending slot, and updates g after every change.
///
/// A member whose column is zero keeps its coefficient.
pub(crate) fn epoch(local: &mut Local, penalty: f64) -> Swept {
    let Local { gram, b, g, .. } = local;
    let mut swept = Swept::default();
    for j in 0..b.len() {
        let (before, slope) = (b[j], g[j]);
        if before == 0.0 && slope.abs() <= penalty {
            continue;
        }
        let row = gram.row(j);
        let curvature = row[j];
        if curvature <= 0.0 {
            continue;
        }
        let after = minimiser(curvature.mul_add(before, slope), penalty, curvature);
        if after != before {
            b[j] = after;
            // Rows are far from each other in memory, and the next one is known: those of nonzero
            // coefficients change.
            let next = (j + 1..b.len()).find(|&k| b[k] != 0.0).map_or(&[][..], |k| gram.row(k));
            add_scaled_ahead(g, before - after, row, next);
            swept.changed += 1;
            swept.signs += usize::from((after > 0.0) != (before > 0.0) || (after < 0.0) != (before < 0.0));
        }
    }
    swept.flops = 2 * (swept.changed * b.len()) as u64;
    cancellation_point(swept.flops + b.len() as u64);
    swept
}
