//! `coef.tsv`: the coefficients of a model, one per line by column, under a header.
//!
//! The fields are `column number`, `name` (empty if the data have no names) and `coefficient`, separated by
//! tabs. For a path the `point` comes first; if each class has a score, its label is in `class`. Numbers
//! count from 1, values have 17 significant digits, and zeros are left out. Coefficients with standard errors
//! have these in a fourth field.

use std::collections::HashMap;
use std::io::{self, Write};

use raddle_datasets::Occurring;

/// A coefficient as stored in files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficient {
    /// The class, from 0; 0 for the only score.
    pub class: u32,
    /// The column of the data, from 0.
    pub column: u32,
    /// The coefficient, on the original scale.
    pub value: f64,
}

const HEADER: &str = "column number\tname\tcoefficient";
/// The field after these, of coefficients with standard errors.
const ERROR: &str = "\tstandard error";
/// The field before these in a path.
const POINT: &str = "point\t";

/// Order in which a fit numbers coefficients: with p columns, column j of class k has the number k p + j if
/// each class has a score, else j.
#[derive(Debug, Clone, Copy)]
pub struct Layout<'a> {
    /// Columns of the data, p.
    pub columns: usize,
    /// K, or 0 for a single score.
    pub classes: usize,
    /// Columns that are fitted, if not all.
    pub occurring: Option<&'a Occurring>,
}

impl Layout<'_> {
    fn fitted(self) -> usize {
        self.occurring.map_or(self.columns, |some| some.numbers().len())
    }

    /// Returns the class and the column of the data for the number of a fit's coefficient.
    pub fn place(self, at: u32) -> (usize, u32) {
        let (class, column) = match self.classes {
            0 => (0, at),
            _ => (at as usize / self.fitted(), (at as usize % self.fitted()) as u32),
        };
        (class, self.occurring.map_or(column, |some| some.number(column)))
    }

    /// Converts the coefficients of a fit to those of files.
    pub fn of_data(self, fitted: &[(u32, f64)]) -> Vec<Coefficient> {
        let coefficient = |&(at, value): &(u32, f64)| {
            let (class, column) = self.place(at);
            Coefficient { class: class as u32, column, value }
        };
        fitted.iter().map(coefficient).collect()
    }

    /// Converts coefficients of files to those of a fit, without columns that are not fitted.
    pub fn of_fit(self, coefficients: &[Coefficient]) -> Vec<(u32, f64)> {
        let number = |of: &Coefficient| {
            let column = match self.occurring {
                Some(some) => some.place(of.column)?,
                None => of.column,
            };
            let at = of.class.checked_mul(self.fitted() as u32).and_then(|first| first.checked_add(column));
            // A column beyond the numbers of columns gets one that the fit refuses.
            Some((at.unwrap_or(u32::MAX), of.value))
        };
        coefficients.iter().filter_map(number).collect()
    }

    fn header(self) -> String {
        format!("{}{HEADER}", if self.classes > 0 { "class\t" } else { "" })
    }
}

/// Names in a file of coefficients: those of columns, if the data have names, and the fields of classes with
/// scores, as [`ClassLabels::fields`](super::ClassLabels::fields) returns them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Words<'a> {
    /// The name of each column of the data.
    pub names: Option<&'a [String]>,
    /// The field of each class, in order; empty for a single score.
    pub classes: &'a [String],
    /// Standard errors, by the numbers of a fit's coefficients; empty if there are none.
    pub errors: &'a [f64],
}

/// Writes the coefficients of one model.
///
/// # Errors
/// If they cannot be written.
pub fn write(
    out: &mut impl Write,
    coefficients: &[(u32, f64)],
    words: Words<'_>,
    layout: Layout<'_>,
) -> io::Result<()> {
    let error = if words.errors.is_empty() { "" } else { ERROR };
    writeln!(out, "{}{error}", layout.header())?;
    lines(coefficients, words, layout).try_for_each(|line| writeln!(out, "{line}"))
}

/// Writes the coefficients of a path, point by point.
pub(super) fn write_path<'a>(
    out: &mut impl Write,
    points: impl Iterator<Item = &'a Vec<(u32, f64)>>,
    words: Words<'_>,
    layout: Layout<'_>,
) -> io::Result<()> {
    writeln!(out, "{POINT}{}", layout.header())?;
    (1..).zip(points).try_for_each(|(point, coefficients): (u64, _)| {
        lines(coefficients, words, layout).try_for_each(|line| writeln!(out, "{point}\t{line}"))
    })
}

fn lines(coefficients: &[(u32, f64)], words: Words<'_>, layout: Layout<'_>) -> impl Iterator<Item = String> {
    coefficients.iter().map(move |&(at, value)| {
        let (class, column) = layout.place(at);
        let class = words.classes.get(class).map(|class| format!("{class}\t")).unwrap_or_default();
        let name = words.names.and_then(|names| names.get(column as usize)).map_or("", String::as_str);
        // A tab or a line end in a name would shift the fields after it.
        let name = name.replace(|letter: char| letter.is_control(), " ");
        let error = words.errors.get(at as usize).map(|error| format!("\t{error:.16e}")).unwrap_or_default();
        format!("{class}{}\t{name}\t{value:.16e}{error}", column + 1)
    })
}

