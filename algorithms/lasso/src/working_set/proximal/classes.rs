//! [`ByClass`]: the second-order model for rows with a score for every class.
//!
//! With q_k = w p_k and w = sum q, a row's second derivatives by its scores are diag(q) - q q' / w. Columns x
//! of class k and z of class l therefore have the product sum_i x_i z_i ([k = l] q_k - q_k q_l / w): that of
//! the columns times sqrt(q), if they are of one class, less that of the columns times q / sqrt(w).
//! Intercepts and free columns are eliminated, as from the model of one score.

use crate::data::design::View;
use crate::loss::classes::{Directions, totals};
use crate::loss::factored::Factored;
use crate::loss::rows::Rows;
use raddle_kernels::algebra::{RowPiece, dot, gram, gram_by_rows, sparse_dot};

/// Columns multiplied by values of n rows.
#[derive(Clone, Debug)]
enum Scaled {
    Dense(Vec<Vec<f64>>),
    Sparse(RowPiece),
}

raddle::state!(
    enum Scaled {
        Dense(columns),
        Sparse(piece),
    }
);

/// The members by class, and their columns scaled.
#[derive(Clone, Debug)]
pub(super) struct ByClass {
    rows: usize,
    directions: Directions,
    curvatures: Factored,
    /// q; the next field has its sums over classes.
    weights: Vec<f64>,
    totals: Vec<f64>,
    /// sqrt(q), class by class; the next field has q / sqrt(w).
    roots: Vec<f64>,
    halves: Vec<f64>,
    /// The members of each class, by place; the next field has their columns times sqrt(q).
    places: Vec<Vec<usize>>,
    own: Vec<Option<Scaled>>,
    /// The columns of all members times q / sqrt(w).
    all: Option<Scaled>,
    /// Coordinates of each member along the directions, by place.
    shared: Vec<Vec<f64>>,
}

raddle::state!(ByClass {
    rows,
    directions,
    curvatures,
    weights,
    totals,
    roots,
    halves,
    places,
    own,
    all,
    shared,
});

impl Scaled {
    /// Appends columns; returns their products with all columns up to them, row by row, and the length of a
    /// row.
    fn append(
        this: &mut Option<Self>,
        rows: usize,
        columns: &[(Option<&[u32]>, Vec<f64>)],
    ) -> (Vec<f64>, usize) {
        let is_dense = columns.iter().all(|(indices, _)| indices.is_none());
        let new = || match is_dense {
            true => Self::Dense(Vec::new()),
            false => Self::Sparse(RowPiece::new(0..rows as u32)),
        };
        match this.get_or_insert_with(new) {
            Self::Dense(all) => {
                let first = all.len();
                all.extend(columns.iter().map(|(_, values)| values.clone()));
                let views: Vec<&[f64]> = all.iter().map(|column| &column[..]).collect();
                let mut out = vec![0.0; columns.len() * views.len()];
                gram(&views[first..], &views, first, &mut out, views.len());
                (out, views.len())
            }
            Self::Sparse(piece) => {
                let first = piece.members();
                let stored: Vec<(&[u32], &[f64])> =
                    columns.iter().map(|(rows, values)| (rows.unwrap_or(&[]), &values[..])).collect();
                piece.append(&stored);
                let mut out = vec![0.0; columns.len() * piece.members()];
                gram_by_rows(piece, first, &mut out, piece.members());
                (out, piece.members())
            }
        }
    }
}

/// A column of a class, and the range of its stored rows.
#[derive(Clone, Copy)]
struct Part<'a> {
    class: usize,
    indices: Option<&'a [u32]>,
    values: &'a [f64],
}

impl<'a> Part<'a> {
    fn of(view: View<'a>, rows: usize) -> Self {
        let View { first, indices, values, .. } = view;
        Self { class: first / rows.max(1), indices, values }
    }

    /// Returns the stored values of the column, each times the factor of its row.
    fn times(self, factors: &[f64]) -> (Option<&'a [u32]>, Vec<f64>) {
        let values = self.values.iter();
        let scaled = match self.indices {
            None => values.zip(factors).map(|(value, factor)| factor * value).collect(),
            Some(rows) => values.zip(rows).map(|(value, &row)| factors[row as usize] * value).collect(),
        };
        (self.indices, scaled)
    }

    fn dot(self, factors: &[f64]) -> f64 {
        match self.indices {
            None => dot(self.values, factors),
            Some(rows) => sparse_dot(rows, self.values, factors),
        }
    }
}

