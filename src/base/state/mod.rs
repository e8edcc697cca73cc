//! [`State`]: conversion of shards, blocks, replicas and schedules to bytes and back.
//!
//! One plain layout serves three purposes: the wire between workers and processes, checkpoints, and the
//! guard's snapshots. A value has two forms. The *whole* form, written by [`State`], can be used at once
//! wherever it is read. The [`Learned`] form is that of checkpoints, without anything that data and
//! parameters can restore. The default is that both forms are the same.
//!
//! Numbers are little-endian, lengths are `u64`, and a slice of numbers is one copy of its memory: never a
//! loop over its elements. Reading trusts nothing: a length is compared with what is left before anything is
//! allocated.

mod derive;
mod shared;
mod values;

pub use self::shared::{Apart, Decoded, Shared, Values};

use thiserror::Error;

/// Bytes that do not describe the value they were read as.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what}: the bytes end early or do not fit")]
pub struct StateError {
    /// The value that was being read, in words.
    pub what: &'static str,
}

impl StateError {
    /// Makes an error that names the value being read.
    pub fn new(what: &'static str) -> Self {
        Self { what }
    }
}

/// Bytes being written.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    /// Values that are sent separately; `None` if all are written here.
    pub apart: Option<Box<Apart>>,
}

impl Writer {
    /// Appends raw bytes.
    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends a value.
    pub fn write<T: State>(&mut self, value: &T) {
        value.save(self);
    }

    /// Appends many values, as a vector of them would be.
    pub fn write_slice<T: State>(&mut self, values: &[T]) {
        self.write(&values.len());
        T::save_slice(values, self);
    }

    /// Makes a writer that reuses the memory of `room`.
    pub fn over(mut room: Vec<u8>) -> Self {
        room.clear();
        Self { bytes: room, apart: None }
    }

    /// Everything written so far.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Bytes being read.
#[derive(Debug)]
pub struct Reader<'a> {
    left: &'a [u8],
    /// Values that the bytes name by number.
    pub values: Option<&'a dyn Values>,
}

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { left: bytes, values: None }
    }

    /// The next `count` raw bytes.
    pub fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], StateError> {
        let (head, tail) = self.left.split_at_checked(count).ok_or(StateError { what })?;
        self.left = tail;
        Ok(head)
    }

    /// The next value.
    pub fn read<T: State>(&mut self) -> Result<T, StateError> {
        T::load(self)
    }

    /// Checks that everything has been read.
    pub fn end(&self, what: &'static str) -> Result<(), StateError> {
        if self.left.is_empty() { Ok(()) } else { Err(StateError { what }) }
    }

    /// Number of bytes that have not been read yet.
    pub fn remaining(&self) -> usize {
        self.left.len()
    }
}

/// The other form of a value: its learned state, without anything that data and parameters can restore.
/// Checkpoints hold it, of shards (`Program::save_state`), of the pinned block
/// (`Program::save_pinned`) and of the schedule
/// (`Schedule::save_state`).
///
/// `Learned<Writer>` writes the form, `Learned<Reader>` reads it. They are separate types, because a learned
/// form is no [`State`], which is whole; a whole value is added to it only with `whole`.
///
/// ```
/// use raddle::state::{Learned, Reader, StateError, Writer, from_bytes, to_bytes};
///
/// struct Columns { data: Vec<f64>, coefficients: Vec<f64> } // its data are there wherever a run goes on
/// raddle::state!(Columns { data, coefficients });
///
/// impl Columns {
///     fn save_state(&self, out: &mut Learned<Writer>) {
///         out.write(&self.coefficients);
///     }
///     fn load_state(&mut self, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
///         self.coefficients = from.read()?;
///         Ok(())
///     }
/// }
///
/// let columns = Columns { data: vec![1.0, 2.0], coefficients: vec![0.5] };
/// let (whole, mut learned) = (to_bytes(&columns), Learned::default());
/// columns.save_state(&mut learned);
/// let learned = learned.into_bytes();
/// assert!(learned.len() < whole.len());
/// let mut anew = Columns { data: vec![1.0, 2.0], coefficients: vec![0.0] };
/// anew.load_state(&mut Learned::of(&learned))?;
/// assert_eq!(anew.coefficients, from_bytes::<Columns>(&whole)?.coefficients);
/// # Ok::<(), StateError>(())
/// ```
#[derive(Debug, Default)]
pub struct Learned<T>(T);

impl Learned<Writer> {
    /// Appends raw bytes.
    pub fn put(&mut self, bytes: &[u8]) {
        self.0.put(bytes);
    }

    /// Appends a value that is learned.
    pub fn write<T: State>(&mut self, value: &T) {
        self.0.write(value);
    }

    /// Appends many values, as a vector of them would be.
    pub fn write_slice<T: State>(&mut self, values: &[T]) {
        self.0.write_slice(values);
    }

    /// Returns the writer of a whole value, all of which is learned.
    pub fn whole(&mut self) -> &mut Writer {
        &mut self.0
    }

    /// Everything written so far.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }
}

impl<'a> Learned<Reader<'a>> {
    /// Makes a reader of the learned form with which `bytes` start.
    pub fn of(bytes: &'a [u8]) -> Self {
        Self(Reader::new(bytes))
    }

