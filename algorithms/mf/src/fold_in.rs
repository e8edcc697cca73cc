//! Rows for new users or items, from their ratings and a fixed model; and [`FoldInSolver`], which holds the
//! data that all of them need.

use raddle_datasets::{Triples, room};

use crate::alternating::{LeastSquares, OtherSide, RowRatings, Scratch, SideShard, squares_of};
use crate::error::MfError;
use crate::input::problem::check;
use crate::model::{Model, NewRows, Side};
use crate::params::Equations;
use crate::settings::FoldIn;
use raddle_kernels::factors::{LANES, Vector};

impl FoldIn {
    /// Adds `count` users after those of the model. `ratings` numbers them from 0, and items by the model's
    /// rows.
    ///
    /// # Errors
    /// If a rating names a new user beyond `count` or an item that the model does not have, or is not finite.
    pub fn users(&self, model: &mut Model, ratings: &Triples, count: usize) -> Result<(), MfError> {
        let NewRows { factors, biases } = self.solver(model).users(model, ratings, count)?;
        model.user_factors.extend(factors);
        model.user_biases.extend(biases);
        Ok(())
    }

    /// Adds `count` items after those of the model. `ratings` numbers them from 0, and users by the model's
    /// rows.
    ///
    /// # Errors
    /// If a rating names a new item beyond `count` or a user that the model does not have, or is not finite.
    pub fn items(&self, model: &mut Model, ratings: &Triples, count: usize) -> Result<(), MfError> {
        let NewRows { factors, biases } = self.item_solver(model).items(model, ratings, count)?;
        model.item_factors.extend(factors);
        model.item_biases.extend(biases);
        Ok(())
    }

    /// Solves the rows of these users again, from all their ratings, in which user 0 is the first of `users`,
    /// and so on. Users beyond the model are added to it, with zeros for those between.
    ///
    /// # Errors
    /// If a rating names a place beyond `users` or an item that the model does not have, or is not finite;
    /// if the model would need more memory than there is.
    pub fn refit_users(&self, model: &mut Model, users: &[u32], ratings: &Triples) -> Result<(), MfError> {
        let count = users.iter().map(|&user| user as usize + 1).max().unwrap_or(0);
        room::<f32>(count.saturating_mul(model.rank), "factors of users").map_err(MfError::Memory)?;
        let rows = self.solver(model).users(model, ratings, users.len())?;
        model.put(Side::Users, users, &rows);
        Ok(())
    }

    /// Returns the solver of users' rows for this model, valid as long as its items do not change.
    pub fn solver(&self, model: &Model) -> FoldInSolver {
        FoldInSolver::new(self, model, Side::Users)
    }

    /// Returns the solver of items' rows for this model, valid as long as its users do not change.
    pub fn item_solver(&self, model: &Model) -> FoldInSolver {
        FoldInSolver::new(self, model, Side::Items)
    }
}

/// Solver of rows for a model: what all rows need is computed once, so that a row takes little time.
///
/// ```
/// use raddle_mf::{FoldIn, Model, Query, Recommender};
///
/// let model = Model { item_factors: vec![1.0, 0.0, 0.0, 1.0, 0.5, 0.5], ..Model::zeros(1, 3, 2) };
/// let how = FoldIn { reg: 0.1, reg_power: 0.0, biases: false, implicit: None, count_alone: false };
/// let solver = how.solver(&model);
/// // Somebody who likes the second item; the model stays as it is.
/// let rows = solver.users(&model, &[(0, 1, 5.0)].into_iter().collect(), 1)?;
/// let mut best = Vec::new();
/// Recommender::new(&model).each_of(&rows, &Query::best(2), |_, found| best = found.to_vec());
/// assert_eq!([best[0].0, best[1].0], [1, 2]);
/// # Ok::<(), raddle_mf::MfError>(())
/// ```
#[derive(Debug, Clone)]
pub struct FoldInSolver {
    least: LeastSquares,
    side: Side,
    /// `true` if new rows have biases.
    biases: bool,
    /// Number subtracted from each rating.
    center: f32,
    /// The sum of x x' over the rows of the other side, for implicit feedback.
    square: Vec<Vector>,
}

