//! The order of the ratings of a cell.

use super::cell::{AHEAD, Rating};
use super::lanes::Lanes;
use super::{Kernel, run};

/// Ratings are taken from so many places in turn: ratings of one user, which stand together in most files, come apart. More
/// places would have more users' rows in use at a time.
const STREAMS: usize = 16;

/// Ratings of a stream that are read at once: a cache line.
const LINE: usize = 8;

/// How far is looked for a rating that may change places with one that shares a row with those before it.
const REACH: usize = 16;

/// Ratings among which is looked at once whether any two are too near.
const GLANCE: usize = 16;

/// Appends ratings in the order of their cell, and returns the largest rows among them.
pub(super) fn append(from: &[Rating], to: &mut Vec<Rating>) -> (u16, u16) {
    run(Append { from, to })
}

struct Append<'a> {
    from: &'a [Rating],
    to: &'a mut Vec<Rating>,
}

impl Kernel for Append<'_> {
    type Output = (u16, u16);

    #[inline(always)]
    fn run<L: Lanes>(self) -> (u16, u16) {
        let Self { from, to } = self;
        let before = to.len();
        spread(from, to);
        bring_apart(&mut to[before..]);
        let largest = from.iter().fold([0; 2], |largest: [u16; 2], rating| {
            [largest[0].max(rating.user), largest[1].max(rating.item)]
        });
        (largest[0], largest[1])
    }
}

/// Appends the ratings in the order in which [`STREAMS`] places are read in turn.
#[inline(always)]
fn spread(from: &[Rating], to: &mut Vec<Rating>) {
    let length = from.len() / STREAMS;
    to.reserve(from.len());
    if length < 2 {
        to.extend_from_slice(from);
        return;
    }
    let streams: [&[Rating]; STREAMS] = std::array::from_fn(|stream| &from[stream * length..][..length]);
    let lines = streams.map(|stream| stream.as_chunks::<LINE>().0);
    for at in 0..length / LINE {
        // Loops, since closures are not compiled with the form.
        let mut turns = [[Rating::default(); STREAMS]; LINE];
        for (stream, lines) in lines.iter().enumerate() {
            for (turn, &rating) in turns.iter_mut().zip(&lines[at]) {
                turn[stream] = rating;
            }
        }
        to.extend_from_slice(turns.as_flattened());
    }
    for at in length / LINE * LINE..length {
        streams.iter().for_each(|stream| to.push(stream[at]));
    }
    to.extend_from_slice(&from[STREAMS * length..]);
}

/// Moves ratings apart that share a row and are so near that a product taken ahead would miss a step, as far as a look at
/// the next few goes.
#[inline(always)]
fn bring_apart(ratings: &mut [Rating]) {
    let meet = |a: Rating, b: Rating| (a.user == b.user) | (a.item == b.item);
    let mut first = AHEAD;
    while first < ratings.len() {
        let end = (first + GLANCE).min(ratings.len());
        if are_apart(&ratings[first - AHEAD..end]) {
            first = end;
            continue;
        }
        for at in first..end {
            let [first, second] = [ratings[at - 2], ratings[at - 1]];
            let meets = |rating: Rating| meet(first, rating) | meet(second, rating);
            if meets(ratings[at]) {
                let apart = ratings[at..].iter().take(REACH).position(|&rating| !meets(rating));
                ratings.swap(at, at + apart.unwrap_or(0));
            }
        }
        first = end;
    }
}

/// Whether no two neighbours, nor next but one, share a row; not looked at where there are not enough of them.
#[inline(always)]
fn are_apart(ratings: &[Rating]) -> bool {
    let Ok(ratings) = <&[Rating; GLANCE + AHEAD]>::try_from(ratings) else { return false };
    let mut rows = [0; GLANCE + AHEAD];
    for (to, rating) in rows.iter_mut().zip(ratings) {
        *to = u32::from(rating.user) | u32::from(rating.item) << 16;
    }
    let differ = |a: u32, b: u32| u32::from(a as u16 != b as u16) & u32::from(a >> 16 != b >> 16);
    let mut apart = 1;
    for at in AHEAD..GLANCE + AHEAD {
        apart &= differ(rows[at], rows[at - 1]) & differ(rows[at], rows[at - 2]);
    }
    apart == 1
}
