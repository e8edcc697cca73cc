//! Features and response from columns: texts become a column a level, missing numbers are filled or refused.

use std::path::Path;

use super::columns::{Column, Columns, Place, Values};
use super::encoding::{ColumnOptions, EncodedColumn, Encoding, LeftOut};
use super::features::{Feature, Filled, matrix};
use super::missing::Missing;
use super::response::{Loaded, vector};
use super::select::{Selection, places};
use crate::error::ReadError;

/// A table that was encoded.
pub(super) struct Encoded {
    /// Features and response.
    pub(super) loaded: Loaded,
    pub(super) encoding: Encoding,
    pub(super) filled: Vec<Filled>,
}

/// Makes features and a response of columns that were read as the selection says.
pub(super) fn encode(
    columns: Columns,
    selection: Selection,
    options: &ColumnOptions,
    path: &Path,
) -> Result<Encoded, ReadError> {
    let Selection { response, file, left_out, .. } = selection;
    let Columns { mut columns, rows, named, .. } = columns;
    if rows == 0 {
        return Err(ReadError::file(path, "there are no rows: expected one sample a line"));
    }
    let width = columns.len();
    check_texts(&columns, rows, response, options, path)?;
    check_missing(&columns, response, options.missing, path)?;
    let mut y = match (response, &file) {
        (Some(j), _) => match std::mem::replace(&mut columns[j].values, Values::Skipped) {
            Values::Numbers(y) => y,
            _ => Vec::new(),
        },
        (None, Some(file)) => vector(Path::new(file))?,
        (None, None) => Vec::new(),
    };
    if y.len() != rows {
        let message = format!("{rows} rows, but {} values of the response: they must be as many", y.len());
        return Err(ReadError::file(path, message));
    }
    let kept = kept_rows(&columns, &y, options.missing);
    let rows_left_out = kept.as_ref().map_or(0, |kept| kept.iter().filter(|kept| !**kept).count());
    let rows = rows - rows_left_out;
    if rows == 0 {
        return Err(ReadError::file(
            path,
            "every row lacks a value, so that --missing drop leaves none: drop columns",
        ));
    }
    if let Some(kept) = &kept {
        retain(&mut y, kept);
    }
    let mut encoding = Encoding {
        width,
        named,
        response: response.map(|j| j + 1),
        missing: options.missing,
        columns: Vec::new(),
        left_out,
        rows_left_out: rows_left_out as u64,
    };
    let (mut features, mut filled, mut count) = (Vec::new(), Vec::new(), 0);
    for (j, mut column) in columns.into_iter().enumerate() {
        if let Some(kept) = &kept {
            column.values.retain(kept);
        }
        let name = column.name.clone();
        let about = EncodedColumn { name, place: j + 1, missing: column.missing, ..EncodedColumn::default() };
        match feature(column, about, rows, options) {
            Made::Feature(feature, about, missing) => {
                if !missing.is_empty() {
                    filled.push(Filled { feature: count, rows: missing });
                }
                count += about.features().len();
                features.push(feature);
                encoding.columns.push(about);
            }
            Made::LeftOut(why) => encoding.left_out.push(why),
            Made::Nothing => {}
        }
    }
    let names = encoding.features();
    if names.is_empty() {
        let why = match encoding.sentences().join("; ") {
            why if why.is_empty() => "there is no feature beside the response".into(),
            why => format!("no feature is left beside the response; {why}"),
        };
        return Err(ReadError::file(path, why));
    }
    let x = matrix(rows, features).map_err(|why| ReadError::file(path, why))?;
    let is_named = named || encoding.columns.iter().any(|column| column.levels.is_some());
    Ok(Encoded { loaded: Loaded { x, names: is_named.then_some(names), y: Some(y) }, encoding, filled })
}

/// What becomes of a column.
enum Made {
    /// A feature, what is kept of the column, and the rows that were filled.
    Feature(Feature, EncodedColumn, Vec<u32>),
    LeftOut(LeftOut),
    Nothing,
}

fn feature(column: Column, mut about: EncodedColumn, rows: usize, options: &ColumnOptions) -> Made {
    let left_out = |why: String| Made::LeftOut(LeftOut { name: column.name.clone(), why });
    match column.values {
        Values::Skipped => Made::Nothing,
        Values::Many => left_out(format!("more than {} different texts: --max-levels", options.max_levels)),
        Values::Numbers(mut values) => {
            let missing: Vec<u32> =
                (0..).zip(&values).filter(|(_, value)| value.is_nan()).map(|(row, _)| row).collect();
            if missing.len() == rows {
                return left_out("it has no value".into());
            }
            if !missing.is_empty() || options.missing == Missing::Mean {
                let (mut sum, known) = (0.0, rows - missing.len());
                values.iter().filter(|value| !value.is_nan()).for_each(|value| sum += value);
                let mean = sum / known as f64;
                missing.iter().for_each(|&row| values[row as usize] = mean);
                about.mean = Some(mean);
            }
            Made::Feature(Feature::Number(values), about, missing)
        }
        Values::Texts { codes, texts } => match texts.len() {
            0 | 1 => left_out("it has one value".into()),
            levels if levels == rows => left_out("a text of its own in every row".into()),
            levels => {
                about.levels = Some(texts);
                Made::Feature(Feature::of_levels(levels, codes), about, Vec::new())
            }
        },
    }
}

