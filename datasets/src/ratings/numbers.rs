//! [`Numbers`]: numbers the ids of users or of items as they come.

use std::collections::HashMap;

use super::ids::{Column, IdForm, Ids, whole_id};

/// Whole numbers below this are looked up by position.
const NEAR: usize = 1 << 20;

/// Larger whole numbers are looked up by position, too, up to this multiple of the number of ids so far.
const SPREAD: usize = 4;

/// The ids of users or of items, numbered in the order of first appearance.
pub(super) enum Numbers {
    Integers { near: Vec<u32>, far: HashMap<u32, u32>, appeared: Vec<u32> },
    Names { known: HashMap<String, u32>, appeared: Vec<String> },
}

impl Numbers {
    pub(super) fn new(form: IdForm) -> Self {
        match form {
            IdForm::Whole => Self::Integers { near: Vec::new(), far: HashMap::new(), appeared: Vec::new() },
            IdForm::Text => Self::Names { known: HashMap::new(), appeared: Vec::new() },
        }
    }

    pub(super) fn number(&mut self, column: Column) -> Vec<u32> {
        match (self, column) {
            (Self::Integers { near, far, appeared }, Column::Integers(mut ids)) => {
                for id in &mut ids {
                    let (next, at) = (appeared.len() as u32, *id as usize);
                    if let Some(&number) = near.get(at).filter(|number| **number < next) {
                        *id = number;
                        continue;
                    }
                    if near.len() <= at && at < NEAR.max(SPREAD * appeared.len()) {
                        reach(at, near, far);
                    }
                    let number = match near.get_mut(at) {
                        // An id may have had a number before positions came to reach it.
                        Some(number) => {
                            *number = (*number).min(next);
                            *number
                        }
                        None => *far.entry(*id).or_insert(next),
                    };
                    if number == next {
                        appeared.push(*id);
                    }
                    *id = number;
                }
                ids
            }
            (Self::Names { known, appeared }, Column::Names(names)) => {
                let number = |name: String| match known.get(&name) {
                    Some(&number) => number,
                    None => {
                        let next = appeared.len() as u32;
                        appeared.push(name.clone());
                        known.insert(name, next);
                        next
                    }
                };
                names.into_iter().map(number).collect()
            }
            // All blocks are read with the same columns as whole numbers.
            _ => Vec::new(),
        }
    }

    /// Numbers a whole column; returns the rows and their ids.
    pub(super) fn of(column: Column) -> (Vec<u32>, Ids) {
        let mut numbers = Self::new(match column {
            Column::Integers(_) => IdForm::Whole,
            Column::Names(_) => IdForm::Text,
        });
        let mut rows = numbers.number(column);
        let numbered = numbers.finish();
        numbered.place(&mut rows);
        (rows, numbered.ids)
    }

    /// Returns the ids by row, and the row of each number if that is different.
    pub(super) fn finish(self) -> Numbered {
        match self {
            Self::Integers { appeared, .. } => {
                let end = appeared.iter().copied().max().map_or(0, |largest| largest as usize + 1);
                match appeared.len() == end {
                    true => Numbered { ids: Ids::Dense(appeared.len() as u32), rows: Some(appeared) },
                    false => Numbered { ids: Ids::Integers(appeared), rows: None },
                }
            }
            Self::Names { appeared, .. } => Numbered { ids: Ids::Names(appeared), rows: None },
        }
    }
}

/// Extends the numbers by position to the id `at`; those by hash that they come to reach are moved.
fn reach(at: usize, near: &mut Vec<u32>, far: &mut HashMap<u32, u32>) {
    if at < NEAR {
        return near.resize(at + 1, u32::MAX);
    }
    near.resize(2 * at, u32::MAX);
    far.retain(|&id, number| match near.get_mut(id as usize) {
        Some(near) => {
            *near = *number;
            false
        }
        None => true,
    });
}

/// Returns the rows and ids that a reader would make of a file with these rows of `ids`, in this order: ids
/// that do not occur get no row, and ids that are all whole numbers are read as numbers.
///
/// ```
/// use raddle_datasets::ratings::{Ids, as_in_file};
/// let (rows, ids) = as_in_file(&[4, 2, 4], &Ids::Dense(5));
/// assert_eq!((rows, ids), (vec![0, 1, 0], Ids::Integers(vec![4, 2])));
/// ```
pub fn as_in_file(rows: &[u32], ids: &Ids) -> (Vec<u32>, Ids) {
    let rows_of = || rows.iter().map(|&row| row as usize);
    Numbers::of(match ids {
        Ids::Dense(_) => Column::Integers(rows.to_vec()),
        Ids::Integers(ids) => Column::Integers(rows_of().map(|row| ids[row]).collect()),
        Ids::Names(names) => {
            let whole: Option<Vec<u32>> = rows_of().map(|row| whole_id(names[row].as_bytes())).collect();
            whole.map_or_else(
                || Column::Names(rows_of().map(|row| names[row].clone()).collect()),
                Column::Integers,
            )
        }
    })
}

/// The ids of users or of items by row.
pub(super) struct Numbered {
    pub(super) ids: Ids,
    /// The row of each number; `None` if it is the number.
    pub(super) rows: Option<Vec<u32>>,
}

impl Numbered {
    /// Returns the row of a number, which was given out in the order of first appearance.
    pub(super) fn row(&self, number: u32) -> u32 {
        self.rows.as_ref().map_or(number, |rows| rows[number as usize])
    }

    /// Replaces numbers by their rows.
    pub(super) fn place(&self, numbers: &mut [u32]) {
        if let Some(rows) = &self.rows {
            numbers.iter_mut().for_each(|number| *number = rows[*number as usize]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_ids_are_rows_and_others_are_numbered_as_they_appear() {
        assert_eq!(Numbers::of(Column::Integers(vec![2, 0, 1, 2])), (vec![2, 0, 1, 2], Ids::Dense(3)));
        assert_eq!(Numbers::of(Column::Integers(vec![3, 1, 3])), (vec![0, 1, 0], Ids::Integers(vec![3, 1])));
        let far = Numbers::of(Column::Integers(vec![4_000_000_000, 7, 4_000_000_000]));
        assert_eq!(far, (vec![0, 1, 0], Ids::Integers(vec![4_000_000_000, 7])));
        let names = ["b", "a", "b"].map(str::to_owned).to_vec();
        assert_eq!(
            Numbers::of(Column::Names(names)),
            (vec![0, 1, 0], Ids::Names(vec!["b".into(), "a".into()]))
        );
    }

    #[test]
    fn an_id_keeps_its_number_when_positions_come_to_reach_it() {
        // The first id is beyond all positions until a third as many others have come.
        let far = 3 * NEAR as u32;
        let ids: Vec<u32> = [far].into_iter().chain(0..NEAR as u32).chain([far, far - 1, far]).collect();
        let mut numbers = Numbers::new(IdForm::Whole);
        let [first, last] =
            [&ids[..9], &ids[9..]].map(|part| numbers.number(Column::Integers(part.to_vec())));
        assert_eq!(first, (0..9).collect::<Vec<u32>>());
        assert_eq!(last[last.len() - 3..], [0, NEAR as u32 + 1, 0]);
    }
}
