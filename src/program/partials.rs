//! [`Partials`]: answers of shards, in shard order; [`answers!`](crate::answers!) extracts answers of one
//! kind.

use std::cmp::Ordering;
use std::fmt::{self, Debug, Write};
use std::{iter, slice, vec};

/// Answers of shards, one each, in shard order: never in the order in which they arrived. Iteration yields
/// the answers without the numbers of the shards.
///
/// ```
/// use raddle::Partials;
///
/// let partials = Partials::from(vec![(4, vec![0.5, -2.0]), (1, vec![1.0, 1.0])]);
/// assert_eq!(partials.iter().map(Vec::len).sum::<usize>(), 4);
/// assert_eq!(partials.max(), 1.0);
/// assert_eq!(partials.clone().sum(), [1.5, -1.0]);
/// assert_eq!(partials.concat(), [1.0, 1.0, 0.5, -2.0]); // shard 1 comes first
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Partials<T>(Vec<(u32, T)>);

/// Answers as (shard, answer), in any order.
impl<T> From<Vec<(u32, T)>> for Partials<T> {
    fn from(mut answers: Vec<(u32, T)>) -> Self {
        answers.sort_by_key(|&(shard, _)| shard);
        Self(answers)
    }
}

impl<T> Partials<T> {
    /// Iterates over the answers, in shard order.
    pub fn iter(&self) -> <&Self as IntoIterator>::IntoIter {
        self.into_iter()
    }

    /// Answers as (shard, answer), in shard order.
    pub fn into_pairs(self) -> Vec<(u32, T)> {
        self.0
    }

    /// Returns the number of answers.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// `true` if there are no answers, as after a round without tasks.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Concatenates the elements of all answers, shard after shard.
    pub fn concat<V>(self) -> Vec<V>
    where
        T: IntoIterator<Item = V>,
    {
        self.into_iter().flatten().collect()
    }

    /// Returns the sum of the answers, added in shard order; vectors are added element by element, shorter
    /// ones as if padded with zeros. Without answers the sum is zero, or a vector without elements.
    pub fn sum(self) -> T
    where
        T: Numbers,
    {
        let mut answers = self.into_iter();
        let mut sum = answers.next().unwrap_or_default();
        answers.for_each(|answer| sum.add(answer));
        sum
    }

    /// Returns the largest number in the answers; NaN if one of them is NaN. Without answers it is the
    /// smallest number of its type, such as minus infinity.
    pub fn max(&self) -> T::Number
    where
        T: Numbers,
    {
        self.iter().fold(T::LEAST, |most, answer| answer.max_with(most))
    }
}

impl<T> IntoIterator for Partials<T> {
    type Item = T;
    type IntoIter = iter::Map<vec::IntoIter<(u32, T)>, fn((u32, T)) -> T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map((|(_, answer)| answer) as fn((u32, T)) -> T)
    }
}

impl<'a, T> IntoIterator for &'a Partials<T> {
    type Item = &'a T;
    type IntoIter = iter::Map<slice::Iter<'a, (u32, T)>, fn(&'a (u32, T)) -> &'a T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map((|(_, answer)| answer) as fn(&'a (u32, T)) -> &'a T)
    }
}

/// Numbers, and vectors of them, which [`Partials`] add up and compare.
pub trait Numbers: Default {
    /// One of the numbers.
    type Number: Copy;
    /// The smallest number of the type.
    const LEAST: Self::Number;
    /// Adds another value, number by number.
    fn add(&mut self, other: Self);
    /// Returns the largest of `most` and the numbers here; NaN if one of them is NaN.
    fn max_with(&self, most: Self::Number) -> Self::Number;
}

macro_rules! numbers {
    ($($number:ty: $least:expr),*) => {$(
        impl Numbers for $number {
            type Number = Self;
            const LEAST: Self = $least;

            fn add(&mut self, other: Self) {
                *self += other;
            }

            fn max_with(&self, most: Self) -> Self {
                match self.partial_cmp(&most) {
                    Some(Ordering::Greater) => *self,
                    Some(_) => most,
                    // One of the two is NaN, and so is their sum.
                    None => *self + most,
                }
            }
        }
    )*};
}

numbers!(
    f64: f64::NEG_INFINITY, f32: f32::NEG_INFINITY, u64: 0, u32: 0, usize: 0, i64: i64::MIN, i32: i32::MIN
);

impl<T: Numbers> Numbers for Vec<T> {
    type Number = T::Number;
    const LEAST: T::Number = T::LEAST;

    fn add(&mut self, other: Self) {
        let mut others = other.into_iter();
        self.iter_mut().zip(&mut others).for_each(|(sum, number)| sum.add(number));
        self.extend(others);
    }

    fn max_with(&self, most: T::Number) -> T::Number {
        self.iter().fold(most, |most, numbers| numbers.max_with(most))
    }
}

