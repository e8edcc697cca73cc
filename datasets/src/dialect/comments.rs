//! Lines that start with `#` above a table: comments, column names or rows.

use super::division::{lossy, records, usual_width};
use super::hash_lines::{above, line_length};
use super::marks::is_number;
use super::missing::is_missing;
use super::separator::Separator;
use crate::bytes::line_ends::unified;
use crate::bytes::number::whole_cell;
use crate::bytes::quoting::{Extent, Quotes};

/// A cell, and whether it is quoted.
type Cell = (String, bool);

/// A line or record that starts with `#`.
struct Hash<'t> {
    text: &'t [u8],
    cells: Vec<Cell>,
}

impl Hash<'_> {
    fn has_blank(&self) -> bool {
        self.text.get(1).is_some_and(u8::is_ascii_whitespace)
    }

    /// Returns `true` if the line cannot be a row of `width` cells.
    fn is_other(&self, width: usize) -> bool {
        self.cells.len() != width && (self.has_blank() || self.cells.len() == 1)
    }
}

/// Returns the comments with which a text starts: their bytes and lines, and a note for users.
///
/// The last line may hold the column names after its `#`; those before it are then comments, too. They are
/// comments as well if the last line is one: it has more or fewer cells than a row, or names follow it.
pub(super) fn comments(
    text: &[u8],
    separator: Separator,
    quotes: Option<Quotes>,
) -> (usize, usize, Option<String>) {
    let run = above(text);
    let is_run = run > 0;
    let mut scratch = Vec::new();
    let below = unified(&text[run..], separator.quoting(quotes), &mut scratch);
    let below = records(below, separator, quotes, Extent::Whole);
    let body: Vec<Vec<Cell>> = below.iter().map(|record| lossy(separator, record.text, quotes)).collect();
    let width = usual_width(&body);
    let hashes = hashes(text, separator, quotes, width);
    let Some(last) = hashes.last() else { return (0, 0, None) };
    let has_names = |hash: &Hash<'_>| names_behind(hash.text, separator, quotes, width).is_some();
    let is_other = |hash: &&Hash<'_>| hash.is_other(width) && !has_names(hash);
    let count = match is_run {
        // If all rows start with `#`, only the first lines may be comments.
        false => hashes.iter().take_while(is_other).count(),
        true if is_above_names(last, &body, width) || is_other(&last) => hashes.len(),
        true if has_names(last) => hashes.len() - 1,
        true => hashes.len() - hashes.iter().rev().take_while(|hash| !hash.is_other(width)).count(),
    };
    let of = |hash: &Hash<'_>| hash.text.as_ptr().addr() - text.as_ptr().addr();
    let end = match hashes.get(count) {
        Some(next) => of(next),
        None => of(last) + line_length(&text[of(last)..]),
    };
    let shown: Vec<String> =
        hashes.iter().take(count).map(|hash| format!("`{}`", whole_cell(hash.text))).collect();
    let note = match &shown[..] {
        [] => return (0, 0, None),
        [one] => format!("the first line is taken for a comment: {one}"),
        [first, ..] => format!("the first {count} lines are taken for comments: {first}, ..."),
    };
    (end, crate::bytes::line_ends::count(&text[..end]), Some(note))
}

/// Returns the lines, or records of this width, that start with `#` at the start of a text.
fn hashes(text: &[u8], separator: Separator, quotes: Option<Quotes>, width: usize) -> Vec<Hash<'_>> {
    let (mut at, mut hashes) = (0, Vec::new());
    while let Some(begin) = text[at..].iter().position(|byte| !byte.is_ascii_whitespace()) {
        let rest = &text[at + begin..];
        if !rest.starts_with(b"#") {
            break;
        }
        let of = |length: usize| {
            let text = rest[..length].trim_ascii_end();
            Hash { text, cells: lossy(separator, text, quotes) }
        };
        let length = line_length(rest);
        let record = separator.quoting(quotes).and_then(|quoting| quoting.record_end(rest));
        let whole = record.filter(|record| *record > length).map(|record| (record, of(record)));
        let (length, hash) =
            whole.filter(|(_, hash)| hash.cells.len() == width).unwrap_or_else(|| (length, of(length)));
        hashes.push(hash);
        at += begin + length;
    }
    hashes
}

fn is_text((cell, _): &Cell) -> bool {
    !is_missing(cell.as_bytes()) && !is_number(cell)
}

/// Returns `true` if column names follow a line that starts with `# `: texts, one of them above numbers.
fn is_above_names(hash: &Hash<'_>, body: &[Vec<Cell>], width: usize) -> bool {
    let Some((names, rows)) = body.split_first() else { return false };
    let is_numbers = |at: usize| rows.iter().all(|row| row.get(at).is_some_and(|cell| !is_text(cell)));
    hash.has_blank() && !rows.is_empty() && names.iter().all(is_text) && (0..width).any(is_numbers)
}

/// Returns the `width` column names that follow a `# `, as numpy writes them.
pub(super) fn names_behind(
    record: &[u8],
    separator: Separator,
    quotes: Option<Quotes>,
    width: usize,
) -> Option<Vec<Cell>> {
    let behind =
        record.strip_prefix(b"#").filter(|behind| behind.first().is_some_and(u8::is_ascii_whitespace))?;
    let names = lossy(separator, behind.trim_ascii_start(), quotes);
    (names.len() == width && names.iter().all(is_text)).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_above_a_table_are_comments_names_or_rows() {
        let comma = Separator::Byte(b',');
        for (separator, text, rest) in [
            (comma, "# one\n# two\nx,y\n1,2\n3,4\n", "x,y\n1,2\n3,4\n"),
            (comma, "# one\n\n# two, three\nx,y\n1,2\n3,4\n", "x,y\n1,2\n3,4\n"),
            (comma, "# made by hand\n# x,y\n1,2\n3,4\n", "# x,y\n1,2\n3,4\n"),
            (comma, "#ff0000,1,3\n#00ff00,2,4\nblue,3,9\n", "#ff0000,1,3\n#00ff00,2,4\nblue,3,9\n"),
            (comma, "# colours\n#ff0000,1,3\n#00ff00,2,4\n", "#ff0000,1,3\n#00ff00,2,4\n"),
            (comma, "#id,x,y\n1,2,3\n", "#id,x,y\n1,2,3\n"),
            (comma, "#a,\"b\nc\",d\n1,2,3\n", "#a,\"b\nc\",d\n1,2,3\n"),
            (comma, "# it's \"so\r# and so\rx,y\r1,2\r", "x,y\r1,2\r"),
            (
                Separator::Blanks,
                "# made by hand\n\"x|3\" \"y\"\n\"1\" \"2\"\n",
                "\"x|3\" \"y\"\n\"1\" \"2\"\n",
            ),
            (Separator::Blanks, "# it's \"so\n\"x\" \"y\"\n1 2\n", "\"x\" \"y\"\n1 2\n"),
            (Separator::Blanks, "# a b y\n1 2 3\n", "# a b y\n1 2 3\n"),
            (comma, "# one\n", "# one\n"),
            (comma, "", ""),
        ] {
            let (bytes, lines, note) = comments(text.as_bytes(), separator, None);
            assert_eq!(&text[bytes..], rest, "{text:?}");
            assert_eq!(
                (lines, note.is_some()),
                (text[..bytes].split_inclusive(['\n', '\r']).count(), bytes > 0)
            );
        }
    }
}