/// Refuses a response that is a text, and numbers with a few texts among them: these are mistakes, not levels.
fn check_texts(
    columns: &[Column],
    rows: usize,
    response: Option<usize>,
    options: &ColumnOptions,
    path: &Path,
) -> Result<(), ReadError> {
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let codes =
        places("--categorical", &options.categorical, &names).map_err(|why| ReadError::file(path, why))?;
    let mut flaws = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        let is_text = matches!(column.values, Values::Texts { .. } | Values::Many);
        let (Some((at, cell)), true, false) = (&column.odd, is_text, codes[place]) else { continue };
        let (name, option) = (called(place, column), option_name(place, column));
        let texts = (rows as u64).saturating_sub(column.numbers).saturating_sub(column.missing);
        let ways = format!(
            "or take all its cells for levels by --categorical {option}, or leave the column out by --drop {option}"
        );
        let why = if column.commas > 0 && cell.contains(',') {
            format!(
                "{name}: `{cell}` is not a number: write a point for the decimal comma, and nothing between thousands, {ways}"
            )
        } else if response == Some(place) {
            format!(
                "{name}, the response: `{cell}` is not a number: write classes as numbers, such as 0 and 1"
            )
        } else if column.numbers > 0 && column.numbers >= texts {
            format!(
                "{name}: `{cell}` is not a number, though {} cells of this column are: mend it, {ways}",
                column.numbers
            )
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

/// A column in messages.
fn called(place: usize, column: &Column) -> String {
    let unnamed = super::head::unnamed(place);
    if column.name == unnamed { unnamed } else { format!("{unnamed} ({})", column.name) }
}

/// A column in options.
fn option_name(place: usize, column: &Column) -> String {
    if column.name == super::head::unnamed(place) { (place + 1).to_string() } else { column.name.clone() }
}

/// Refuses missing numbers, unless something is to become of them.
fn check_missing(
    columns: &[Column],
    response: Option<usize>,
    rule: Missing,
    path: &Path,
) -> Result<(), ReadError> {
    let lacks = |(place, column): &(usize, &Column)| {
        let is_number = matches!(column.values, Values::Numbers(_));
        let matters = rule == Missing::Refuse || (rule == Missing::Mean && response == Some(*place));
        is_number && matters && column.missing > 0 && column.missing < column.values.len() as u64
    };
    let all: Vec<(usize, &Column)> = columns.iter().enumerate().filter(lacks).collect();
    let first = all
        .iter()
        .filter_map(|(place, column)| Some((column.first_missing.as_ref()?.number(), *place, column)));
    let Some((_, place, column)) = first.min_by_key(|(at, place, _)| (*at, *place)) else { return Ok(()) };
    let counts: Vec<String> =
        all.iter().map(|(_, column)| format!("{} {}", column.name, column.missing)).collect();
    let total: u64 = all.iter().map(|(_, column)| column.missing).sum();
    let ways = match response == Some(place) {
        true => "leave such rows out by --missing drop".to_owned(),
        false => format!(
            "fill them with means by --missing mean, leave their rows out by --missing drop, or the column by --drop {}",
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

/// Which rows stay, where rows with a missing number are left out.
fn kept_rows(columns: &[Column], y: &[f64], rule: Missing) -> Option<Vec<bool>> {
    if rule != Missing::Drop {
        return None;
    }
    let mut kept: Vec<bool> = y.iter().map(|y| !y.is_nan()).collect();
    for column in columns {
        if let Values::Numbers(values) = &column.values
            && values.iter().any(|value| !value.is_nan())
        {
            kept.iter_mut().zip(values).for_each(|(kept, value)| *kept &= !value.is_nan());
        }
    }
    kept.contains(&false).then_some(kept)
}

fn retain<T>(values: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    values.retain(|_| kept.next().copied().unwrap_or(true));
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Texts { codes, .. } => codes.len(),
            Self::Many | Self::Skipped => 0,
        }
    }

    /// Keeps some rows, and the texts that these have.
    fn retain(&mut self, kept: &[bool]) {
        match self {
            Self::Numbers(values) => retain(values, kept),
            Self::Texts { codes, texts } => {
                retain(codes, kept);
                let mut used = vec![false; texts.len()];
                codes.iter().for_each(|&code| used[code as usize] = true);
                let mut next = 0;
                let new: Vec<u32> = used
                    .iter()
                    .map(|used| {
                        next += u32::from(*used);
                        next.saturating_sub(1)
                    })
                    .collect();
                codes.iter_mut().for_each(|code| *code = new[*code as usize]);
                retain(texts, &used);
            }
            Self::Many | Self::Skipped => {}
        }
    }
}

impl Place {
    pub(super) fn number(&self) -> usize {
        match self {
            Self::Line(number) | Self::Row(number) => *number,
        }
    }

    pub(super) fn error(&self, path: &Path, why: String) -> ReadError {
        match self {
            Self::Line(line) => ReadError::at(path, *line, why),
            Self::Row(row) => ReadError::file(path, format!("row {row}: {why}")),
        }
    }
}
