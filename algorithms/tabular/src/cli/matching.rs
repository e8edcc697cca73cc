//! [`Matched`]: the columns of some data that a model uses, and the response.

use std::collections::HashMap;

use raddle_cli::Error;
use raddle_datasets::{Matrix, Samples};

/// Names of columns taken for the response where none is named and the model does not use them.
const USUAL: [&str; 3] = ["y", "target", "label"];

/// Largest number of missing columns that a message names.
const NAMED: usize = 5;

/// The data as the model sees them.
#[derive(Debug)]
pub(crate) struct Matched {
    pub(crate) columns: ColumnMap,
    /// The response, if the data have one.
    pub(crate) y: Option<Vec<f64>>,
    /// Names of columns that neither the model nor the response uses.
    pub(crate) left_out: Vec<String>,
}

/// The place in the data of each column of the model.
#[derive(Debug)]
pub(crate) enum ColumnMap {
    /// The data's columns in order, except one that is skipped; and the number of the data's columns.
    InOrder { skipped: Option<u32>, count: u32 },
    /// The data's column for each of the model's.
    Named(Vec<u32>),
}

impl ColumnMap {
    /// Returns the data's column for a column of the model; `None` where open-ended data end before it.
    pub(crate) fn place(&self, column: u32) -> Option<u32> {
        match self {
            Self::InOrder { skipped, count } => {
                let behind = skipped.is_some_and(|skipped| skipped <= column);
                column.checked_add(u32::from(behind)).filter(|place| place < count)
            }
            Self::Named(places) => places.get(column as usize).copied(),
        }
    }
}

/// Matches the data with the `count` columns of a model, by name if both have names, else by position.
///
/// A response that was named, or that the format stores separately, is already in `samples.y`. Otherwise it
/// is looked for among the columns that the model does not use: one called `y`, `target` or `label`.
pub(crate) fn matched(
    count: usize,
    names: Option<&[String]>,
    samples: &mut Samples,
    data: &str,
) -> Result<Matched, Error> {
    let refuse = |why: String| Error::input(format!("{data}: {why}"));
    let y = samples.y.take();
    match (names, samples.feature_names.as_deref()) {
        (Some(theirs), Some(ours)) if theirs != ours => by_name(theirs, ours, y, &samples.x).map_err(refuse),
        _ => by_position(count, y, samples).map_err(refuse),
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
    let (mut columns, mut missing) = (Vec::with_capacity(model.len()), Vec::new());
    for name in model {
        match places.get(name.as_str()) {
            Some(&place) => columns.push(place),
            None => missing.push(name.as_str()),
        }
    }
    if !missing.is_empty() {
        let more = match missing.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = missing[..missing.len().min(NAMED)].join("`, `");
        return Err(format!(
            "it has no column `{names}`{more}, which the model uses; it has {}, the model {}: give data \
             with the \
             model's columns, in any order",
            plural(data.len()),
            model.len()
        ));
    }
    let mut used = vec![false; data.len()];
    columns.iter().for_each(|&place| used[place as usize] = true);
    let free = |name: &str| places.get(name).copied().filter(|&place| !used[place as usize]);
    let response = match &y {
        Some(_) => None,
        None => USUAL.iter().find_map(|name| free(name)),
    };
    let left_out = (0..).zip(data).zip(&used).filter(|((place, _), used)| !*used && Some(*place) != response);
    let left_out = left_out.map(|((_, name), _)| name.clone()).collect();
    let y = y.or_else(|| response.map(|place| column(x, place)));
    Ok(Matched { columns: ColumnMap::Named(columns), y, left_out })
}

fn by_position(expected: usize, y: Option<Vec<f64>>, samples: &Samples) -> Result<Matched, String> {
    let Samples { x, feature_names, is_open_ended, .. } = samples;
    let count = samples.width();
    let usual = USUAL.iter().find_map(|usual| {
        let place = feature_names.as_ref()?.iter().position(|name| name == usual)?;
        Some(place as u32)
    });
    let places = |skipped: Option<u32>| ColumnMap::InOrder { skipped, count: count as u32 };
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
    raddle_cli::count(columns as u64, "column")
}

/// Returns the values of a column.
fn column(x: &Matrix, place: u32) -> Vec<f64> {
    x.scores(&[(place, 1.0)], 0.0)
}

#[cfg(test)]
mod tests {
    use raddle_datasets::Csc;

    use super::*;

    #[test]
    fn columns_in_their_order_take_no_memory_however_many_are_claimed() {
        let samples = Samples {
            x: Matrix::Sparse(Csc::new_csc((1, 3), vec![0, 1, 2, 3], vec![0; 3], vec![1.0, 2.0, 3.0])),
            occurring: None,
            y: None,
            beside: Vec::new(),
            feature_names: Some(["a", "y", "b"].map(Into::into).to_vec()),
            is_open_ended: true,
            beyond: 0,
            left_out: Vec::new(),
            without_response: Vec::new(),
            unknown_classes: Vec::new(),
            unseen: Vec::new(),
            records: Default::default(),
            notes: Vec::new(),
        };
        let Matched { columns, .. } = by_position(4_000_000_000, None, &samples).expect("open-ended");
        assert_eq!([0, 2, 3, u32::MAX].map(|j| columns.place(j)), [Some(0), Some(2), None, None]);
        let Matched { columns, y, .. } = by_position(2, None, &samples).expect("one is the response");
        assert_eq!([0, 1, 2].map(|j| columns.place(j)), [Some(0), Some(2), None]);
        assert_eq!(y, Some(vec![2.0]));
    }
}
