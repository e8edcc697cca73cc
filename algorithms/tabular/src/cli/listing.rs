//! Parts shared by tables on the screen and by pictures.

use std::path::Path;

use raddle_cli::aligned;

use crate::files::Coefficient;

/// Largest number of coefficients that the screen and a report list.
pub const LISTED: usize = 20;

/// Says where all of a table are: in a file of the run's folder, if it has one.
pub fn place_of_all(file: &str, folder: Option<&Path>) -> String {
    match folder {
        Some(_) => format!("all are in {file}"),
        None => format!("--out DIR writes all to {file}"),
    }
}

/// Line below a table that lists only some of its rows; `place` says where all of them are.
pub fn abridged(listed: usize, all: usize, rows: &str, place: &str) -> String {
    if listed < all { format!("{listed} of {all} {rows}; {place}\n") } else { String::new() }
}

/// Sorts coefficients by falling size; those of equal size keep their order.
pub fn by_size(mut coefficients: Vec<Coefficient>) -> Vec<Coefficient> {
    coefficients.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    coefficients
}

/// Lines of the first coefficients, with their names; `all` says where all of them are.
pub fn listed(order: &[Coefficient], name: impl Fn(&Coefficient) -> String, all: &str) -> String {
    let line = |of: &Coefficient| format!("{:>14}  {}\n", aligned(of.value), name(of));
    let mut text: String = order.iter().take(LISTED).map(line).collect();
    if order.len() > LISTED {
        text += &format!("{:>14}  and {} more; {all}\n", "...", order.len() - LISTED);
    }
    text
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
