//! Parts that tables on the screen, and pictures, have in common.

use raddle::cli::{Axis, Picture, PictureKind, Series};

/// Line below a table that lists some rows of all.
pub fn abridged(listed: usize, all: usize, rows: &str, file: &str, is_written: bool) -> String {
    match (listed < all, is_written) {
        (false, _) => String::new(),
        (true, true) => format!("{listed} of {all} {rows}; all are in {file}\n"),
        (true, false) => format!("{listed} of {all} {rows}; --out DIR writes all to {file}\n"),
    }
}

/// A gap as a table shows it.
pub fn short(gap: f64) -> String {
    if gap == 0.0 { "0".into() } else { format!("{gap:.1e}") }
}

/// Note on classes of which there are many, each with coefficients of its own that take so many bytes in all;
/// nothing of few.
pub fn many_classes(classes: usize, bytes: usize) -> Option<String> {
    const FEW: usize = 100;
    let megabytes = bytes.div_ceil(1_000_000);
    (classes > FEW).then(|| {
        format!("{classes} classes, each with coefficients of its own: they take up to {megabytes} MB beside the data")
    })
}

/// The name of a measure as a field's.
pub fn field(name: &str) -> String {
    name.to_lowercase().replace(' ', "_")
}

/// Bars of a picture, at most.
const BARS: usize = 20;

/// Bars of the largest of some coefficients by name, and a sentence on the others where there are more;
/// nothing of none.
pub fn largest(title: String, mut coefficients: Vec<(String, f64)>) -> Option<(Picture, Option<String>)> {
    // Equal ones stay in their order.
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
