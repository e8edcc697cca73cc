//! What gradient steps work on: the ratings of a cell, the rows of both sides, and the steps.

use raddle::State;
use raddle::state::{Reader, StateError, Writer};

use super::lanes::{LANES, Vector};

/// Ratings whose errors are taken together where they are only measured.
pub(super) const GROUP: usize = 4;

/// How many ratings before its step the product of a rating is taken.
pub(super) const AHEAD: usize = 2;

/// A cell is dealt from so many places in turn: ratings of one user, which stand together in most files, come apart. More
/// places would have more users' rows in use at a time.
const STREAMS: usize = 16;

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

/// A rating inside a cell: rows of the shard and of the block, and the rating as it is trained on.
#[derive(Debug, Clone, Copy, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Rating {
    /// The user's row in the shard.
    pub user: u16,
    /// The item's row in the block.
    pub item: u16,
    /// The rating less the mean, in standard deviations.
    pub value: f32,
}

/// Ratings together, and the rows that they name: all below the bounds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    ratings: Vec<Rating>,
    users: usize,
    items: usize,
}

impl Cell {
    /// Takes ratings for rows of `width` values, and finds the bounds of their rows. They are put in an order in which
    /// ratings of a row come apart, since a product that is taken ahead misses what steps in between move; where rows are
    /// far, in tiles, in which a row is needed again while it is near.
    pub fn new(ratings: &[Rating], width: usize) -> Self {
        let last = ratings.iter().map(|rating| rating.item).max().unwrap_or(0);
        let far = (usize::from(last) + 1) * width * size_of::<f32>() > NEAR;
        Self::in_order(if far { tiled(ratings, last, width) } else { in_turn(ratings) })
    }

    /// Takes ratings in their order.
    fn in_order(ratings: Vec<Rating>) -> Self {
        let largest =
            |(users, items): (u16, u16), rating: &Rating| (users.max(rating.user), items.max(rating.item));
        let (user, item) = ratings.iter().fold((0, 0), largest);
        let beyond = |row: u16| if ratings.is_empty() { 0 } else { usize::from(row) + 1 };
        Self { users: beyond(user), items: beyond(item), ratings }
    }

    /// Whether both sides have the rows that the cell names, and are as wide.
    ///
    /// # Panics
    /// If not.
    pub(super) fn check(&self, users: &Rows, items: &Rows) {
        let width = users.width;
        assert!(
            width == items.width && width.is_multiple_of(LANES) && width > 0,
            "rows of both sides are as wide"
        );
        for (side, rows) in [(users, self.users), (items, self.items)] {
            let there = side.factors.len() * LANES >= rows * width && side.biases.len() >= rows;
            assert!(there, "a cell names rows that are there");
            assert!(side.scales.is_empty() || side.scales.len() >= rows, "each row has its scales");
        }
    }

    /// The ratings.
    pub fn ratings(&self) -> &[Rating] {
        &self.ratings
    }
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

/// How far is looked for a rating that may change places with one that shares a row with those before it.
const REACH: usize = 16;

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
    let stretch = (STRETCH / width.max(1)).max(SHORTEST);
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

/// Rows of one side: factors, one row of `width` values behind the other, and biases.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rows {
    /// Values of a row: the rank, rounded up to whole vectors of 16.
    pub width: usize,
    /// rows x width.
    pub factors: Vec<Vector>,
    /// One a row.
    pub biases: Vec<f32>,
    /// What is particular to each row; empty if nothing is.
    pub scales: Vec<Scale>,
}

/// What is particular to a row: what its steps are multiplied by, and its decay and that of its bias besides.
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Scale {
    /// For the steps.
    pub step: f32,
    /// For the decay of factors.
    pub decay: f32,
    /// For the decay of the bias.
    pub bias_decay: f32,
}

/// The steps of an epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Steps {
    /// e, the step of factors.
    pub factor: f32,
    /// l, the decay of factors.
    pub decay: f32,
    /// e', the step of biases; 0 keeps them.
    pub bias: f32,
    /// l', the decay of biases.
    pub bias_decay: f32,
    /// What the steps of users, and of items, are multiplied by.
    pub shares: (f32, f32),
    /// Whether factors stay at 0 or above.
    pub non_negative: bool,
}

raddle::state!(Steps { factor, decay, bias, bias_decay, shares, non_negative });

impl State for Rating {
    fn save(&self, out: &mut Writer) {
        out.put(bytemuck::bytes_of(self));
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        Ok(bytemuck::pod_read_unaligned(from.take(size_of::<Self>(), "a rating")?))
    }
}

/// The bounds are found again, never believed.
impl State for Cell {
    fn save(&self, out: &mut Writer) {
        out.write(&self.ratings.len());
        out.put(bytemuck::cast_slice(&self.ratings));
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let count = usize::load(from)?.checked_mul(size_of::<Rating>());
        let bytes = from.take(count.ok_or(StateError::new("ratings"))?, "ratings")?;
        Ok(Self::in_order(
            bytes.chunks_exact(size_of::<Rating>()).map(bytemuck::pod_read_unaligned).collect(),
        ))
    }
}

impl State for Rows {
    fn save(&self, out: &mut Writer) {
        out.write(&self.width);
        out.write(&self.factors.len());
        out.put(bytemuck::cast_slice(&self.factors));
        out.write(&self.biases);
        out.write(&self.scales.len());
        out.put(bytemuck::cast_slice(&self.scales));
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        fn values<T: bytemuck::Pod>(from: &mut Reader<'_>) -> Result<Vec<T>, StateError> {
            let count = usize::load(from)?.checked_mul(size_of::<T>()).ok_or(StateError::new("rows"))?;
            let bytes = from.take(count, "rows")?;
            Ok(bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect())
        }
        Ok(Self { width: from.read()?, factors: values(from)?, biases: from.read()?, scales: values(from)? })
    }
}
