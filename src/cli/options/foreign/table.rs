//! [`table!`](crate::table!): a file with a table of two columns, as constants of a program.

/// The lines of a file beside the source, each a key, a tab and a text, as an array of pairs.
#[macro_export]
macro_rules! table {
    ($file:literal) => {
        $crate::pairs::<{ $crate::lines(include_str!($file)) }>(include_str!($file))
    };
}

/// Counts the lines of a text, each of which ends.
#[doc(hidden)] // for `table!`
pub const fn lines(text: &str) -> usize {
    let (mut count, mut rest) = (0, text);
    while !rest.is_empty() {
        (count, rest) = (count + 1, cut(rest, b'\n').1);
    }
    count
}

/// Cuts the first lines of a text at their tabs.
#[doc(hidden)] // for `table!`
pub const fn pairs<const N: usize>(text: &'static str) -> [(&'static str, &'static str); N] {
    let (mut pairs, mut rest, mut at) = ([("", ""); N], text, 0);
    while at < N {
        let (line, after) = cut(rest, b'\n');
        (pairs[at], rest, at) = (cut(line, b'\t'), after, at + 1);
    }
    pairs
}

/// Cuts a text at the first of these bytes, which is left out.
const fn cut(text: &str, byte: u8) -> (&str, &str) {
    let (bytes, mut end) = (text.as_bytes(), 0);
    while end < bytes.len() && bytes[end] != byte {
        end += 1;
    }
    let (before, after) = text.split_at(end);
    (before, if after.is_empty() { after } else { after.split_at(1).1 })
}
