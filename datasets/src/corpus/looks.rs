//! Recognises tables and libsvm files among texts, so that their lines are not taken for documents by
//! mistake.

use std::path::Path;

use crate::bytes::blocks::Records;
use crate::bytes::quoting::Extent;
use crate::dialect::Separator;

/// Separators of tables, the most reliable one first.
const SEPARATORS: [u8; 4] = *b"\t;|,";

/// Records from which on an equal number of commas is no coincidence.
const SURE: usize = 10;

/// Limit on the columns that a message names.
const NAMED: usize = 8;

/// Returns a message if a text looks like a table: its name says so, or its lines have the same number of
/// cells.
pub(super) fn table(path: &Path, beginning: &[u8], extent: Extent) -> Option<String> {
    let is_called = is_called_table(path);
    let end = match extent {
        Extent::Whole => beginning.len(),
        // The last line may be incomplete.
        Extent::Beginning => memchr::memrchr(b'\n', beginning).map_or(beginning.len(), |end| end + 1),
    };
    let found = SEPARATORS.into_iter().find_map(|separator| {
        let divided = Separator::Byte(separator);
        let (first, lines) = alike(&beginning[..end], divided)?;
        let is_sure = is_called || separator == b'\t' || lines >= SURE;
        (is_sure && lines > 1).then_some((first, divided.name()))
    });
    let columns = match found {
        Some((first, by)) => {
            let named: Vec<String> =
                first.iter().take(NAMED).map(|cell| cell.chars().take(24).collect::<String>()).collect();
            let more = if first.len() > NAMED { ", ..." } else { "" };
            format!(" of {} columns divided by {by} ({}{more})", first.len(), named.join(", "))
        }
        None if is_called => String::new(),
        None => return None,
    };
    Some(format!(
        "this looks like a table{columns}: name the column of the texts by --text NAME, or its number; if \
         each line is a document, say so by --format text"
    ))
}

/// Returns the cells of the first record and the number of records, if all have the same number of cells, two
/// or more.
fn alike(text: &[u8], separator: Separator) -> Option<(Vec<String>, usize)> {
    let quoting = separator.quoting(None)?;
    let (mut first, mut lines) = (Vec::new(), 0);
    for (_, record) in Records::new(text, quoting).take(100) {
        let width = quoting.each(record, |_, _| Ok(true)).ok()?;
        if lines == 0 {
            first = separator.texts(record, None).ok()?.into_iter().map(|(cell, _)| cell).collect();
        }
        if width != first.len() || width < 2 {
            return None;
        }
        lines += 1;
    }
    (lines > 0).then_some((first, lines))
}

/// Returns `true` if the file's extension is that of delimited text, compressed or not.
fn is_called_table(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    [".csv", ".tsv", ".tab"].iter().any(|ending| name.ends_with(ending))
}

/// Returns a message if the lines are libsvm: a number, then pairs `index:value`.
pub(super) fn libsvm(beginning: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(beginning);
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let is_pair =
        |field: &str| field.split_once(':').is_some_and(|(at, value)| is_number(at) && is_number(value));
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).take(20).peekable();
    lines.peek()?;
    // The last line may be incomplete.
    let is_one = lines.all(|line| {
        let mut fields = line.split_whitespace();
        fields.next().is_some_and(is_number) && fields.next().is_some_and(is_pair)
    });
    is_one.then(|| {
        "these are lines `number index:value ...`, as of libsvm; of LDA-C, `N word:count ...`, they would \
         have N pairs each, of whole numbers"
            .into()
    })
}
