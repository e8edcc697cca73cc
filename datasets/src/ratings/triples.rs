//! [`Triples`]: observations as flat arrays.

/// Observations as three flat arrays of equal length: 12 bytes each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triples {
    /// Row of the user.
    pub users: Vec<u32>,
    /// Row of the item.
    pub items: Vec<u32>,
    /// The rating minus the data's [offset](super::Ratings::offset), a finite number; 1 if the data has only
    /// pairs.
    pub values: Vec<f32>,
}

impl Triples {
    /// Returns the number of observations.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns `true` if there are no observations.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Adds an observation.
    pub fn push(&mut self, user: u32, item: u32, value: f32) {
        self.users.push(user);
        self.items.push(item);
        self.values.push(value);
    }

    /// Frees the unused capacity.
    pub fn shrink_to_fit(&mut self) {
        self.users.shrink_to_fit();
        self.items.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    /// Keeps only the first `count` observations.
    pub(super) fn truncate(&mut self, count: usize) {
        self.users.truncate(count);
        self.items.truncate(count);
        self.values.truncate(count);
    }

    /// Iterates over the observations in order, as (user, item, value).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32, f32)> + '_ {
        let pairs = self.users.iter().zip(&self.items);
        pairs.zip(&self.values).map(|((&user, &item), &value)| (user, item, value))
    }

    pub(super) fn with_capacity(count: usize) -> Self {
        Self {
            users: Vec::with_capacity(count),
            items: Vec::with_capacity(count),
            values: Vec::with_capacity(count),
        }
    }
}

impl FromIterator<(u32, u32, f32)> for Triples {
    fn from_iter<T: IntoIterator<Item = (u32, u32, f32)>>(observations: T) -> Self {
        let mut triples = Self::default();
        observations.into_iter().for_each(|(user, item, value)| triples.push(user, item, value));
        triples
    }
}
