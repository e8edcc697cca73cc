//! [`Model`]: factors and biases.

use raddle::ModelDigest;

use raddle_kernels::factors as kernels;

/// A side of the model: users or items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Users,
    Items,
}

impl Side {
    pub(crate) const BOTH: [Self; 2] = [Self::Users, Self::Items];

    /// Returns the other side.
    pub(crate) fn other(self) -> Self {
        if self == Self::Users { Self::Items } else { Self::Users }
    }
}

/// Factors and biases of all users and items, in the units of the ratings.
///
/// The rating of user u and item i is predicted as `mean + b_u + c_i + p_u . q_i`. Rows without training data
/// are zero, so that the prediction for them is the mean plus the other side's bias.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Model {
    /// Number of factors of each row.
    pub rank: usize,
    /// Prediction for pairs of which nothing else is known; 0 for implicit feedback.
    pub mean: f64,
    /// Factors of the users, users x rank, row by row.
    pub user_factors: Vec<f32>,
    /// Factors of the items, items x rank, row by row.
    pub item_factors: Vec<f32>,
    /// Bias of each user; zeros without biases.
    pub user_biases: Vec<f32>,
    /// Bias of each item; zeros without biases.
    pub item_biases: Vec<f32>,
}

/// Rows that were solved for a model and need not be part of it: factors and biases.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewRows {
    /// Factors, rows x rank, row by row.
    pub factors: Vec<f32>,
    /// Bias of each row; zeros without biases.
    pub biases: Vec<f32>,
}

impl Model {
    /// A model of zeros.
    pub fn zeros(users: usize, items: usize, rank: usize) -> Self {
        Self {
            rank,
            mean: 0.0,
            user_factors: vec![0.0; users * rank],
            item_factors: vec![0.0; items * rank],
            user_biases: vec![0.0; users],
            item_biases: vec![0.0; items],
        }
    }

    /// `true` if every number is finite, which fails if steps were far too large.
    pub fn is_finite(&self) -> bool {
        let values = [&self.user_factors, &self.item_factors, &self.user_biases, &self.item_biases];
        self.mean.is_finite() && values.into_iter().all(|values| kernels::all_finite(values))
    }

    /// Returns the SHA-256 over users' factors, items' factors, users' biases and items' biases (f32), and
    /// the mean (f64), all little-endian, row by row.
    ///
    /// Rows are those of the data, or, with a model to start from, those of the model followed by the data's
    /// other rows; rows that the data lack are included as they were kept.
    pub fn digest(&self) -> String {
        let factors = [&self.user_factors, &self.item_factors, &self.user_biases, &self.item_biases];
        let digest = factors.into_iter().fold(ModelDigest::default(), |digest, values| digest.f32s(values));
        digest.f64s(&[self.mean]).finish()
    }

    /// Returns the number of users.
    pub fn users(&self) -> usize {
        self.user_biases.len()
    }

    /// Returns the number of items.
    pub fn items(&self) -> usize {
        self.item_biases.len()
    }

    /// Returns a user's factors; empty beyond the users.
    pub fn user(&self, row: u32) -> &[f32] {
        let start = row as usize * self.rank;
        self.user_factors.get(start..start + self.rank).unwrap_or(&[])
    }

    /// Returns an item's factors; empty beyond the items.
    pub fn item(&self, row: u32) -> &[f32] {
        let start = row as usize * self.rank;
        self.item_factors.get(start..start + self.rank).unwrap_or(&[])
    }

    /// Replaces these rows of a side; if one is named twice, by the last. Rows beyond the model are added to
    /// it, with zeros for those between.
    pub(crate) fn put(&mut self, side: Side, rows: &[u32], new: &NewRows) {
        let rank = self.rank;
        let (factors, biases) = &mut self.sides_mut()[side as usize];
        let count = rows.iter().map(|&row| row as usize + 1).fold(biases.len(), usize::max);
        factors.resize(count * rank, 0.0);
        biases.resize(count, 0.0);
        let new = new.biases.iter().zip(new.factors.chunks_exact(rank.max(1)));
        for (&row, (&bias, values)) in rows.iter().zip(new) {
            factors[row as usize * rank..][..rank].copy_from_slice(values);
            biases[row as usize] = bias;
        }
    }

    /// Returns factors and biases of a side.
    pub(crate) fn side(&self, side: Side) -> (&[f32], &[f32]) {
        match side {
            Side::Users => (&self.user_factors, &self.user_biases),
            Side::Items => (&self.item_factors, &self.item_biases),
        }
    }

    /// Returns factors and biases of the users, and of the items, to be changed.
    pub(crate) fn sides_mut(&mut self) -> [(&mut Vec<f32>, &mut Vec<f32>); 2] {
        [(&mut self.user_factors, &mut self.user_biases), (&mut self.item_factors, &mut self.item_biases)]
    }

    /// Adds rows of zeros up to these numbers of users and items.
    pub(crate) fn widened(mut self, users: usize, items: usize) -> Self {
        let rank = self.rank;
        for ((factors, biases), count) in self.sides_mut().into_iter().zip([users, items]) {
            factors.resize(count * rank, 0.0);
            biases.resize(count, 0.0);
        }
        self
    }

    /// Sets rows without ratings to zeros.
    pub(crate) fn forget_unrated(&mut self, rated: &[Vec<bool>; 2]) {
        let rank = self.rank;
        for ((factors, biases), rated) in self.sides_mut().into_iter().zip(rated) {
            factors.resize(rated.len() * rank, 0.0);
            biases.resize(rated.len(), 0.0);
            for (row, _) in rated.iter().enumerate().filter(|(_, rated)| !**rated) {
                factors[row * rank..(row + 1) * rank].fill(0.0);
                biases[row] = 0.0;
            }
        }
    }

    /// Copies rows without ratings from the model to start from.
    pub(crate) fn keep_rows_of(&mut self, init: &Model, rated: &[Vec<bool>; 2]) {
        // Users' biases compensate for a mean that has changed, as those of trained users do.
        let moved = [(init.mean - self.mean) as f32, 0.0];
        let rank = self.rank;
        let sides = self
            .sides_mut()
            .into_iter()
            .zip(Side::BOTH.map(|side| init.side(side)))
            .zip(rated.iter().zip(moved));
        for (((factors, biases), (old_factors, old_biases)), (rated, moved)) in sides {
            for (row, old) in old_biases.iter().enumerate().take(biases.len()) {
                if rated[row] {
                    continue;
                }
                let old_row = &old_factors[row * rank..(row + 1) * rank];
                factors[row * rank..(row + 1) * rank].copy_from_slice(old_row);
                let is_known = *old != 0.0 || old_row.iter().any(|&value| value != 0.0);
                biases[row] = if is_known { old + moved } else { 0.0 };
            }
        }
    }
}

/// Parts that a model predicts by, from the fewest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Learned {
    /// The mean of the ratings, the same for every pair.
    Mean,
    /// The mean, and the biases of users and items.
    Biases,
    /// Factors, and all other parts that the parameters ask for.
    #[default]
    Factors,
}

impl Learned {
    /// Returns the name: `mean`, `biases` or `factors`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Biases => "biases",
            Self::Factors => "factors",
        }
    }
}
