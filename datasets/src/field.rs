//! [`Field`]: writes an id as a field of a tab-separated line; [`fields`] reads such lines.

use std::fmt::{Display, Formatter, Write as _};

use crate::bytes::quoting::{Divider, Quoting};

/// An id as a field of a tab-separated line. An id that is empty, starts with `#`, contains a tab, a line
/// break or a double quote, or has blanks around it is quoted as in CSV: in double quotes, with each quote
/// inside doubled.
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
        // A leading # would be a comment in the first line of a file.
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

/// Splits a line as readers of delimited text do: at tabs, if there are any outside quoted fields, else at
/// blanks. Between tabs, quotes that do not enclose a field are ordinary characters; inside a field they
/// always are.
///
/// # Errors
/// Between blanks, if a quote at the start of a field is not closed, or is followed by text.
///
/// ```
/// use raddle_datasets::fields;
/// assert_eq!(fields("Lee, Ann\t5\" disk\t4")?, ["Lee, Ann", "5\" disk", "4"]);
/// assert_eq!(fields("\"Lee, Ann\" \"5\"\" disk\" 4")?, ["Lee, Ann", "5\" disk", "4"]);
/// # Ok::<(), String>(())
/// ```
pub fn fields(line: &str) -> Result<Vec<String>, String> {
    let is_tab = |&letter: &char| letter == '\t';
    let all = line.chars().filter(is_tab).count();
    let by_blanks = divided(line, Quoting::BLANKS);
    let in_quotes =
        |fields: &Vec<String>| fields.iter().flat_map(|field| field.chars()).filter(is_tab).count();
    match by_blanks.as_ref().map_or(0, in_quotes) < all {
        true => divided(line, Quoting { divider: Divider::Byte(b'\t'), quotes: None }),
        false => by_blanks,
    }
}

fn divided(line: &str, quoting: Quoting) -> Result<Vec<String>, String> {
    let mut fields = Vec::new();
    quoting.each(line.as_bytes(), |_, cell| {
        fields.push(String::from_utf8_lossy(&cell.text()).into_owned());
        Ok(true)
    })?;
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tabs_outside_of_quotes_divide_a_line_and_else_blanks() {
        for (line, expected) in [
            ("ann tea 5", &["ann", "tea", "5"][..]),
            ("ann  tea \t 5 ", &["ann  tea", "5"]),
            ("ann lee\ttea\t5", &["ann lee", "tea", "5"]),
            ("\"ann lee\" \"green tea\" 5", &["ann lee", "green tea", "5"]),
            ("\"a\tb\"\tc d\t5", &["a\tb", "c d", "5"]),
            ("\"a\tb\" c 5", &["a\tb", "c", "5"]),
            ("\"a\tb\"", &["a\tb"]),
            ("\"say \"\"x\"\"\"", &["say \"x\""]),
            ("a\t\tb", &["a", "", "b"]),
            ("it\"s b", &["it\"s", "b"]),
            // Quotes that enclose no field hide nothing.
            ("it\"s ann\ttea\t5", &["it\"s ann", "tea", "5"]),
            ("5\" disk\tx\t5", &["5\" disk", "x", "5"]),
            ("5\" \"disk\tx\t5", &["5\" \"disk", "x", "5"]),
            ("a\" b\"\tc\"\t5", &["a\" b\"", "c\"", "5"]),
            ("\"ann\ttea\t5", &["\"ann", "tea", "5"]),
            ("\"a\"b\tc\t5", &["\"a\"b", "c", "5"]),
            // An id is its bytes: blanks of other kinds are ordinary characters.
            ("ann\u{a0}lee tea 5", &["ann\u{a0}lee", "tea", "5"]),
        ] {
            assert_eq!(fields(line).unwrap(), expected, "{line}");
        }
        for wrong in ["\"a b 5", "\"a\"b c 5"] {
            assert!(fields(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn fields_are_read_as_they_were_written(ids in proptest::collection::vec("[ab\" \t#]{0,6}", 2..5)) {
            let written: Vec<String> = ids.iter().map(|id| Field(id).to_string()).collect();
            prop_assert_eq!(&fields(&written.join("\t")).unwrap(), &ids);
            // Between blanks, ids with blanks are quoted, too.
            let quoted: Vec<String> = ids.iter().map(|id| format!("\"{}\"", id.replace('"', "\"\""))).collect();
            prop_assert_eq!(&fields(&quoted.join(" ")).unwrap(), &ids);
        }
    }
}
