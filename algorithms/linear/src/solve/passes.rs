//! Dual coordinate descent with shrinking: passes over the rows in random order, each row set to its best
//! dual value (Hsieh et al., "A dual coordinate descent method for large-scale linear SVM", 2008; for the
//! logistic loss Yu, Huang and Lin, 2011).

use libm::log;
use raddle::cancellation_point;
use raddle::random::Stream;

use super::judge::{Judge, Weights};
use crate::data::binary::Binary;
use crate::loss::{Loss, sigmoid};
use raddle_kernels::sweeps::{Coordinate, pass};

/// Limit on the steps that solve for one dual value of the logistic loss.
const INNER: usize = 60;
/// Multiplications that take as long as finding one such value.
const LOGISTIC: f64 = 100.0;
/// Number of neighbouring rows that stay together in the random order, as adjacent memory is read faster.
const TOGETHER: usize = 16;

/// Most visits of a row in a pass.
const VISITS: u32 = 16;

/// Groups of rows between two points at which a pass can end.
const GROUPS: usize = 1 << 12;

/// Makes this many passes over the rows; rows at a bound are skipped while the bound holds them. The final
/// point is offered. `known` are the weights that follow from the initial point, if known; returns those of
/// the final point.
pub(crate) fn passes(
    judge: &mut Judge<'_>,
    (a, known): (&mut [f64], Option<Weights>),
    count: usize,
    stream: &mut Stream,
) -> Weights {
    let binary = judge.binary;
    let mut w = known.map_or_else(|| binary.weights_of(a), |known| known.w);
    let visited = match binary.loss {
        Loss::Logistic | Loss::Multinomial => of_logistic(binary, a, &mut w, (count, stream)),
        Loss::Hinge | Loss::SquaredHinge => of_hinge(binary, a, &mut w, (count, stream)),
    };
    let alone = count as f64 * a_row_alone(binary.loss) * binary.count() as f64;
    judge.count(2.0 * visited as f64 + alone);
    judge.offer(a)
}

/// Returns the work per row in a pass besides its values, in multiplications: the logistic loss takes
/// exponentials.
pub(crate) fn a_row_alone(loss: Loss) -> f64 {
    if loss == Loss::Logistic { LOGISTIC } else { 0.0 }
}

/// Makes passes of a hinge loss; returns the number of values read.
fn of_hinge(
    binary: &Binary<'_>,
    a: &mut [f64],
    w: &mut [f64],
    (count, stream): (usize, &mut Stream),
) -> usize {
    // Passes of the hinge visit a row as often as it is there, within a limit: its large bound seldom holds a
    // step back, and once other rows have moved there is much for the next visit to do.
    let turns = if binary.loss == Loss::Hinge { VISITS } else { 1 };
    let of_turn = |turn: u32| (0..binary.count()).filter(move |&row| binary.copies[row] > turn);
    let coordinates: Vec<_> = (0..turns).flat_map(of_turn).map(|row| binary.coordinate(row)).collect();
    let group = |rows: &[Option<Coordinate>]| rows.iter().flatten().copied().collect::<Vec<_>>();
    let mut groups: Vec<_> = coordinates.chunks(TOGETHER).map(group).collect();
    let (mut most, mut least) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut visited = 0;
    for _ in 0..count {
        stream.shuffle(&mut groups);
        let (mut highest, mut lowest, mut of_pass) = (f64::NEG_INFINITY, f64::INFINITY, 0);
        for groups in groups.chunks_mut(GROUPS) {
            let (high, low, some) = pass(binary.rows.view(), groups, a, w, most, least);
            (highest, lowest, of_pass) = (highest.max(high), lowest.min(low), of_pass + some);
            cancellation_point(2 * some as u64);
        }
        groups.retain(|group| !group.is_empty());
        most = if highest > 0.0 { highest } else { f64::INFINITY };
        least = if lowest < 0.0 { lowest } else { f64::NEG_INFINITY };
        visited += of_pass;
    }
    visited
}

/// Makes passes of the logistic loss; returns the number of values read.
fn of_logistic(
    binary: &Binary<'_>,
    a: &mut [f64],
    w: &mut [f64],
    (count, stream): (usize, &mut Stream),
) -> usize {
    let mut order: Vec<usize> = (0..binary.count()).filter(|&row| binary.costs[row] > 0.0).collect();
    for _ in 0..count {
        stream.shuffle(&mut order);
        for &row in &order {
            cancellation_point(LOGISTIC as u64);
            let next = logistic(a[row], binary.costs[row], binary.margin(row, w), binary.rows.square(row));
            if next != a[row] {
                binary.rows.add(row, binary.signs[row] * (next - a[row]), w);
                a[row] = next;
            }
        }
    }
    count * binary.rows.stored()
}

/// Returns the best dual value of a row of the logistic loss: the root of m + q (z - a) + log(z / (c - z)),
/// which increases with z. It is found in terms of s = log(z / (c - z)), where the slope is at least 1, by
/// Newton steps within an interval.
pub(crate) fn logistic(a: f64, c: f64, margin: f64, q: f64) -> f64 {
    let (mut low, mut high) = (-margin - q * (c - a), -margin + q * a);
    let from = if a > 0.0 && a < c { log(a / (c - a)) } else { -margin };
    let mut s = from.clamp(low, high);
    for _ in 0..INNER {
        let share = sigmoid(s);
        let value = q * (c * share - a) + margin + s;
        if value > 0.0 {
            high = s;
        } else {
            low = s;
        }
        let step = s - value / (q * c * share * (1.0 - share) + 1.0);
        let next = if step > low && step < high { step } else { low + (high - low) / 2.0 };
        let step = (next - s).abs();
        s = next;
        // The error after a step is of the order of the square of the step.
        if step <= 1e-8 * s.abs().max(1.0) {
            break;
        }
    }
    c * sigmoid(s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_the_logistic_loss_gets_its_best_dual_value() {
        for (a, c, margin, q) in
            [(0.0, 1.0, 0.0, 1.0), (0.3, 1.0, 5.0, 2.0), (99.0, 100.0, -50.0, 30.0), (0.0, 1e-3, 2.0, 0.0)]
        {
            let z = logistic(a, c, margin, q);
            assert!(z > 0.0 && z < c, "{z}");
            let slope = q * (z - a) + margin + log(z / (c - z));
            assert!(slope.abs() < 1e-8 * (1.0 + q * c), "{a} {c} {margin} {q}: {slope}");
        }
    }
}
