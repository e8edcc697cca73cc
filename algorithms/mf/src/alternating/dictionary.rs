//! [`Values`]: the ratings of a shard, either as numbers or as indices into a table, which take half the
//! memory.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

/// Largest number of distinct values in a table.
const MOST: usize = 1 << 16;

/// Ratings less their center.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Values {
    /// The values themselves, 4 bytes each.
    Plain(Vec<f32>),
    /// Indices into a table of the values, 2 bytes each.
    DictionaryEncoded(Vec<u16>, Arc<Vec<f32>>),
}

impl Default for Values {
    fn default() -> Self {
        Self::Plain(Vec::new())
    }
}

impl Values {
    /// Makes `count` zeros, to be set; as indices if there is a list.
    pub(crate) fn zeros(count: usize, list: Option<&Dictionary>) -> Self {
        match list {
            Some(list) => Self::DictionaryEncoded(vec![0; count], Arc::clone(&list.table)),
            None => Self::Plain(vec![0.0; count]),
        }
    }

    /// Returns the values as bytes, without the table; [`Values::of`] reads them.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Plain(values) => bytemuck::cast_slice(values),
            Self::DictionaryEncoded(places, _) => bytemuck::cast_slice(places),
        }
    }

    /// Reads values, as indices if there is a list.
    pub(super) fn of(bytes: &[u8], list: Option<&Dictionary>) -> Self {
        match list {
            Some(list) => {
                Self::DictionaryEncoded(bytemuck::cast_slice(bytes).to_vec(), Arc::clone(&list.table))
            }
            None => Self::Plain(bytemuck::cast_slice(bytes).to_vec()),
        }
    }

    /// Sets a value, which must be in the list if there is one.
    pub(crate) fn set(&mut self, at: usize, value: f32, list: Option<&mut Dictionary>) {
        match (self, list) {
            (Self::Plain(values), _) => values[at] = value,
            (Self::DictionaryEncoded(places, _), list) => {
                places[at] = list.and_then(|list| list.place(value)).unwrap_or_default();
            }
        }
    }

    /// Sets a value to one of `from`, which has the same list as these, or has plain values.
    pub(super) fn copy(&mut self, at: usize, from: &Self, place: usize, list: Option<&mut Dictionary>) {
        match (&mut *self, from) {
            (_, Self::Plain(from)) => self.set(at, from[place], list),
            (Self::DictionaryEncoded(to, _), Self::DictionaryEncoded(from, _)) => to[at] = from[place],
            (Self::Plain(to), Self::DictionaryEncoded(from, table)) => {
                to[at] = table[usize::from(from[place])]
            }
        }
    }

    /// Returns a range of the values, decoded into `scratch` if they are indices.
    pub(crate) fn read<'a>(&'a self, range: Range<usize>, scratch: &'a mut Vec<f32>) -> &'a [f32] {
        match self {
            Self::Plain(values) => &values[range],
            Self::DictionaryEncoded(places, table) => {
                scratch.clear();
                scratch.extend(places[range].iter().map(|&place| table[usize::from(place)]));
                scratch
            }
        }
    }

    /// Returns the values for changes; they stay plain from then on.
    pub(crate) fn plain(&mut self) -> &mut Vec<f32> {
        if let Self::DictionaryEncoded(places, table) = self {
            *self = Self::Plain(places.iter().map(|&place| table[usize::from(place)]).collect());
        }
        match self {
            Self::Plain(values) => values,
            Self::DictionaryEncoded(..) => unreachable!("made plain just now"),
        }
    }
}

/// Returns the distinct values in order of occurrence; `None` if there are too many for a table.
pub(crate) fn distinct(all: impl Iterator<Item = f32>) -> Option<Vec<f32>> {
    let mut list = Dictionary::default();
    let mut values = Vec::new();
    for value in all {
        if list.place(value).is_none() {
            if values.len() == MOST {
                return None;
            }
            list.add(value, values.len() as u16);
            values.push(value);
        }
    }
    Some(values)
}

