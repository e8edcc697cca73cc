//! [`Numbers`]: numbers the ids of users or of items as they come.

use std::collections::HashMap;

use crate::ratings::ids::{Column, IdForm, Ids};

/// Whole numbers below this are looked up by position.
const NEAR: usize = 1 << 20;

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
                    let next = appeared.len() as u32;
                    let number = if (*id as usize) < NEAR {
                        if near.len() <= *id as usize {
                            near.resize(*id as usize + 1, u32::MAX);
                        }
                        let number = &mut near[*id as usize];
                        *number = (*number).min(next);
                        *number
                    } else {
                        *far.entry(*id).or_insert(next)
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

    /// Returns the ids by row, and the row of each number if that is different.
    pub(super) fn finish(self) -> Numbered {
        match self {
            Self::Integers { appeared, .. } => {
                let largest = appeared.iter().copied().max().map_or(0, |largest| largest as usize);
                match appeared.len() == largest + 1 {
                    true => Numbered { ids: Ids::Dense(appeared.len() as u32), rows: Some(appeared) },
                    false => Numbered { ids: Ids::Integers(appeared), rows: None },
                }
            }
            Self::Names { appeared, .. } => Numbered { ids: Ids::Names(appeared), rows: None },
        }
    }
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
}
