//! Selects the columns that are read and their kinds, by the names in options.

use std::collections::HashMap;
use std::path::Path;

use super::classes::{Beside, Classes, IDS};
use super::columns::{Kind, RoleSource};
use super::encoding::{ColumnOptions, LeftOut, listed};
use super::options::Options;
use super::response::chosen;
use crate::dialect::position;
use crate::error::ReadError;

/// The role of each column.
pub(super) struct Selection {
    pub(super) kinds: Vec<Kind>,
    pub(super) response: RoleSource,
    /// The source of each additional column.
    pub(super) beside: Vec<RoleSource>,
    has_classes: bool,
    /// Columns that options leave out.
    pub(super) left_out: Vec<LeftOut>,
}

impl Selection {
    /// Returns the limit on different texts for each column: `levels` for a feature.
    pub(super) fn most(&self, levels: usize) -> Vec<usize> {
        let mut most = vec![levels; self.kinds.len()];
        let response = self.response.column().filter(|_| self.has_classes);
        let own = self.beside.iter().filter_map(RoleSource::column).chain(response);
        own.for_each(|j| most[j] = usize::MAX);
        most
    }
}

/// Resolves the additional columns: as a name first, then as a number, then as a file.
pub(super) fn sides(beside: &[Beside], names: &[String]) -> Result<Vec<RoleSource>, String> {
    let side = |Beside { option, name }: &Beside| {
        let place = position(names, name);
        let number = || name.parse::<usize>().ok()?.checked_sub(1).filter(|&place| place < names.len());
        match place.or_else(number) {
            Some(j) => Ok(RoleSource::Column(j)),
            None if Path::new(name).is_file() => Ok(RoleSource::File(name.clone())),
            None => Err(format!(
                "{option}: `{name}` is neither a column nor a file: the columns are {}",
                listed(names)
            )),
        }
    };
    beside.iter().map(side).collect()
}

/// Selects columns with these names by the options.
pub(super) fn select(
    names: &[String],
    named: bool,
    options: &Options,
    path: &Path,
) -> Result<Selection, ReadError> {
    let ColumnOptions { columns, drop, categorical, .. } = &options.columns;
    let refuse = |why: String| ReadError::file(path, why);
    let found = |option: &str, wanted: &[String]| places(option, wanted, names).map_err(refuse);
    let (wanted, dropped, codes) =
        (found("--columns", columns)?, found("--drop", drop)?, found("--categorical", categorical)?);
    let known: Vec<String> = names
        .iter()
        .zip(&dropped)
        .map(|(name, dropped)| if *dropped { String::new() } else { name.clone() })
        .collect();
    // A column that is left out is not the default response.
    let usual = if options.y.is_none() { &known[..] } else { names };
    let response = chosen(names.len(), named.then_some(usual), options.y.as_deref(), path)?;
    let beside = sides(&options.beside, names).map_err(refuse)?;
    check_roles(Some(&response), &options.beside, &beside, names).map_err(refuse)?;
    check_contradictions(&options.columns).map_err(refuse)?;
    let mut left_out = Vec::new();
    let has_classes = options.classes == Classes::Any;
    let kinds = (0..names.len())
        .map(|j| {
            let why = match () {
                () if response.column() == Some(j) => {
                    return if has_classes { Kind::Label } else { Kind::Number };
                }
                () if is_beside(&beside, j) => {
                    left_out.push(LeftOut {
                        name: names[j].clone(),
                        why: why_beside(&options.beside, &beside, j),
                    });
                    return kind_beside(&options.beside, &beside, j);
                }
                () if dropped[j] => "--drop names it",
                () if !columns.is_empty() && !wanted[j] => "--columns does not name it",
                () if codes[j] => return Kind::Text,
                () => return Kind::Number,
            };
            left_out.push(LeftOut { name: names[j].clone(), why: why.into() });
            Kind::Skip
        })
        .collect::<Vec<_>>();
    let (mut first_of, mut twice) = (HashMap::new(), None);
    for second in (0..names.len()).filter(|&j| kinds[j] != Kind::Skip) {
        if let Some(first) = first_of.insert(&names[second], second) {
            twice = twice.or(Some((first, second)));
        }
    }
    if let Some((first, second)) = twice {
        let why = format!(
            "two columns are called `{}`, the {} and the {}: give each a name of its own, leave one out by \
             --drop {}, or, if the first line is data, say so by --no-header",
            names[first],
            ordinal(first + 1),
            ordinal(second + 1),
            second + 1
        );
        return Err(refuse(why));
    }
    Ok(Selection { kinds, response, beside, has_classes, left_out })
}