/// A table of values, and the index of each. Copies share both.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dictionary {
    pub(crate) table: Arc<Vec<f32>>,
    places: Arc<HashMap<u32, u16>>,
    /// Values looked up last, by a hash of their bits: most data have few values.
    recent: Vec<(u32, u16)>,
}

impl Dictionary {
    /// Finds the indices of a table of at most 65,536 values.
    pub(crate) fn new(table: Vec<f32>) -> Self {
        let table = Arc::new(table);
        let mut list = Self { table: Arc::clone(&table), ..Self::default() };
        table.iter().zip(0..=u16::MAX).for_each(|(&value, place)| list.add(value, place));
        list
    }

    fn add(&mut self, value: f32, place: u16) {
        Arc::make_mut(&mut self.places).insert(value.to_bits(), place);
        // Every slot starts with a valid value, so that no slot is ever wrong.
        if self.recent.is_empty() {
            self.recent = vec![(value.to_bits(), place); 256];
        }
    }

    /// Returns the index of a value, if it is in the list.
    fn place(&mut self, value: f32) -> Option<u16> {
        let bits = value.to_bits();
        let slot = self.recent.get_mut((bits.wrapping_mul(0x9E37_79B1) >> 24) as usize)?;
        if slot.0 != bits {
            *slot = (bits, *self.places.get(&bits)?);
        }
        Some(slot.1)
    }
}

impl PartialEq for Dictionary {
    fn eq(&self, other: &Self) -> bool {
        self.table == other.table
    }
}

impl State for Dictionary {
    fn save(&self, out: &mut Writer) {
        out.write(&self.table);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let table: Vec<f32> = from.read()?;
        if table.len() > MOST { Err(StateError::new("a table of ratings")) } else { Ok(Self::new(table)) }
    }
}

impl State for Values {
    fn save(&self, out: &mut Writer) {
        match self {
            Self::Plain(values) => {
                out.write(&false);
                out.write(values);
            }
            Self::DictionaryEncoded(places, table) => {
                out.write(&true);
                out.write(places);
                out.write(table);
            }
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        if !from.read::<bool>()? {
            return Ok(Self::Plain(from.read()?));
        }
        let (places, table): (Vec<u16>, Arc<Vec<f32>>) = (from.read()?, from.read()?);
        match places.iter().all(|&place| usize::from(place) < table.len()) {
            true => Ok(Self::DictionaryEncoded(places, table)),
            false => Err(StateError::new("places in a table of ratings")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::state::{from_bytes, to_bytes};

    #[test]
    fn what_is_listed_is_read_back_to_the_last_bit() {
        let given: Vec<f32> =
            (0..5000).map(|i| ((i * 37) % 301) as f32 / 7.0 - 3.0).chain([0.0, -0.0]).collect();
        let mut list = Dictionary::new(distinct(given.iter().copied()).unwrap());
        let mut values = Values::zeros(given.len(), Some(&list));
        given.iter().enumerate().for_each(|(at, &value)| values.set(at, value, Some(&mut list)));
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let mut scratch = Vec::new();
        assert_eq!(bits(values.read(10..5002, &mut scratch)), bits(&given[10..]));
        let mut copy: Values = from_bytes(&to_bytes(&values)).unwrap();
        assert_eq!(copy, values);
        assert_eq!(bits(copy.plain()), bits(&given));
        assert_eq!(copy.read(3..4, &mut scratch), &given[3..4]);
    }

    #[test]
    fn too_many_values_are_not_listed() {
        assert!(distinct((0..MOST).map(|i| i as f32)).is_some());
        assert!(distinct((0..=MOST).map(|i| i as f32)).is_none());
    }

    #[test]
    fn places_beyond_the_table_are_refused() {
        let wrong = Values::DictionaryEncoded(vec![0, 2], Arc::new(vec![1.0, 2.0]));
        assert!(from_bytes::<Values>(&to_bytes(&wrong)).is_err());
    }
}
