//! The head of a sparse Matrix Market file, `%%MatrixMarket matrix coordinate real|integer|pattern general`,
//! as corpora and ratings share it. Tables may be dense, too, and have their own reader.

/// Bytes with which every Matrix Market file starts.
pub(crate) const MAGIC: &[u8] = b"%%MatrixMarket";

/// The head: banner, comments and size line.
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

/// Parses the head; the error has the line, from 1.
pub(crate) fn head(text: &[u8], kind: &MarketKind) -> Result<MarketHead, (usize, String)> {
    let (mut bytes, mut pattern) = (0, false);
    for (number, line) in (1..).zip(text.split_inclusive(|&byte| byte == b'\n')) {
        bytes += line.len();
        let words = String::from_utf8_lossy(line).to_lowercase();
        let words: Vec<&str> = words.split_whitespace().collect();
        if number == 1 {
            pattern = match words.as_slice() {
                [_, "matrix", "coordinate", "real" | "integer" | "double", "general"] => false,
                [_, "matrix", "coordinate", "pattern", "general"] => true,
                _ => return Err((1, kind.banner.into())),
            };
        } else if words.first().is_some_and(|word| !word.starts_with('%')) {
            let sizes: Option<Vec<u64>> = words.iter().map(|word| word.parse().ok()).collect();
            let sizes = match sizes.as_deref() {
                Some(&[rows, columns, entries]) => {
                    u32::try_from(rows).ok().zip(u32::try_from(columns).ok()).zip(Some(entries))
                }
                _ => None,
            };
            let Some(((rows, columns), entries)) = sizes else {
                let why = "the size line must be three whole numbers, the first two below 4294967296";
                return Err((number, format!("{why}: {}", kind.sizes)));
            };
            return Ok(MarketHead { rows, columns, entries, pattern, bytes, lines: number });
        }
    }
    Err((1, "there is no size line: was the file cut off?".into()))
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