impl FoldInSolver {
    pub(crate) fn new(how: &FoldIn, model: &Model, side: Side) -> Self {
        let all = || model.user_factors.iter().chain(&model.item_factors);
        let is_explicit = how.implicit.is_none();
        // The bias of the other side counts even if new rows have none.
        let least = LeastSquares {
            rank: model.rank,
            biases: is_explicit,
            equations: Equations::Cholesky,
            implicit: how.implicit,
            count_alone: how.count_alone,
            reg: how.reg,
            reg_power: how.reg_power,
            non_negative: is_explicit && all().all(|&value| value >= 0.0),
        };
        let center = if is_explicit { model.mean as f32 } else { 0.0 };
        let biases = how.biases && is_explicit;
        let mut solver = Self { least, side, biases, center, square: Vec::new() };
        if !is_explicit {
            let count = model.side(side.other()).1.len() as u32;
            solver.square = squares_of(&solver.features(model, 0..count), solver.least.chunks());
        }
        solver
    }

    /// Solves the rows of `count` users, who need not be those of the model; `model` must be the one that the
    /// solver was made for. `ratings` numbers the users from 0, and items by the model's rows. Users without
    /// ratings get zeros.
    ///
    /// # Errors
    /// If a rating names a user beyond `count` or an item that the model does not have, or is not finite.
    pub fn users(&self, model: &Model, ratings: &Triples, count: usize) -> Result<NewRows, MfError> {
        check(count, model.items(), ratings)?;
        Ok(self.solve(model, ratings, count))
    }

    /// Solves the rows of `count` items, as [`users`](Self::users) does, with a solver of
    /// [`FoldIn::item_solver`]. `ratings` numbers the items from 0, and users by the model's rows.
    ///
    /// # Errors
    /// If a rating names an item beyond `count` or a user that the model does not have, or is not finite.
    pub fn items(&self, model: &Model, ratings: &Triples, count: usize) -> Result<NewRows, MfError> {
        check(model.users(), count, ratings)?;
        Ok(self.solve(model, ratings, count))
    }

    /// Solves the same for users or items, whose ratings are known to be right.
    pub(crate) fn solve(&self, model: &Model, ratings: &Triples, count: usize) -> NewRows {
        let Self { least, side, biases, center, square } = self;
        let (rank, chunks, number) = (least.rank, least.chunks(), *side as usize);
        let mut rows = NewRows { factors: vec![0.0; count * rank], biases: vec![0.0; count] };
        let (mut scratch, mut listed, mut names) = (Scratch::default(), Vec::new(), Vec::new());
        let mut places: Vec<u32> = Vec::new();
        let all = model.side(side.other()).1.len();
        let shard = SideShard::whole(ratings, [count, all], *side, *center);
        for row in 0..shard.len() {
            let range = shard.range(row);
            if range.is_empty() {
                continue;
            }
            // Only the rows that the ratings name are arranged in vectors.
            let others = self.features(model, shard.named.read(row, &mut names).iter().copied());
            places.clear();
            places.extend(0..range.len() as u32);
            let given = RowRatings { others: &places, values: shard.values.read(range, &mut listed) };
            let mut solved = vec![Vector([0.0; LANES]); chunks];
            let other = OtherSide { rows: &others, square, count: all };
            least.row(given, number, other, &mut scratch, &mut solved);
            let solved: &[f32] = bytemuck::cast_slice(&solved);
            rows.factors[row * rank..(row + 1) * rank].copy_from_slice(&solved[..rank]);
            rows.biases[row] = if *biases { solved[rank + number] } else { 0.0 };
        }
        rows
    }

