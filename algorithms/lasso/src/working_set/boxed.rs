//! The solver on one Gram for coefficients with bounds: coordinate descent, and Newton steps on the free
//! coefficients.
//!
//! A coefficient is free if it is neither 0 nor at a bound. On a face, where the free coefficients and their
//! signs are fixed, F is a quadratic. A step goes towards its minimum until the first coefficient vanishes or
//! meets a bound and is fixed there, and so on until the minimum itself is reached (an active-set method:
//! Nocedal and Wright, "Numerical Optimization", 2006, section 16.5). Epochs of coordinate descent let
//! coefficients leave 0 and their bounds again.

use super::alternate::Turns;
use super::basis::{Basis, DEPENDENT};
use super::epoch::Swept;
use super::local::{Local, ObjectiveGap};
use crate::loss::soft_threshold;
use crate::penalties::{Terms, charge};
use raddle_kernels::algebra::{add_scaled, dot};

/// Number of faces that a Newton step passes through before epochs run again.
const FACES: usize = 30;

/// The alternation for the Lasso with bounds.
pub(super) struct Boxed<'a> {
    pub(super) terms: &'a Terms,
    pub(super) penalty: f64,
}

impl Turns for Boxed<'_> {
    fn epoch(&mut self, local: &mut Local) -> Swept {
        epoch(local, self.terms, self.penalty)
    }

    fn free(&self, local: &Local) -> usize {
        free(local, self.terms).count()
    }

    fn newton(
        &mut self,
        local: &mut Local,
        _: ObjectiveGap,
        measure_of: impl Fn(&Local) -> ObjectiveGap,
    ) -> ObjectiveGap {
        newton(local, self.terms, self.penalty);
        measure_of(local)
    }
}

/// Returns the slots of coefficients that are neither 0 nor at a bound.
fn free(local: &Local, terms: &Terms) -> impl Iterator<Item = usize> {
    let at = |(i, &b): (usize, &f64)| (b != 0.0 && !terms.is_at_bound(i, b)).then_some(i);
    local.b.iter().enumerate().filter_map(at)
}

/// Objective and gap, for r'r: the dual point is k r with k = min(1, L / max |x_j'r|), and P - D = (1 - k)^2
/// r'r / 2 + L |b|_1 - k g'b + the charge of the bounds.
pub(super) fn measure(local: &Local, terms: &Terms, rr: f64, penalty: f64) -> ObjectiveGap {
    let mut held = Vec::new();
    let slopes = local.b.iter().zip(&local.g).enumerate();
    let largest = slopes.map(|(i, (b, g))| terms.limiting(i, *b, *g, &mut held)).fold(0.0, f64::max);
    let scale = if largest > penalty { penalty / largest } else { 1.0 };
    let l1: f64 = local.b.iter().map(|b| b.abs()).sum();
    let rest = 0.5 * (1.0 - scale) * (1.0 - scale) * rr;
    let gap =
        rest + (penalty * l1 - scale * dot(&local.g, &local.b) + charge(&held, scale, penalty)).max(0.0);
    let primal = 0.5 * rr + penalty * l1;
    ObjectiveGap { primal, dual: primal - gap, gap }
}

/// Minimises over each coefficient in turn, by ascending slot, and updates g. `signs` counts the coefficients
/// that reached or left 0 or a bound.
fn epoch(local: &mut Local, terms: &Terms, penalty: f64) -> Swept {
    let Local { gram, b, g, .. } = local;
    let (mut changed, mut signs) = (0, 0);
    for j in 0..b.len() {
        let (row, before) = (gram.row(j), b[j]);
        let curvature = row[j];
        if curvature <= 0.0 {
            continue;
        }
        let after = terms.clamp(j, soft_threshold(curvature.mul_add(before, g[j]), penalty) / curvature);
        if after != before {
            b[j] = after;
            add_scaled(g, before - after, row);
            let place = |value: f64| (value > 0.0, value < 0.0, terms.is_at_bound(j, value));
            changed += 1;
            signs += usize::from(place(before) != place(after));
        }
    }
    let flops = 2 * (changed * b.len()) as u64;
    raddle::cancellation_point(flops + b.len() as u64);
    Swept { changed, signs, flops }
}

/// Moves from face to face, towards the minimum of each, and updates g.
fn newton(local: &mut Local, terms: &Terms, penalty: f64) {
    for _ in 0..FACES {
        raddle::cancellation_point(local.b.len() as u64);
        let Some((free, step)) = direction(local, free(local, terms).collect(), penalty) else {
            return;
        };
        let mut length = 1.0;
        let mut first = None;
        for (at, (&i, &step)) in free.iter().zip(&step).enumerate().filter(|(_, (_, step))| **step != 0.0) {
            let b = local.b[i];
            let (vanishes, meets) = (-b / step, terms.reach(i, b, step));
            for (share, end) in [(vanishes, 0.0), (meets, terms.clamp(i, f64::INFINITY * step.signum()))] {
                if share > 0.0 && share < length {
                    (length, first) = (share, Some((at, end)));
                }
            }
        }
        let mut target: Vec<f64> =
            free.iter().zip(&step).map(|(&i, step)| local.b[i] + length * step).collect();
        if let Some((at, end)) = first {
            target[at] = end;
        }
        for (&i, value) in free.iter().zip(&mut target) {
            *value = terms.clamp(i, *value);
        }
        local.move_to(&free, &target);
        if first.is_none() {
            return;
        }
    }
}

/// The step to the minimum of the face: members whose columns are independent, and the change of each.
fn direction(local: &Local, free: Vec<usize>, penalty: f64) -> Option<(Vec<usize>, Vec<f64>)> {
    let mut basis = Basis::new(free.len(), DEPENDENT);
    for i in free {
        let row = local.gram.row(i);
        basis.try_push(i, |k| row[k]);
    }
    let slope = |&i: &usize| local.g[i] - penalty * local.b[i].signum();
    let step = basis.solve(basis.members.iter().map(slope).collect());
    (!basis.members.is_empty()).then_some((basis.members, step))
}
