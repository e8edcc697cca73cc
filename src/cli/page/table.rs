//! Tables of a page.

use std::fmt::Write as _;

use serde_json::Value;

use crate::markup::escaped;
use crate::number::number;

/// Most rows of a table.
const MOST_ROWS: usize = 500;

/// A table of values. Of very many rows the first are shown, and the number of the others.
pub(super) fn table(title: &str, columns: &[String], rows: &[Vec<Value>]) -> String {
    let mut text = String::from(r#"<div class="table"><table>"#);
    if !title.is_empty() {
        let _ = write!(text, "<caption>{}</caption>", escaped(title));
    }
    let is_number = |column: usize| {
        rows.iter().all(|row| row.get(column).is_some_and(|cell| cell.is_number() || cell.is_null()))
            && rows.iter().any(|row| row.get(column).is_some_and(Value::is_number))
    };
    let classes: Vec<&str> =
        (0..columns.len()).map(|column| if is_number(column) { r#" class="number""# } else { "" }).collect();
    text += "<thead><tr>";
    for (column, class) in columns.iter().zip(&classes) {
        let _ = write!(text, r#"<th scope="col"{class}>{}</th>"#, escaped(column));
    }
    text += "</tr></thead><tbody>";
    for row in rows.iter().take(MOST_ROWS) {
        text += "<tr>";
        for (cell, class) in row.iter().zip(&classes) {
            let (shown, exact) = cell_text(cell);
            let _ = write!(text, "<td{class}{exact}>{}</td>", escaped(&shown));
        }
        text += "</tr>";
    }
    text += "</tbody></table></div>";
    if rows.len() > MOST_ROWS {
        let more = rows.len() - MOST_ROWS;
        let _ = write!(text, r#"<p class="note">and {more} more rows</p>"#);
    }
    text
}

/// Text of a cell, and the attribute with its exact number where the text is rounded.
fn cell_text(cell: &Value) -> (String, String) {
    match cell {
        Value::Null => ("–".into(), String::new()),
        Value::String(text) => (text.clone(), String::new()),
        Value::Bool(is) => (if *is { "yes" } else { "no" }.into(), String::new()),
        Value::Number(exact) => {
            let text = exact.to_string();
            let shown =
                if exact.is_f64() { number(exact.as_f64().unwrap_or(f64::NAN)) } else { text.clone() };
            let attribute = if shown == text { String::new() } else { format!(r#" data-v="{text}""#) };
            (shown, attribute)
        }
        other => (other.to_string(), String::new()),
    }
}
