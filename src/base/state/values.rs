//! The bytes of numbers, texts, collections and tuples.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::hash::Hash;
use std::sync::Arc;

use super::{Reader, State, StateError, Writer, to_bytes};

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

/// A type without values has no bytes.
impl State for Infallible {
    fn save(&self, _: &mut Writer) {
        match *self {}
    }
    fn load(_: &mut Reader<'_>) -> Result<Self, StateError> {
        Err(StateError::new("a value that cannot be"))
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

/// A value that is shared in memory, and private once it has been read from bytes.
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

/// Reads a map of `len` keys.
fn load_map<K: State, V: State, M: FromIterator<(K, V)>>(
    from: &mut Reader<'_>,
    len: impl Fn(&M) -> usize,
) -> Result<M, StateError> {
    let count = usize::load(from)?;
    let map: M = <(K, V)>::load_vec(count, from)?.into_iter().collect();
    if len(&map) == count { Ok(map) } else { Err(StateError::new("a map without doubles")) }
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
        load_map(from, Self::len)
    }
}

/// Keys and values in the order of the keys' bytes: equal maps have equal bytes, whatever order they are
/// walked in.
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
        load_map(from, Self::len)
    }
}

tuples! { (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) }
