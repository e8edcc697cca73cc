//! [`Names`]: ids of users or items, which grow with the ratings.

use std::collections::HashMap;

use raddle_datasets::Ids;
use raddle_datasets::ratings::whole_id;

/// The ids of users or of items, to which new ones are added.
#[derive(Debug, Clone)]
pub(super) struct Names {
    pub(super) ids: Ids,
    numbers: HashMap<u32, u32>,
    names: HashMap<String, u32>,
    /// The ids before the current changes.
    before: Ids,
}

impl Names {
    pub(super) fn new(ids: &Ids) -> Self {
        let (mut numbers, mut names) = (HashMap::new(), HashMap::new());
        match ids {
            Ids::Dense(count) => numbers.extend((0..*count).map(|row| (row, row))),
            Ids::Integers(ids) => numbers.extend(ids.iter().copied().zip(0..)),
            Ids::Names(ids) => names.extend(ids.iter().cloned().zip(0..)),
        }
        Self { ids: ids.clone(), numbers, names, before: ids.clone() }
    }

    pub(super) fn row(&self, id: &str) -> Option<u32> {
        match self.ids {
            Ids::Names(_) => self.names.get(id).copied(),
            _ => self.numbers.get(&whole_id(id.as_bytes())?).copied(),
        }
    }

    /// Returns the row of an id; an unknown id gets a new row after the others.
    pub(super) fn row_or_new(&mut self, id: &str) -> u32 {
        if let Some(row) = self.row(id) {
            return row;
        }
        let next = self.ids.len() as u32;
        match (&mut self.ids, whole_id(id.as_bytes())) {
            (Ids::Names(ids), _) => {
                ids.push(id.into());
                self.names.insert(id.into(), next);
            }
            (Ids::Dense(count), Some(number)) if number == *count => {
                *count += 1;
                self.numbers.insert(number, next);
            }
            (Ids::Dense(count), Some(number)) => {
                self.ids = Ids::Integers((0..*count).chain([number]).collect());
                self.numbers.insert(number, next);
            }
            (Ids::Integers(ids), Some(number)) => {
                ids.push(number);
                self.numbers.insert(number, next);
            }
            (_, None) => {
                // From now on all ids are texts.
                let names = (0..self.ids.len()).map(|row| self.ids.name(row)).chain([id.into()]).collect();
                *self = Self { before: std::mem::take(&mut self.before), ..Self::new(&Ids::Names(names)) };
            }
        }
        next
    }

    pub(super) fn begin(&mut self) {
        self.before.clone_from(&self.ids);
    }

    /// Removes the ids that were added since the changes began.
    pub(super) fn take_back(&mut self) {
        if self.ids.len() > self.before.len() {
            *self = Self::new(&self.before);
        }
    }
}
