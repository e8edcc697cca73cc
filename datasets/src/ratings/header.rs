//! Names in the first line of ratings, in whatever language.

use crate::dialect::{are_names, is_missing, is_number};

/// A letter of a kind that names and ids have or have not.
const KINDS: [fn(char) -> bool; 5] = [
    |letter| letter.is_numeric(),
    char::is_uppercase,
    |letter| letter == '@',
    |letter| letter == '.' || letter == ':' || letter == '/',
    |letter| letter == ' ',
];

/// Share of the rows that decides what the cells of a column have in common.
const MOST: f64 = 0.9;

/// Chance at most that two texts which no row has are ids all the same.
const CHANCE: f64 = 0.25;

/// A column of numbers, as far as they are there, but for its first field.
pub(super) fn is_headed(first: &str, below: &[&str]) -> bool {
    let is_there = |cell: &str| !is_missing(cell.trim().as_bytes());
    let mut filled = below.iter().filter(|cell| is_there(cell)).peekable();
    !is_number(first) && is_there(first) && filled.peek().is_some() && filled.all(|cell| is_number(cell))
}

/// `true` if the first cells of user, item and, if there is one, rating are names, as those below show: all
/// are texts, of which one stands above numbers or two above ids of other kinds; the rating is a text above
/// numbers; or all are numbers that name columns.
pub(super) fn are_headers(first: &[&str], below: &[Vec<&str>]) -> bool {
    let is_headed = |at: usize| match (first.get(at), below.get(at)) {
        (Some(first), Some(below)) => is_headed(first, below),
        _ => false,
    };
    if first.iter().all(|cell| is_number(cell)) {
        // An id that comes again is none of a column's names.
        if first.iter().zip(below).take(2).any(|(cell, below)| below.contains(cell)) {
            return false;
        }
        let rows = below.iter().map(Vec::len).min().unwrap_or(0);
        let row = |at: usize| below.iter().filter_map(|column| Some((*column.get(at)?).to_owned())).collect();
        let first: Vec<String> = first.iter().map(|cell| (*cell).to_owned()).collect();
        return are_names(&first, &(0..rows).map(row).collect::<Vec<_>>());
    }
    let are_texts = !first.iter().any(|cell| is_number(cell));
    match (first, below) {
        _ if is_headed(2) || are_texts && (0..first.len()).any(is_headed) => true,
        ([user, item], [users, items]) if are_texts => are_pair(&[(user, users), (item, items)]),
        _ => false,
    }
}

/// `true` if two texts are names above the ids of their columns: no row has one of them, and ids have letters
/// of other kinds, or come again so often that both would, too.
fn are_pair(columns: &[(&&str, &Vec<&str>); 2]) -> bool {
    let is_new = |(first, below): &(&&str, &Vec<&str>)| !below.is_empty() && !below.contains(*first);
    let is_other = |(first, below): &(&&str, &Vec<&str>)| {
        KINDS.iter().any(|is| {
            let has = below.iter().filter(|cell| cell.chars().any(is)).count() as f64 / below.len() as f64;
            below.len() > 1 && if first.chars().any(is) { has <= 1.0 - MOST } else { has >= MOST }
        })
    };
    // What the next row has is new as often as rows have ids of their own (Good and Turing).
    let once: f64 = columns
        .iter()
        .map(|(_, below)| {
            let mut sorted = (*below).clone();
            sorted.sort_unstable();
            let alone = sorted.chunk_by(|a, b| a == b).filter(|alike| alike.len() == 1).count();
            alone as f64 / below.len().max(1) as f64
        })
        .product();
    columns.iter().all(is_new) && (columns.iter().any(is_other) || once <= CHANCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_by_the_columns_below() {
        for (lines, are) in [
            (&["kunde,artikel", "anna,brot", "ben,milch", "anna,milch"][..], true),
            (&["kunde,artikel", "u17,p205", "u4,p9"], true),
            (&["Utilisateur,Produit", "anna,pain", "ben,lait"], true),
            (&["anna,alien", "ben,up", "ben,alien"], false),
            (&["anna,alien", "ben,up", "cid,jaws"], false),
            (&["u1,p9", "u17,p205", "u4,p9"], false),
            (&["visitor,thing", "1,10", "1,20"], true),
            (&["anna,10,4", "7,11,3", "8,10,3"], false),
            (&["0,1,wert", "5,7,3.5", "6,7,2"], true),
            (&["anna,alien,NA", "ben,up,3"], false),
            (&["0,1,2", "1,10,4", "1,20,5", "2,10,3"], true),
            (&["0,1,2", "0,3,4", "1,1,5"], false),
            (&["1,2,3", "1,3,4", "2,2,5"], false),
            (&["0,7,3"], false),
        ] {
            let rows: Vec<Vec<&str>> = lines.iter().map(|line| line.split(',').collect()).collect();
            let below = (0..rows[0].len())
                .map(|at| rows[1..].iter().map(|row| row[at]).collect())
                .collect::<Vec<_>>();
            assert_eq!(are_headers(&rows[0], &below), are, "{lines:?}");
        }
    }
}
