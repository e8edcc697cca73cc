//! [`quoted`]: a text as a field of a line with tabs.

use std::borrow::Cow;

/// A text as a field of a line with tabs: in quotes, as in CSV, where a tab, a line end or a quote in it would change
/// how the line is read.
///
/// ```
/// use raddle_common::quoted;
/// assert_eq!(quoted("setosa"), "setosa");
/// assert_eq!(quoted("a\tb"), "\"a\tb\"");
/// assert_eq!(quoted("the \"best\""), "\"the \"\"best\"\"\"");
/// ```
pub fn quoted(text: &str) -> Cow<'_, str> {
    match text.contains(['\t', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}
