//! [`FoldIn`]: rows for new users or items, from their ratings and a model that stays as it is.

use raddle_datasets::Triples;

use crate::alternating::{LeastSquares, Scratch, SideShard, squares_of};
use crate::error::MfError;
use crate::input::problem::check;
use crate::kernels::{LANES, Vector};
use crate::model::{Model, Side};
use crate::params::Equations;

/// How new rows are solved: by least squares, given the other side.
///
/// With R the ratings of a new user less the mean and the items' biases, its factors p and bias b minimise
/// `sum (R_i - b - p.q_i)^2 + reg n (|p|^2 + b^2)`, n their number; 1 with `unweighted`. Where no factor of
/// the model is negative, none of a new row is. For implicit feedback it is the
/// half step of alternating least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoldIn {
    /// The regularisation.
    pub reg: f64,
    /// Regularisation counts once a row.
    pub unweighted: bool,
    /// New rows have biases.
    pub biases: bool,
    /// The weight of a count, for a model of implicit feedback.
    pub implicit: Option<f64>,
}

impl FoldIn {
    /// Adds `count` users behind those of the model. `ratings` names them from 0, and items by the model's
    /// rows.
    ///
    /// # Errors
    /// If a rating names a new user beyond `count` or an item that the model does not have, or is not finite.
    pub fn users(&self, model: &mut Model, ratings: &Triples, count: usize) -> Result<(), MfError> {
        check(count, model.items(), ratings)?;
        let (factors, biases) = self.solve(model, ratings, count, Side::Users);
        model.user_factors.extend(factors);
        model.user_biases.extend(biases);
        Ok(())
    }

    /// Adds `count` items behind those of the model. `ratings` names them from 0, and users by the model's
    /// rows.
    ///
    /// # Errors
    /// If a rating names a new item beyond `count` or a user that the model does not have, or is not finite.
    pub fn items(&self, model: &mut Model, ratings: &Triples, count: usize) -> Result<(), MfError> {
        check(model.users(), count, ratings)?;
        let (factors, biases) = self.solve(model, ratings, count, Side::Items);
        model.item_factors.extend(factors);
        model.item_biases.extend(biases);
        Ok(())
    }

    fn solve(&self, model: &Model, ratings: &Triples, count: usize, side: Side) -> (Vec<f32>, Vec<f32>) {
        let rank = model.rank;
        let number = usize::from(side == Side::Items);
        let all = || model.user_factors.iter().chain(&model.item_factors);
        let non_negative = self.implicit.is_none() && all().all(|&value| value >= 0.0);
        // The bias of the other side counts even where new rows have none.
        let least = LeastSquares {
            rank,
            biases: self.implicit.is_none(),
            equations: Equations::Cholesky,
            implicit: self.implicit,
            reg: self.reg,
            unweighted: self.unweighted,
            non_negative,
        };
        let chunks = least.chunks();
        let (factors, biases) = match side {
            Side::Users => (&model.item_factors, &model.item_biases),
            Side::Items => (&model.user_factors, &model.user_biases),
        };
        let mut others = vec![Vector([0.0; LANES]); biases.len() * chunks];
        for (row, to) in others.chunks_exact_mut(chunks).enumerate() {
            let to: &mut [f32] = bytemuck::cast_slice_mut(to);
            to[..rank].copy_from_slice(&factors[row * rank..(row + 1) * rank]);
            if let Some(fixed) = least.fixed(1 - number) {
                to[fixed] = if self.biases { 1.0 } else { 0.0 };
                to[rank + 1 - number] = biases[row];
            }
        }
        let square = if self.implicit.is_some() { squares_of(&others, chunks) } else { Vec::new() };
        let center = if self.implicit.is_some() { 0.0 } else { model.mean as f32 };
        let (mut factors, mut found) = (vec![0.0; count * rank], vec![0.0; count]);
        let (mut scratch, mut listed, mut names) = (Scratch::default(), Vec::new(), Vec::new());
        let shard = SideShard::whole(ratings, (count, biases.len()), side, center);
        for row in 0..shard.len() {
            let range = shard.range(row);
            if range.is_empty() {
                continue;
            }
            let given = (shard.named.read(row, &mut names), shard.values.read(range, &mut listed));
            let mut solved = vec![Vector([0.0; LANES]); chunks];
            least.row(given, number, (&others, &square), &mut scratch, &mut solved);
            let solved: &[f32] = bytemuck::cast_slice(&solved);
            factors[row * rank..(row + 1) * rank].copy_from_slice(&solved[..rank]);
            found[row] = if self.biases { solved[rank + number] } else { 0.0 };
        }
        (factors, found)
    }
}