    /// Returns rows of the other side, with their biases, as vectors for the equations.
    fn features(&self, model: &Model, rows: impl ExactSizeIterator<Item = u32>) -> Vec<Vector> {
        let (least, number) = (&self.least, self.side as usize);
        let (rank, chunks, (factors, biases)) = (least.rank, least.chunks(), model.side(self.side.other()));
        let mut features = vec![Vector([0.0; LANES]); rows.len() * chunks];
        for (row, to) in rows.zip(features.chunks_exact_mut(chunks)) {
            let (row, to): (usize, &mut [f32]) = (row as usize, bytemuck::cast_slice_mut(to));
            to[..rank].copy_from_slice(&factors[row * rank..(row + 1) * rank]);
            if let Some(fixed) = least.fixed(1 - number) {
                to[fixed] = if self.biases { 1.0 } else { 0.0 };
                to[rank + 1 - number] = biases[row];
            }
        }
        features
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use raddle::random::Stream;

    use super::*;

    /// Solves rows by the equations of all rows of the other side, arranged at once.
    fn whole(how: &FoldIn, model: &Model, ratings: &Triples, count: usize, side: Side) -> NewRows {
        let solver = FoldInSolver::new(how, model, side);
        let (least, number) = (solver.least, side as usize);
        let (rank, chunks) = (model.rank, least.chunks());
        let others = model.side(side.other()).1.len();
        let laid = solver.features(model, 0..others as u32);
        let square = if how.implicit.is_some() { squares_of(&laid, chunks) } else { Vec::new() };
        let shard = SideShard::whole(ratings, [count, others], side, solver.center);
        let mut rows = NewRows { factors: vec![0.0; count * rank], biases: vec![0.0; count] };
        let (mut scratch, mut listed, mut names) = (Scratch::default(), Vec::new(), Vec::new());
        for row in (0..count).filter(|&row| !shard.range(row).is_empty()) {
            let values = shard.values.read(shard.range(row), &mut listed);
            let given = RowRatings { others: shard.named.read(row, &mut names), values };
            let mut solved = vec![Vector([0.0; LANES]); chunks];
            let other = OtherSide { rows: &laid, square: &square, count: others };
            least.row(given, number, other, &mut scratch, &mut solved);
            let solved: &[f32] = bytemuck::cast_slice(&solved);
            rows.factors[row * rank..(row + 1) * rank].copy_from_slice(&solved[..rank]);
            rows.biases[row] = if solver.biases { solved[rank + number] } else { 0.0 };
        }
        rows
    }

    #[test]
    fn a_count_alone_is_the_weight_of_its_pair() {
        let model = Model { item_factors: vec![1.0, 2.0], ..Model::zeros(1, 2, 1) };
        let ratings: Triples = [(0, 0, 3.0), (1, 1, -3.0)].into_iter().collect();
        for (count_alone, weight) in [(true, 6.0), (false, 7.0)] {
            let how = FoldIn { reg: 0.1, reg_power: 0.0, biases: false, implicit: Some(2.0), count_alone };
            let rows = how.solver(&model).users(&model, &ratings, 2).unwrap();
            // Both items count once, and the first for what it weighs more.
            let expected: f32 = weight / (5.0 + (weight - 1.0) + 0.1);
            assert!((rows.factors[0] - expected).abs() < 1e-6, "{rows:?}");
            assert_eq!(rows.factors[1], 0.0);
        }
    }

    fn bits(rows: &NewRows) -> Vec<u32> {
        rows.factors.iter().chain(&rows.biases).map(|value| value.to_bits()).collect()
    }

    proptest! {
        #[test]
        fn rows_are_those_of_the_whole_other_side_to_the_bit(
            seed: u64, rank in 1usize..20, implicit: bool, biases: bool, reg_power in 0.0f64..1.0, non_negative: bool,
            ratings in proptest::collection::vec((0u32..4, 0u32..30, 0.5f32..5.0), 1..60),
        ) {
            let mut model = Model { mean: 3.0, ..Model::zeros(30, 30, rank) };
            let mut stream = Stream::new(&[seed]);
            let Model { user_factors, item_factors, user_biases, item_biases, .. } = &mut model;
            for values in [user_factors, item_factors, user_biases, item_biases] {
                let least = if non_negative { 0.0 } else { 0.5 };
                values.iter_mut().for_each(|value| *value = stream.unit() as f32 - least);
            }
            let (implicit, count_alone) = (implicit.then_some(4.0), non_negative);
            let how = FoldIn { reg: 0.1, reg_power, biases, implicit, count_alone };
            let turned = |(new, old, value): (u32, u32, f32)| (old, new, value);
            for side in [Side::Users, Side::Items] {
                let triples: Triples = match side {
                    Side::Users => ratings.iter().copied().collect(),
                    Side::Items => ratings.iter().copied().map(turned).collect(),
                };
                let found = FoldInSolver::new(&how, &model, side).solve(&model, &triples, 4);
                prop_assert_eq!(bits(&found), bits(&whole(&how, &model, &triples, 4, side)));
            }
        }
    }
}
