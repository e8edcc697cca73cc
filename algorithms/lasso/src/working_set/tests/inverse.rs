//! The inverse of the support's Gram, compared with the Gram itself.

use super::super::inverse::Inverse;
use super::Case;

/// Compares an inverse that has gone through many changes with the Gram itself.
#[test]
fn an_inverse_follows_columns_in_and_out() {
    let case = Case::random(29, 40, 30);
    let set = case.whole_set();
    let mut inverse = Inverse::default();
    let (mut inside, mut state) = (Vec::<usize>::new(), 1usize);
    for change in 0..300 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let column = (state >> 33) % 30;
        match inside.iter().position(|&j| j == column) {
            Some(at) => {
                inverse.remove(at);
                inside.swap_remove(at);
            }
            None => {
                let products: Vec<f64> = inside.iter().map(|&j| set.gram_row(column)[j]).collect();
                inverse
                    .insert(&products, set.gram_row(column)[column])
                    .expect("random columns are independent");
                inside.push(column);
            }
        }
        for (at, &j) in inside.iter().enumerate() {
            // The inverse times a column of the Gram is a unit vector.
            let column: Vec<f64> = inside.iter().map(|&i| set.gram_row(j)[i]).collect();
            let mut unit = Vec::new();
            inverse.times(&column, &mut unit);
            for (i, value) in unit[..inside.len()].iter().enumerate() {
                let expected = if i == at { 1.0 } else { 0.0 };
                assert!((value - expected).abs() < 1e-8, "change {change}: {value}, not {expected}");
            }
        }
    }
}

#[test]
fn a_dependent_column_is_refused_with_its_shares() {
    let mut case = Case::random(31, 20, 3);
    for row in 0..20 {
        case.x[40 + row] = 2.0 * case.x[row] - 0.5 * case.x[20 + row];
    }
    let set = case.whole_set();
    let mut inverse = Inverse::default();
    for j in 0..2 {
        let products: Vec<f64> = (0..j).map(|i| set.gram_row(j)[i]).collect();
        inverse.insert(&products, set.gram_row(j)[j]).expect("random columns are independent");
    }
    let shares =
        inverse.insert(&set.gram_row(2)[..2], set.gram_row(2)[2]).expect_err("it depends on the two");
    assert!((shares[0] - 2.0).abs() < 1e-8 && (shares[1] + 0.5).abs() < 1e-8, "{shares:?}");
    assert_eq!(inverse.len(), 2);
}
