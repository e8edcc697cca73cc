//! Exact minimisation of F along a Newton direction: a piecewise quadratic in the step length.

/// The best step and its gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// Step length, in \[0, 1\].
    pub(crate) length: f64,
    /// F(b + length d) - F(b), not above 0.
    pub(crate) gain: f64,
}

/// Minimises F(b + t d) over t in \[0, 1\], for the Newton direction d of the face b lies on.
///
/// With c = d'Gd the slope at t is -(1 - t) c + 2 L (sum of |d_i| over the coefficients that have crossed
/// zero), as the Newton direction's slope at 0 is -c. Breakpoints are visited in order until the slope turns.
pub(crate) fn line_search(b: &[f64], d: &[f64], curvature: f64, penalty: f64) -> Step {
    let crossing = |(&b, &d): (&f64, &f64)| {
        let at = -b / d;
        (at > 0.0 && at < 1.0).then_some((at, d.abs()))
    };
    let mut breaks: Vec<(f64, f64)> = b.iter().zip(d).filter_map(crossing).collect();
    breaks.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)));
    let (mut at, mut gain, mut crossed) = (0.0, 0.0, 0.0);
    for (end, weight) in breaks.into_iter().chain([(1.0, 0.0)]) {
        // The root of the slope on this piece.
        let root = if curvature > 0.0 { 1.0 - 2.0 * penalty * crossed / curvature } else { end };
        let stop = root.clamp(at, end);
        gain += piece(at, stop, curvature, penalty * crossed);
        at = stop;
        if stop < end {
            break;
        }
        crossed += weight;
    }
    Step { length: at, gain: gain.min(0.0) }
}

/// The integral of the slope from `from` to `to`.
fn piece(from: f64, to: f64, curvature: f64, kink: f64) -> f64 {
    (to - from) * (2.0 * kink - curvature * (1.0 - 0.5 * (from + to)))
}
