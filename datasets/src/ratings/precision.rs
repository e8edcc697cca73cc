//! [`Spread`]: checks whether single precision distinguishes ratings; [`narrowed`]: converts them, minus an
//! offset if it does not; [`Exact`]: observations that are narrowed in this way.

use std::convert::Infallible;

use super::data::Triples;
use super::duplicates::{Duplicates, Observations, Refused, merge};

/// Largest error of a rating, as a fraction of the standard deviation.
const SHARE: f64 = 1e-6;

/// Double precision does not represent all whole numbers from here on.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// The precision in which ratings are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    Single,
    Double,
}

/// The standard deviation of ratings and their errors in single precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spread {
    count: f64,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
    /// Largest error; then the sum of squared errors.
    worst: f64,
    errors: f64,
    is_beyond_double: bool,
}

/// Sums for the spread of ratings that come one by one. They are relative to the first rating, as squares of
/// large numbers would hide small differences.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SpreadSums {
    count: u64,
    first: f64,
    sum: f64,
    squares: f64,
    worst: f64,
    errors: f64,
    is_beyond_double: bool,
}

impl SpreadSums {
    /// Adds a rating.
    #[inline(always)]
    pub(crate) fn add(&mut self, value: f64) {
        if self.count == 0 {
            self.first = value;
        }
        let (off, about) = ((f64::from(value as f32) - value).abs(), value - self.first);
        self.count += 1;
        self.sum += about;
        self.squares += about * about;
        self.worst = self.worst.max(off);
        self.errors += off * off;
        self.is_beyond_double |= value.abs() >= WHOLE;
    }

    pub(crate) fn spread(&self) -> Spread {
        let count = self.count.max(1) as f64;
        let mean = self.sum / count;
        Spread {
            count: self.count as f64,
            mean: self.first + mean,
            squares: (self.squares - self.sum * mean).max(0.0),
            worst: self.worst,
            errors: self.errors,
            is_beyond_double: self.is_beyond_double,
        }
    }
}

impl Spread {
    /// Returns the spread of ratings after `less` is subtracted.
    pub(crate) fn of(values: impl Iterator<Item = f64>, less: f64) -> Self {
        let mut sums = SpreadSums::default();
        values.for_each(|value| sums.add(value - less));
        sums.spread()
    }

    /// Adds the spread of another part.
    pub(crate) fn join(&mut self, other: &Self) {
        if other.count == 0.0 {
            return;
        }
        let count = self.count + other.count;
        let between = other.mean - self.mean;
        self.squares += other.squares + between * between * (self.count * other.count / count);
        self.mean += between * (other.count / count);
        self.count = count;
        self.worst = self.worst.max(other.worst);
        self.errors += other.errors;
        self.is_beyond_double |= other.is_beyond_double;
    }

    fn deviation(&self) -> f64 {
        (self.squares / self.count.max(1.0)).sqrt()
    }

    /// Returns `true` if every rating is exact to a millionth of the standard deviation, or all are equal.
    pub(crate) fn is_held(&self) -> bool {
        match self.squares > 0.0 {
            true => self.worst <= SHARE * self.deviation(),
            false => !self.is_beyond_double,
        }
    }

    /// Returns `true` if any subset with the spread `left` is still exact enough in single precision.
    pub(crate) fn still_holds(&self, left: &Self) -> bool {
        // Equal ratings do not suffice: narrowing may have made them equal.
        self.worst <= SHARE * left.deviation()
    }

    /// Returns the offset for ratings that are not exact enough: the mean, rounded to a multiple of the power
    /// of two below the standard deviation, so that whole numbers stay whole.
    pub(crate) fn centre(&self) -> Option<f64> {
        if self.is_held() || self.squares == 0.0 {
            return None;
        }
        // The power of two is the exponent alone.
        let step = f64::from_bits(self.deviation().to_bits() & (0x7ff << 52));
        let centre = (self.mean / step).round() * step;
        Some(if centre.is_finite() { centre } else { self.mean })
    }

    /// Returns `true` if the same ratings minus an offset, with the spread `less`, are far more exact.
    pub(crate) fn is_gained_by(&self, less: &Self) -> bool {
        4.0 * less.errors <= self.errors
    }

