//! [`Field`]: an id as a field of a line whose fields are divided by tabs.

use std::fmt::{Display, Formatter, Write as _};

/// An id as a field of a line whose fields are divided by tabs: as it is, or, where it has a tab, a line break or a
/// double quote, or blanks around it, in double quotes, as CSV has it, with two for each one within.
///
/// ```
/// use raddle_datasets::Field;
/// assert_eq!(Field("Lee, Ann").to_string(), "Lee, Ann");
/// assert_eq!(Field("new\nline").to_string(), "\"new\nline\"");
/// assert_eq!(Field("5\" disk").to_string(), "\"5\"\" disk\"");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Field<'a>(pub &'a str);

impl Display for Field<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        let Self(id) = *self;
        // What begins with # would be a comment in the first line of a file.
        let is_plain = !id
            .contains(['\t', '"', '\n', '\r', '\x0b', '\x0c', '\u{85}', '\u{2028}', '\u{2029}'])
            && !id.starts_with(char::is_whitespace)
            && !id.ends_with(char::is_whitespace)
            && !id.starts_with('#');
        if is_plain && !id.is_empty() {
            return to.write_str(id);
        }
        to.write_char('"')?;
        for part in id.split_inclusive('"') {
            to.write_str(part)?;
            if part.ends_with('"') {
                to.write_char('"')?;
            }
        }
        to.write_char('"')
    }
}
