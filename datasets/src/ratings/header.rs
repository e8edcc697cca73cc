//! Recognises a header in the first line of ratings, in any language.

use crate::dialect::{are_names, is_missing, is_number};

/// Kinds of characters that names and ids have or lack.
const KINDS: [fn(char) -> bool; 5] = [
    |letter| letter.is_numeric(),
    char::is_uppercase,
    |letter| letter == '@',
    |letter| letter == '.' || letter == ':' || letter == '/',
    |letter| letter == ' ',
];

/// Fraction of the rows that must have a property for the column to have it.
const MOST: f64 = 0.9;

/// Largest probability that two texts in no row are ids nevertheless.
const CHANCE: f64 = 0.25;

/// Returns `true` if the cells below the first are numbers, except missing ones, and the first is not.
pub(super) fn is_headed(first: &str, below: &[&str]) -> bool {
    let is_there = |cell: &str| !is_missing(cell.trim().as_bytes());
    let mut filled = below.iter().filter(|cell| is_there(cell)).peekable();
    !is_number(first) && is_there(first) && filled.peek().is_some() && filled.all(|cell| is_number(cell))
}

/// Returns `true` if the first cells of user, item and, optionally, rating are names, judging by the cells
/// below. They are if all are texts, of which one stands above numbers or two above ids of other kinds; if
/// the rating's cell is a text above numbers; or if all are numbers that name columns.
pub(super) fn are_headers(first: &[&str], below: &[Vec<&str>]) -> bool {
    let is_headed = |at: usize| match (first.get(at), below.get(at)) {
        (Some(first), Some(below)) => is_headed(first, below),
        _ => false,
    };
    if first.iter().all(|cell| is_number(cell)) {
        // An id that occurs again is not a column name.
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

/// Returns `true` if two texts are the names of id columns: no row has either of them, and ids have other
/// kinds of characters, or repeat so often that the two texts should repeat, too.
fn are_pair(columns: &[(&&str, &Vec<&str>); 2]) -> bool {
    let is_new = |(first, below): &(&&str, &Vec<&str>)| !below.is_empty() && !below.contains(*first);
    let is_other = |(first, below): &(&&str, &Vec<&str>)| {
        KINDS.iter().any(|is| {
            let has = below.iter().filter(|cell| cell.chars().any(is)).count() as f64 / below.len() as f64;
            below.len() > 1 && if first.chars().any(is) { has <= 1.0 - MOST } else { has >= MOST }
        })
    };
    // The probability that the next row has a new id is the fraction of ids that occur once (Good and
    // Turing).
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
            (&["u1,p1", "u17,p205", "u4,p9"], false),
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
