//! Lines at the start of a text that start with `#`: comments, names or rows.

/// Returns the bytes of the lines at the start of a text that start with `#` or are empty; 0 if there are no
/// other lines after them.
///
/// Quotes in these lines enclose nothing, as they may be comments.
pub(super) fn above(text: &[u8]) -> usize {
    let (mut at, mut end) = (0, 0);
    while at < text.len() {
        let length = line_length(&text[at..]);
        let line = text[at..at + length].trim_ascii();
        match line.first() {
            Some(b'#') => end = at + length,
            Some(_) => return end,
            None => {}
        }
        at += length;
    }
    0
}

/// Returns the length of the first line in bytes, including its end.
pub(super) fn line_length(text: &[u8]) -> usize {
    match memchr::memchr2(b'\n', b'\r', text) {
        Some(end) if text[end..].starts_with(b"\r\n") => end + 2,
        Some(end) => end + 1,
        None => text.len(),
    }
}
