//! [`ByParts`]: ratings in a file, from which each shard reads its own, and the counts that all shards need.

use raddle_datasets::{PartOfRatings, Triples};

use super::chunk::{Chunk, range};
use crate::error::MfError;
use raddle_kernels::factors::Moments;

/// Ratings in a file, and the counts of one pass over them.
#[derive(Debug, Clone)]
pub(crate) struct ByParts {
    pub(crate) train: PartOfRatings,
    pub(crate) measured: Option<PartOfRatings>,
    /// Number of training ratings of each user (0) or item (1).
    pub(crate) counts: [Vec<u32>; 2],
    /// The sum of the training ratings, and of their squares.
    pub(crate) moments: (f64, f64),
}

impl ByParts {
    pub(crate) fn new(train: PartOfRatings) -> Result<Self, MfError> {
        let mut counts = train.stored().counts().each_ref().map(|counts| vec![0; counts.len()]);
        let mut moments = Moments::default();
        train.each(0..train.len(), |user, item, value| {
            counts[0][user as usize] += 1;
            counts[1][item as usize] += 1;
            moments.add(value);
        })?;
        Ok(Self { train, measured: None, counts, moments: moments.sums() })
    }

    /// Returns the number of training ratings.
    pub(crate) fn len(&self) -> usize {
        self.train.len()
    }

    /// Returns which users and which items have training ratings.
    pub(crate) fn rated(&self) -> [Vec<bool>; 2] {
        self.counts.each_ref().map(|counts| counts.iter().map(|&count| count > 0).collect())
    }

    /// Reads chunk `part` of `parts`, with all its ratings.
    pub(crate) fn chunk(&self, part: usize, parts: usize) -> Result<Chunk, MfError> {
        let train = self.train.read(range(self.len(), part, parts))?;
        let held = match &self.measured {
            Some(measured) => measured.read(range(measured.len(), part, parts))?,
            None => Triples::default(),
        };
        Ok(Chunk::of(train, held))
    }

    /// Reads chunk `part` of `parts`, split among `count` shards: `places` has, for users (0) and items (1),
    /// the shard of each row, if one here takes its ratings. Held-out ratings go with the users.
    pub(crate) fn chunk_by_shard(
        &self,
        (part, parts): (usize, usize),
        places: &[Vec<Option<u32>>; 2],
        count: usize,
    ) -> Result<Vec<Chunk>, MfError> {
        let split = |of: &PartOfRatings, sides: usize| -> Result<Vec<Triples>, MfError> {
            let mut by_shard = vec![Triples::default(); count];
            of.each(range(of.len(), part, parts), |user, item, value| {
                for (place, row) in places.iter().zip([user, item]).take(sides) {
                    if let Some(shard) = place[row as usize] {
                        by_shard[shard as usize].push(user, item, value);
                    }
                }
            })?;
            by_shard.iter_mut().for_each(Triples::shrink_to_fit);
            Ok(by_shard)
        };
        let train = split(&self.train, 2)?;
        let held = match &self.measured {
            Some(measured) => split(measured, 1)?,
            None => vec![Triples::default(); count],
        };
        Ok(train.into_iter().zip(held).map(|(train, held)| Chunk::of(train, held)).collect())
    }

    /// Returns the users of held-out ratings, in order of occurrence.
    pub(crate) fn measured_users(&self) -> Result<Vec<u32>, MfError> {
        let mut users = Vec::new();
        if let Some(measured) = &self.measured {
            measured.each(0..measured.len(), |user, _, _| users.push(user))?;
        }
        Ok(users)
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::sync::Arc;

    use proptest::prelude::*;
    use raddle_datasets::ratings::hashed;
    use raddle_datasets::{RatingsOptions, StoredRatings};

    use super::*;
    use crate::input::problem::Problem;

    /// Ratings of few users and items, so that pairs repeat.
    pub(crate) fn ratings() -> impl Strategy<Value = Triples> {
        let one = (0u32..40, 0u32..30, 0u8..5).prop_map(|(user, item, value)| (user, item, f32::from(value)));
        proptest::collection::vec(one, 20..900).prop_map(|all| all.into_iter().collect())
    }

    /// Makes the problem of these ratings, some of them held out by the same rule, in memory and in a file.
    pub(crate) fn in_file(triples: &Triples) -> (Problem, ByParts) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let text: String =
            triples.iter().map(|(user, item, value)| format!("{user},{item},{value}\n")).collect();
        std::fs::write(&path, text).unwrap();
        let options = RatingsOptions { keep_repeated: true, ..RatingsOptions::default() };
        let whole = raddle_datasets::read_ratings(&path, &options).unwrap();
        let stored = StoredRatings::open(path.to_str().unwrap(), &options, folder.path()).unwrap();
        let is_out = |user, item| hashed(user, item, 3, 0.0, 0.2);
        let (users, items) = (whole.users.len(), whole.items.len());
        let problem = Problem::new(users, items, whole.triples).unwrap().validate_where(is_out).unwrap();
        let (train, out, _) = PartOfRatings::all(Arc::new(stored)).hold_out(is_out).unwrap();
        let stored = Problem::by_parts(train).unwrap().measure_on_part(&out, false).unwrap();
        assert_eq!(stored.ratings(), problem.ratings());
        assert_eq!((stored.moments(), stored.rated()), (problem.moments(), problem.rated()));
        (problem, Arc::unwrap_or_clone(stored.by_parts.unwrap()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use raddle::state::to_bytes;

    use super::testing::{in_file, ratings};
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn made_chunks_have_the_bytes_of_those_cut_from_the_whole(triples in ratings(), chunks in 1usize..9) {
            let (problem, by_parts) = in_file(&triples);
            let measured = problem.measured.as_ref().map(|measured| &measured.triples);
            for (part, whole) in Chunk::cut(&problem.train, measured, chunks).iter().enumerate() {
                prop_assert_eq!(to_bytes(&by_parts.chunk(part, chunks).unwrap()), to_bytes(whole));
            }
        }
    }
}
