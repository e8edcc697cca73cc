//! The lines of a Matrix Market file: a banner, comments, a size line, and a line for each entry.

use super::number::{first_characters, whole};

/// Bytes with which every Matrix Market file starts.
pub(crate) const MAGIC: &[u8] = b"%%MatrixMarket";

/// The words of a head, in lower case.
pub(crate) struct HeadWords {
    pub(crate) banner: Vec<String>,
    /// Words of the size line; `None` if there is none.
    pub(crate) sizes: Option<Vec<String>>,
    /// Length of the head in bytes, and its lines.
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
}

/// Message about a head that has no size line.
pub(crate) const NO_SIZES: &str = "there is no size line: was the file cut off?";

impl HeadWords {
    /// Splits a text up to the size line, the first line after the banner that is not a comment.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut head = Self { banner: Vec::new(), sizes: None, bytes: 0, lines: 0 };
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            (head.bytes, head.lines) = (head.bytes + line.len(), head.lines + 1);
            let line = String::from_utf8_lossy(line).to_lowercase();
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            if head.lines == 1 {
                head.banner = words;
            } else if words.first().is_some_and(|word| !word.starts_with('%')) {
                head.sizes = Some(words);
                break;
            }
        }
        head
    }

    /// Returns the numbers of the size line, if it has only numbers.
    pub(crate) fn numbers(&self) -> Option<Vec<u64>> {
        self.sizes.as_ref()?.iter().map(|word| word.parse().ok()).collect()
    }
}

/// The head of a sparse matrix, `%%MatrixMarket matrix coordinate real|integer|pattern general`, as corpora
/// and ratings have it.
#[derive(Debug, PartialEq)]
pub(crate) struct MarketHead {
    pub(crate) rows: u32,
    pub(crate) columns: u32,
    pub(crate) entries: u64,
    /// `true` if entries are indices without a value.
    pub(crate) pattern: bool,
    /// Length of the head in bytes.
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
}

/// Words of a reader for its errors.
pub(crate) struct MarketKind {
    /// Sentence on the banner that the reader expects: "ratings are ..."
    pub(crate) banner: &'static str,
    /// Names of the three numbers in the size line.
    pub(crate) sizes: &'static str,
}

/// Parses the head of a sparse matrix; the error has the line, from 1.
pub(crate) fn head(text: &[u8], kind: &MarketKind) -> Result<MarketHead, (usize, String)> {
    let words = HeadWords::of(text);
    let pattern = match words.banner.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "matrix", "coordinate", "real" | "integer" | "double", "general"] => false,
        [_, "matrix", "coordinate", "pattern", "general"] => true,
        _ if words.lines > 0 => return Err((1, kind.banner.into())),
        _ => false,
    };
    let HeadWords { sizes: Some(_), bytes, lines, .. } = words else { return Err((1, NO_SIZES.into())) };
    let sizes = match words.numbers().as_deref() {
        Some(&[rows, columns, entries]) => {
            u32::try_from(rows).ok().zip(u32::try_from(columns).ok()).zip(Some(entries))
        }
        _ => None,
    };
    let ((rows, columns), entries) = sizes.ok_or_else(|| {
        let why = "the size line must be three whole numbers, the first two below 4294967296";
        (lines, format!("{why}: {}", kind.sizes))
    })?;
    Ok(MarketHead { rows, columns, entries, pattern, bytes, lines })
}

/// Parses a whole number and removes it from the line.
pub(crate) fn number(rest: &mut &[u8], what: &str) -> Result<u64, String> {
    let Some((number, length)) = whole(rest) else {
        return Err(match first_characters(rest).as_str() {
            "" => format!("the {what} is missing: was the line cut off?"),
            word => format!("the {what} `{word}` is not a whole number of 0 or more"),
        });
    };
    *rest = rest[length..].trim_ascii_start();
    Ok(number)
}

/// Parses an index from 1 to `most` and removes it from the line; returns it counted from 0.
pub(crate) fn index(rest: &mut &[u8], what: &str, most: u64) -> Result<u64, String> {
    let number = number(rest, what)?;
    match (1..=most).contains(&number) {
        true => Ok(number - 1),
        false => Err(format!("the {what} {number} lies outside of 1 to {most}: indices count from 1")),
    }
}

/// Refuses what is left of a line after its entry.
pub(crate) fn check_end(rest: &[u8]) -> Result<(), String> {
    match rest.is_empty() {
        true => Ok(()),
        false => Err(format!("`{}` is more than the entry: one entry a line", first_characters(rest))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: MarketKind = MarketKind { banner: "a matrix is ...", sizes: "rows columns entries" };

    #[test]
    fn the_head_ends_with_the_size_line() {
        let text = b"%%MatrixMarket matrix coordinate pattern general\n% a note\n\n3 4000000000 7\r\n1 1\n";
        let found = head(text, &KIND).expect("a head");
        let (rows, columns, lines) = (3, 4_000_000_000, 4);
        assert_eq!(
            found,
            MarketHead { rows, columns, entries: 7, pattern: true, bytes: text.len() - 4, lines }
        );
    }

    #[test]
    fn the_line_at_fault_is_named() {
        let banner = "%%MatrixMarket matrix coordinate real general\n";
        let cases = [
            ("%%MatrixMarket matrix array real general\n1 1\n".to_owned(), 1, "a matrix is"),
            (format!("{banner}%\n2 3\n"), 3, "three whole numbers"),
            (format!("{banner}2 5000000000 1\n"), 2, "below 4294967296: rows columns entries"),
            (format!("{banner}%\n"), 1, "no size line"),
            (String::new(), 1, "no size line"),
        ];
        for (text, line, why) in cases {
            let (at, message) = head(text.as_bytes(), &KIND).expect_err("no head");
            assert!(at == line && message.contains(why), "{text:?}: {at}: {message}");
        }
    }
}
