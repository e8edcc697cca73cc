//! Objective and gap of the second-order model.

use super::super::local::{Local, ObjectiveGap};
use raddle_kernels::algebra::dot;

/// Returns the decrease of the squared residual from |z|^2.
pub(super) fn explained(local: &Local, before: &[f64], slope: &[f64]) -> f64 {
    let steps = local.b.iter().zip(before).zip(local.g.iter().zip(slope));
    steps.map(|((after, before), (g, slope))| (after - before) * (g + slope)).sum()
}

/// Objective, less |z|^2 / 2, and duality gap of the quadratic problem 1/2 |z - X d|^2 + L |b + d|_1 whose
/// gradient at `before` is `slope`, for |z|^2 = `squares`. The dual point is the residual times k = min(1, L
/// / max |g|), the gap
///
/// (1 - k)^2 |z - X d|^2 / 2 + L |b + d|_1 - k g'(b + d).
///
/// This form avoids cancellation, however small some weights, and however large |z| therefore is.
pub(super) fn measured(
    local: &Local,
    before: &[f64],
    slope: &[f64],
    squares: f64,
    penalty: f64,
) -> ObjectiveGap {
    let largest = local.g.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let scale = if largest > penalty { penalty / largest } else { 1.0 };
    let l1: f64 = local.b.iter().map(|value| value.abs()).sum();
    let explained = explained(local, before, slope);
    let rest = 0.5 * (1.0 - scale) * (1.0 - scale) * (squares - explained).max(0.0);
    let primal = penalty * l1 - 0.5 * explained;
    let gap = rest + (penalty * l1 - scale * dot(&local.g, &local.b)).max(0.0);
    ObjectiveGap { primal, dual: primal - gap, gap }
}
