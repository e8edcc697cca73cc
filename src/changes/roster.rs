//! [`Roster`], and the results of a version's changes.

use std::collections::HashMap;

use super::Delta;

/// Refusal of a change: its position, from 0, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The change.
    pub at: usize,
    /// The reason.
    pub why: String,
}

impl Refused {
    /// Makes the changes one after the other.
    ///
    /// # Errors
    /// The first change that is refused; none after it is made.
    pub fn first<C>(changes: &[C], mut make: impl FnMut(&C) -> Result<(), String>) -> Result<(), Self> {
        changes.iter().enumerate().try_for_each(|(at, change)| make(change).map_err(|why| Self { at, why }))
    }
}

/// Result of a version: the numbers of records inserted and retracted, and the difference that this makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken<R> {
    /// Records inserted.
    pub inserted: u64,
    /// Records retracted.
    pub retracted: u64,
    /// The difference to the version before.
    pub delta: Delta<R>,
}

/// One change that was made, by the number of its record; a version's changes are undone from the last to the
/// first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// The record was inserted.
    Inserted(u32),
    /// The record was retracted.
    Retracted(u32),
}

impl Done {
    /// Numbers of the insertions and of the retractions.
    pub fn counts(done: &[Self]) -> (u64, u64) {
        let inserted = done.iter().filter(|done| matches!(done, Self::Inserted(_))).count();
        (inserted as u64, (done.len() - inserted) as u64)
    }
}

/// Records by id, which are inserted and retracted in versions. Each has a fixed number, from 0 in the order
/// of insertion.
#[derive(Debug, Default)]
pub struct Roster {
    ids: Vec<String>,
    is_there: Vec<bool>,
    known: HashMap<String, u32>,
    done: Vec<Done>,
}

impl Roster {
    /// Starts a version: earlier changes cannot be undone any more.
    pub fn begin(&mut self) {
        self.done.clear();
    }

    /// The ids of all records that there ever were, by number.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// `true` if a record with this id is there.
    pub fn contains(&self, id: &str) -> bool {
        self.known.contains_key(id)
    }

    /// `true` if the record with this number is there.
    pub fn is_there(&self, number: usize) -> bool {
        self.is_there[number]
    }

    /// Number of records that are there.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Iterates over the numbers of the records that are there, ascending.
    pub fn there(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.ids.len()).filter(|&number| self.is_there[number])
    }

    /// Inserts a record and returns its number. The id must be that of no record that is there.
    pub fn insert(&mut self, id: String) -> u32 {
        let number = self.ids.len() as u32;
        self.known.insert(id.clone(), number);
        self.ids.push(id);
        self.is_there.push(true);
        self.done.push(Done::Inserted(number));
        number
    }

    /// Retracts the record with this id; returns its number, or `None` if there is no such record.
    pub fn retract(&mut self, id: &str) -> Option<u32> {
        let number = self.known.remove(id)?;
        self.is_there[number as usize] = false;
        self.done.push(Done::Retracted(number));
        Some(number)
    }

    /// Returns the numbers of records inserted and retracted in this version.
    pub fn counts(&self) -> (u64, u64) {
        Done::counts(&self.done)
    }

    /// Undoes this version. Returns its changes in the order in which their consequences elsewhere are to be
    /// undone.
    pub fn take_back(&mut self) -> Vec<Done> {
        let done: Vec<Done> = std::mem::take(&mut self.done).into_iter().rev().collect();
        for done in &done {
            match *done {
                // The record is the last one.
                Done::Inserted(_) => {
                    self.is_there.pop();
                    self.ids.pop().map(|id| self.known.remove(&id));
                }
                Done::Retracted(number) => {
                    self.is_there[number as usize] = true;
                    self.known.insert(self.ids[number as usize].clone(), number);
                }
            }
        }
        done
    }
}
