//! Pictures of results.

use raddle_cli::{Axis, Picture, PictureKind, Series};
use raddle_common::listing::largest;
use raddle_linear::files::About;
use raddle_linear::{Curve, Fit, Rule};

/// Number of scorers, the first ones, that get their own pictures.
const PICTURED: usize = 6;

/// Returns a picture of the largest coefficients for each scorer that has any.
pub(super) fn strongest(fit: &Fit, about: &About) -> Vec<Picture> {
    let all = fit.scorers.len();
    let mut pictures = Vec::new();
    for (scorer, of) in fit.scorers.iter().enumerate().take(PICTURED) {
        let title = match all {
            1 => "Largest coefficients".to_owned(),
            _ => format!("Largest coefficients, class {}", about.class_labels().shown(scorer)),
        };
        let named = of.coefficients.iter().map(|&(column, value)| (about.name(column), value)).collect();
        if let Some((picture, left_out)) = largest(title, named) {
            let classes =
                (all > PICTURED).then(|| format!("the first {PICTURED} of {all} classes have a picture"));
            pictures.push(picture.note(left_out.into_iter().chain(classes).collect::<Vec<_>>().join("; ")));
        }
    }
    pictures
}

/// Returns a picture of the mean with its standard error over C, with the choices of the rules marked; `None`
/// for a single C.
pub(super) fn curve(curve: &Curve) -> Option<Picture> {
    let of =
        |value: fn(&raddle_linear::CurvePoint) -> f64| curve.points.iter().map(value).collect::<Vec<f64>>();
    if curve.points.len() < 2 {
        return None;
    }
    let measure = curve.measure.title();
    let series = Series::new("mean", of(|point| point.c), of(|point| point.mean));
    let series = series.bounds(of(|point| point.mean - point.se), of(|point| point.mean + point.se));
    let picture = Picture::new(format!("Cross-validation: {measure}"), PictureKind::Lines)
        .axes(Axis::log("C"), Axis::linear(measure))
        .series(series);
    let [min, one_se] = [Rule::Min, Rule::OneSe].map(|rule| curve.choose(rule).c);
    let picture = match min == one_se {
        true => picture.mark(min, "min, 1se"),
        false => picture.mark(min, "min").mark(one_se, "1se"),
    };
    Some(picture.note("band: a standard error to each side".to_owned()))
}
