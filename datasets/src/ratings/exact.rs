//! [`Exact`]: observations in double precision, which are narrowed as those of a file are.

use super::duplicates::{Duplicates, Refused, merge};
use super::precision::narrowed;
use super::triples::Triples;

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
            let columns = (&mut self.users, &mut self.items, &mut self.values);
            merge(columns, None, (users, items), rule).map_err(|Refused(position)| position)?;
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
