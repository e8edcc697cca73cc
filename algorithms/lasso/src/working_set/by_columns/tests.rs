//! Coordinate descent on columns finds what the working set finds on a Gram.

use std::sync::Arc;

use super::super::WorkingSet;
use super::*;
use crate::data::design::Design;
use crate::penalties::PenaltyOptions;
use raddle_common::testing::pairs;

const ROWS: usize = 90;
const COLUMNS: usize = 70;

/// Makes sparse columns, centred by these weights or not, some of them nearly equal; and a response.
fn data(weights: &[f64], centred: bool) -> (Vec<Column>, Rows) {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let (mut starts, mut indices, mut values, mut shift) = (vec![0], Vec::new(), Vec::new(), Vec::new());
    for j in 0..COLUMNS {
        let alike = (j % 5 == 4).then(|| starts[j - 1]..starts[j]);
        for row in (0..ROWS).filter(|row| (row * 7 + j / 5 * 3 + j % 5 / 4) % 4 == 0) {
            let near: Option<f64> = alike.clone().and_then(|range| values.get(range.start).copied());
            indices.push(row as u32);
            values.push(next() + 0.3 * near.unwrap_or(0.0));
        }
        let own = starts[j]..indices.len();
        let total: f64 = own.clone().map(|at| weights[indices[at] as usize] * values[at]).sum();
        shift.push(if centred { total / ROWS as f64 } else { 0.0 });
        starts.push(own.end);
    }
    let mut y: Vec<f64> = (0..ROWS).map(|_| 3.0 * next()).collect();
    if centred {
        let mean = y.iter().zip(weights).map(|(y, w)| y * w).sum::<f64>() / ROWS as f64;
        y.iter_mut().for_each(|y| *y -= mean);
    }
    let design = Arc::new(Design::Sparse { rows: ROWS, starts, indices, values, shift });
    let columns = (0..COLUMNS).map(|at| Column::new(&design, at)).collect();
    let is_weighted = weights.iter().any(|weight| *weight != 1.0);
    let weights = is_weighted.then(|| Arc::new(weights.to_vec()));
    (columns, Rows { y: Arc::new(y), weights, ..Rows::default() })
}

/// A warm start may have a coefficient of a column whose rows were retracted.
#[test]
fn a_column_without_values_has_no_coefficient() {
    let (mut columns, rows) = data(&vec![1.0; ROWS], true);
    let target = Target { penalty: 0.4, ridge: 0.0, gap: 1e-13 };
    let terms = Terms::default();
    let solved = |columns: &[Column], mut b: Vec<f64>| {
        ByColumns { columns, rows: &rows, terms: &terms, target }.solve(&mut b);
        b
    };
    let expected = solved(&columns, vec![0.0; COLUMNS]);
    let (starts, shift) = (vec![0, 0], vec![0.0]);
    let (indices, values) = (Vec::new(), Vec::new());
    let empty = Arc::new(Design::Sparse { rows: ROWS, starts, indices, values, shift });
    columns.push(Column::new(&empty, 0));
    let mut start = vec![0.0; COLUMNS];
    start.push(5.0);
    let found = solved(&columns, start);
    assert_eq!(found[COLUMNS], 0.0);
    assert_eq!(found[..COLUMNS], expected);
}

/// The coefficients are those of the solver on the Gram, for every weighting, centring, ridge and bound.
#[test]
fn it_comes_to_what_the_gram_comes_to() {
    let mut weights: Vec<f64> = (0..ROWS).map(|row| (row % 4) as f64).collect();
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight *= ROWS as f64 / total);
    let mut bounded = vec![(f64::NEG_INFINITY, f64::INFINITY); COLUMNS];
    bounded.iter_mut().step_by(3).for_each(|bounds| *bounds = (-0.05, 0.1));
    for (weights, centred) in [(vec![1.0; ROWS], true), (vec![1.0; ROWS], false), (weights, true)] {
        let (columns, rows) = data(&weights, centred);
        for (ridge, bounds) in [(0.0, &[][..]), (2.0, &[]), (0.0, &bounded), (2.0, &bounded)] {
            let asked = PenaltyOptions { bounds: bounds.to_vec(), ..PenaltyOptions::default() };
            let terms = match bounds {
                [] => Terms::default(),
                _ => asked.terms(COLUMNS, |_| 1.0).expect("bounds around 0"),
            };
            let target = Target { penalty: 0.4, ridge, gap: 1e-13 };
            let solver = ByColumns { columns: &columns, rows: &rows, terms: &terms, target };
            let mut found = vec![0.0; COLUMNS];
            solver.solve(&mut found);

            let (_, roots) = rows.for_gram();
            let dense = |column: &Column| {
                let mut values = vec![0.0; ROWS];
                let shift = column.view().add_scaled_to(1.0, &mut values);
                let roots = if roots.is_empty() { vec![1.0; ROWS] } else { roots.clone() };
                values.iter().zip(roots).map(|(value, root)| root * (value - shift)).collect::<Vec<f64>>()
            };
            let x: Vec<Vec<f64>> = columns.iter().map(dense).collect();
            let y: Vec<f64> = match rows.weights() {
                None => rows.y.to_vec(),
                Some(weights) => rows.y.iter().zip(weights).map(|(y, w)| y * w.sqrt()).collect(),
            };
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let mut set = WorkingSet::new();
            (0..COLUMNS).for_each(|j| set.terms_mut().push(&terms, j));
            set.enter(x.iter().zip(0..).map(|(column, j)| (j, dot(column, &y), 0.0)));
            let slots: Vec<u32> = (0..COLUMNS as u32).collect();
            let gram: Vec<f64> = x.iter().flat_map(|a| x.iter().map(|b| dot(a, b))).collect();
            set.add_tile(0, &slots, &gram);
            set.finish_gram();
            set.set_ridge(ridge);
            set.set_gradient(&x.iter().map(|column| dot(column, &y)).collect::<Vec<f64>>());
            let report = set.solve(0.4, dot(&y, &y), ROWS, 1e-13);
            assert!(report.support > 20, "nothing to compare: {}", report.support);
            for (a, b) in pairs(&found, set.coefficients()) {
                assert!((a - b).abs() < 1e-7, "{centred} {ridge} {}: {a} {b}", terms.is_bounded());
            }
            assert_eq!(found.iter().filter(|b| **b != 0.0).count(), report.support);
        }
    }
}
