//! Squared errors of held-out ratings.

use super::cell::{Cell, GROUP, Rows};
use super::lanes::{LANES, Lanes};
use super::rating::Rating;
use super::{Kernel, run};

/// Returns the sum of the squared errors of a cell's ratings.
///
/// # Panics
/// If the cell names rows that the sides do not have, or the sides differ in width.
pub fn squares(cell: &Cell, users: &Rows, items: &Rows) -> f64 {
    cell.check(users, items);
    run(Measure { cell, users, items })
}

struct Measure<'a> {
    cell: &'a Cell,
    users: &'a Rows,
    items: &'a Rows,
}

impl Kernel for Measure<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let (groups, rest) = self.cell.ratings().as_chunks::<GROUP>();
        let mut total = 0.0;
        for group in groups {
            let products = L::sums([
                self.product::<L>(&group[0]),
                self.product::<L>(&group[1]),
                self.product::<L>(&group[2]),
                self.product::<L>(&group[3]),
            ]);
            for (rating, product) in group.iter().zip(products) {
                total += self.square(rating, product);
            }
        }
        for rating in rest {
            total += self.square(rating, self.product::<L>(rating).sum());
        }
        total
    }
}

impl Measure<'_> {
    #[inline(always)]
    fn product<L: Lanes>(&self, rating: &Rating) -> L {
        let chunks = self.users.width / LANES;
        let (user, item) = (usize::from(rating.user) * chunks, usize::from(rating.item) * chunks);
        let (p, q) = (&self.users.factors[user..user + chunks], &self.items.factors[item..item + chunks]);
        let mut sum = L::load(&p[0].0).mul(L::load(&q[0].0));
        for (p, q) in p[1..].iter().zip(&q[1..]) {
            sum = L::load(&p.0).mul_add(L::load(&q.0), sum);
        }
        sum
    }

    #[inline(always)]
    fn square(&self, rating: &Rating, product: f32) -> f64 {
        let b = self.users.biases[usize::from(rating.user)];
        let c = self.items.biases[usize::from(rating.item)];
        let error = f64::from(rating.value - (b + c) - product);
        error * error
    }
}
