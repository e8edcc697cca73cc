//! The solve gives the same bits in every vector form, and its scores are those of its coefficients.

use std::sync::Arc;

use super::{ProximalSet, SolveData, SolveState, Target};
use crate::data::design::{Column, Design};
use crate::loss::linear_predictor::{Response, Scores};
use crate::loss::rows::Rows;
use crate::loss::{Loss, Shape};
use raddle::simd_level::SimdLevel;
use raddle_kernels::algebra::dot;

const ROWS: usize = 61;
const COLUMNS: usize = 40;

/// Makes columns with every third value stored, or all; labels alternate.
fn data(sparse: bool) -> (Vec<Column>, Vec<f64>) {
    let mut state = 11u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let y: Vec<f64> = (0..ROWS).map(|i| if i % 5 < 2 { 1.0 } else { -1.0 }).collect();
    let design = if sparse {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for j in 0..COLUMNS {
            (0..ROWS).filter(|i| (i * 7 + j) % 3 == 0).for_each(|i| {
                indices.push(i as u32);
                values.push(next() + 0.4 * y[i]);
            });
            starts.push(indices.len());
        }
        let shift = (0..COLUMNS).map(|j| 0.01 * j as f64).collect();
        Design::Sparse { rows: ROWS, starts, indices, values, shift }
    } else {
        let values = (0..ROWS * COLUMNS).map(|at| next() + 0.4 * y[at % ROWS]).collect();
        Design::Dense { rows: ROWS, values }
    };
    let design = Arc::new(design);
    ((0..COLUMNS).map(|at| Column::new(&design, at)).collect(), y)
}

/// Returns coefficients and scores of a solve to a tight gap, and the largest |x_j'r - R b_j|.
fn solve(sparse: bool, ridge: f64) -> (Vec<f64>, Scores, f64) {
    let (columns, y) = data(sparse);
    let mut set = ProximalSet::default();
    set.enter((0..COLUMNS as u32).map(|j| (j, 0.0)));
    let Shape::Smooth(loss) = Loss::Logistic.function().shape() else { panic!("it is smooth") };
    let response = Response { rows: &Rows { intercept: true, ..Rows::plain(y) }, loss };
    let mut scores = Scores::new(response, vec![0.0; ROWS]);
    let intercept = scores.settle(response);
    let slope = |column: &Column| column.view().dot(&scores.residual, scores.sums.residual);
    let g = columns.iter().map(slope).collect();
    let target = Target { penalty: 1.5, ridge, gap: 1e-10 };
    let (scores, ..) = set.solve(
        SolveData { columns: &columns, response, target },
        SolveState { scores, intercept, free: Vec::new(), g },
    );
    let slope = |(column, b): (&Column, &f64)| {
        (column.view().dot(&scores.residual, scores.sums.residual) - ridge * b).abs()
    };
    let largest = columns.iter().zip(set.coefficients()).map(slope).fold(0.0, f64::max);
    (set.coefficients().to_vec(), scores, largest)
}

#[test]
fn every_vector_form_gives_the_same_bits() {
    for (sparse, ridge) in [(false, 0.0), (true, 0.0), (false, 0.7), (true, 0.7)] {
        let forms = SimdLevel::in_every_form(|| {
            let (b, scores, _) = solve(sparse, ridge);
            let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            (bits(&b), bits(&scores.values))
        });
        for (name, form) in &forms {
            assert_eq!(form, &forms[0].1, "{name}, sparse {sparse}, ridge {ridge}");
        }
    }
}

#[test]
fn a_solve_ends_where_no_member_violates_and_the_intercept_is_exact() {
    for (sparse, ridge) in [(false, 0.0), (true, 0.0), (false, 0.7), (true, 0.7)] {
        let (b, scores, largest) = solve(sparse, ridge);
        assert!(b.iter().filter(|b| **b != 0.0).count() > 3);
        assert!((largest - 1.5).abs() < 1e-4, "{largest}");
        assert!(scores.sums.residual.abs() < 1e-12, "{}", scores.sums.residual);
        let (columns, _) = data(sparse);
        let (mut expected, mut shift) = (vec![0.0; ROWS], 0.0);
        for (column, &value) in columns.iter().zip(&b) {
            shift += column.view().add_scaled_to(value, &mut expected);
        }
        let intercept = scores.values[0] - (expected[0] - shift);
        let off = scores.values.iter().zip(&expected).map(|(a, b)| a - (b - shift + intercept));
        let off: Vec<f64> = off.collect();
        assert!(dot(&off, &off) < 1e-24, "{off:?}");
    }
}
