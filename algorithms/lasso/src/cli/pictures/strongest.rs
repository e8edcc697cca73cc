//! The coefficients of a fit.

use raddle::cli::{Axis, Picture, PictureKind, Series};
use raddle_lasso::files::About;

use super::scores::scores;

/// Bars of a picture, at most.
const BARS: usize = 20;

/// The largest coefficients, a picture for each score that has some.
pub(crate) fn strongest(coefficients: &[(u32, f64)], model: &About) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for score in scores(model) {
        let mut order: Vec<(u32, f64)> = score.of(coefficients).collect();
        order.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        let all = order.len();
        order.truncate(BARS);
        if order.is_empty() {
            continue;
        }
        let names = order.iter().map(|&(column, _)| model.name(column));
        let left_out = (all > BARS).then(|| format!("{} more are not zero", all - BARS));
        let picture = Picture::new(score.title("Largest coefficients"), PictureKind::Bars)
            .axes(Axis::names("column", names), Axis::linear("coefficient"))
            .series(Series::of_names("coefficient", order.iter().map(|&(_, value)| value).collect()));
        pictures.push(picture.note(score.note(left_out)));
    }
    pictures
}
