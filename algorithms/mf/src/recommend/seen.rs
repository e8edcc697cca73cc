//! [`Seen`]: the items that each user has seen.

use raddle_datasets::Triples;

/// Which items each user has seen: compressed rows, 4 bytes an observation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl Seen {
    /// From observations, for `users` users; those of other users are left out.
    pub fn new(triples: &Triples, users: usize) -> Self {
        let mut starts = vec![0; users + 1];
        let known = |user: u32| (user as usize) < users;
        triples.users.iter().filter(|&&user| known(user)).for_each(|&user| starts[user as usize + 1] += 1);
        (0..users).for_each(|user| starts[user + 1] += starts[user]);
        let (mut next, mut items) = (starts.clone(), vec![0; starts[users]]);
        for (&user, &item) in triples.users.iter().zip(&triples.items).filter(|pair| known(*pair.0)) {
            items[next[user as usize]] = item;
            next[user as usize] += 1;
        }
        let mut seen = Self { starts, items };
        (0..users as u32).for_each(|user| seen.row_mut(user).sort_unstable());
        seen
    }

    /// From rows of items, in any order, one a user.
    pub fn from_rows<R: AsRef<[u32]>>(rows: impl IntoIterator<Item = R>) -> Self {
        let mut seen = Self { starts: vec![0], items: Vec::new() };
        for row in rows {
            let start = seen.items.len();
            seen.items.extend_from_slice(row.as_ref());
            seen.items[start..].sort_unstable();
            seen.starts.push(seen.items.len());
        }
        seen
    }

    /// The items of a user, ascending; none for a user beyond them.
    pub fn row(&self, user: u32) -> &[u32] {
        match self.starts.get(user as usize..user as usize + 2) {
            Some(&[start, end]) => &self.items[start..end],
            _ => &[],
        }
    }

    fn row_mut(&mut self, user: u32) -> &mut [u32] {
        &mut self.items[self.starts[user as usize]..self.starts[user as usize + 1]]
    }
}
