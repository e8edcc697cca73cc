//! Words for a missing value.

/// Returns `true` if a cell says that a value is missing, in the words of pandas, R, SQL, SPSS or the UCI
/// repository.
pub(crate) fn is_missing(cell: &[u8]) -> bool {
    let words: [&[u8]; 14] = [
        b"", b"NA", b"N/A", b"n/a", b"#N/A", b"#NA", b"#NULL!", b"<NA>", b"null", b"NULL", b"None", b"?",
        b"NaN", b"\\N",
    ];
    cell.len() <= 6
        && (words.contains(&cell) || cell.eq_ignore_ascii_case(b"nan") || cell.eq_ignore_ascii_case(b"-nan"))
}
