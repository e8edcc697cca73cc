//! Dual coordinate passes with shrinking: rows in a drawn order, each brought to its best dual value.

use libm::log;
use raddle::random::Stream;

use crate::data::problem::Problem;
use crate::loss::{Loss, sigmoid};

/// Steps that solve for one dual value of the logistic loss, at most.
const INNER: usize = 60;

/// Carries out so many passes over the rows, which stay away while bounds hold them; `w` follows `a`.
pub(crate) fn passes(
    problem: &Problem,
    (loss, costs): (Loss, &[f64]),
    a: &mut [f64],
    w: &mut [f64],
    (count, stream): (usize, &mut Stream),
) {
    let rows = &problem.rows;
    let squares: Vec<f64> = (0..rows.count()).map(|row| rows.square(row)).collect();
    let mut active: Vec<usize> = (0..rows.count()).filter(|&row| costs[row] > 0.0).collect();
    let (mut most, mut least) = (f64::INFINITY, f64::NEG_INFINITY);
    for _ in 0..count {
        stream.shuffle(&mut active);
        let (mut highest, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY);
        active.retain(|&row| {
            let (sign, c, q) = (problem.signs[row], costs[row], squares[row]);
            let margin = sign * rows.dot(row, w);
            let next = match loss {
                Loss::Logistic => logistic(a[row], c, margin, q),
                Loss::Hinge | Loss::SquaredHinge => {
                    let (upper, own) = match loss {
                        Loss::Hinge => (c, 0.0),
                        _ => (f64::INFINITY, 0.5 / c),
                    };
                    let slope = margin - 1.0 + own * a[row];
                    let is_held = (a[row] == 0.0 && slope > most) || (a[row] == upper && slope < least);
                    if is_held {
                        return false;
                    }
                    let is_at_bound = (a[row] == 0.0 && slope >= 0.0) || (a[row] == upper && slope <= 0.0);
                    let projected = if is_at_bound { 0.0 } else { slope };
                    (highest, lowest) = (highest.max(projected), lowest.min(projected));
                    let curvature = q + own;
                    match curvature > 0.0 {
                        true => (a[row] - slope / curvature).clamp(0.0, upper),
                        // An empty row: its margin is 0 whatever its dual value.
                        false => upper,
                    }
                }
            };
            if next != a[row] {
                rows.add(row, sign * (next - a[row]), w);
                a[row] = next;
            }
            true
        });
        (most, least) = (
            if highest > 0.0 { highest } else { f64::INFINITY },
            if lowest < 0.0 { lowest } else { f64::NEG_INFINITY },
        );
    }
}

/// The best dual value of a row of the logistic loss: the root of m + q (z - a) + log(z / (c - z)), which grows with
/// z. It is sought in s = log(z / (c - z)), where the slope is at least 1, by Newton steps inside of an interval.
fn logistic(a: f64, c: f64, margin: f64, q: f64) -> f64 {
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
        if (next - s).abs() <= 1e-15 * s.abs().max(1.0) {
            break;
        }
        s = next;
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
