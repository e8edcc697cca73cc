//! [`Exact`]: observations in double precision, which become ratings as those of a file do.

use super::duplicates::{Duplicates, Refused, merge};
use super::precision::narrowed;
use super::triples::Triples;

/// Observations in double precision: three arrays of one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exact {
    /// The user's row.
    pub users: Vec<u32>,
    /// The item's row.
    pub items: Vec<u32>,
    /// The rating. Finite.
    pub values: Vec<f64>,
}

/// Observations in single precision, and what became of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Narrowed {
    /// The observations, each pair once.
    pub triples: Triples,
    /// Number taken off their values ([`Ratings::offset`](super::Ratings::offset)).
    pub offset: f64,
    /// Observations that were merged into others of their pair.
    pub duplicates: usize,
    /// Notes for users on the precision.
    pub notes: Vec<String>,
}

impl Exact {
    /// The observations merged by a rule, each pair once; `None` where no pair stands there again. Rows are
    /// below `users` and `items`.
    ///
    /// # Errors
    /// The position of the first repeated observation, where they are refused.
    pub fn merged(mut self, rule: Option<Duplicates>, (users, items): (usize, usize)) -> Result<Self, usize> {
        if let Some(rule) = rule {
            let columns = (&mut self.users, &mut self.items, &mut self.values);
            merge(columns, None, (users, items), rule).map_err(|Refused(position)| position)?;
        }
        Ok(self)
    }

    /// The ratings that a reader makes of these observations: merged by a rule, as [`merged`](Self::merged)
    /// has them, then narrowed, less `offset` or, where that is `None`, less the number without which they
    /// are better held.
    ///
    /// # Errors
    /// Errors are those of [`merged`](Self::merged).
    ///
    /// ```
    /// use raddle_datasets::Duplicates;
    /// use raddle_datasets::ratings::Exact;
    /// let of = |values: Vec<f64>| Exact { users: vec![0, 0, 1], items: vec![0, 0, 1], values };
    /// let found = of(vec![1.0, 2.0, 9.0]).narrowed(Some(Duplicates::Sum), (2, 2), None).unwrap();
    /// assert_eq!((found.triples.values, found.offset, found.duplicates), (vec![3.0, 9.0], 0.0, 1));
    /// let found = of(vec![0.0, 1e9 + 2.0, 1e9 + 9.0]).narrowed(Some(Duplicates::Last), (2, 2), None).unwrap();
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