/// A wrong line of a file, and the reason.
pub(super) type Flaw = (usize, String);

/// Reads the coefficients of a model with these columns and fields of classes; for a path, those of `point`,
/// from 1.
///
/// # Errors
/// The line, if it has a column or class that the model does not have or that appears twice, or a value that
/// is not finite.
pub fn parse(
    text: &str,
    layout: Layout<'_>,
    classes: &[String],
    point: Option<u64>,
) -> Result<Vec<Coefficient>, Flaw> {
    let header = format!("{}{}", if point.is_some() { POINT } else { "" }, layout.header());
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = without_return(first);
    let with_errors = first.strip_suffix(ERROR) == Some(&header);
    if first != header && !with_errors {
        return Err((1, format!("expected the header `{}`", header.replace('\t', "`, `"))));
    }
    let numbers = classes.iter().map(String::as_str).zip(0..).collect();
    let lines =
        Lines { rest, number: 2, is_path: point.is_some(), has_classes: layout.classes > 0, with_errors };
    let (mut read, mut before) = (Vec::new(), None);
    for (number, line) in lines {
        let place = line.place(&numbers, layout);
        let Some(place @ (of, class, column)) = place else {
            let class = if layout.classes > 0 { "a class of the model, " } else { "" };
            let (columns, of) = (layout.columns, "a name and a coefficient, with tabs");
            return Err((number, format!("expected {class}a column from 1 to {columns}, {of}")));
        };
        if before == Some(place) {
            return Err((number, format!("column {column} appears twice")));
        }
        if before > Some(place) {
            return Err((number, format!("column {column} is not in ascending order")));
        }
        before = Some(place);
        let value: Option<f64> = line.behind.rsplit('\t').next().and_then(|value| value.parse().ok());
        let value = value
            .filter(|value| value.is_finite())
            .ok_or_else(|| (number, "the coefficient is no finite number".to_owned()))?;
        if point.is_none_or(|point| point == of) {
            read.push(Coefficient { class, column: column as u32 - 1, value });
        }
    }
    Ok(read)
}

/// The numbered lines of a file after its header; a class in quotes may contain line ends.
struct Lines<'t> {
    rest: &'t str,
    number: usize,
    is_path: bool,
    has_classes: bool,
    with_errors: bool,
}

/// The fields of a line: point and class, if present, and the text after them, without a standard error.
struct Line<'t> {
    point: Option<&'t str>,
    class: Option<&'t str>,
    behind: &'t str,
}

impl<'t> Iterator for Lines<'t> {
    type Item = (usize, Line<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let point = self.is_path.then(|| self.field());
        let class = self.has_classes.then(|| self.field());
        let (behind, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        let number = self.number;
        self.number += 1 + class.map_or(0, |class| class.matches('\n').count());
        let behind = without_return(behind);
        // A line without its error lacks a field, and is refused.
        let behind = if self.with_errors { behind.rsplit_once('\t').map_or("", |of| of.0) } else { behind };
        Some((number, Line { point, class, behind }))
    }
}

impl<'t> Lines<'t> {
    /// Takes the next field and its tab; the rest of the line if there is no further tab.
    fn field(&mut self) -> &'t str {
        let length = match self.rest.starts_with('"') {
            true => quoted_length(self.rest),
            false => self.rest.find(['\t', '\n']).unwrap_or(self.rest.len()),
        };
        let (field, rest) = self.rest.split_at(length);
        self.rest = rest.strip_prefix('\t').unwrap_or(rest);
        field
    }
}

impl Line<'_> {
    /// Parses point (0 if absent), class from 0 (0 if absent) and column from 1; `None` outside the model's
    /// ranges.
    fn place(&self, classes: &HashMap<&str, u32>, layout: Layout<'_>) -> Option<(u64, u32, u64)> {
        let point = match self.point {
            Some(point) => point.parse().ok().filter(|point| *point > 0)?,
            None => 0,
        };
        let class = match self.class {
            Some(class) => *classes.get(class)?,
            None => 0,
        };
        let mut fields = self.behind.split('\t');
        let (column, _, _) = (fields.next()?.parse().ok()?, fields.next()?, fields.next()?);
        let is_whole = fields.next().is_none() && (1..=layout.columns as u64).contains(&column);
        is_whole.then_some((point, class, column))
    }
}

/// Length in bytes of the quoted field at the start of a text; of the whole text if the quote is not closed.
fn quoted_length(text: &str) -> usize {
    let mut length = 1;
    while let Some(at) = text[length..].find('"') {
        length += at + 1;
        match text[length..].starts_with('"') {
            // A doubled quote does not close the field.
            true => length += 1,
            false => return length,
        }
    }
    text.len()
}

/// A line without the CR before its end.
fn without_return(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests;