    /// Returns notes on ratings of this spread, from which `offset` was subtracted.
    pub(crate) fn notes(&self, offset: f64) -> Vec<String> {
        let mut notes = Vec::new();
        if offset != 0.0 {
            notes.push(format!(
                "ratings lie near {offset}, where single precision does not tell them apart: they are fitted \
                 less that, and predicted in their own units"
            ));
        }
        if !self.is_held() {
            notes.push(match self.squares > 0.0 {
                true => format!(
                    "ratings are off by up to {:.1e} in single precision, more than a millionth of their \
                     standard deviation {:.1e}: leave out what is far from the others, or scale it",
                    self.worst,
                    self.deviation()
                ),
                false => format!(
                    "double precision does not distinguish whole numbers of {WHOLE} and more: subtract what \
                     the ratings have in common"
                ),
            });
        }
        notes
    }
}

/// Returns the number to subtract from ratings in double precision, and notes on it: the one `given`, or 0
/// unless subtracting another makes the ratings more exact. `spread` computes that of the ratings less a
/// number.
pub(super) fn offset<E>(
    given: Option<f64>,
    spread: impl Fn(f64) -> Result<Spread, E>,
) -> Result<(f64, Vec<String>), E> {
    let whole = spread(0.0)?;
    let offset = match (given, whole.centre()) {
        (Some(offset), _) => offset,
        (None, Some(centre)) if whole.is_gained_by(&spread(centre)?) => centre,
        (None, _) => 0.0,
    };
    let held = if offset == 0.0 { whole } else { spread(offset)? };
    Ok((offset, held.notes(offset)))
}

/// Narrows ratings to single precision; returns them, the number subtracted, and notes.
pub(crate) fn narrowed(values: &[f64], given: Option<f64>) -> (Vec<f32>, f64, Vec<String>) {
    let spread = |less: f64| Ok::<_, Infallible>(Spread::of(values.iter().copied(), less));
    let Ok((offset, notes)) = offset(given, spread);
    (values.iter().map(|value| (value - offset) as f32).collect(), offset, notes)
}

/// Observations in double precision: three arrays of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exact {
    /// Row of the user.
    pub users: Vec<u32>,
    /// Row of the item.
    pub items: Vec<u32>,
    /// The rating, a finite number.
    pub values: Vec<f64>,
}

/// Observations in single precision, with what narrowing did to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Narrowed {
    /// The observations; each pair occurs once.
    pub triples: Triples,
    /// Number that was subtracted from the values ([`Ratings::offset`](super::Ratings::offset)).
    pub offset: f64,
    /// Number of observations that were merged into others of their pair.
    pub duplicates: usize,
    /// Notes for users on the precision.
    pub notes: Vec<String>,
}

impl Exact {
    /// Merges repeated pairs by a rule; `None` if every pair occurs once. Rows must be below `users` and
    /// `items`.
    ///
    /// # Errors
    /// The position of the first repeated observation, if the rule is [`Duplicates::Refuse`].
    pub fn merged(mut self, rule: Option<Duplicates>, (users, items): (usize, usize)) -> Result<Self, usize> {
        if let Some(rule) = rule {
            let Self { users: of_users, items: of_items, values, .. } = &mut self;
            let observations = Observations { users: of_users, items: of_items, values, times: None };
            merge(observations, users, items, rule).map_err(|Refused(position)| position)?;
        }
        Ok(self)
    }

