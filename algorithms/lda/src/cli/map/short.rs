//! Names and numbers of a map, shortened.

/// Limit on the characters in the name of a word or a document.
const LETTERS: usize = 60;

/// Rounds a number to four digits, as more would only take space.
pub(super) fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

/// Shortens a name.
pub(super) fn short(name: &str) -> String {
    match name.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_owned(),
    }
}
