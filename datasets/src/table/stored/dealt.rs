//! [`Dealing`]: deals entries to parts of a temporary file, each of which is then sorted by its keys.

use std::path::{Path, PathBuf};

use bytemuck::Pod;

use crate::arrays::pieces::{Array, Pieces, PiecesWriter, RemovedOnDrop, starts_of};
use crate::error::ReadError;

/// The names of a part's arrays: keys, other numbers and values of its entries.
fn names(part: usize) -> [String; 3] {
    ["keys", "others", "values"].map(|array| format!("{array} {part}"))
}

/// Entries that are being dealt to parts.
pub(super) struct Dealing {
    out: PiecesWriter,
    removed: RemovedOnDrop,
    /// The entries of each part that are not in the file yet.
    held: Vec<(Vec<u32>, Vec<u32>, Vec<f64>)>,
}

impl Dealing {
    /// Starts a temporary file for the making of another one.
    pub(super) fn create(path: &Path, parts: usize) -> Result<Self, ReadError> {
        let removed = RemovedOnDrop(PathBuf::from(format!("{}.{}.raw", path.display(), std::process::id())));
        let entries = (0..parts).flat_map(|part| {
            let [keys, others, values] = &names(part);
            [
                Array::<u32>::new(keys).entry(),
                Array::<u32>::new(others).entry(),
                Array::<f64>::new(values).entry(),
            ]
        });
        let out = PiecesWriter::create(&removed.0, entries)?;
        Ok(Self { out, removed, held: vec![Default::default(); parts] })
    }

    /// Adds an entry to a part.
    #[inline]
    pub(super) fn push(&mut self, part: usize, key: u32, other: u32, value: f64) {
        let (keys, others, values) = &mut self.held[part];
        keys.push(key);
        others.push(other);
        values.push(value);
    }

    /// Writes the entries that were added.
    pub(super) fn write(&mut self) -> Result<(), ReadError> {
        for (part, (keys, others, values)) in self.held.iter_mut().enumerate() {
            let names = names(part);
            self.out.push(Array::new(&names[0]), keys)?;
            self.out.push(Array::new(&names[1]), others)?;
            self.out.push(Array::new(&names[2]), values)?;
            keys.clear();
            others.clear();
            values.clear();
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Dealt, ReadError> {
        Ok(Dealt { pieces: self.out.finish(&())?, _removed: self.removed })
    }
}

/// Entries in a temporary file, which is removed when this is dropped.
pub(super) struct Dealt {
    pieces: Pieces,
    _removed: RemovedOnDrop,
}

/// The entries of a part by their keys; those of a key are in the order in which they came.
pub(super) struct Sorted {
    /// Number of entries of each key; then the offset of each key's first entry, and the end.
    pub(super) counts: Vec<u32>,
    pub(super) starts: Vec<usize>,
    pub(super) others: Vec<u32>,
    pub(super) values: Vec<f64>,
}

impl Dealt {
    /// Reads and sorts a part. `counts` returns how often each key occurs, and `place` the position of a key
    /// among them.
    pub(super) fn sorted(
        &self,
        part: usize,
        counts: impl FnOnce(&[u32]) -> Vec<u32>,
        place: impl Fn(u32) -> usize,
    ) -> Result<Sorted, ReadError> {
        let [keys, others, values] = &names(part);
        let keys: Vec<u32> = self.pieces.all(Array::new(keys))?;
        let counts = counts(&keys);
        let starts = starts_of(&counts);
        let mut next = starts.clone();
        let places = keys.into_iter().map(|key| {
            let next = &mut next[place(key)];
            *next += 1;
            *next - 1
        });
        let places: Vec<usize> = places.collect();
        let (others, values) = (self.moved(others, &places)?, self.moved(values, &places)?);
        Ok(Sorted { counts, starts, others, values })
    }

    /// Returns the numbers of an array, each moved to its position.
    fn moved<T: Pod>(&self, array: &str, places: &[usize]) -> Result<Vec<T>, ReadError> {
        let mut moved = vec![T::zeroed(); places.len()];
        let read: Vec<T> = self.pieces.all(Array::new(array))?;
        places.iter().zip(read).for_each(|(&place, number)| moved[place] = number);
        Ok(moved)
    }
}
