//! [`Matched`]: which columns of some data are those of a model, and which is the response.

use std::collections::HashMap;

use raddle::cli::Error;
use raddle_datasets::{Matrix, Samples};

use super::files::Model;

/// Columns taken for the response where none is named and the model does not use them.
const USUAL: [&str; 3] = ["y", "target", "label"];

/// Missing columns that a message names.
const NAMED: usize = 5;

/// The data as the model sees them.
#[derive(Debug)]
pub(crate) struct Matched {
    /// The data's column for each of the model's; `None` where open-ended data stop before it.
    pub(crate) columns: Vec<Option<u32>>,
    /// The response, if the data have one.
    pub(crate) y: Option<Vec<f64>>,
    /// Names of columns that neither the model nor the response uses.
    pub(crate) left_out: Vec<String>,
}

/// Matches by name where both have names, else by position.
///
/// A response that was named, or that the format keeps apart, is in `samples.y` already, and taken from there. Else
/// one is found among the columns that the model does not use: one called `y`, `target` or `label`.
pub(crate) fn matched(model: &Model, samples: &mut Samples, data: &str) -> Result<Matched, Error> {
    let refuse = |why: String| Error::input(format!("{data}: {why}"));
    let y = samples.y.take();
    match (&model.feature_names, &samples.feature_names) {
        (Some(theirs), Some(ours)) if theirs != ours => by_name(theirs, ours, y, &samples.x).map_err(refuse),
        _ => by_position(model.columns, y, samples).map_err(refuse),
    }
}

fn by_name(model: &[String], data: &[String], y: Option<Vec<f64>>, x: &Matrix) -> Result<Matched, String> {
    let mut places: HashMap<&str, u32> = HashMap::new();
    let mut twice = None;
    for (place, name) in (0..).zip(data) {
        if places.insert(name, place).is_some() {
            twice = Some(name);
        }
    }
    if let Some(name) = twice {
        return Err(format!("there are two columns `{name}`: give each a name of its own"));
    }
    let columns: Vec<Option<u32>> = model.iter().map(|name| places.get(name.as_str()).copied()).collect();
    let missing: Vec<&str> =
        model.iter().zip(&columns).filter(|(_, at)| at.is_none()).map(|(name, _)| name.as_str()).collect();
    if !missing.is_empty() {
        let more = match missing.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = missing[..missing.len().min(NAMED)].join("`, `");
        return Err(format!(
            "it has no column `{names}`{more}, which the model uses; it has {}, the model {}: give data with the \
             model's columns, in any order",
            plural(data.len()),
            model.len()
        ));
    }
    let used: Vec<bool> = (0..data.len() as u32).map(|place| columns.contains(&Some(place))).collect();
    let free = |name: &str| places.get(name).copied().filter(|&place| !used[place as usize]);
    let response = match &y {
        Some(_) => None,
        None => USUAL.iter().find_map(|name| free(name)),
    };
    let left_out = (0..).zip(data).zip(&used).filter(|((place, _), used)| !*used && Some(*place) != response);
    let left_out = left_out.map(|((_, name), _)| name.clone()).collect();
    let y = y.or_else(|| response.map(|place| column(x, place)));
    Ok(Matched { columns, y, left_out })
}

fn by_position(expected: usize, y: Option<Vec<f64>>, samples: &Samples) -> Result<Matched, String> {
    let Samples { x, feature_names, is_open_ended, .. } = samples;
    let count = x.cols();
    let usual = USUAL.iter().find_map(|usual| {
        let place = feature_names.as_ref()?.iter().position(|name| name == usual)?;
        Some(place as u32)
    });
    let places = |skipped: Option<u32>| {
        let all = (0..count as u32).filter(|place| Some(*place) != skipped).map(Some);
        all.chain(std::iter::repeat(None)).take(expected).collect()
    };
    let sizes = || format!("it has {}, the model {expected}", plural(count));
    match y {
        _ if count == expected || (count < expected && *is_open_ended) => {
            Ok(Matched { columns: places(None), y, left_out: Vec::new() })
        }
        None if count == expected + 1 => match usual {
            Some(place) => {
                let y = Some(column(x, place));
                Ok(Matched { columns: places(Some(place)), y, left_out: Vec::new() })
            }
            None => Err(format!("{}: if one of them is the response, name it by --y", sizes())),
        },
        _ => Err(format!("{}: give data with the same columns", sizes())),
    }
}

fn plural(columns: usize) -> String {
    raddle::cli::count(columns as u64, "column")
}

/// A column's values.
fn column(x: &Matrix, place: u32) -> Vec<f64> {
    raddle_lasso::predict(x, &[(place, 1.0)], 0.0)
}
