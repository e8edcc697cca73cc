//! [`Numbers`]: the ids and records of a view, by number.

use std::collections::HashMap;
use std::rc::Rc;

use super::key::Key;
use super::record::Record;

/// A record that was inserted, its number, and how often.
struct Slot<R: Record> {
    number: u64,
    record: Rc<R>,
    id: u64,
    times: isize,
}

/// Numbers of ids, and slots of records. Both are given anew once their last record is gone.
pub(super) struct Numbers<R: Record> {
    /// The number of each id, and how many slots have it.
    ids: HashMap<R::Id, (u64, usize)>,
    free_ids: Vec<u64>,
    /// The slot of each record, by its number and itself.
    known: HashMap<(u64, Rc<R>), u64>,
    slots: Vec<Option<Slot<R>>>,
    free_slots: Vec<u64>,
    /// Slots that may have lost their record: its keys are asked for until the version is over.
    leaving: Vec<u64>,
}

impl<R: Record> Default for Numbers<R> {
    fn default() -> Self {
        Self {
            ids: HashMap::new(),
            free_ids: Vec::new(),
            known: HashMap::new(),
            slots: Vec::new(),
            free_slots: Vec::new(),
            leaving: Vec::new(),
        }
    }
}

impl<R: Record> Numbers<R> {
    /// The number of a record's id, and the record's slot, which has it once more (1) or less (-1) from now
    /// on.
    pub(super) fn note(&mut self, number: u64, record: R, times: isize) -> (u64, u64) {
        let record = Rc::new(record);
        let found = self.known.get(&(number, Rc::clone(&record))).copied();
        let at = found.unwrap_or_else(|| self.take(number, record));
        match &mut self.slots[at as usize] {
            Some(slot) => {
                slot.times += times;
                if slot.times == 0 {
                    self.leaving.push(at);
                }
                (slot.id, at)
            }
            // A known slot holds a record.
            None => (0, at),
        }
    }

    /// A slot for a record that has none.
    fn take(&mut self, number: u64, record: Rc<R>) -> u64 {
        let new = self.ids.len() as u64;
        let free = &mut self.free_ids;
        let (id, slots) = self.ids.entry(record.id()).or_insert_with(|| (free.pop().unwrap_or(new), 0));
        *slots += 1;
        let slot = Slot { number, record: Rc::clone(&record), id: *id, times: 0 };
        let at = self.free_slots.pop().unwrap_or(self.slots.len() as u64);
        match self.slots.get_mut(at as usize) {
            Some(free) => *free = Some(slot),
            None => self.slots.push(Some(slot)),
        }
        self.known.insert((number, record), at);
        at
    }

    /// The record in a slot, with its number.
    pub(super) fn record(&self, at: u64) -> Option<(u64, R)> {
        let slot = self.slots.get(at as usize)?.as_ref()?;
        Some((slot.number, R::clone(&slot.record)))
    }

    /// The keys of the record in a slot.
    pub(super) fn keys(&self, at: u64) -> Vec<(Key, u64)> {
        let slot = self.slots.get(at as usize).and_then(Option::as_ref);
        slot.map_or_else(Vec::new, |slot| slot.record.keys())
    }

    /// Ends a version: ids and slots without records are forgotten.
    pub(super) fn forget(&mut self) {
        for at in std::mem::take(&mut self.leaving) {
            let Some(slot) = self.slots[at as usize].take_if(|slot| slot.times == 0) else { continue };
            self.free_slots.push(at);
            let id = slot.record.id();
            self.known.remove(&(slot.number, slot.record));
            if let Some((number, slots)) = self.ids.get_mut(&id) {
                *slots -= 1;
                if *slots == 0 {
                    self.free_ids.push(*number);
                    self.ids.remove(&id);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    struct Text(u32);

    impl Record for Text {
        type Id = u32;
        fn id(&self) -> u32 {
            self.0
        }
        fn keys(&self) -> Vec<(Key, u64)> {
            vec![(Key::new(0, self.0), 1)]
        }
    }

    #[test]
    fn what_is_gone_leaves_its_numbers_to_others_once_its_version_is_over() {
        let mut numbers = Numbers::default();
        let mut there =
            vec![numbers.note(0, Text(0), 1), numbers.note(1, Text(0), 1), numbers.note(2, Text(1), 1)];
        numbers.forget();
        assert_eq!(there[0].0, there[1].0, "two records of one id");
        assert_ne!(there[1].0, there[2].0, "two ids");
        for number in 3..500 {
            let (new, old) = (Text(number as u32), number - 1);
            let came = numbers.note(number, new, 1);
            assert!(there.iter().all(|&(_, slot)| slot != came.1), "two records in one slot");
            let text = if old == 2 { 1 } else { old as u32 };
            let went = numbers.note(old, Text(text), -1);
            assert_eq!((Some(&went), numbers.record(went.1)), (there.last(), Some((old, Text(text)))));
            numbers.forget();
            assert!(numbers.record(went.1).is_none());
            *there.last_mut().expect("three records") = came;
        }
        assert!(numbers.slots.len() <= 4, "{} slots for three records", numbers.slots.len());
        assert!(there.iter().all(|&(id, _)| id < 3), "{there:?}");
        assert_eq!((numbers.known.len(), numbers.ids.len()), (3, 2));
    }

    #[test]
    fn a_record_that_comes_back_in_the_version_in_which_it_went_is_still_the_same() {
        let mut numbers = Numbers::default();
        let first = numbers.note(7, Text(1), 1);
        numbers.forget();
        numbers.note(7, Text(1), -1);
        assert_eq!(numbers.note(7, Text(1), 1), first);
        numbers.forget();
        assert_eq!(numbers.record(first.1), Some((7, Text(1))));
    }
}
