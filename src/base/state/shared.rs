//! [`Shared`]: a value that is shared by pointer. If messages carry it to other processes, its bytes are
//! written once, separately from the messages, which name the value by a number.

use std::any::Any;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Reader, State, StateError, Writer, from_bytes, to_bytes};

/// Size limit of values that are written into each message, in bytes. Separate bytes cost a frame, and a
/// number in each message.
const INLINE: usize = 128;
/// Number of a value that is written into each message.
const IN_MESSAGE: u64 = 0;
/// Number of a value that has not been written yet.
const UNKNOWN: u64 = u64::MAX;

/// A value in shared memory. Clones are the same value.
#[derive(Debug)]
pub struct Shared<T>(Arc<Numbered<T>>);

#[derive(Debug)]
struct Numbered<T> {
    value: T,
    number: AtomicU64,
}

impl<T> Shared<T> {
    /// Puts a value into shared memory.
    pub fn new(value: T) -> Self {
        Self(Arc::new(Numbered { value, number: AtomicU64::new(UNKNOWN) }))
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

/// A decoded value of any type.
pub type Decoded = Arc<dyn Any + Send + Sync>;

/// Values whose bytes have arrived separately from the messages that name them.
pub trait Values: Debug + Sync {
    /// Takes one use of a value, which the first user decodes.
    ///
    /// # Errors
    /// If the value is not there, or its bytes do not describe it.
    fn take(
        &self,
        number: u64,
        decode: &mut dyn FnMut(&[u8]) -> Result<Decoded, StateError>,
    ) -> Result<Decoded, StateError>;
}

/// Values of a message that are not part of its bytes.
#[derive(Debug, Default)]
pub struct Apart {
    /// Number of values that have a number.
    count: u64,
    /// Values to be sent ahead of the message, each with its number.
    pub made: Vec<(u64, Vec<u8>)>,
    /// Numbers that the message names.
    pub named: Vec<u64>,
}

impl Apart {
    /// Returns the number that names the value, whose bytes are written the first time.
    fn number<T: State>(&mut self, shared: &Numbered<T>) -> u64 {
        let mut number = shared.number.load(Ordering::Relaxed);
        if number == UNKNOWN {
            let bytes = to_bytes(&shared.value);
            number = IN_MESSAGE;
            // By size alone, so that it is the same in every run.
            if bytes.len() > INLINE {
                self.count += 1;
                number = self.count;
                self.made.push((number, bytes));
            }
            shared.number.store(number, Ordering::Relaxed);
        }
        if number != IN_MESSAGE {
            self.named.push(number);
        }
        number
    }
}

impl<T: State + Sync> State for Shared<T> {
    fn save(&self, out: &mut Writer) {
        let number = out.apart.as_mut().map_or(IN_MESSAGE, |apart| apart.number(&self.0));
        out.write(&number);
        if number == IN_MESSAGE {
            out.write(&self.0.value);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let number = from.read()?;
        if number == IN_MESSAGE {
            return from.read().map(Self::new);
        }
        let absent = || StateError::new("a value that has not arrived");
        let mut decode = |bytes: &[u8]| Ok(Self::new(from_bytes(bytes)?).0 as Decoded);
        let value = from.values.ok_or_else(absent)?.take(number, &mut decode)?;
        value.downcast().map(Self).map_err(|_| StateError::new("a value of another type"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes of these values in a message that may leave some out, and the values left out.
    fn written(values: &[Shared<Vec<u8>>], apart: Apart) -> (Vec<u8>, Apart) {
        let mut out = Writer { apart: Some(Box::new(apart)), ..Writer::default() };
        values.iter().for_each(|value| out.write(value));
        let apart = out.apart.take().map_or_else(Apart::default, |apart| *apart);
        (out.into_bytes(), apart)
    }

    #[test]
    fn a_long_value_is_written_once_and_a_short_one_into_each_message() {
        let values = [vec![1; 5], vec![2; 5000], vec![3; INLINE + 1]].map(Shared::new);
        let (first, mut apart) = written(&values, Apart::default());
        let made = std::mem::take(&mut apart.made);
        let lengths: Vec<_> = made.iter().map(|(number, bytes)| (*number, bytes.len())).collect();
        assert_eq!(lengths, [(1, 5008), (2, INLINE + 9)]);
        assert_eq!(std::mem::take(&mut apart.named), [1, 2]);
        let (second, apart) = written(&values, apart);
        assert_eq!(apart.named, [1, 2]);
        assert!(apart.made.is_empty(), "{apart:?}");
        assert_eq!(first, second);
        assert!(first.len() < 50, "{}", first.len());
    }

    #[test]
    fn without_a_way_of_their_own_all_are_in_the_message() {
        let values = vec![Shared::new(vec![1u8; 5]), Shared::new(vec![2; 5000])];
        let back: Vec<Shared<Vec<u8>>> = from_bytes(&to_bytes(&values)).unwrap_or_default();
        let lengths: Vec<_> = back.iter().map(|value| value.len()).collect();
        assert_eq!(lengths, [5, 5000]);
    }

    #[test]
    fn a_number_that_nothing_has_arrived_for_is_refused() {
        let (bytes, _) = written(&[Shared::new(vec![1; 500])], Apart::default());
        let mut from = Reader::new(&bytes);
        assert!(from.read::<Shared<Vec<u8>>>().is_err());
    }
}
