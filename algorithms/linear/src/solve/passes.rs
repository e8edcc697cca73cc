//! Dual coordinate passes with shrinking: rows in a drawn order, each brought to its best dual value (Hsieh et al., "A
//! dual coordinate descent method for large-scale linear SVM", 2008; for the logistic loss Yu, Huang and Lin, 2011).

use libm::log;
use raddle::random::Stream;

use super::judge::Judge;
use crate::data::binary::Binary;
use crate::loss::{Loss, sigmoid};

/// Steps that solve for one dual value of the logistic loss, at most.
const INNER: usize = 60;
/// Rows that stand together keep together: what is read one behind the other is there sooner.
const TOGETHER: usize = 16;

/// Carries out so many passes over the rows, which stay away while bounds hold them; the point they come to is offered.
pub(crate) fn passes(judge: &mut Judge<'_>, a: &mut [f64], count: usize, stream: &mut Stream) {
    let binary = judge.binary;
    let mut w = binary.weights_of(a);
    let mut groups: Vec<Vec<u32>> = (0..binary.count() as u32)
        .collect::<Vec<u32>>()
        .chunks(TOGETHER)
        .map(|rows| rows.iter().copied().filter(|&row| binary.costs[row as usize] > 0.0).collect())
        .collect();
    let (mut most, mut least) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut visited = 0.0;
    for _ in 0..count {
        stream.shuffle(&mut groups);
        let (mut highest, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY);
        for group in &mut groups {
            group.retain(|&row| {
                let row = row as usize;
                visited += binary.rows.row(row).0.len() as f64;
                let Some((next, slope)) = stepped(binary, row, a[row], &w, (most, least)) else {
                    return false;
                };
                (highest, lowest) = (highest.max(slope), lowest.min(slope));
                if next != a[row] {
                    binary.rows.add(row, binary.signs[row] * (next - a[row]), &mut w);
                    a[row] = next;
                }
                true
            });
        }
        groups.retain(|group| !group.is_empty());
        (most, least) = (
            if highest > 0.0 { highest } else { f64::INFINITY },
            if lowest < 0.0 { lowest } else { f64::NEG_INFINITY },
        );
    }
    judge.count(2.0 * visited);
    judge.offer(a);
}

/// Best dual value of a row, and the projected slope that it had; none if a bound holds the row by more than the last
/// pass's largest slopes.
fn stepped(
    binary: &Binary<'_>,
    row: usize,
    a: f64,
    w: &[f64],
    (most, least): (f64, f64),
) -> Option<(f64, f64)> {
    let (c, q, margin) = (binary.costs[row], binary.rows.square(row), binary.margin(row, w));
    let (own, upper) = match binary.loss {
        Loss::Logistic => return Some((logistic(a, c, margin, q), 0.0)),
        Loss::Hinge => (0.0, c),
        Loss::SquaredHinge => (0.5 / c, f64::INFINITY),
    };
    let slope = margin - 1.0 + own * a;
    if (a == 0.0 && slope > most) || (a == upper && slope < least) {
        return None;
    }
    let is_at_bound = (a == 0.0 && slope >= 0.0) || (a == upper && slope <= 0.0);
    let curvature = q + own;
    // An empty row: its margin is 0 whatever its dual value.
    let next = if curvature > 0.0 { (a - slope / curvature).clamp(0.0, upper) } else { upper };
    Some((next, if is_at_bound { 0.0 } else { slope }))
}

/// The best dual value of a row of the logistic loss: the root of m + q (z - a) + log(z / (c - z)), which grows with
/// z. It is sought in s = log(z / (c - z)), where the slope is at least 1, by Newton steps inside of an interval.
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
