//! [`Triples`]: observations as flat arrays.

/// Observations as three flat arrays of one length: 12 bytes each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triples {
    /// The user's row.
    pub users: Vec<u32>,
    /// The item's row.
    pub items: Vec<u32>,
    /// The rating less the data's [offset](super::Ratings::offset); 1 where the data has pairs alone. Finite.
    pub values: Vec<f32>,
}

impl Triples {
    /// How many observations there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Adds an observation.
    pub fn push(&mut self, user: u32, item: u32, value: f32) {
        self.users.push(user);
        self.items.push(item);
        self.values.push(value);
    }

    /// Gives back the room behind the observations.
    pub fn shrink_to_fit(&mut self) {
        self.users.shrink_to_fit();
        self.items.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    /// Keeps this number of first observations.
    pub(super) fn truncate(&mut self, count: usize) {
        self.users.truncate(count);
        self.items.truncate(count);
        self.values.truncate(count);
    }

    /// The observations in order, as (user, item, value).
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
