//! Dual coordinate passes with shrinking: rows in a drawn order, each brought to its best dual value (Hsieh
//! et al., "A dual coordinate descent method for large-scale linear SVM", 2008; for the logistic loss Yu,
//! Huang and Lin, 2011).

use libm::log;
use raddle::cancellation_point;
use raddle::random::Stream;

use super::judge::{Judge, Weights};
use crate::data::binary::Binary;
use crate::loss::{Loss, sigmoid};
use raddle_kernels::sweeps::{Coordinate, Pass};

/// Steps that solve for one dual value of the logistic loss, at most.
const INNER: usize = 60;
/// Multiplications in whose time one of them is found.
const LOGISTIC: f64 = 100.0;
/// Rows that stand together keep together: what is read one behind the other is there sooner.
const TOGETHER: usize = 16;

/// Groups between two points at which a pass can end.
const GROUPS: usize = 1 << 12;

/// Carries out so many passes over the rows, which stay away while bounds hold them; the point they come to
/// is offered. The weights that follow from the point are given, where they are known, and those of the point
/// it comes to.
pub(crate) fn passes(
    judge: &mut Judge<'_>,
    (a, known): (&mut [f64], Option<Weights>),
    count: usize,
    stream: &mut Stream,
) -> Weights {
    let binary = judge.binary;
    let mut w = known.map_or_else(|| binary.weights_of(a), |known| known.w);
    let visited = match binary.loss {
        Loss::Logistic => of_logistic(binary, a, &mut w, (count, stream)),
        Loss::Hinge | Loss::SquaredHinge => of_hinge(binary, a, &mut w, (count, stream)),
    };
    let alone = count as f64 * a_row_alone(binary.loss) * binary.count() as f64;
    judge.count(2.0 * visited as f64 + alone);
    judge.offer(a)
}

/// Work on a row in a pass beside its values, in multiplications: the logistic loss takes exponentials.
pub(crate) fn a_row_alone(loss: Loss) -> f64 {
    if loss == Loss::Logistic { LOGISTIC } else { 0.0 }
}

/// Passes of a hinge loss; the number of values looked at.
fn of_hinge(
    binary: &Binary<'_>,
    a: &mut [f64],
    w: &mut [f64],
    (count, stream): (usize, &mut Stream),
) -> usize {
    let coordinates: Vec<_> = (0..binary.count()).map(|row| binary.coordinate(row)).collect();
    let group = |rows: &[Option<Coordinate>]| rows.iter().flatten().copied().collect::<Vec<_>>();
    let mut groups: Vec<_> = coordinates.chunks(TOGETHER).map(group).collect();
    let (mut most, mut least) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut visited = 0;
    for _ in 0..count {
        stream.shuffle(&mut groups);
        let (mut highest, mut lowest, mut of_pass) = (f64::NEG_INFINITY, f64::INFINITY, 0);
        for groups in groups.chunks_mut(GROUPS) {
            let thresholds = (most, least);
            let (high, low, some) = Pass { rows: binary.rows.view(), groups, a, w, thresholds }.visit();
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

/// Passes of the logistic loss; the number of values looked at.
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

/// The best dual value of a row of the logistic loss: the root of m + q (z - a) + log(z / (c - z)), which
/// grows with z. It is sought in s = log(z / (c - z)), where the slope is at least 1, by Newton steps inside
/// of an interval.
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
        // A step's square is what is left behind it.
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
