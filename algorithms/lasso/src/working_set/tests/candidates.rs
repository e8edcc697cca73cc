//! The columns that enter a set, and those that need no product.

use raddle_kernels::algebra::dot;

use super::super::{LazyBounds, columns_to_add, top_violators};
use super::Case;

#[test]
fn candidates() {
    let c = [0.5, -3.0, 2.0, f64::NAN, 3.0, 1.0];
    let top = top_violators(10, &c, 0.9, 3, |j| j == 12);
    assert_eq!(top, [(11, -3.0), (14, 3.0), (15, 1.0)]);
    assert_eq!(columns_to_add(1000, 0), 100);
    assert_eq!(columns_to_add(1000, 300), 300);
    assert_eq!(columns_to_add(1000, 900), 50);
    assert_eq!(columns_to_add(1000, 999), 10);
}

#[test]
fn lazy_bounds_pass_over_only_what_does_not_violate() {
    let case = Case::random(23, 30, 200);
    let products = |r: &[f64]| (0..200).map(|j| dot(case.column(j), r)).collect::<Vec<_>>();
    let mut bounds = LazyBounds::new((0..200).map(|j| dot(case.column(j), case.column(j)).sqrt()).collect());
    assert!(bounds.wants_all());
    bounds.learn_all(&case.y, &products(&case.y));
    let (mut r, penalty) = (case.y.clone(), 0.8 * case.largest());
    let mut skipped = 0;
    for step in 0..10 {
        r.iter_mut().zip(case.column(step)).for_each(|(r, x)| *r -= 0.05 * x);
        let exact = products(&r);
        let needed = bounds.needed(&r, penalty, |j| j == 7);
        assert!(needed.contains(&7));
        for j in (0..200).filter(|j| !needed.contains(j)) {
            assert!(exact[j as usize].abs() < penalty);
        }
        skipped += 200 - needed.len();
        let computed: Vec<f64> = needed.iter().map(|&j| exact[j as usize]).collect();
        bounds.learn(&r, &needed, &computed);
    }
    assert!(skipped > 500, "{skipped} products saved");
}
