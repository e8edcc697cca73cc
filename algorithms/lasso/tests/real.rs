//! On public data, the printed gap is that of the exported coefficients, and small enough.

use raddle_datasets::{Matrix, Table, registry};
use raddle_lasso::{Lasso, Preparation, Problem};

use crate::common::{self, Oracle};

/// Fits at ratios 10 and 100, prepared as in comparisons, and recomputes the gap from the data as read.
fn holds(table: &Table, preparation: Preparation) {
    let oracle = Oracle::new(&table.x, &table.y, preparation);
    let problem = Problem::new(table.x.clone(), table.y.clone(), preparation).unwrap();
    for ratio in [10.0, 100.0] {
        // The solver goes far below its target: a run cut short has a gap whose digits can be compared.
        let lasso = || Lasso::params().ratio(ratio).workers(2);
        let cut = lasso().fit_with(&problem, |engine| engine.epochs(1)).unwrap();
        let context = format!("{}, {preparation:?}, ratio {ratio}", table.name);
        oracle.check(&cut, &format!("{context}, one epoch"));
        let fit = lasso().fit(&problem).unwrap();
        oracle.check(&fit, &context);
        let gap = oracle.gap(&oracle.coefficients(&fit), fit.lambda);
        assert!(gap <= 1e-6, "{context}: {gap:e}");
        assert!(
            (fit.lambda * ratio / oracle.lambda_max() - 1.0).abs() < 1e-9,
            "{context}: lambda {}",
            fit.lambda
        );
    }
}

/// Tests a public set in the preparation in which it is compared.
fn public(name: &str, preparation: Preparation) {
    let Some(table) = registry::real(name) else { return };
    holds(&table, preparation);
}

#[test]
fn diabetes() {
    let table = raddle_datasets::embedded::diabetes();
    holds(&table, Preparation::DenseStd);
    holds(&common::as_sparse(table), Preparation::SparseRaw);
}

#[test]
fn colon() {
    public("colon", Preparation::DenseStd);
}

#[test]
fn leukemia() {
    public("leukemia", Preparation::DenseStd);
}

#[test]
fn farmads() {
    public("farmads", Preparation::SparseRaw);
}

#[test]
fn w8a() {
    public("w8a", Preparation::SparseRaw);
}

#[test]
fn sparse_data_are_fitted_with_intercept_and_scale_on_their_original_scale() {
    let Some(table) = registry::real("w8a") else { return };
    // Only some of the rows: the oracle stores centred columns densely.
    let Matrix::Sparse(x) = &table.x else { panic!("libsvm is sparse") };
    let (rows, mut columns) = (3000, vec![vec![0.0; 3000]; x.cols()]);
    for (column, stored) in columns.iter_mut().zip(x.outer_iterator()) {
        stored.iter().filter(|(row, _)| *row < rows).for_each(|(row, &value)| column[row] = value);
    }
    let part = Table { x: common::sparse(&columns), y: table.y[..rows].to_vec(), ..table };
    holds(&part, Preparation::default());
}
