//! Line search: the minimum of the primal objective on a line.

use raddle::cancellation_point;

use crate::data::binary::Binary;
use crate::loss::Loss;
use raddle_kernels::algebra::logistic_slope;
use raddle_kernels::sweeps::squares_slope;

/// Fraction of the initial slope at which the search ends.
const ENOUGH: f64 = 1e-3;

/// A point in the space of weights, or a direction, with the margins of all rows.
#[derive(Clone, Copy)]
pub(crate) struct Ray<'a> {
    pub(crate) w: &'a [f64],
    pub(crate) margins: &'a [f64],
}

/// Returns the step from a point along a direction, at most `most`, that minimises the primal objective: the
/// root of its slope, which increases, found with at most `steps` evaluations. Returns 0 if the objective
/// does not fall.
pub(crate) fn best_step(
    binary: &Binary<'_>,
    from: Ray<'_>,
    direction: Ray<'_>,
    (most, steps): (f64, usize),
) -> f64 {
    let along = binary.penalized(direction.w);
    let (linear, square) = (product(from.w, along), product(along, along));
    // The slope and its derivative.
    let slope = |t: f64| {
        let (margins, ahead, costs) = (from.margins, direction.margins, &binary.costs);
        let (down, curved) = match binary.loss {
            Loss::SquaredHinge => squares_slope(margins, ahead, costs, t),
            Loss::Hinge => {
                let rows = margins.iter().zip(ahead).zip(costs);
                let fall = |first, ((m, ahead), c): ((&f64, &f64), &f64)| {
                    first - c * binary.loss.slopes(m + t * ahead).0 * ahead
                };
                return (rows.fold(linear + t * square, fall), square);
            }
            Loss::Logistic | Loss::Multinomial => logistic_slope(margins, ahead, costs, t),
        };
        (linear + t * square - down, square + curved)
    };
    let steepest = slope(0.0).0;
    if steepest >= 0.0 {
        return 0.0;
    }
    let (mut low, mut high, mut t) = (0.0, most, most.min(1.0));
    for _ in 0..steps {
        cancellation_point(from.margins.len() as u64);
        let (first, second) = slope(t);
        if first > 0.0 {
            high = t;
        } else {
            low = t;
        }
        if low >= most {
            return most;
        }
        if first.abs() <= ENOUGH * -steepest {
            break;
        }
        // The hinge's slope increases in jumps, which its derivative does not show.
        let next = t - first / second;
        let next = if binary.loss != Loss::Hinge && next > low && next < high {
            next
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            2.0 * t
        };
        if (next - t).abs() <= 1e-10 * t {
            break;
        }
        t = next;
    }
    t
}

fn product(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}
