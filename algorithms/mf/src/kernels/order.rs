//! The order in which the ratings of a cell are stepped through: two by two of one user as far as may be, then the rest.
//!
//! Steps of a row are brought apart: products that are taken [`AHEAD`](super::cell::AHEAD) of their step miss what steps
//! in between move. In a sparse cell pairs are few and items far: there ratings stand in tiles, in which neighbours name
//! items near each other.

use super::cell::{Rating, pair};

/// Steps are dealt from so many places in turn: those of one user, which stand together in most files, come apart. More
/// places would have more users' rows in use at a time.
const STREAMS: usize = 8;

/// A cell with fewer ratings for each of its items is sparse.
const SPARSE: usize = 2;

/// Values in the rows of a stretch's users if each of its ratings named another one, so that those rows stay in the cache
/// of a core.
const STRETCH: usize = 1 << 17;

/// The fewest ratings of a stretch: of fewer hardly two would name items near each other.
const SHORTEST: usize = 256;

/// The most groups of items.
const MOST_GROUPS: usize = 64;

/// Ratings for rows of `width` values in the order in which they are stepped through.
pub(super) fn ordered(ratings: &[Rating], width: usize) -> Vec<Rating> {
    let last = ratings.iter().map(|rating| rating.item).max().unwrap_or(0);
    let mut ordered = Vec::with_capacity(ratings.len());
    if ratings.len() < SPARSE * (usize::from(last) + 1) {
        tiled(ratings, last, (STRETCH / width).max(SHORTEST), |rating| ordered.push(rating));
        return ordered;
    }
    let (pairs, singles) = paired(ratings);
    in_turn(&pairs, |pair| ordered.extend(pair));
    in_turn(&singles, |rating| ordered.push(rating));
    ordered
}

/// Neighbours of one user two by two, and those without one.
fn paired(ratings: &[Rating]) -> (Vec<[Rating; 2]>, Vec<Rating>) {
    let (mut pairs, mut singles) = (Vec::with_capacity(ratings.len() / 2), Vec::new());
    let mut rest = ratings;
    while let [first, more @ ..] = rest {
        rest = more;
        match more {
            [second, more @ ..] if pair(*first, *second) => {
                pairs.push([*first, *second]);
                rest = more;
            }
            _ => singles.push(*first),
        }
    }
    (pairs, singles)
}

/// Steps as [`STREAMS`] places have them in turn.
fn in_turn<S: Copy>(steps: &[S], mut put: impl FnMut(S)) {
    let length = steps.len() / STREAMS;
    for at in 0..length {
        (0..STREAMS).for_each(|stream| put(steps[stream * length + at]));
    }
    steps[STREAMS * length..].iter().for_each(|&step| put(step));
}

/// Ratings stretch by stretch, of each stretch group by group of items, of each group in turn. `last` is the last item.
fn tiled(ratings: &[Rating], last: u16, stretch: usize, mut put: impl FnMut(Rating)) {
    let bits = (usize::from(last) / MOST_GROUPS + 1).next_power_of_two().ilog2();
    let group = |rating: &Rating| usize::from(rating.item >> bits);
    let mut tiled = vec![Rating::default(); stretch.min(ratings.len())];
    for stretch in ratings.chunks(stretch) {
        // Where the next step of each group goes.
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
