//! The order in which the ratings of a cell are stepped through.
//!
//! Ratings of a row are brought apart: a product that is taken [`AHEAD`] of its step misses what steps in between move.
//! Where rows are far, ratings stand in tiles, in which a row is needed again while it is near.

use super::cell::{AHEAD, Rating};

/// A cell is dealt from so many places in turn: ratings of one user, which stand together in most files, come apart. More
/// places would have more users' rows in use at a time.
const STREAMS: usize = 16;

/// How far is looked for a rating that may change places with one that shares a row with those before it.
const REACH: usize = 16;

/// Bytes of rows that the items of a cell may have before ratings are put in tiles: rows are then seldom in the cache next
/// to the core, and tiles save more than they take to make.
const NEAR: usize = 128 << 10;

/// Values in the rows of a stretch's users if each of its ratings named another one. Files have a user's ratings together,
/// some twenty of them in a cell: then a stretch names few users, whose rows stay in the cache next to the core.
const STRETCH: usize = 1 << 17;

/// The fewest ratings of a stretch: of fewer hardly two would name the same item.
const SHORTEST: usize = 256;

/// A stretch is dealt from so many places in turn.
const STRETCH_STREAMS: usize = 4;

/// The binary logarithm of the fewest items of a group: few enough that their rows stay in the cache next to the core,
/// and so many that neighbours among the ratings mostly name different ones.
const FEWEST_ITEMS: u32 = 4;

/// The most groups of items.
const MOST_GROUPS: usize = 64;

/// Ratings for rows of `width` values in the order in which they are stepped through.
pub(super) fn ordered(ratings: &[Rating], width: usize) -> Vec<Rating> {
    let last = ratings.iter().map(|rating| rating.item).max().unwrap_or(0);
    let far = (usize::from(last) + 1) * width * size_of::<f32>() > NEAR;
    if far { tiled(ratings, last, width) } else { in_turn(ratings) }
}

/// The ratings as [`STREAMS`] places have them in turn. Those of the same row are brought apart as far as a look at the
/// next few goes.
fn in_turn(ratings: &[Rating]) -> Vec<Rating> {
    let length = ratings.len() / STREAMS;
    let mut dealt = Vec::with_capacity(ratings.len());
    for at in 0..length {
        dealt
            .extend_from_slice(&std::array::from_fn::<_, STREAMS, _>(|stream| ratings[stream * length + at]));
    }
    dealt.extend_from_slice(&ratings[STREAMS * length..]);
    bring_apart(&mut dealt);
    dealt
}

fn bring_apart(ratings: &mut [Rating]) {
    let meet = |a: Rating, b: Rating| (a.user == b.user) | (a.item == b.item);
    for at in AHEAD..ratings.len() {
        let [first, second] = [ratings[at - 2], ratings[at - 1]];
        let meets = |rating: Rating| meet(first, rating) | meet(second, rating);
        if meets(ratings[at]) {
            let apart = ratings[at..].iter().take(REACH).position(|&rating| !meets(rating));
            ratings.swap(at, at + apart.unwrap_or(0));
        }
    }
}

/// The ratings stretch by stretch, of each stretch group by group of items, of each group as [`STRETCH_STREAMS`] places
/// of the stretch have them in turn. `last` is the last item.
pub(super) fn tiled(ratings: &[Rating], last: u16, width: usize) -> Vec<Rating> {
    let stretch = (STRETCH / width).max(SHORTEST);
    let bits = (usize::from(last) / MOST_GROUPS + 1).next_power_of_two().ilog2().max(FEWEST_ITEMS);
    let group = |rating: &Rating| usize::from(rating.item >> bits);
    let mut tiled = vec![Rating::default(); ratings.len()];
    for (from, to) in ratings.chunks(stretch).zip(tiled.chunks_mut(stretch)) {
        // Where the next rating of each group goes.
        let mut places = [0; MOST_GROUPS + 1];
        from.iter().for_each(|rating| places[group(rating) + 1] += 1);
        (0..MOST_GROUPS).for_each(|group| places[group + 1] += places[group]);
        let mut put = |rating: Rating| {
            let place = &mut places[group(&rating)];
            to[*place] = rating;
            *place += 1;
        };
        let length = from.len() / STRETCH_STREAMS;
        for at in 0..length {
            (0..STRETCH_STREAMS).for_each(|stream| put(from[stream * length + at]));
        }
        from[STRETCH_STREAMS * length..].iter().for_each(|&rating| put(rating));
    }
    tiled
}
