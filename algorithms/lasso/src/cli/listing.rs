//! Parts that tables on the screen have in common.

/// Line below a table that lists some rows of all.
pub(crate) fn abridged(listed: usize, all: usize, rows: &str, file: &str, is_written: bool) -> String {
    match (listed < all, is_written) {
        (false, _) => String::new(),
        (true, true) => format!("{listed} of {all} {rows}; all are in {file}\n"),
        (true, false) => format!("{listed} of {all} {rows}; --out DIR writes all to {file}\n"),
    }
}

/// A gap as a table shows it.
pub(crate) fn short(gap: f64) -> String {
    if gap == 0.0 { "0".into() } else { format!("{gap:.1e}") }
}

/// The name of a measure as a field's.
pub(crate) fn field(name: &str) -> String {
    name.to_lowercase().replace(' ', "_")
}
