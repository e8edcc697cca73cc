//! The Gram: tiles and rows make the same, and the matrix keeps its rows as it grows.

use raddle::state::{from_bytes, to_bytes};
use raddle_kernels::algebra::dot;

use super::super::WorkingSet;
use super::super::symmetric::Symmetric;
use super::Case;

#[test]
fn tiles_make_the_same_gram_as_rows() {
    let case = Case::random(5, 30, 9);
    let by_rows = case.whole_set();
    let mut by_tiles = WorkingSet::new();
    by_tiles.enter((0..9).map(|j| (j, 0.0, 0.0)));
    for i in 0..9 {
        let values: Vec<f64> = (0..9).map(|j| dot(case.column(i), case.column(j))).collect();
        by_tiles.add_tile(i, &[0, 2, 4, 6, 8], &[values[0], values[2], values[4], values[6], values[8]]);
        by_tiles.add_tile(i, &[1], &values[1..2]);
        by_tiles.add_tile(i, &[3], &values[3..4]);
        by_tiles.add_tile(i, &[5], &values[5..6]);
        by_tiles.add_tile(i, &[7], &values[7..8]);
    }
    by_tiles.finish_gram();
    for i in 0..9 {
        assert_eq!(by_rows.gram_row(i), by_tiles.gram_row(i));
    }
}

/// Products outside the members are ignored.
#[test]
fn tiles_beyond_the_members_add_nothing() {
    let mut set = WorkingSet::new();
    set.add_tile(0, &[0], &[1.0]);
    set.enter([(7, 1.0, 0.0)]);
    set.add_tile(1, &[0], &[1.0]);
    set.add_tile(3, &[], &[]);
    set.add_tile(0, &[0, 1], &[2.0, 5.0, 9.0, 9.0]);
    set.finish_gram();
    assert_eq!(set.gram_row(0), [2.0]);
}

/// Rows keep their values when the stride grows or the matrix moves; new elements are zero; spare capacity is
/// not sent.
#[test]
fn a_matrix_that_grows_keeps_its_rows() {
    let value = |i: usize, j: usize| (i * 10_007 + j) as f64;
    for threads in [1, 2] {
        raddle::fork_join::during(threads, || {
            let (mut grown, mut before) = (Symmetric::default(), 0);
            for order in [0, 3, 3, 100, 257, 1000, 1040, 2100] {
                grown.grow(order);
                for i in 0..order {
                    let old = if i < before { before } else { 0 };
                    let row = grown.row(i);
                    assert!(
                        row[..old].iter().enumerate().all(|(j, &kept)| kept == value(i.max(j), i.min(j)))
                    );
                    assert!(row[old..].iter().all(|&new| new == 0.0));
                }
                for i in before..order {
                    grown.row_mut(i)[..=i].iter_mut().enumerate().for_each(|(j, new)| *new = value(i, j));
                }
                grown.mirror(before);
                before = order;
            }
            grown.shrink(120);
            let bytes = to_bytes(&grown);
            assert!(bytes.len() < 120 * 3000 * 8);
            let (back, copy) = (from_bytes::<Symmetric>(&bytes).unwrap(), grown.clone());
            for mut other in [back, copy] {
                assert!((0..120).all(|i| other.row(i) == grown.row(i)));
                other.grow(300);
                assert!((0..120).all(|i| other.row(i)[..120] == *grown.row(i)));
            }
        });
    }
    assert!(from_bytes::<Symmetric>(&to_bytes(&(3_usize, 2_usize, vec![0.0; 6]))).is_err());
}
