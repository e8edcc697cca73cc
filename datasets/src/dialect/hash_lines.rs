//! Lines at the beginning of a text that begin with `#`: comments, names or rows.

/// How many bytes of lines a text begins with that begin with `#`, empty ones among them; 0 where it has no
/// other lines.
///
/// Quotes hold nothing together in them: they may be comments.
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

/// Bytes of the first line, its end included.
pub(super) fn line_length(text: &[u8]) -> usize {
    match memchr::memchr2(b'\n', b'\r', text) {
        Some(end) if text[end..].starts_with(b"\r\n") => end + 2,
        Some(end) => end + 1,
        None => text.len(),
    }
}