impl ByClass {
    /// A model without members, for these weights.
    pub(super) fn new(weights: &[f64], rows: &Rows) -> Self {
        let (n, classes) = (rows.len(), rows.classes);
        let totals = totals(weights, n);
        let half = |(at, q): (usize, &f64)| {
            let total = totals[at % n.max(1)];
            if total > 0.0 { q / total.sqrt() } else { 0.0 }
        };
        let directions = Directions::new(rows);
        Self {
            rows: n,
            curvatures: directions.curvatures(weights, &totals),
            directions,
            roots: weights.iter().map(|q| q.sqrt()).collect(),
            halves: weights.iter().enumerate().map(half).collect(),
            weights: weights.to_vec(),
            totals,
            places: vec![Vec::new(); classes],
            own: vec![None; classes],
            all: None,
            shared: Vec::new(),
        }
    }

    fn class<'a>(&self, values: &'a [f64], class: usize) -> &'a [f64] {
        &values[class * self.rows..(class + 1) * self.rows]
    }

    /// Adds members at the places from `first` on, and adds their products with all members up to them to the
    /// rows of a Gram.
    pub(super) fn append(&mut self, columns: &[View<'_>], first: usize, out: &mut [f64], stride: usize) {
        let columns: Vec<Part<'_>> = columns.iter().map(|view| Part::of(*view, self.rows)).collect();
        for part in &columns {
            let share = self.share(*part);
            self.shared.push(share);
        }
        let halved: Vec<_> =
            columns.iter().map(|part| part.times(self.class(&self.halves, part.class))).collect();
        let (products, width) = Scaled::append(&mut self.all, self.rows, &halved);
        for (i, row) in products.chunks_exact(width.max(1)).enumerate() {
            let to = &mut out[i * stride..][..=first + i];
            to.iter_mut().zip(row).for_each(|(value, product)| *value -= product);
        }
        for class in 0..self.places.len() {
            let entering: Vec<usize> = (0..columns.len()).filter(|&at| columns[at].class == class).collect();
            if entering.is_empty() {
                continue;
            }
            let roots = self.class(&self.roots, class);
            let rooted: Vec<_> = entering.iter().map(|&at| columns[at].times(roots)).collect();
            let (products, width) = Scaled::append(&mut self.own[class], self.rows, &rooted);
            self.places[class].extend(entering.iter().map(|at| first + at));
            for (&at, row) in entering.iter().zip(products.chunks_exact(width.max(1))) {
                let to = &mut out[at * stride..][..=first + at];
                let own = self.places[class].iter().zip(row).take_while(|(place, _)| **place <= first + at);
                own.for_each(|(&place, product)| to[place] += product);
            }
        }
        for at in 0..columns.len() {
            let own = &self.shared[first + at];
            let to = &mut out[at * stride..][..=first + at];
            to.iter_mut().zip(&self.shared).for_each(|(value, other)| *value -= dot(own, other));
        }
    }

    /// Returns the coordinates of a column along the directions, orthonormal in the weights.
    fn share(&self, part: Part<'_>) -> Vec<f64> {
        let product = |(other, vector): (usize, &[f64])| {
            let (q, second) = (self.class(&self.weights, part.class), self.class(&self.weights, other));
            let factor = |row: usize| {
                let total = self.totals[row];
                let shared = if total > 0.0 { q[row] * second[row] / total } else { 0.0 };
                vector[row] * if part.class == other { q[row] - shared } else { -shared }
            };
            part.dot(&(0..self.rows).map(factor).collect::<Vec<f64>>())
        };
        self.curvatures.half(&self.directions.places().map(product).collect::<Vec<f64>>())
    }

    /// Moves scores along the directions until their slope along these is zero.
    pub(super) fn take_back(&self, scores: &mut [f64]) {
        if self.directions.is_empty() {
            return;
        }
        // The second derivatives times the scores.
        let mut sums = vec![0.0; self.rows];
        for class in 0..self.places.len() {
            let rows = self.class(&self.weights, class).iter().zip(self.class(scores, class));
            sums.iter_mut().zip(rows).for_each(|(sum, (q, score))| *sum += q * score);
        }
        let curved = |(at, (q, score)): (usize, (&f64, &f64))| {
            let (row, q) = (at % self.rows, *q);
            let mean = if self.totals[row] > 0.0 { sums[row] / self.totals[row] } else { 0.0 };
            q * (score - mean)
        };
        let curved: Vec<f64> = self.weights.iter().zip(scores.iter()).enumerate().map(curved).collect();
        if let Some(parts) = self.curvatures.solved(&self.directions.products(&curved)) {
            let parts: Vec<f64> = parts.iter().map(|part| -part).collect();
            self.directions.add(&parts, scores);
        }
    }
}
