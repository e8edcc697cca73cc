//! [`numbered`]: ratings with users and items numbered from 0 in the order of their first appearance.

use std::collections::HashMap;
use std::io::{BufRead, BufWriter, Write};

use raddle_datasets::registry::Cells;

/// Writes lines of `user item rating`, separated by tabs, from lines that start with these three fields. Of a
/// repeated pair the last rating is kept, and ratings that are whole numbers are written without a fraction.
/// Memory holds the ids and the pairs.
pub(super) fn numbered(from: &mut dyn BufRead, cells: Cells, to: &mut dyn Write) -> Result<(), String> {
    let between = match cells {
        Cells::Tabs => "\t",
        Cells::Colons => "::",
        Cells::Commas => ",",
    };
    let (mut users, mut items) = (HashMap::new(), HashMap::new());
    let mut rows: Vec<(u32, u32, String)> = Vec::new();
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        if from.read_line(&mut line).map_err(|why| format!("line {number}: {why}"))? == 0 {
            break;
        }
        let text = line.trim_end_matches(['\n', '\r']);
        if text.is_empty() || number == 1 && cells == Cells::Commas {
            continue;
        }
        let mut parts = text.split(between);
        let (Some(user), Some(item), Some(rating)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(format!("line {number}: it is not a rating: `{}`", text.escape_debug()));
        };
        let value: f64 = rating.parse().map_err(|_| format!("line {number}: `{rating}` is no number"))?;
        if !value.is_finite() {
            return Err(format!("line {number}: `{rating}` is no rating"));
        }
        rows.push((row(&mut users, user), row(&mut items, item), value.to_string()));
    }
    let mut last = HashMap::with_capacity(rows.len());
    rows.iter().enumerate().for_each(|(at, (user, item, _))| {
        last.insert((*user, *item), at);
    });
    let mut to = BufWriter::new(to);
    for (at, (user, item, rating)) in rows.iter().enumerate() {
        if last.get(&(*user, *item)) == Some(&at) {
            writeln!(to, "{user}\t{item}\t{rating}").map_err(|why| why.to_string())?;
        }
    }
    to.flush().map_err(|why| why.to_string())
}

/// Returns the number of an id; a new id gets the next number.
fn row(known: &mut HashMap<String, u32>, id: &str) -> u32 {
    if let Some(&row) = known.get(id) {
        return row;
    }
    let row = known.len() as u32;
    known.insert(id.to_owned(), row);
    row
}
