//! [`State`]: how shards, blocks, replicas and schedules become bytes and come back.
//!
//! One plain layout serves three ends: the wire between workers, checkpoints, and the guard's snapshots.
//! Numbers are little-endian, lengths are `u64`, and a slice of numbers is one copy of its memory: never a
//! loop over its elements. Reading trusts nothing: a length is compared with what is left before anything is
//! allocated.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
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
/// Implement it for a struct or an enum with [`state!`](crate::state!), which writes the named fields in order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as bytes and read back",
    note = "for a type of your own, list its fields: `raddle::state!({Self} {{ field, .. }})`, or its variants: \
            `raddle::state!(enum {Self} {{ One, Two(value) }})`",
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
impl<T: State, const N: usize> State for [T; N] {
    fn save(&self, out: &mut Writer) {
        T::save_slice(self, out);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let values = T::load_vec(N, from)?;
        values.try_into().map_err(|_| StateError::new("an array"))
    }
}

/// Keys and values in the order of the keys.
impl<K: State + Ord, V: State> State for BTreeMap<K, V> {
    fn save(&self, out: &mut Writer) {
        self.len().save(out);
        for (key, value) in self {
            key.save(out);
            value.save(out);
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let count = usize::load(from)?;
        let pairs = <(K, V)>::load_vec(count, from)?;
        let map: Self = pairs.into_iter().collect();
        if map.len() == count { Ok(map) } else { Err(StateError::new("a map without doubles")) }
    }
}

/// Keys and values in the order of the keys' bytes: equal maps have equal bytes, whatever order they are walked in.
impl<K: State + Eq + Hash, V: State> State for HashMap<K, V> {
    fn save(&self, out: &mut Writer) {
        self.len().save(out);
        let mut keys: Vec<(Vec<u8>, &V)> = self.iter().map(|(key, value)| (to_bytes(key), value)).collect();
        keys.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        for (key, value) in keys {
            out.put(&key);
            value.save(out);
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let count = usize::load(from)?;
        let pairs = <(K, V)>::load_vec(count, from)?;
        let map: Self = pairs.into_iter().collect();
        if map.len() == count { Ok(map) } else { Err(StateError::new("a map without doubles")) }
    }
}

tuples! { (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) }

/// Implements [`State`] for a struct by its fields, or for an enum by its variants; they are written in the order given.
///
/// ```
/// use raddle::state::{from_bytes, to_bytes};
///
/// struct Users { factors: Vec<f32>, seen: Vec<(u32, u32)>, mean: f64 }
/// raddle::state!(Users { factors, seen, mean });
///
/// struct Pair<A, B>(A, B); // fields of a tuple are given any names
/// raddle::state!(Pair<A, B>(first, second)); // for all A and B that are State; `[A: Bound, B: Bound] Pair<A, B>` says more
///
/// enum Answer { Nothing, Moves(Vec<(u32, f64)>), Solved { gap: f64 } }
/// raddle::state!(enum Answer { Nothing, Moves(moves), Solved { gap } });
///
/// let users = Users { factors: vec![0.5; 8], seen: vec![(1, 2)], mean: 3.5 };
/// let copy: Users = from_bytes(&to_bytes(&users))?;
/// assert_eq!(copy.factors, users.factors);
/// let pair: Pair<u8, String> = from_bytes(&to_bytes(&Pair(3u8, "three".to_owned())))?;
/// assert_eq!(pair.1, "three");
/// for answer in [Answer::Nothing, Answer::Moves(vec![(3, 0.5)]), Answer::Solved { gap: 1e-9 }] {
///     let copy: Answer = from_bytes(&to_bytes(&answer))?;
///     assert_eq!(std::mem::discriminant(&copy), std::mem::discriminant(&answer));
/// }
/// assert!(from_bytes::<Answer>(&[3]).is_err()); // there are three
/// # Ok::<(), raddle::state::StateError>(())
/// ```
#[macro_export]
macro_rules! state {
    // An enum: a byte says which variant it is.
    ([$($bounds:tt)*] enum $name:ident $(< $($of:ident),+ >)? {
        $($variant:ident $(( $($item:ident),* $(,)? ))? $({ $($field:ident),* $(,)? })?),+ $(,)?
    }) => {
        impl <$($bounds)*> $crate::State for $name $(<$($of),+>)? {
            fn save(&self, out: &mut $crate::state::Writer) {
                enum Tag { $($variant),+ }
                match self {
                    $(Self::$variant $(($($item),*))? $({ $($field),* })? => {
                        $crate::State::save(&(Tag::$variant as u8), out);
                        $($($crate::State::save($item, out);)*)?
                        $($($crate::State::save($field, out);)*)?
                    })+
                }
            }
            fn load(from: &mut $crate::state::Reader<'_>) -> Result<Self, $crate::state::StateError> {
                enum Tag { $($variant),+ }
                let tag: u8 = $crate::State::load(from)?;
                $(if tag == Tag::$variant as u8 {
                    $($(let $item = $crate::State::load(from)?;)*)?
                    $($(let $field = $crate::State::load(from)?;)*)?
                    return Ok(Self::$variant $(($($item),*))? $({ $($field),* })?);
                })+
                Err($crate::state::StateError::new(concat!("a variant of ", stringify!($name))))
            }
        }
    };
    ([$($bounds:tt)*] $name:ident $(< $($of:ident),+ >)? { $($field:ident),* $(,)? }) => {
        impl <$($bounds)*> $crate::State for $name $(<$($of),+>)? {
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
    ([$($bounds:tt)*] $name:ident $(< $($of:ident),+ >)? ( $($field:ident),* $(,)? )) => {
        impl <$($bounds)*> $crate::State for $name $(<$($of),+>)? {
            fn save(&self, out: &mut $crate::state::Writer) {
                let Self($($field),*) = self;
                $($crate::State::save($field, out);)*
                let _ = out;
            }
            fn load(from: &mut $crate::state::Reader<'_>) -> Result<Self, $crate::state::StateError> {
                $(let $field = $crate::State::load(from)?;)*
                let _ = &from;
                Ok(Self($($field),*))
            }
        }
    };
    // Every parameter can be written, unless told otherwise.
    (enum $name:ident $(< $($of:ident),+ >)? { $($body:tt)* }) => {
        $crate::state!([$($($of: $crate::State),+)?] enum $name $(<$($of),+>)? { $($body)* });
    };
    ($name:ident $(< $($of:ident),+ >)? { $($body:tt)* }) => {
        $crate::state!([$($($of: $crate::State),+)?] $name $(<$($of),+>)? { $($body)* });
    };
    ($name:ident $(< $($of:ident),+ >)? ( $($body:tt)* )) => {
        $crate::state!([$($($of: $crate::State),+)?] $name $(<$($of),+>)? ( $($body)* ));
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
