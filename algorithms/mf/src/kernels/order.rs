//! The order in which the ratings of a cell are stepped through: two by two of one user as far as may be, then the rest.
//!
//! Where users come in no order, their ratings are brought together first, so that a user's row is near for all of them.
//! Steps of a row are brought apart: products that are taken [`AHEAD`](super::cell::AHEAD) of their step miss what steps
//! in between move. In a sparse cell pairs are few and items far: there ratings stand in tiles, in which neighbours name
//! items near each other.

use super::cell::{Cell, Rating, pair};

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

/// A cell of ratings, given in pieces, for rows of `width` values: in the order in which they are stepped through.
pub(super) fn ordered(pieces: &[&[Rating]], width: usize) -> Cell {
    let Extent { count, users, items, by_user } = Extent::of(pieces);
    if count < SPARSE * items {
        let mut ratings = Vec::with_capacity(count);
        tiled(&pieces.concat(), items, (STRETCH / width).max(SHORTEST), |rating| ratings.push(rating));
        return Cell::known(ratings, 0, (users, items));
    }
    let (mut pairs, mut singles) = (Vec::with_capacity(count / 2), Vec::new());
    match by_user {
        true => pieces.iter().for_each(|piece| pair_up(piece, &mut pairs, &mut singles)),
        false => pair_up(&grouped(pieces, count, users), &mut pairs, &mut singles),
    }
    let mut ordered = Vec::with_capacity(count.div_ceil(2));
    in_turn(&pairs, |pair| ordered.push(pair));
    let mut ratings = ordered.into_flattened();
    in_turn(&singles, |rating| ratings.push(rating));
    Cell::known(ratings, pairs.len(), (users, items))
}

/// What ratings, given in pieces, extend to.
pub(super) struct Extent {
    count: usize,
    /// One more than the largest row of a user, and of an item; 0 where there is none.
    pub(super) users: usize,
    pub(super) items: usize,
    /// Whether users come in their order.
    by_user: bool,
}

impl Extent {
    pub(super) fn of(pieces: &[&[Rating]]) -> Self {
        let count: usize = pieces.iter().map(|piece| piece.len()).sum();
        let (mut last_user, mut last_item, mut by_user) = (0, 0, true);
        for &Rating { user, item, .. } in pieces.iter().copied().flatten() {
            by_user &= last_user <= user;
            (last_user, last_item) = (last_user.max(user), last_item.max(item));
        }
        let [users, items] =
            [last_user, last_item].map(|last| if count == 0 { 0 } else { usize::from(last) + 1 });
        Self { count, users, items, by_user }
    }
}

/// Ratings user by user, those of one user as given.
fn grouped(pieces: &[&[Rating]], count: usize, users: usize) -> Vec<Rating> {
    let all = || pieces.iter().copied().flatten();
    // Where the next rating of each user goes.
    let mut places = vec![0_u32; users + 1];
    all().for_each(|rating| places[usize::from(rating.user) + 1] += 1);
    (0..users).for_each(|user| places[user + 1] += places[user]);
    let mut grouped = vec![Rating::default(); count];
    for rating in all() {
        let place = &mut places[usize::from(rating.user)];
        grouped[*place as usize] = *rating;
        *place += 1;
    }
    grouped
}

/// Adds neighbours of one user two by two, and those without one.
fn pair_up(ratings: &[Rating], pairs: &mut Vec<[Rating; 2]>, singles: &mut Vec<Rating>) {
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
}

/// Steps as [`STREAMS`] places have them in turn.
fn in_turn<S: Copy>(steps: &[S], mut put: impl FnMut(S)) {
    let length = steps.len() / STREAMS;
    for at in 0..length {
        (0..STREAMS).for_each(|stream| put(steps[stream * length + at]));
    }
    steps[STREAMS * length..].iter().for_each(|&step| put(step));
}

/// Ratings stretch by stretch, of each stretch group by group of items, of each group in turn.
fn tiled(ratings: &[Rating], items: usize, stretch: usize, mut put: impl FnMut(Rating)) {
    let bits = (items.saturating_sub(1) / MOST_GROUPS + 1).next_power_of_two().ilog2();
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
