//! Repeats an encoding on other data: makes the same features, whatever other columns the data have.

use std::collections::HashMap;
use std::path::Path;

use super::classes::{Beside, Classes, numbered, place};
use super::columns::{Column, Columns, Kind, Odd, RoleSource, Values};
use super::data::Samples;
use super::encoding::{EncodedColumn, Encoding, listed};
use super::features::{Feature, NO_LEVEL, matrix};
use super::missing::Missing;
use super::options::Options;
use super::response::{USUAL, check_count, chosen, vector};
use crate::dialect::{is_of_names, position};
use crate::error::ReadError;
use crate::records::RecordCounts;

/// The columns of the data for the columns of an encoding, and the response.
pub(super) struct Found {
    pub(super) kinds: Vec<Kind>,
    places: Vec<usize>,
    pub(super) response: Option<RoleSource>,
    left_out: Vec<String>,
}

impl Found {
    /// Adds the additional columns to those that are read.
    pub(super) fn read(&mut self, sides: &[RoleSource], asked: &[Beside], names: &[String]) {
        for (side, asked) in sides.iter().zip(asked) {
            if let Some(j) = side.column() {
                if self.kinds[j] == Kind::Skip {
                    self.kinds[j] = asked.kind();
                }
                self.left_out.retain(|name| *name != names[j]);
            }
        }
    }
}

/// Finds the columns of an encoding in the data: by name if both have names, else by position.
pub(super) fn find(
    encoding: &Encoding,
    names: &[String],
    named: bool,
    options: &Options,
    path: &Path,
) -> Result<Found, ReadError> {
    let refuse = |why: String| ReadError::file(path, why);
    let y = options.y.as_deref();
    let choose = |y: &str| chosen(names.len(), named.then_some(names), Some(y), path);
    let mut response = y.map(choose).transpose()?;
    let by_name = named && encoding.named;
    let places = match by_name {
        true => by_names(encoding, names).map_err(refuse)?,
        false => {
            let (places, of_y) = by_places(encoding, names.len()).map_err(refuse)?;
            response = response.or(of_y.map(RoleSource::Column));
            places
        }
    };
    let is_free = |j: &usize| !places.contains(j);
    if named && y.is_none() && response.is_none() {
        let place = |usual: &&str| names.iter().position(|name| name == usual).filter(is_free);
        response = USUAL.iter().find_map(place).map(RoleSource::Column);
    }
    let mut kinds = vec![Kind::Skip; names.len()];
    for (column, &place) in encoding.columns.iter().zip(&places) {
        kinds[place] = if column.levels.is_some() { Kind::Text } else { Kind::Number };
    }
    if let Some(j) = response.as_ref().and_then(RoleSource::column).filter(is_free) {
        kinds[j] = if matches!(options.classes, Classes::Known(_)) { Kind::Text } else { Kind::Number };
    }
    let known: Vec<&String> = encoding.left_out.iter().map(|left_out| &left_out.name).collect();
    let is_left_out = |j: &usize| kinds[*j] == Kind::Skip && !known.contains(&&names[*j]);
    let left_out = (0..names.len()).filter(is_left_out).map(|j| names[j].clone()).collect();
    Ok(Found { kinds, places, response, left_out })
}

fn by_names(encoding: &Encoding, names: &[String]) -> Result<Vec<usize>, String> {
    let (mut places, mut twice) = (HashMap::new(), None);
    for (place, name) in names.iter().enumerate() {
        if places.insert(name.as_str(), place).is_some()
            && encoding.columns.iter().any(|column| column.name == *name)
        {
            twice = Some(name);
        }
    }
    if let Some(name) = twice {
        return Err(format!("there are two columns `{name}`: give each a name of its own"));
    }
    let place = |column: &EncodedColumn| {
        places.get(column.name.as_str()).copied().or_else(|| position(names, &column.name))
    };
    let missing: Vec<&str> = encoding
        .columns
        .iter()
        .filter(|column| place(column).is_none())
        .map(|column| column.name.as_str())
        .collect();
    if missing.is_empty() {
        return Ok(encoding.columns.iter().filter_map(place).collect());
    }
    let more = match missing.len().saturating_sub(5) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let plural = |count: usize| if count == 1 { "1 column".into() } else { format!("{count} columns") };
    Err(format!(
        "it has no column `{}`{more}, which the model uses; it has {}, the model {}: give data with the \
         model's columns, in any order",
        missing[..missing.len().min(5)].join("`, `"),
        plural(names.len()),
        encoding.columns.len()
    ))
}

