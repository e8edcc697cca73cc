//! The curves of a cross-validation.

use raddle_cli::{Picture, Tick, number};
use raddle_lasso::{Curve, CurvePoint};
use raddle_tabular::cli::{counted, curves as plotted};

/// Plots the mean over lambda for each l1 ratio, with its standard errors; `chosen` is the position of the
/// curve whose rules' lambdas are marked. `None` if a lambda is 0.
pub(crate) fn curves(curves: &[Curve], chosen: usize) -> Option<Picture> {
    let of_choice = curves.get(chosen)?;
    if curves.iter().flat_map(|curve| &curve.points).any(|point| point.lambda <= 0.0) {
        return None;
    }
    let (picture, mut notes) = plotted(curves, chosen);
    let of_ratio = match of_choice.series.filter(|_| curves.len() > 1) {
        None => String::new(),
        Some(ratio) => format!(" of l1_ratio {}, which is chosen", number(ratio)),
    };
    notes.push(format!("above: coefficients that are not zero, on average over the folds{of_ratio}"));
    let count = |at: usize| {
        let CurvePoint { lambda, nonzeros, .. } = of_choice.points[at];
        let count = format!("{nonzeros:.1}");
        Tick::new(lambda, count.strip_suffix(".0").unwrap_or(&count))
    };
    let above = counted(of_choice.points.len()).into_iter().map(count).collect();
    Some(Picture { above, ..picture.note(notes.join("; ")) })
}
