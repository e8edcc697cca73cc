//! Checks columns before they are encoded.

use std::path::Path;

use super::classes::Classes;
use super::columns::{Column, Odd, RoleSource, Values};
use super::encoding::ColumnOptions;
use super::missing::Missing;
use super::select::places;
use crate::dialect::unnamed;
use crate::error::ReadError;

/// Columns that are not features: the response and the additional columns.
pub(super) struct Own<'a> {
    pub(super) response: Option<usize>,
    pub(super) sides: &'a [RoleSource],
    pub(super) classes: &'a Classes,
}

impl Own<'_> {
    pub(super) fn is_beside(&self, place: usize) -> bool {
        self.sides.contains(&RoleSource::Column(place))
    }
}

/// Refuses a response that is a text, and a column of numbers with a few texts: those are mistakes, not
/// levels.
pub(super) fn check_texts(
    columns: &[Column],
    rows: usize,
    own: &Own<'_>,
    options: &ColumnOptions,
    path: &Path,
) -> Result<(), ReadError> {
    let response = own.response.filter(|_| *own.classes == Classes::Refused);
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let codes =
        places("--categorical", &options.categorical, &names).map_err(|why| ReadError::file(path, why))?;
    let mut flaws = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        let is_text = matches!(column.values, Values::Texts { .. } | Values::Many);
        let may_be_text =
            codes[place] || own.is_beside(place) || (own.response == Some(place) && response.is_none());
        let (Some((at, Odd { cell, cure })), true, false) = (&column.odd, is_text, may_be_text) else {
            continue;
        };
        let (name, option) = (called(place, column), option_name(place, column));
        let texts = (rows as u64).saturating_sub(column.numbers).saturating_sub(column.missing);
        let ways = format!(
            "or make the column categorical with --categorical {option}, or leave it out with --drop \
             {option}"
        );
        let why = if let Some(cure) = cure {
            format!("{name}: `{cell}` is not a number as numbers are read here: {cure}; {ways}")
        } else if response == Some(place) {
            format!(
                "{name}, the response: `{cell}` is not a number: mend it, or, if these are classes, fit a \
                 loss of classes (--loss logistic)"
            )
        } else if column.numbers > 0 && column.numbers >= texts {
            let others = match column.numbers {
                1 => "one other cell of this column is".into(),
                count => format!("{count} cells of this column are"),
            };
            format!("{name}: `{cell}` is not a number, though {others}: mend it, {ways}")
        } else {
            continue;
        };
        flaws.push((at, place, why));
    }
    match flaws.into_iter().min_by_key(|(at, place, _)| (at.number(), *place)) {
        Some((at, _, why)) => Err(at.error(path, why)),
        None => Ok(()),
    }
}

/// Returns the name of a column for messages.
fn called(place: usize, column: &Column) -> String {
    let without = unnamed(place);
    if column.name == without { without } else { format!("{without} ({})", column.name) }
}

/// Returns the name of a column for options.
fn option_name(place: usize, column: &Column) -> String {
    if column.name == unnamed(place) { (place + 1).to_string() } else { column.name.clone() }
}

/// Refuses missing numbers, unless options say what to do with them.
pub(super) fn check_missing(
    columns: &[Column],
    own: &Own<'_>,
    rule: Missing,
    path: &Path,
) -> Result<(), ReadError> {
    let lacks = |(place, column): &(usize, &Column)| {
        let is_own = own.response == Some(*place) || own.is_beside(*place);
        let is_told = is_own || matches!(column.values, Values::Numbers(_));
        // Rows without a response can only be left out; a weight or an offset cannot be filled.
        let matters = rule == Missing::Refuse || (rule == Missing::Mean && own.is_beside(*place));
        is_told && matters && column.missing > 0 && column.missing < column.values.len() as u64
    };
    let all: Vec<(usize, &Column)> = columns.iter().enumerate().filter(lacks).collect();
    let first = all
        .iter()
        .filter_map(|(place, column)| Some((column.first_missing.as_ref()?.number(), *place, column)));
    let Some((_, place, column)) = first.min_by_key(|(at, place, _)| (*at, *place)) else { return Ok(()) };
    let counts: Vec<String> =
        all.iter().map(|(_, column)| format!("{} {}", column.name, column.missing)).collect();
    let total: u64 = all.iter().map(|(_, column)| column.missing).sum();
    let ways = match (own.response == Some(place), own.is_beside(place)) {
        (true, false) => {
            "leave such rows out by --missing drop, or by --missing mean, which fills other columns"
                .to_owned()
        }
        (_, true) => "leave such rows out by --missing drop".to_owned(),
        _ => format!(
            "fill them with means by --missing mean, leave their rows out by --missing drop, or the column \
             by --drop {}",
            option_name(place, column)
        ),
    };
    let why = format!(
        "{} has no value; {total} {} missing ({}): {ways}",
        called(place, column),
        if total == 1 { "is" } else { "are" },
        super::encoding::listed(&counts)
    );
    Err(column
        .first_missing
        .as_ref()
        .map_or_else(|| ReadError::file(path, why.clone()), |at| at.error(path, why.clone())))
}