/// Finds columns by their positions in the encoded file; the response may be missing.
fn by_places(encoding: &Encoding, width: usize) -> Result<(Vec<usize>, Option<usize>), String> {
    let place = |column: &EncodedColumn| column.place - 1;
    match encoding.response {
        _ if width == encoding.width => {
            Ok((encoding.columns.iter().map(place).collect(), encoding.response.map(|y| y - 1)))
        }
        Some(y) if width + 1 == encoding.width => {
            let shifted = |column: &EncodedColumn| place(column) - usize::from(column.place > y);
            Ok((encoding.columns.iter().map(shifted).collect(), None))
        }
        _ => Err(format!(
            "it has {width} columns, the data of the model had {}: give data with the same columns",
            encoding.width
        )),
    }
}

/// Makes the features of the encoding, and the response if there is one.
pub(super) fn apply(
    encoding: &Encoding,
    found: Found,
    columns: Columns,
    options: &Options,
    path: &Path,
) -> Result<Samples, ReadError> {
    let classes = &options.classes;
    let Found { places, response, left_out, .. } = found;
    let Columns { mut columns, rows, mut notes, named, .. } = columns;
    let own = response.as_ref().and_then(RoleSource::column).map(|j| &columns[j]);
    if named && encoding.named {
        // If the first line has the model's names, it is certain to be a header, so notes on that are
        // dropped.
        notes.retain(|note| !is_of_names(note));
    }
    let mut features = Vec::new();
    let mut unseen = Vec::new();
    let lacking = own.map(|column| lacking(&column.values));
    let unknown_classes = own.map(|column| unknown(&column.values, classes)).unwrap_or_default();
    let y = match (own, &response) {
        (Some(column), _) => known_response(column, classes, &mut notes),
        (None, Some(RoleSource::File(file))) => {
            Some(vector(Path::new(file), rows, options, Missing::Mean)?.0)
        }
        (None, _) => None,
    };
    for (about, place) in encoding.columns.iter().zip(places) {
        let column = std::mem::replace(&mut columns[place].values, Values::Skipped);
        let about_column = &columns[place];
        features.push(match (&about.levels, column) {
            (None, Values::Numbers(values)) => Feature::Number(filled(values, about)),
            (None, _) => return Err(no_number(about, about_column, path)),
            (Some(levels), column) => {
                let (feature, count) = as_levels(levels, column);
                if count > 0 {
                    unseen.push(format!("{} ({count} row{})", about.name, if count == 1 { "" } else { "s" }));
                }
                feature
            }
        });
    }
    y.as_ref().map_or(Ok(()), |y| check_count(rows, y.len(), path))?;
    // Texts that are not known classes are NaN, too, but their rows do have a response.
    let is_nan = || y.iter().flat_map(|y| (0..).zip(y)).filter(|(_, y)| y.is_nan());
    let without_response = lacking.unwrap_or_else(|| is_nan().map(|(row, _)| row).collect());
    if !unseen.is_empty() {
        notes.push(format!(
            "levels that the model has never seen, treated as none of the known ones: {}",
            listed(&unseen)
        ));
    }
    let x = matrix(rows, features).map_err(|why| ReadError::file(path, why))?;
    let is_named = encoding.named || encoding.columns.iter().any(|column| column.levels.is_some());
    Ok(Samples {
        x,
        y,
        feature_names: is_named.then(|| encoding.features()),
        left_out,
        without_response,
        unknown_classes,
        unseen,
        records: RecordCounts::of(rows),
        notes,
        ..Samples::default()
    })
}

