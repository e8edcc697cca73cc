//! The order of steps through the ratings of a cell: in pairs of one user as far as possible, then the rest.
//!
//! If users are in no order, the ratings of each are first brought together, so that its row stays in the
//! cache for all of them. Steps of the same row are then spread: products that are computed
//! [`AHEAD`](super::cell::AHEAD) of their step miss the changes of the steps between. In a sparse cell pairs
//! are few and items far apart: ratings are then ordered in tiles, in which neighbours name items near each
//! other.

use super::cell::Cell;
use super::extent::Extent;
use super::rating::{Rating, pair};
use super::ratings::Ratings;

/// Number of places from which steps are taken in turn, to spread the steps of a user, which are together in
/// most files. More places would have more users' rows in use at a time.
const STREAMS: usize = 8;

/// A cell with fewer ratings per item than this is sparse.
const SPARSE: usize = 2;

/// Number of values in the rows of a stretch's users if each of its ratings named another user, so that those
/// rows stay in the cache of a core.
const STRETCH: usize = 1 << 17;

/// Smallest number of ratings in a stretch: with fewer, hardly two would name items near each other.
const SHORTEST: usize = 256;

/// Largest number of groups of items.
const MOST_GROUPS: usize = 64;

impl Cell {
    /// Makes cells of training ratings, given in pieces, for rows of `width` values. The ratings stay in the
    /// memory of their pieces, but in an order that is better for steps: the cells are to be trained one
    /// after another.
    pub fn in_order(mut pieces: Vec<Ratings>, width: usize) -> Vec<Self> {
        let extent = Extent::of(&pieces);
        if extent.count < SPARSE * extent.items {
            let given: Vec<Rating> = pieces.iter().flat_map(|piece| piece.iter().copied()).collect();
            let mut places = pieces.iter_mut().flat_map(|piece| piece.iter_mut());
            tiled(&given, extent.items, (STRETCH / width).max(SHORTEST), |rating| put(rating, &mut places));
            return pieces.into_iter().map(|piece| Cell::with_pairs(piece, 0, &extent)).collect();
        }
        if extent.by_user {
            // Each piece separately: only as much memory as the largest one takes is in use.
            let mut given = Vec::new();
            let cell = |mut piece: Ratings| {
                given.clear();
                given.extend_from_slice(&piece);
                let pairs = two_by_two(&mut given, std::slice::from_mut(&mut piece));
                Cell::with_pairs(piece, pairs, &extent)
            };
            return pieces.into_iter().map(cell).collect();
        }
        let mut given = grouped(&pieces, &extent);
        // No pair may be split between pieces: they get even lengths, and the ratings left over a piece of
        // their own.
        pieces.iter_mut().for_each(|piece| piece.truncate(piece.len() / 2 * 2));
        let left = extent.count - pieces.iter().map(|piece| piece.len()).sum::<usize>();
        pieces.push(vec![Rating::default(); left].into());
        let mut pairs = two_by_two(&mut given, &mut pieces);
        let cell = |piece: Ratings| {
            let mine = pairs.min(piece.len() / 2);
            pairs -= mine;
            Cell::with_pairs(piece, mine, &extent)
        };
        pieces.into_iter().map(cell).collect()
    }
}

/// Writes ratings, in which those of a user are adjacent, into pieces of as many ratings: first the pairs,
/// then the rest, each spread over the places in turn. Returns the number of pairs.
fn two_by_two(given: &mut [Rating], pieces: &mut [Ratings]) -> usize {
    let (pairs, singles) = pair_up(given);
    let pairs = given[..2 * pairs].as_chunks().0;
    let mut places = pieces.iter_mut().flat_map(|piece| piece.iter_mut());
    in_turn(pairs, |pair: [Rating; 2]| pair.into_iter().for_each(|rating| put(rating, &mut places)));
    in_turn(&singles, |rating| put(rating, &mut places));
    pairs.len()
}

fn put<'a>(rating: Rating, places: &mut impl Iterator<Item = &'a mut Rating>) {
    places.next().into_iter().for_each(|place| *place = rating);
}

/// Returns ratings user by user, those of one user in the given order.
fn grouped(pieces: &[Ratings], extent: &Extent) -> Vec<Rating> {
    let all = || pieces.iter().flat_map(|piece| piece.iter());
    // Position of the next rating of each user.
    let mut places = vec![0_u32; extent.users + 1];
    all().for_each(|rating| places[usize::from(rating.user) + 1] += 1);
    (0..extent.users).for_each(|user| places[user + 1] += places[user]);
    let mut grouped = vec![Rating::default(); extent.count];
    for rating in all() {
        let place = &mut places[usize::from(rating.user)];
        grouped[*place as usize] = *rating;
        *place += 1;
    }
    grouped
}

/// Moves pairs of neighbours of one user to the front. Returns the number of pairs, and the ratings without a
/// partner.
fn pair_up(ratings: &mut [Rating]) -> (usize, Vec<Rating>) {
    let (mut pairs, mut singles, mut at) = (0, Vec::new(), 0);
    while let [first, more @ ..] = &ratings[at..] {
        let (first, second) = (*first, more.first().copied());
        match second.filter(|second| pair(first, *second)) {
            Some(second) => {
                (ratings[2 * pairs], ratings[2 * pairs + 1]) = (first, second);
                (pairs, at) = (pairs + 1, at + 2);
            }
            None => {
                singles.push(first);
                at += 1;
            }
        }
    }
    (pairs, singles)
}

/// Passes on steps from [`STREAMS`] places in turn.
fn in_turn<S: Copy>(steps: &[S], mut put: impl FnMut(S)) {
    let length = steps.len() / STREAMS;
    for at in 0..length {
        (0..STREAMS).for_each(|stream| put(steps[stream * length + at]));
    }
    steps[STREAMS * length..].iter().for_each(|&step| put(step));
}

/// Passes on ratings stretch by stretch, within a stretch by groups of items, within a group in turn.
fn tiled(ratings: &[Rating], items: usize, stretch: usize, mut put: impl FnMut(Rating)) {
    let bits = (items.saturating_sub(1) / MOST_GROUPS + 1).next_power_of_two().ilog2();
    let group = |rating: &Rating| usize::from(rating.item >> bits);
    let mut tiled = vec![Rating::default(); stretch.min(ratings.len())];
    for stretch in ratings.chunks(stretch) {
        // Position of the next step of each group.
        let mut places = [0; MOST_GROUPS + 1];
        stretch.iter().for_each(|rating| places[group(rating) + 1] += 1);
        (0..MOST_GROUPS).for_each(|group| places[group + 1] += places[group]);
        in_turn(stretch, |rating| {
            let place = &mut places[group(&rating)];
            tiled[*place] = rating;
            *place += 1;
        });
        tiled[..stretch.len()].iter().for_each(|&rating| put(rating));
    }
}
