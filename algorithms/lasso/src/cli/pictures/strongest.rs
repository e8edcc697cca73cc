//! The coefficients of a fit.

use raddle_cli::Picture;
use raddle_common::listing::largest;
use raddle_lasso::files::About;

use super::scores::scores;

/// Plots the largest coefficients, one picture for each score that has some.
pub(crate) fn strongest(coefficients: &[(u32, f64)], model: &About) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for score in scores(model) {
        let of = score.of(coefficients).map(|(column, value)| (model.name(column), value)).collect();
        if let Some((picture, left_out)) = largest(score.title("Largest coefficients"), of) {
            pictures.push(picture.note(score.note(left_out)));
        }
    }
    pictures
}
