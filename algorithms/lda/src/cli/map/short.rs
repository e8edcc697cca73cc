//! Names and numbers of a map, none longer than a reader needs.

/// The longest name of a word or a document, in letters.
const LETTERS: usize = 60;

/// A number in four digits: more would be bytes that nobody sees.
pub(super) fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

/// A name of some letters.
pub(super) fn short(name: &str) -> String {
    match name.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_owned(),
    }
}
