//! The input on its way to its cells: what it extends to, where each rating goes, and what becomes of it.

use super::lanes::Lanes;
use super::{Kernel, Rating, run};

/// Ratings whose places are looked up before the first of them is brought to its cell: what is done to all of them alike is
/// then done side by side.
const TOGETHER: usize = 512;

/// Where the rows of both sides are, as `part << 16 | place`, and what becomes of values.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    /// For each user.
    pub users: &'a [u32],
    /// For each item.
    pub items: &'a [u32],
    /// Parts of the items.
    pub blocks: u32,
    /// What is taken off every value, which is then multiplied by `scale`.
    pub center: f32,
    /// See `center`.
    pub scale: f32,
}

/// Appends ratings to their cells, which are given shard by shard and block by block in each.
///
/// # Panics
/// If a row has no place, or its cell is not there.
pub fn deal(
    (users, items, values): (&[u32], &[u32], &[f32]),
    places: &Places<'_>,
    cells: &mut [Vec<Rating>],
) {
    run(Deal { users, items, values, places, cells });
}

struct Deal<'a> {
    users: &'a [u32],
    items: &'a [u32],
    values: &'a [f32],
    places: &'a Places<'a>,
    cells: &'a mut [Vec<Rating>],
}

impl Kernel for Deal<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { users, items, values, places, cells } = self;
        let Places { blocks, center, scale, .. } = *places;
        let (mut of_users, mut of_items) = ([0; TOGETHER], [0; TOGETHER]);
        let (mut numbers, mut ratings) = ([0; TOGETHER], [Rating::default(); TOGETHER]);
        let groups = users.chunks(TOGETHER).zip(items.chunks(TOGETHER)).zip(values.chunks(TOGETHER));
        for ((users, items), values) in groups {
            look_up(users, places.users, &mut of_users);
            look_up(items, places.items, &mut of_items);
            let both = of_users.iter().zip(&of_items);
            numbers
                .iter_mut()
                .zip(both.clone())
                .for_each(|(to, (user, item))| *to = (user >> 16) * blocks + (item >> 16));
            for ((to, (&user, &item)), &value) in ratings.iter_mut().zip(both).zip(values) {
                *to = Rating { user: user as u16, item: item as u16, value: (value - center) * scale };
            }
            for (&number, &rating) in numbers.iter().zip(&ratings[..values.len()]) {
                cells[number as usize].push(rating);
            }
        }
    }
}

/// The places of some rows, eight a turn: the loop costs as much as a place.
#[inline(always)]
fn look_up(rows: &[u32], places: &[u32], to: &mut [u32; TOGETHER]) {
    let (eights, rest) = rows.as_chunks::<8>();
    let (to_eights, to_rest) = to[..rows.len()].as_chunks_mut::<8>();
    for (to, rows) in to_eights.iter_mut().zip(eights) {
        for (to, &row) in to.iter_mut().zip(rows) {
            *to = places[row as usize];
        }
    }
    to_rest.iter_mut().zip(rest).for_each(|(to, &row)| *to = places[row as usize]);
}

/// The largest of these rows; 0 if there are none.
pub fn largest(rows: &[u32]) -> u32 {
    struct Largest<'a>(&'a [u32]);
    impl Kernel for Largest<'_> {
        type Output = u32;
        #[inline(always)]
        fn run<L: Lanes>(self) -> u32 {
            self.0.iter().fold(0, |largest, &row| largest.max(row))
        }
    }
    run(Largest(rows))
}

/// Whether all values are finite numbers.
pub fn all_finite(values: &[f32]) -> bool {
    struct Finite<'a>(&'a [f32]);
    impl Kernel for Finite<'_> {
        type Output = bool;
        #[inline(always)]
        fn run<L: Lanes>(self) -> bool {
            // A number for each, not a truth value: those would be narrowed one by one.
            self.0.iter().fold(0, |wrong, value| wrong | u32::from(!value.is_finite())) == 0
        }
    }
    run(Finite(values))
}

/// The sum of the values and of their squares, in eight lanes that are added in order.
pub fn moments(values: &[f32]) -> (f64, f64) {
    run(Moments(values))
}

struct Moments<'a>(&'a [f32]);

impl Kernel for Moments<'_> {
    type Output = (f64, f64);

    #[inline(always)]
    fn run<L: Lanes>(self) -> (f64, f64) {
        let (mut sums, mut squares) = ([0.0_f64; 8], [0.0_f64; 8]);
        let (groups, rest) = self.0.as_chunks::<8>();
        for group in groups {
            for lane in 0..8 {
                let value = f64::from(group[lane]);
                sums[lane] += value;
                squares[lane] += value * value;
            }
        }
        for (lane, &value) in rest.iter().enumerate() {
            sums[lane] += f64::from(value);
            squares[lane] += f64::from(value) * f64::from(value);
        }
        (sums.iter().sum(), squares.iter().sum())
    }
}
