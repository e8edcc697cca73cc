//! The multinomial loss: classes with coefficients and intercepts of their own.

mod certificate;
mod command_line;
mod labels;
mod oracle;
mod references;
mod refused;
mod replay;
mod table;

use raddle_lasso::Fit;

use crate::common::options::whole_weights;
use crate::common::random_data;

/// Makes columns and a response of `count` classes, none of which is separable.
fn data(count: usize, rows: usize, columns: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (x, y) = random_data(rows, columns, 0.6, seed);
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by(|&a, &b| y[a].total_cmp(&y[b]));
    let mut classes = vec![0.0; rows];
    for (place, row) in order.into_iter().enumerate() {
        let class = (place * count / rows + usize::from(row % 4 == 0)) % count;
        classes[row] = 10.0 + class as f64;
    }
    (x, classes)
}

/// Intercept and all coefficients of each class.
type Solution = Vec<(f64, Vec<f64>)>;

fn exported(fit: &Fit, columns: usize) -> Solution {
    let class = |class: usize| {
        let (intercept, coefficients) = fit.of_class(class);
        let mut all = vec![0.0; columns];
        coefficients.iter().for_each(|&(j, value)| all[j as usize] = value);
        (intercept, all)
    };
    (0..fit.labels.len()).map(class).collect()
}

/// Returns the largest difference of two solutions, relative to the largest coefficient.
fn apart(a: &Solution, b: &Solution) -> f64 {
    let flat = |solution: &Solution| -> Vec<f64> {
        solution
            .iter()
            .flat_map(|(intercept, all)| [*intercept].into_iter().chain(all.iter().copied()))
            .collect()
    };
    let (a, b) = (flat(a), flat(b));
    assert_eq!(a.len(), b.len());
    let size = a.iter().fold(1e-300, |most: f64, value| most.max(value.abs()));
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
}