/// Refuses a column or file with two roles, except that any column may define folds or name the rows.
pub(super) fn check_roles(
    response: Option<&RoleSource>,
    asked: &[Beside],
    sides: &[RoleSource],
    names: &[String],
) -> Result<(), String> {
    let mut roles: Vec<(&str, &RoleSource)> =
        response.map(|side| ("the response", side)).into_iter().collect();
    let may_be_any = |asked: &Beside| [FOLDS, IDS].contains(&asked.option);
    for (asked, side) in asked.iter().zip(sides).filter(|(asked, _)| !may_be_any(asked)) {
        if let Some((other, _)) = roles.iter().find(|(_, other)| *other == side) {
            let (what, name) = match side {
                RoleSource::Column(j) => ("column", &names[*j]),
                RoleSource::File(file) => ("file", file),
            };
            return Err(format!(
                "{}: the {what} `{name}` is {other} already, and cannot be both: name another one, or leave \
                 one out",
                asked.option
            ));
        }
        roles.push((asked.option, side));
    }
    Ok(())
}

/// The option for a column that only says which rows stay together.
const FOLDS: &str = "--fold-by";

/// Refuses a column that one option requests and another one leaves out, each by its whole name.
fn check_contradictions(options: &ColumnOptions) -> Result<(), String> {
    let asked = [("--columns", &options.columns), ("--categorical", &options.categorical)];
    for (option, names) in asked {
        if let Some(name) = names.iter().find(|name| options.drop.contains(name)) {
            return Err(format!("`{name}` is named by {option} and by --drop: leave one of them out"));
        }
    }
    Ok(())
}

pub(super) fn is_beside(beside: &[RoleSource], column: usize) -> bool {
    beside.contains(&RoleSource::Column(column))
}

/// Returns how an additional column is read: as labels if one of its options requests labels.
fn kind_beside(asked: &[Beside], beside: &[RoleSource], column: usize) -> Kind {
    let mut of_it = asked.iter().zip(beside).filter(|(_, side)| side.column() == Some(column));
    if of_it.any(|(asked, _)| !asked.is_number()) { Kind::Label } else { Kind::Number }
}

/// Returns why an additional column is not a feature.
fn why_beside(asked: &[Beside], beside: &[RoleSource], column: usize) -> String {
    let of_it = asked.iter().zip(beside).filter(|(_, side)| side.column() == Some(column));
    let options: Vec<&str> = of_it.map(|(asked, _)| asked.option).collect();
    format!("{} names it", options.join(" and "))
}

pub(super) fn ordinal(number: usize) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// Returns for each column whether it is named: by its name, the start of it (`x*`), or its number from 1.
pub(super) fn places(option: &str, wanted: &[String], names: &[String]) -> Result<Vec<bool>, String> {
    let mut places = vec![false; names.len()];
    for name in wanted {
        let exact = position(names, name).map(|at| &names[at]);
        let is_named = |column: &String| match name.strip_suffix('*') {
            Some(beginning) if !names.contains(name) => column.starts_with(beginning),
            _ => Some(column) == exact,
        };
        let mut is_any = false;
        for (place, _) in places.iter_mut().zip(names).filter(|(_, column)| is_named(column)) {
            (*place, is_any) = (true, true);
        }
        let by_number = || name.parse::<usize>().ok()?.checked_sub(1).filter(|&place| place < names.len());
        match by_number() {
            _ if is_any => {}
            Some(place) => places[place] = true,
            None => {
                return Err(format!(
                    "{option}: there is no column `{name}`: the columns are {}",
                    listed(names)
                ));
            }
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_by_name_beginning_and_number() {
        let names = ["age", "x1", "x2", "y"].map(str::to_owned);
        let found = |wanted: &str| {
            let wanted: Vec<String> = wanted.split(',').map(str::to_owned).collect();
            places("--drop", &wanted, &names)
        };
        assert_eq!(found("x*"), Ok(vec![false, true, true, false]));
        assert_eq!(found("1,y"), Ok(vec![true, false, false, true]));
        assert!(found("z").unwrap_err().contains("--drop: there is no column `z`: the columns are age, x1"));
        assert!(found("5").is_err() && found("0").is_err() && found("q*").is_err());
        assert_eq!([1, 2, 3, 4, 11, 21].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "21st"]);
    }
}
