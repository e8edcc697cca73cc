//! The solver on one Gram for coefficients with bounds: coordinate descent, and Newton steps on what is free.
//!
//! A coefficient is free where it is neither 0 nor at a bound. On a face, with the same coefficients free and the same signs, F
//! is a quadratic; the way to its minimum is followed as far as the first coefficient that vanishes or meets a bound, which
//! then stays there, and so on until the minimum itself is reached (an active-set method: Nocedal and Wright, "Numerical
//! Optimization", 2006, section 16.5). Epochs of coordinate descent let coefficients leave 0 and their bounds again.

use super::local::{Local, Measure, Problem};
use super::stats::Work;
use crate::kernels::{add_scaled, dot, solve_lower, solve_lower_transposed};
use crate::loss::soft_threshold;
use crate::penalties::{Terms, charge};

/// Epochs between measures.
const EPOCHS: usize = 2;

/// Epochs after which a solve gives up; one that has not reached its gap reports it.
const MOST_EPOCHS: u64 = 20_000;

/// Faces that a Newton step goes through before epochs have their turn again.
const FACES: usize = 30;

/// Operations of a factorisation for each one of an epoch: see `inner.rs`.
const FACTOR_SPEED: u64 = 20;

/// A column of which less than this share is left, squared, once those before it are taken out depends on them.
const DEPENDENT: f64 = 1e-10;

/// Solves to the gap `target` (absolute), or until nothing changes.
pub(super) fn solve(
    local: &mut Local,
    terms: &Terms,
    problem: Problem,
    target: f64,
    work: &mut Work,
) -> Measure {
    let measure = |local: &Local| {
        let yr = problem.yy - dot(&local.q, &local.b);
        measured(local, terms, (yr - dot(&local.g, &local.b)).max(0.0), problem.penalty)
    };
    descend(local, terms, problem.penalty, (target, MOST_EPOCHS), work, measure)
}

/// Objective and gap, for r'r: the dual point is k r with k = min(1, L / max |x_j'r|), and
/// P - D = (1 - k)^2 r'r / 2 + L |b|_1 - k g'b + what bounds charge.
pub(super) fn measured(local: &Local, terms: &Terms, rr: f64, penalty: f64) -> Measure {
    let mut held = Vec::new();
    let slopes = local.b.iter().zip(&local.g).enumerate();
    let largest = slopes.map(|(i, (b, g))| terms.limiting(i, *b, *g, &mut held)).fold(0.0, f64::max);
    let scale = if largest > penalty { penalty / largest } else { 1.0 };
    let l1: f64 = local.b.iter().map(|b| b.abs()).sum();
    let rest = 0.5 * (1.0 - scale) * (1.0 - scale) * rr;
    let gap =
        rest + (penalty * l1 - scale * dot(&local.g, &local.b) + charge(&held, scale, penalty)).max(0.0);
    let primal = 0.5 * rr + penalty * l1;
    Measure { primal, dual: primal - gap, gap }
}

/// Epochs and Newton steps in turns, until the gap that `measure_of` tells is at most the target, nothing changes, or the
/// epochs are used up.
pub(super) fn descend(
    local: &mut Local,
    terms: &Terms,
    penalty: f64,
    (target, epochs): (f64, u64),
    work: &mut Work,
    measure_of: impl Fn(&Local) -> Measure,
) -> Measure {
    let limit = work.epochs + epochs;
    let mut measure = measure_of(local);
    let mut since_newton = 0;
    while measure.gap > target && work.epochs < limit {
        let before = work.epoch_flops;
        let (mut changed, mut signs) = (0, 0);
        for _ in 0..EPOCHS {
            (changed, signs) = epoch(local, terms, penalty, work);
        }
        since_newton += work.epoch_flops - before;
        measure = measure_of(local);
        if measure.gap <= target || changed == 0 {
            break;
        }
        let free = local.b.iter().enumerate().filter(|&(i, &b)| b != 0.0 && !terms.is_at_bound(i, b)).count();
        if free > 0 && (signs == 0 || since_newton * FACTOR_SPEED >= (free as u64).pow(3) / 3) {
            since_newton = 0;
            newton(local, terms, penalty, work);
            measure = measure_of(local);
        }
    }
    measure
}

/// Minimises over each coefficient in turn, by ascending slot; g follows. Returns how many changed, and how many came to 0 or a
/// bound, or left one.
fn epoch(local: &mut Local, terms: &Terms, penalty: f64, work: &mut Work) -> (usize, usize) {
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
    work.epochs += 1;
    work.updates += changed as u64;
    work.epoch_flops += 2 * (changed * b.len()) as u64;
    (changed, signs)
}

/// Goes from face to face, towards the minimum of each; g follows.
fn newton(local: &mut Local, terms: &Terms, penalty: f64, work: &mut Work) {
    work.newtons += 1;
    for _ in 0..FACES {
        let free = (0..local.b.len()).filter(|&i| local.b[i] != 0.0 && !terms.is_at_bound(i, local.b[i]));
        let Some((free, step)) = direction(local, free.collect(), penalty, work) else { return };
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
        work.solve_flops += 2 * (free.len() * local.b.len()) as u64;
        local.move_to(&free, &target);
        if first.is_none() {
            work.whole_steps += 1;
            return;
        }
    }
}

/// The way to the minimum of the face: members whose columns do not depend on each other, and how far each goes.
fn direction(
    local: &Local,
    free: Vec<usize>,
    penalty: f64,
    work: &mut Work,
) -> Option<(Vec<usize>, Vec<f64>)> {
    let stride = free.len();
    let (mut l, mut members) = (vec![0.0; stride * stride], Vec::with_capacity(stride));
    for i in free {
        let row = local.gram.row(i);
        let mut products: Vec<f64> = members.iter().map(|&k: &usize| row[k]).collect();
        solve_lower(&l, stride, &mut products);
        let pivot = row[i] - dot(&products, &products);
        if pivot > DEPENDENT * row[i] {
            let place = &mut l[members.len() * stride..][..=members.len()];
            place[..products.len()].copy_from_slice(&products);
            place[products.len()] = pivot.sqrt();
            members.push(i);
        }
    }
    work.factor_flops += (members.len() as u64).pow(3) / 3;
    let slope = |&i: &usize| local.g[i] - penalty * local.b[i].signum();
    let mut step: Vec<f64> = members.iter().map(slope).collect();
    solve_lower(&l, stride, &mut step);
    solve_lower_transposed(&l, stride, &mut step);
    (!members.is_empty()).then_some((members, step))
}
