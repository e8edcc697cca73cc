//! [`State`]: how shards, blocks, replicas and schedules become bytes and come back.
//!
//! One plain layout serves three ends: the wire between workers, checkpoints, and the guard's snapshots.
//! Numbers are little-endian, lengths are `u64`, and a slice of numbers is one copy of its memory: never a
//! loop over its elements. Reading trusts nothing: a length is compared with what is left before anything is
//! allocated.

use std::sync::Arc;

use thiserror::Error;

#[cfg(target_endian = "big")]
compile_error!("raddle writes the memory of numbers as it is, which is little-endian");

/// Bytes that do not describe the value they were read as.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the bytes end or break off while reading {what}")]
pub struct StateError {
    /// What was being read.
    pub what: &'static str,
}

impl StateError {
    /// An error that says what was being read.
    pub fn new(what: &'static str) -> Self {
        Self { what }
    }
}

/// Bytes being written.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
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

    /// Everything written so far.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Bytes being read.
#[derive(Debug)]
pub struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { left: bytes }
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
    pub(crate) fn end(&self, what: &'static str) -> Result<(), StateError> {
        if self.left.is_empty() { Ok(()) } else { Err(StateError { what }) }
    }

    /// How many bytes have not been read yet.
    pub fn remaining(&self) -> usize {
        self.left.len()
    }
}

/// A value that can be written as bytes and read back, bit for bit.
///
/// Implement it for a struct with [`state!`](crate::state!), which writes the named fields in order.
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
        // Even an empty value could claim any count, so nothing is reserved beyond what the bytes can hold.
        let mut values = Vec::with_capacity(count.min(from.remaining()));
        for _ in 0..count {
            values.push(Self::load(from)?);
        }
        Ok(values)
    }
}

/// The bytes of one value.
pub fn to_bytes<T: State>(value: &T) -> Vec<u8> {
    let mut out = Writer::default();
    value.save(&mut out);
    out.into_bytes()
}

/// The value that fills `bytes` exactly.
///
/// # Errors
/// If the bytes are too short, too long, or cannot be such a value.
pub fn from_bytes<T: State>(bytes: &[u8]) -> Result<T, StateError> {
    let mut from = Reader::new(bytes);
    let value = T::load(&mut from)?;
    from.end("a value that ends before its bytes do")?;
    Ok(value)
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl State for $number {
            fn save(&self, out: &mut Writer) {
                out.put(bytemuck::bytes_of(self));
            }
            fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
                let bytes = from.take(size_of::<$number>(), stringify!($number))?;
                Ok(bytemuck::pod_read_unaligned(bytes))
            }
            fn save_slice(values: &[Self], out: &mut Writer) {
                out.put(bytemuck::cast_slice(values));
            }
            fn load_vec(count: usize, from: &mut Reader<'_>) -> Result<Vec<Self>, StateError> {
                const WHAT: &str = concat!("a list of ", stringify!($number));
                let length = count.checked_mul(size_of::<$number>()).ok_or(StateError::new(WHAT))?;
                let bytes = from.take(length, WHAT)?;
                // Compiled to one copy; unlike a copy into a vector of zeros it touches the memory once.
                Ok(bytes.chunks_exact(size_of::<$number>()).map(bytemuck::pod_read_unaligned).collect())
            }
        }
    )*};
}
numbers!(u8, u16, u32, u64, i8, i16, i32, i64, f32, f64);

impl State for usize {
    fn save(&self, out: &mut Writer) {
        (*self as u64).save(out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        usize::try_from(u64::load(from)?).map_err(|_| StateError::new("a size beyond this machine"))
    }
}

impl State for bool {
    fn save(&self, out: &mut Writer) {
        u8::from(*self).save(out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        match u8::load(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(StateError::new("a truth value")),
        }
    }
}

impl State for () {
    fn save(&self, _: &mut Writer) {}
    fn load(_: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(())
    }
    fn load_vec(count: usize, _: &mut Reader<'_>) -> Result<Vec<Self>, StateError> {
        Ok(vec![(); count])
    }
}

impl State for String {
    fn save(&self, out: &mut Writer) {
        self.len().save(out);
        out.put(self.as_bytes());
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let length = usize::load(from)?;
        let bytes = from.take(length, "a text")?;
        String::from_utf8(bytes.to_vec()).map_err(|_| StateError::new("a text in UTF-8"))
    }
}

impl<T: State> State for Vec<T> {
    fn save(&self, out: &mut Writer) {
        self.len().save(out);
        T::save_slice(self, out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let count = usize::load(from)?;
        T::load_vec(count, from)
    }
}

impl<T: State> State for Box<T> {
    fn save(&self, out: &mut Writer) {
        T::save(self, out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        T::load(from).map(Box::new)
    }
}

/// Shared in memory, private once it has travelled as bytes.
impl<T: State + Sync> State for Arc<T> {
    fn save(&self, out: &mut Writer) {
        T::save(self, out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        T::load(from).map(Arc::new)
    }
}

impl<T: State> State for Option<T> {
    fn save(&self, out: &mut Writer) {
        self.is_some().save(out);
        if let Some(value) = self {
            value.save(out);
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        if bool::load(from)? { T::load(from).map(Some) } else { Ok(None) }
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),*))*) => {$(
        impl<$($name: State),*> State for ($($name,)*) {
            fn save(&self, out: &mut Writer) {
                $(self.$index.save(out);)*
            }
            fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
                Ok(($($name::load(from)?,)*))
            }
        }
    )*};
}
tuples! { (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) }

/// Implements [`State`] for a struct by listing its fields; they are written in the order given.
///
/// ```
/// struct Users { factors: Vec<f32>, seen: Vec<(u32, u32)>, mean: f64 }
/// raddle::state!(Users { factors, seen, mean });
///
/// let users = Users { factors: vec![0.5; 8], seen: vec![(1, 2)], mean: 3.5 };
/// let copy: Users = raddle::state::from_bytes(&raddle::state::to_bytes(&users))?;
/// assert_eq!(copy.factors, users.factors);
/// # Ok::<(), raddle::state::StateError>(())
/// ```
#[macro_export]
macro_rules! state {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl $crate::State for $name {
            fn save(&self, out: &mut $crate::state::Writer) {
                let Self { $($field),* } = self;
                $($crate::State::save($field, out);)*
                let _ = out;
            }
            fn load(from: &mut $crate::state::Reader<'_>) -> Result<Self, $crate::state::StateError> {
                $(let $field = $crate::State::load(from)?;)*
                let _ = &from;
                Ok(Self { $($field),* })
            }
        }
    };
}

#[cfg(test)]
mod tests {
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
    fn a_length_beyond_the_bytes_is_an_error_before_it_is_an_allocation() {
        let bytes = to_bytes(&u64::MAX);
        assert!(from_bytes::<Vec<f64>>(&bytes).is_err());
        assert!(from_bytes::<Vec<String>>(&bytes).is_err());
    }
}
