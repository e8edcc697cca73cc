//! Parts shared by tables on the screen and by pictures.

use raddle_cli::{Axis, Picture, PictureKind, Series};

/// Line below a table that lists only some of its rows.
pub fn abridged(listed: usize, all: usize, rows: &str, file: &str, is_written: bool) -> String {
    match (listed < all, is_written) {
        (false, _) => String::new(),
        (true, true) => format!("{listed} of {all} {rows}; all are in {file}\n"),
        (true, false) => format!("{listed} of {all} {rows}; --out DIR writes all to {file}\n"),
    }
}

/// Formats a duality gap for a table.
pub fn short(gap: f64) -> String {
    if gap == 0.0 { "0".into() } else { format!("{gap:.1e}") }
}

/// Note that a model has many classes, whose coefficients take `bytes` bytes in all; `None` if it has few.
pub fn many_classes(classes: usize, bytes: usize) -> Option<String> {
    const FEW: usize = 100;
    let megabytes = bytes.div_ceil(1_000_000);
    (classes > FEW).then(|| {
        format!("{classes} classes, each with coefficients of its own: they take up to {megabytes} MB beside the data")
    })
}

/// Turns the name of a measure into the name of a JSON field.
pub fn field(name: &str) -> String {
    name.to_lowercase().replace(' ', "_")
}

/// Largest number of bars in a picture.
const BARS: usize = 20;

/// Bar chart of the largest named coefficients, and a sentence on the ones not shown, if any; `None` without
/// coefficients.
pub fn largest(title: String, mut coefficients: Vec<(String, f64)>) -> Option<(Picture, Option<String>)> {
    // The sort is stable: coefficients of equal size keep their order.
    coefficients.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let all = coefficients.len();
    coefficients.truncate(BARS);
    let (names, values): (Vec<String>, Vec<f64>) = coefficients.into_iter().unzip();
    let left_out = (all > BARS).then(|| format!("{} more are not zero", all - BARS));
    let picture = Picture::new(title, PictureKind::Bars)
        .axes(Axis::names("column", names), Axis::linear("coefficient"))
        .series(Series::of_names("coefficient", values));
    (all > 0).then_some((picture, left_out))
}
