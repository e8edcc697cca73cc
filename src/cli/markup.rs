//! Text and numbers in HTML and SVG.

use std::fmt::Write as _;

/// Shows characters that change the direction of the text that follows by their codes, so that a name cannot
/// rearrange the page.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                // Formatting into a string does not fail.
                let _ = write!(plain, "[U+{:04X}]", letter as u32);
            }
            '\t' | '\n' | '\r' => plain.push(' '),
            letter if letter.is_control() => plain.push('\u{fffd}'),
            letter => plain.push(letter),
        }
    }
    plain
}

/// Escapes a text for HTML, between tags or in quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in plain(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Shortens a text to at most this number of letters; a longer one ends with dots.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// Formats a coordinate in pixels, to a hundredth.
pub(crate) fn pixels(at: f64) -> String {
    let text = format!("{at:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}