    /// Merges repeated pairs as [`merged`](Self::merged) does and narrows the ratings to single precision, as
    /// a reader of files does. Subtracts `offset` first; `None` subtracts a number only if that makes the
    /// ratings more exact.
    ///
    /// # Errors
    /// The errors of [`merged`](Self::merged).
    ///
    /// ```
    /// use raddle_datasets::Duplicates;
    /// use raddle_datasets::ratings::Exact;
    /// let of = |values: Vec<f64>| Exact { users: vec![0, 0, 1], items: vec![0, 0, 1], values };
    /// let found = of(vec![1.0, 2.0, 9.0]).narrowed(Some(Duplicates::Sum), (2, 2), None).unwrap();
    /// assert_eq!((found.triples.values, found.offset, found.duplicates), (vec![3.0, 9.0], 0.0, 1));
    /// let values = vec![0.0, 1e9 + 2.0, 1e9 + 9.0];
    /// let found = of(values).narrowed(Some(Duplicates::Last), (2, 2), None).unwrap();
    /// assert_eq!(f64::from(found.triples.values[0]) + found.offset, 1e9 + 2.0);
    /// ```
    pub fn narrowed(
        self,
        rule: Option<Duplicates>,
        sizes: (usize, usize),
        offset: Option<f64>,
    ) -> Result<Narrowed, usize> {
        let count = self.values.len();
        let Self { users, items, values } = self.merged(rule, sizes)?;
        let duplicates = count - values.len();
        let (values, offset, notes) = narrowed(&values, offset);
        Ok(Narrowed { triples: Triples { users, items, values }, offset, duplicates, notes })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ordinary_ratings_stay_as_they_are() {
        for values in [
            &[1.0, 2.0, 3.0, 4.0, 5.0][..],
            &[0.5, 3.7, 4.9, -9.95],
            &[3.7, 3.7, 3.7],
            &[1e6, 3.0, 1.0],
            &[0.0; 4],
            &[1e-30, 2e-30],
            &[5.0],
            &[],
        ] {
            let (narrow, offset, notes) = narrowed(values, None);
            let expected: Vec<f32> = values.iter().map(|&value| value as f32).collect();
            assert_eq!((narrow, offset, notes), (expected, 0.0, Vec::new()), "{values:?}");
        }
    }

    #[test]
    fn ratings_that_single_precision_does_not_tell_apart_are_centred_and_that_is_said() {
        let (narrow, offset, notes) = narrowed(&[1_000_000_001.0, 1_000_000_002.0, 1_000_000_009.0], None);
        assert!(notes.len() == 1 && notes[0].contains("less that"), "{notes:?}");
        assert_eq!(
            narrow.iter().map(|&v| f64::from(v) + offset).collect::<Vec<_>>(),
            [1e9 + 1.0, 1e9 + 2.0, 1e9 + 9.0]
        );
        // A given number takes precedence.
        assert_eq!(narrowed(&[3.0], Some(1.0)).0, [2.0]);
        // Differences beyond 64 bits are lost.
        let (_, _, notes) = narrowed(&[1e17, 1e17 + 1.0], None);
        assert!(notes[0].contains("double precision"), "{notes:?}");
    }

    #[test]
    fn far_ratings_leave_near_ones_told_apart_and_are_said_where_they_are_not_held() {
        let near: Vec<f64> = (0..2000).map(|at| 1e9 + f64::from(at % 30)).collect();
        // The mean is 60 steps of 2^24; the far rating is then a multiple of 64ths, or off by 21.
        for (far, said) in [(1.5, None), (123_456_789.0, Some("off by up to 2.1e1"))] {
            let values: Vec<f64> = near.iter().copied().chain([far]).collect();
            let (narrow, offset, notes) = narrowed(&values, None);
            assert_eq!(offset, 60.0 * f64::from(1 << 24));
            let back: Vec<f64> = narrow.iter().map(|narrow| f64::from(*narrow) + offset).collect();
            assert_eq!(back[..near.len()], near);
            assert!(notes[0].contains("less that"), "{notes:?}");
            assert_eq!(notes.len(), 1 + usize::from(said.is_some()), "{notes:?}");
            assert!(said.is_none_or(|said| notes[1].contains(said)), "{notes:?}");
        }
    }

    proptest! {
        #[test]
        fn parts_have_the_spread_of_the_whole(
            values in proptest::collection::vec(-50.0_f64..50.0, 1..60), level in prop_oneof![Just(0.0), Just(1e9), Just(-3e12)],
            cut in 0_usize..60,
        ) {
            let values: Vec<f64> = values.iter().map(|value| value + level).collect();
            let whole = Spread::of(values.iter().copied(), 0.0);
            let (left, right) = values.split_at(cut.min(values.len()));
            let mut joined = Spread::of(left.iter().copied(), 0.0);
            joined.join(&Spread::of(right.iter().copied(), 0.0));
            let near = |a: f64, b: f64, to: f64| (a - b).abs() <= to;
            // Means are rounded as numbers of their size are.
            let to = 1e-9 + 4e-16 * f64::abs(level);
            prop_assert!(near(joined.deviation(), whole.deviation(), to) && near(joined.mean, whole.mean, to));
            prop_assert_eq!((joined.worst, joined.count), (whole.worst, whole.count));
            // Every rating is exact to a millionth of the spread, or a note says so.
            let (narrow, offset, notes) = narrowed(&values, None);
            let mean = values.iter().map(|v| v - level).sum::<f64>() / values.len() as f64;
            let deviation = (values.iter().map(|v| (v - level - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
            let worst = values.iter().zip(&narrow).map(|(v, n)| (f64::from(*n) + offset - v).abs()).fold(0.0, f64::max);
            let is_said = notes.iter().any(|note| note.contains("off by up to"));
            // Equal ratings are exact whatever they are.
            let share = if deviation > 0.0 { worst / deviation } else { 0.0 };
            prop_assert!((share - 1e-6).abs() < 1e-8 || is_said == (share > 1e-6), "{share} {notes:?}");
            prop_assert_eq!(notes.len(), usize::from(offset != 0.0) + usize::from(is_said), "{:?}", notes);
        }
    }
}