/// Extracts partials of one kind: `answers!(partials, Partial::Moves)` makes
/// [`Partials<Vec<Move>>`](crate::Partials) of `Partials<Partial>`, whose variants hold one value each.
///
/// A partial of another kind is a mistake of the program. It ends the run with an error that names both kinds
/// and the shard, as every panic in a verb does.
///
/// ```
/// #[derive(Debug)]
/// enum Partial { Moves(Vec<f64>), Share(f64) }
///
/// let partials = raddle::Partials::from(vec![(0, Partial::Share(0.5)), (3, Partial::Share(1.0))]);
/// assert_eq!(raddle::answers!(partials, Partial::Share).sum(), 1.5);
/// ```
#[macro_export]
macro_rules! answers {
    ($partials:expr, $($kind:ident)::+) => {
        $crate::partials::take($partials, stringify!($($kind)::+), |partial| match partial {
            $($kind)::+(value) => Ok(value),
            #[allow(unreachable_patterns)]
            other => Err(Box::new(other)),
        })
    };
}

/// Body of [`answers!`](crate::answers!).
#[doc(hidden)]
#[track_caller]
pub fn take<T: Debug, V>(
    partials: Partials<T>,
    kind: &str,
    each: impl Fn(T) -> Result<V, Box<T>>,
) -> Partials<V> {
    let mut taken = Vec::with_capacity(partials.len());
    for (shard, partial) in partials.0 {
        match each(partial) {
            Ok(value) => taken.push((shard, value)),
            Err(other) => {
                // A path that a macro was given is written with spaces.
                let (other, kind) = (name(&*other), kind.replace(' ', ""));
                panic!("shard {shard} answers `{other}` where `{kind}` is due")
            }
        }
    }
    Partials(taken)
}

/// Returns the name of a value's variant: its `Debug` form up to the first character that is not part of a
/// name; the rest is never written.
fn name(value: &impl Debug) -> String {
    struct Name(String);
    impl Write for Name {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
            self.0.push_str(&text[..end.unwrap_or(text.len())]);
            if end.is_some() { Err(fmt::Error) } else { Ok(()) }
        }
    }
    let mut name = Name(String::new());
    // The error only says that the name is over.
    let _ = write!(name, "{value:?}");
    name.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    enum Partial {
        Moves(Vec<f64>),
        Nothing,
    }

    #[test]
    #[should_panic(expected = "shard 7 answers `Moves` where `Partial::Share` is due")]
    fn another_kind_is_named() {
        let partials = Partials::from(vec![(3, Partial::Nothing), (7, Partial::Moves(vec![1.0; 1 << 20]))]);
        take(partials, "Partial::Share", |partial| match partial {
            Partial::Moves(moves) if moves.is_empty() => Ok(0),
            Partial::Nothing => Ok(1),
            other => Err(Box::new(other)),
        });
    }

    #[test]
    fn a_variant_without_a_value_has_a_name() {
        assert_eq!(name(&Partial::Nothing), "Nothing");
    }

    #[test]
    fn answers_are_in_shard_order_whatever_the_order_in_which_they_came() {
        let partials = Partials::from(vec![(2, 'c'), (0, 'a'), (7, 'd'), (1, 'b')]);
        assert_eq!(partials.iter().collect::<String>(), "abcd");
        assert_eq!(partials.into_pairs(), [(0, 'a'), (1, 'b'), (2, 'c'), (7, 'd')]);
    }

    #[test]
    fn a_sum_is_added_in_shard_order() {
        // Whether the small number is lost depends on the order.
        let partials = Partials::from(vec![(1, 1.0), (2, -1e16), (0, 1e16)]);
        assert_eq!(partials.sum(), (1e16 + 1.0) - 1e16);
        let ragged = Partials::from(vec![(1, vec![vec![1], vec![2, 3]]), (0, vec![vec![10, 20]])]);
        assert_eq!(ragged.sum(), [vec![11, 20], vec![2, 3]]);
        assert_eq!(
            (Partials::<f64>::from(vec![]).sum(), Partials::<Vec<u64>>::from(vec![]).sum()),
            (0.0, vec![])
        );
    }

    #[test]
    fn the_largest_number_is_found_and_one_that_is_none_is_not_passed_over() {
        let of =
            |answers: &[f64]| Partials::from((0..).zip(answers.iter().copied()).collect::<Vec<_>>()).max();
        assert_eq!((of(&[-3.0, -1.0, -2.0]), of(&[])), (-1.0, f64::NEG_INFINITY));
        for answers in [[f64::NAN, 1.0, 2.0], [1.0, f64::NAN, 2.0], [1.0, 2.0, f64::NAN]] {
            assert!(of(&answers).is_nan());
        }
        assert_eq!(Partials::from(vec![(0, vec![3u64, 9]), (1, vec![])]).max(), 9);
    }
}
