//! Ratings in memory and the same ratings in a file.

use std::sync::Arc;

use proptest::prelude::*;
use raddle::state::to_bytes;
use raddle_datasets::ratings::hashed;
use raddle_datasets::{PartOfRatings, RatingsOptions, StoredRatings, Triples};

use super::chunk::Chunk;
use super::problem::Problem;
use super::source::RatingsSource;

/// Ratings of few users and items, so that pairs repeat.
pub(crate) fn ratings() -> impl Strategy<Value = Triples> {
    let one = (0u32..40, 0u32..30, 0u8..5).prop_map(|(user, item, value)| (user, item, f32::from(value)));
    proptest::collection::vec(one, 20..900).prop_map(|all| all.into_iter().collect())
}

/// Makes the problem of these ratings, some of them held out by the same rule, in memory and in a file.
pub(crate) fn in_file(triples: &Triples) -> (Problem, Problem) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    let text: String = triples.iter().map(|(user, item, value)| format!("{user},{item},{value}\n")).collect();
    std::fs::write(&path, text).unwrap();
    let options = RatingsOptions { keep_repeated: true, ..RatingsOptions::default() };
    let whole = raddle_datasets::read_ratings(&path, &options).unwrap();
    let stored = StoredRatings::open(path.to_str().unwrap(), &options, folder.path()).unwrap();
    let is_out = |user, item| hashed(user, item, 3, 0.0, 0.2);
    let (users, items) = (whole.users.len(), whole.items.len());
    let problem = |of: RatingsSource| Problem::new(users, items, of).unwrap().validate_where(is_out).unwrap();
    let all = PartOfRatings::all(Arc::new(stored));
    let (whole, stored) = (problem(whole.triples.into()), problem(all.into()));
    assert_eq!(stored.ratings(), whole.ratings());
    assert_eq!((stored.moments(), stored.rated()), (whole.moments(), whole.rated()));
    (whole, stored)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn chunks_of_a_file_have_the_bytes_of_those_in_memory(triples in ratings(), chunks in 1usize..9) {
        let (problem, stored) = in_file(&triples);
        for part in 0..chunks {
            let [whole, read] = [&problem, &stored].map(|of| Chunk::of(of, part, chunks).unwrap());
            prop_assert_eq!(to_bytes(&read), to_bytes(&whole));
        }
    }

    #[test]
    fn ratings_of_rows_with_few_go_with_their_times_until_no_row_has_few(triples in ratings(), least in 1u64..40) {
        let (whole, stored) = in_file(&triples);
        let whole = Arc::new(whole.train().clone());
        let mut left: Vec<(f64, (u32, u32, f32))> = (0..).map(f64::from).zip(whole.iter()).collect();
        loop {
            let (mut users, mut items) = ([0; 40], [0; 30]);
            for (_, (user, item, _)) in &left {
                (users[*user as usize], items[*item as usize]) =
                    (users[*user as usize] + 1, items[*item as usize] + 1);
            }
            let before = left.len();
            left.retain(|(_, (user, item, _))| users[*user as usize].min(items[*item as usize]) >= least);
            if left.len() == before {
                break;
            }
        }
        let times: Vec<f64> = left.iter().map(|(time, _)| *time).collect();
        let expected: Triples = left.into_iter().map(|(_, rating)| rating).collect();
        let timed = RatingsSource::Memory(Arc::clone(&whole), Some((0..whole.len()).map(|at| at as f64).collect()));
        let found = timed.at_least(least).unwrap();
        prop_assert!(matches!(&found, RatingsSource::Memory(_, Some(of)) if *of == times));
        prop_assert_eq!(found.in_memory(), &expected);
        prop_assert_eq!(stored.train.at_least(least).unwrap().read().unwrap().into_owned(), expected);
    }
}
