//! Ratings in a Parquet table: the columns are converted to delimited text for the reader of ratings.

use parquet::record::Field;

use super::options::RatingsOptions;
use crate::bytes::quoting::Quotes;
use crate::bytes::source::Source;
use crate::dialect::{Dialect, Separator};
use crate::error::ReadError;
use crate::table::parquet::{Parquet, text};

/// Returns the table as text with a header, and the options with columns by name.
pub(super) fn as_text(
    source: &Source,
    options: &RatingsOptions,
) -> Result<(String, RatingsOptions), ReadError> {
    let refuse = |why: String| ReadError::file(&source.path, why);
    let table = Parquet::open(source)?;
    let names = table.names();
    let by_name = |columns: &Vec<String>| columns.iter().map(|column| by_name(column, &names)).collect();
    let columns = options.columns.as_ref().map(by_name);
    let mut lines = String::new();
    names.iter().for_each(|name| cell(&mut lines, name));
    end(&mut lines);
    let all: Vec<usize> = (0..names.len()).collect();
    table.rows(&all, |row, fields| {
        for (field, name) in fields.iter().zip(&names) {
            let said = match field {
                Field::Null => Some(String::new()),
                // Times are in seconds.
                Field::TimestampMillis(time) => Some((*time as f64 / 1e3).to_string()),
                Field::TimestampMicros(time) => Some((*time as f64 / 1e6).to_string()),
                field => text(field),
            };
            let why = || refuse(format!("row {}, column {name}: it is nested, or no text", row + 1));
            cell(&mut lines, &said.ok_or_else(why)?);
        }
        end(&mut lines);
        Ok(())
    })?;
    let dialect = Dialect {
        separator: Some(Separator::Byte(b',')),
        decimal: Some('.'),
        header: Some(true),
        quotes: Some(Quotes::Double),
        ..Dialect::default()
    };
    Ok((lines, RatingsOptions { columns, dialect, ..options.clone() }))
}

/// Returns the name of a column that is given by its number.
fn by_name(column: &str, names: &[String]) -> String {
    let number = || column.parse::<usize>().ok()?.checked_sub(1);
    let is_name = names.iter().any(|name| name == column);
    if is_name { None } else { number().and_then(|at| names.get(at)) }
        .cloned()
        .unwrap_or_else(|| column.into())
}

fn cell(lines: &mut String, text: &str) {
    if text.contains(['"', ',', '\n', '\r', ';', '\t', '|']) || text.trim() != text {
        *lines += &format!("\"{}\"", text.replace('"', "\"\""));
    } else {
        *lines += text;
    }
    lines.push(',');
}

/// Ends a line by replacing the comma after its last cell.
fn end(lines: &mut String) {
    lines.pop();
    lines.push('\n');
}