/// Returns the response, with NaN for rows without one; a note says why if there is none at all.
fn known_response(column: &Column, classes: &Classes, notes: &mut Vec<String>) -> Option<Vec<f64>> {
    let is_any = column.missing < column.values.len() as u64 || column.missing == 0;
    let known = is_any.then(|| numbered(column.values.clone(), classes)).flatten();
    let why = match (known, classes) {
        (Some((values, _)), _) => return Some(values),
        (None, _) if !is_any => "there in any row",
        (None, Classes::Known(_)) => "there in every row",
        (None, _) => "a number in every row",
    };
    notes.push(format!("no error is computed, as the response `{}` is not {why}", column.name));
    None
}

/// Returns the texts that are not known classes, each with its rows.
fn unknown(values: &Values, classes: &Classes) -> Vec<(String, Vec<u32>)> {
    let (Values::Texts { codes, texts }, Classes::Known(known)) = (values, classes) else {
        return Vec::new();
    };
    let mut unknown: Vec<(String, Vec<u32>)> = Vec::new();
    let places: Vec<Option<usize>> = texts
        .iter()
        .map(|text| {
            let is_unknown = !text.is_empty() && place(known, text).is_none();
            is_unknown.then(|| {
                unknown.push((text.clone(), Vec::new()));
                unknown.len() - 1
            })
        })
        .collect();
    for (row, &code) in (0..).zip(codes) {
        if let Some(place) = places[code as usize] {
            unknown[place].1.push(row);
        }
    }
    unknown
}

/// Returns the rows without a value.
fn lacking(values: &Values) -> Vec<u32> {
    let rows = |is_missing: &dyn Fn(usize) -> bool| {
        (0..values.len()).filter(|&row| is_missing(row)).map(|row| row as u32).collect()
    };
    match values {
        Values::Numbers(values) => rows(&|row| values[row].is_nan()),
        Values::Texts { codes, texts } => rows(&|row| texts[codes[row] as usize].is_empty()),
        Values::Many | Values::Skipped => Vec::new(),
    }
}

/// Fills missing numbers with the model's mean; they stay NaN if the model has none, so that the row gets no
/// prediction.
fn filled(mut values: Vec<f64>, about: &EncodedColumn) -> Vec<f64> {
    if let Some(mean) = about.mean {
        values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = mean);
    }
    values
}

fn no_number(about: &EncodedColumn, column: &Column, path: &Path) -> ReadError {
    let why = |cell: &str| {
        format!("column `{}`: `{cell}` is not a number, as the model's data had there", about.name)
    };
    match &column.odd {
        Some((at, Odd { cell, cure: None })) => at.error(path, why(cell)),
        Some((at, Odd { cell, cure: Some(cure) })) => at.error(path, format!("{}: {cure}", why(cell))),
        None => ReadError::file(path, why("a text")),
    }
}

/// Converts levels to their numbers in the model; also returns the number of rows with a level that the model
/// does not have.
fn as_levels(levels: &[String], column: Values) -> (Feature, u64) {
    let Values::Texts { codes, texts } = column else {
        return (Feature::of_levels(levels.len(), Vec::new()), 0);
    };
    // Codes may be written differently: pandas writes 1.0 for 1 if a value in the column is missing.
    let numbers: HashMap<&str, u32> = levels.iter().map(String::as_str).zip(0..).collect();
    let number = |text: &str| numbers.get(text).copied().or_else(|| Some(place(levels, text)? as u32));
    let known: Vec<u32> = texts.iter().map(|text| number(text).unwrap_or(NO_LEVEL)).collect();
    let codes: Vec<u32> = codes.into_iter().map(|code| known[code as usize]).collect();
    let unseen = codes.iter().filter(|&&code| code == NO_LEVEL).count();
    (Feature::of_levels(levels.len(), codes), unseen as u64)
}
