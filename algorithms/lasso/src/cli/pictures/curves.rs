//! The curves of a cross-validation.

use raddle_cli::{Axis, Picture, PictureKind, Series, Tick, number};
use raddle_lasso::{Curve, CurvePoint, Rule};

use super::places::{counted, drawn};

/// Plots the mean over lambda for each l1 ratio, with its standard errors; `chosen` is the position of the
/// curve whose rules' lambdas are marked. `None` if a lambda is 0.
pub(crate) fn curves(curves: &[Curve], chosen: usize) -> Option<Picture> {
    let of_choice = curves.get(chosen)?;
    if curves.iter().flat_map(|curve| &curve.points).any(|point| point.lambda <= 0.0) {
        return None;
    }
    let measure = of_choice.criterion.title(of_choice.loss);
    let mut picture = Picture::new(format!("Cross-validation: {measure}"), PictureKind::Lines)
        .axes(Axis::log("lambda"), Axis::linear(measure));
    let mut parts = Vec::new();
    for curve in curves {
        let rules = Rule::NAMES.map(|(_, rule)| curve.position(rule));
        let points: Vec<CurvePoint> =
            drawn(curve.points.len(), &rules).into_iter().map(|at| curve.points[at]).collect();
        let of = |value: fn(&CurvePoint) -> f64| points.iter().map(value).collect::<Vec<f64>>();
        let name =
            if curves.len() > 1 { format!("l1_ratio {}", number(curve.l1_ratio)) } else { "mean".into() };
        let series = Series::new(name, of(|point| point.lambda), of(|point| point.mean));
        let has_errors = points.iter().all(|point| point.se.is_finite());
        picture = picture.series(match has_errors {
            true => series.bounds(of(|point| point.mean - point.se), of(|point| point.mean + point.se)),
            false => series,
        });
        if has_errors && parts.is_empty() {
            parts.push("band: a standard error to each side".to_owned());
        }
    }
    let [min, one_se] = [Rule::Min, Rule::OneSe].map(|rule| of_choice.choose(rule).lambda);
    picture = match min == one_se {
        true => picture.mark(min, "min, 1se"),
        false => picture.mark(min, "min").mark(one_se, "1se"),
    };
    let of_ratio = match curves.len() {
        1 => String::new(),
        _ => format!(" of l1_ratio {}, which is chosen", number(of_choice.l1_ratio)),
    };
    parts.push(format!("above: coefficients that are not zero, on average over the folds{of_ratio}"));
    let count = |at: usize| {
        let CurvePoint { lambda, nonzeros, .. } = of_choice.points[at];
        let count = format!("{nonzeros:.1}");
        Tick::new(lambda, count.strip_suffix(".0").unwrap_or(&count))
    };
    let above = counted(of_choice.points.len()).into_iter().map(count).collect();
    Some(Picture { above, ..picture.note(parts.join("; ")) })
}
