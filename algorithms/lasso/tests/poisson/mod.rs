//! The Poisson loss: compared with a naive proximal Newton method, glmnet, and the certificate's definition;
//! replay, command line.

mod agreement;
mod certificate;
mod command_line;
mod glmnet;
mod newton;

use raddle_datasets::Matrix;

use crate::common;

/// Makes columns of small numbers, four fifths of them zeros, and counts that depend on the first columns.
fn counts(rows: usize, columns: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (x, noise) = common::random_data(rows, columns, 0.2, seed);
    let count = |i: usize| {
        let score = 0.8 + 0.5 * x[0][i] - 0.4 * x[1][i] + 0.3 * x[2][i] + 0.1 * noise[i].sin();
        score.exp().round()
    };
    let y = (0..rows).map(count).collect();
    (x, y)
}

/// The columns as a matrix with all values stored, and as one that stores no zeros.
fn matrices(x: &[Vec<f64>]) -> [(&'static str, Matrix); 2] {
    [("dense", common::dense(x)), ("sparse", common::sparse(x))]
}