    /// The next `count` raw bytes.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn take(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], StateError> {
        self.0.take(count, what)
    }

    /// The next value.
    ///
    /// # Errors
    /// If the bytes do not describe one.
    pub fn read<T: State>(&mut self) -> Result<T, StateError> {
        self.0.read()
    }

    /// Returns the reader of a whole value, all of which is learned.
    pub fn whole(&mut self) -> &mut Reader<'a> {
        &mut self.0
    }

    /// Number of bytes that have not been read yet.
    pub fn remaining(&self) -> usize {
        self.0.remaining()
    }
}

/// A value that can be written as bytes and read back whole, bit for bit: the value that is read behaves as
/// the one that was written would have, at once, on any worker or process. Nothing may be left out; the form
/// of checkpoints, which may leave things out, is [`Learned`].
///
/// Implement it for a struct or an enum with [`state!`](crate::state!), which writes the named fields in
/// order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as bytes and read back",
    note = "for a type of your own, list its fields: `raddle::state!({Self} {{ field, .. }})`, or its \
            variants: `raddle::state!(enum {Self} {{ One, Two(value) }})`",
    note = "for a type of another crate, keep what it is made of"
)]
pub trait State: Sized + Send + 'static {
    /// Appends the value to `out`.
    fn save(&self, out: &mut Writer);

    /// Reads a value written by [`save`](State::save).
    ///
    /// # Errors
    /// If the bytes are too short or cannot be such a value.
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError>;

    /// Appends many values; numbers override it with one copy of their memory.
    #[doc(hidden)]
    fn save_slice(values: &[Self], out: &mut Writer) {
        for value in values {
            value.save(out);
        }
    }

    /// Reads many values; numbers override it with one copy of their memory.
    #[doc(hidden)]
    fn load_vec(count: usize, from: &mut Reader<'_>) -> Result<Vec<Self>, StateError> {
        // Even an empty value could claim any count, so no more is reserved than the bytes can hold.
        let mut values = Vec::with_capacity(count.min(from.remaining()));
        for _ in 0..count {
            values.push(Self::load(from)?);
        }
        Ok(values)
    }
}

/// Returns the bytes of one value.
pub fn to_bytes<T: State>(value: &T) -> Vec<u8> {
    let mut out = Writer::default();
    value.save(&mut out);
    out.into_bytes()
}

/// Reads the value that fills `bytes` exactly.
///
/// # Errors
/// If the bytes are too short, too long, or cannot be such a value.
pub fn from_bytes<T: State>(bytes: &[u8]) -> Result<T, StateError> {
    let mut from = Reader::new(bytes);
    let value = T::load(&mut from)?;
    from.end("a value that ends before its bytes do")?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_back(numbers: Vec<f64>, pairs: Vec<(u32, String)>, flag: Option<bool>) {
            let value = (numbers, pairs, flag);
            let copy: (Vec<f64>, Vec<(u32, String)>, Option<bool>) = from_bytes(&to_bytes(&value)).unwrap();
            prop_assert_eq!(to_bytes(&copy), to_bytes(&value));
        }

        #[test]
        fn any_bytes_are_a_value_or_an_error(bytes: Vec<u8>) {
            let _ = from_bytes::<(Vec<u64>, Vec<String>, Option<Vec<f32>>)>(&bytes);
        }
    }

    #[test]
    fn arrays_and_maps_are_read_back_and_equal_maps_have_equal_bytes() {
        let array = [[1u16, 2], [3, 4], [5, 6]];
        assert_eq!(from_bytes::<[[u16; 2]; 3]>(&to_bytes(&array)), Ok(array));
        assert!(from_bytes::<[u16; 3]>(&[0; 5]).is_err());
        let tree: BTreeMap<String, u8> = (0..9).map(|n| (format!("key {n}"), n)).collect();
        assert_eq!(from_bytes::<BTreeMap<String, u8>>(&to_bytes(&tree)).as_ref(), Ok(&tree));
        let maps: Vec<HashMap<u32, f64>> =
            (0..2).map(|_| (0..500).map(|n| (n * 7919, f64::from(n))).collect()).collect();
        assert!(to_bytes(&maps[0]) == to_bytes(&maps[1]));
        assert_eq!(from_bytes::<HashMap<u32, f64>>(&to_bytes(&maps[0])).as_ref(), Ok(&maps[1]));
        let doubled = to_bytes(&vec![(1u32, 2u8), (1, 3)]);
        assert!(from_bytes::<HashMap<u32, u8>>(&doubled).is_err());
        assert!(from_bytes::<BTreeMap<u32, u8>>(&doubled).is_err());
        assert!(from_bytes::<BTreeMap<u32, u8>>(&to_bytes(&u64::MAX)).is_err());
    }

    #[test]
    fn a_length_beyond_the_bytes_is_an_error_before_it_is_an_allocation() {
        let bytes = to_bytes(&u64::MAX);
        assert!(from_bytes::<Vec<f64>>(&bytes).is_err());
        assert!(from_bytes::<Vec<String>>(&bytes).is_err());
    }
}
