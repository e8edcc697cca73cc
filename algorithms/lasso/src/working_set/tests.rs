//! The working set compared with plain coordinate descent: by objective and gap, never by support.

use raddle::state::{from_bytes, to_bytes};

use super::factor::Factor;
use super::inverse::Inverse;
use super::local::LocalProblem;
use super::symmetric::Symmetric;
use super::*;
use raddle::simd_level::SimdLevel;
use raddle_common::testing::Numbers;
use raddle_kernels::algebra::{dot, gram, pass};

/// A dense problem, one column after another.
struct Case {
    n: usize,
    p: usize,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Case {
    fn random(seed: u64, n: usize, p: usize) -> Self {
        let mut numbers = Numbers(seed);
        Self { n, p, x: numbers.many(n * p), y: numbers.many(n) }
    }

    fn column(&self, j: usize) -> &[f64] {
        &self.x[j * self.n..(j + 1) * self.n]
    }

    fn copy_column(&mut self, from: usize, to: usize, scale: f64) {
        let copy: Vec<f64> = self.column(from).iter().map(|value| value * scale).collect();
        self.x[to * self.n..(to + 1) * self.n].copy_from_slice(&copy);
    }

    fn largest(&self) -> f64 {
        (0..self.p).map(|j| dot(self.column(j), &self.y).abs()).fold(0.0, f64::max)
    }

    fn residual(&self, b: &[f64]) -> Vec<f64> {
        let mut r = self.y.clone();
        for (j, &b) in b.iter().enumerate() {
            r.iter_mut().zip(self.column(j)).for_each(|(r, x)| *r -= b * x);
        }
        r
    }

    /// Computes objective and gap by plain sums.
    fn measure(&self, b: &[f64], penalty: f64) -> ObjectiveGap {
        let r = self.residual(b);
        let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let largest = (0..self.p).map(|j| sum(self.column(j), &r).abs()).fold(0.0, f64::max);
        ObjectiveGap::new(sum(&self.y, &r), sum(&r, &r), b.iter().map(|b| b.abs()).sum(), largest, penalty)
    }

    /// The oracle: residual coordinate descent, many epochs.
    fn plain(&self, penalty: f64, epochs: usize) -> Vec<f64> {
        let mut b = vec![0.0; self.p];
        let mut r = self.y.clone();
        for _ in 0..epochs {
            for (j, b) in b.iter_mut().enumerate() {
                let x = self.column(j);
                let norm: f64 = x.iter().map(|x| x * x).sum();
                if norm == 0.0 {
                    continue;
                }
                let moved = x.iter().zip(&r).map(|(x, r)| x * r).sum::<f64>() + norm * *b;
                let next = moved.signum() * (moved.abs() - penalty).max(0.0) / norm;
                r.iter_mut().zip(x).for_each(|(r, x)| *r += (*b - next) * x);
                *b = next;
            }
        }
        b
    }

    /// All columns in the set at once.
    fn whole_set(&self) -> WorkingSet {
        let mut set = WorkingSet::new();
        self.enter(&mut set, 0..self.p as u32);
        set
    }

    fn enter(&self, set: &mut WorkingSet, columns: impl Iterator<Item = u32>) {
        let mut q = vec![0.0; self.p];
        pass(&self.x, &self.y, &mut q);
        let first = set.enter(columns.map(|j| (j, q[j as usize], 0.0)));
        let all: Vec<&[f64]> = set.members().iter().map(|&j| self.column(j as usize)).collect();
        let (rows, stride) = set.gram_rows_mut(first);
        gram(&all[first..], &all, first, rows, stride);
        set.finish_gram();
        let r = self.residual(&self.coefficients(set));
        let g: Vec<f64> = all.iter().map(|column| dot(column, &r)).collect();
        set.set_gradient(&g);
    }

    fn coefficients(&self, set: &WorkingSet) -> Vec<f64> {
        let mut b = vec![0.0; self.p];
        set.members().iter().zip(set.coefficients()).for_each(|(&j, &value)| b[j as usize] = value);
        b
    }

    /// Solves with all columns, by the path and by epochs and Newton steps, and compares with the oracle.
    /// Returns the work if the path is tried first.
    fn check(&self, ratio: f64) -> Work {
        let penalty = self.largest() / ratio;
        let yy = dot(&self.y, &self.y);
        let plain = self.measure(&self.plain(penalty, 3000), penalty);
        let (mut first, mut without) = (self.whole_set(), self.whole_set());
        let report = first.solve(penalty, yy, self.n, 1e-10 * yy);
        let problem = LocalProblem { penalty, yy, rows: self.n };
        let (factor, work) = (&mut Factor::default(), &mut Work::default());
        let measure = inner::solve(&mut without.whole, problem, 1e-10 * yy, factor, work);
        for (set, inner, work) in [(&first, report.measure, report.work), (&without, measure, *work)] {
            let measure = self.measure(&self.coefficients(set), penalty);
            let case = format!("n {} p {} ratio {ratio}: {work:?}", self.n, self.p);
            assert!(inner.gap <= 1e-10 * yy, "{case}");
            assert!(measure.gap <= 2e-10 * yy, "{case}: {measure:?}");
            assert!(measure.primal <= plain.primal + 1e-9 * yy, "{case}: {measure:?} against {plain:?}");
            assert!(measure.dual <= plain.primal + 1e-9 * yy, "{case}: a dual value above a primal one");
        }
        report.work
    }
}

#[test]
fn random_problems() {
    for (seed, &(n, p)) in [(1, 1), (1, 6), (5, 1), (20, 10), (12, 60), (30, 90), (60, 40)].iter().enumerate()
    {
        for ratio in [0.9, 1.5, 10.0, 100.0] {
            let work = Case::random(seed as u64, n, p).check(ratio);
            assert_eq!(work.epochs, 0, "n {n} p {p}: the path of a small set is followed to its end");
        }
    }
}

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

#[test]
fn duplicate_and_opposite_columns() {
    let mut case = Case::random(4, 25, 40);
    for j in 0..12 {
        case.copy_column(j, 20 + j, if j % 2 == 0 { 1.0 } else { -1.0 });
    }
    case.copy_column(0, 39, 1.0);
    for ratio in [2.0, 10.0, 50.0] {
        case.check(ratio);
    }
}

/// Eight of the columns are sums of others: along these dependencies a step could end at the first
/// coefficient that vanishes.
#[test]
fn one_newton_step_gets_past_all_dependent_columns() {
    let mut case = Case::random(5, 60, 48);
    for at in 40 * 60..48 * 60 {
        case.x[at] = case.x[at - 40 * 60] + case.x[at - 39 * 60];
    }
    let mut set = case.whole_set();
    let local = &mut set.whole;
    for (j, b) in local.b.iter_mut().enumerate() {
        *b = local.q[j].signum() * (0.001 + 0.0001 * j as f64);
    }
    let r = case.residual(&local.b);
    pass(&case.x, &r, &mut local.g);
    let problem = LocalProblem { penalty: case.largest() / 50.0, yy: dot(&case.y, &case.y), rows: 60 };
    let (before, mut work) = (local.measure(problem), Work::default());
    newton::newton(local, problem, &mut Factor::default(), &mut work).expect("a ridge makes up for the ties");
    let support = local.b.iter().filter(|&&b| b != 0.0).count();
    assert!(support <= 40, "{support} columns of rank 40: {work:?}");
    assert!(local.measure(problem).primal < before.primal, "{work:?}");
}

#[test]
fn zero_columns_and_a_zero_response() {
    let mut case = Case::random(8, 15, 20);
    case.copy_column(0, 3, 0.0);
    case.copy_column(0, 4, 0.0);
    case.check(10.0);
    let mut set = case.whole_set();
    set.solve(case.largest() / 10.0, 1.0, 15, 0.0);
    assert_eq!(set.coefficients()[3], 0.0);
    case.y.fill(0.0);
    let mut set = case.whole_set();
    let report = set.solve(0.0, 0.0, 15, 0.0);
    assert!(report.reached && report.support == 0);
}

#[test]
fn more_members_than_one_level_takes() {
    let mut case = Case::random(3, 90, 1100);
    for j in 0..30 {
        case.copy_column(j, 1000 + j, 1.0);
    }
    for ratio in [3.0, 30.0] {
        let penalty = case.largest() / ratio;
        let yy = dot(&case.y, &case.y);
        let mut set = case.whole_set();
        let report = set.solve(penalty, yy, 90, 1e-9 * yy);
        let measure = case.measure(&case.coefficients(&set), penalty);
        assert!(report.reached && measure.gap <= 2e-9 * yy, "{report:?} {measure:?}");
    }
}

#[test]
fn members_that_enter_later_and_warm_starts() {
    let case = Case::random(11, 40, 80);
    let yy = dot(&case.y, &case.y);
    let mut set = WorkingSet::new();
    for ratio in [2.0, 5.0, 20.0] {
        let penalty = case.largest() / ratio;
        for part in 0..4 {
            if ratio == 2.0 {
                case.enter(&mut set, part * 20..part * 20 + 20);
            }
            set.solve(penalty, yy, 40, 1e-11 * yy);
        }
        let measure = case.measure(&case.coefficients(&set), penalty);
        assert!(measure.gap <= 1e-10 * yy, "ratio {ratio}: {measure:?}");
    }
    set.clear();
    case.enter(&mut set, 0..80);
    let report = set.solve(case.largest() / 20.0, yy, 40, 1e-11 * yy);
    assert!(report.reached, "a set that was cleared begins again");
}

#[test]
fn the_same_bits_in_every_form() {
    for members in [130, 450, 1050] {
        let case = Case::random(17, 50, members);
        let forms = SimdLevel::in_every_form(|| {
            let (mut set, yy) = (case.whole_set(), dot(&case.y, &case.y));
            set.solve(case.largest() / 20.0, yy, 50, 1e-10 * yy);
            set.coefficients().iter().map(|b| b.to_bits()).collect::<Vec<_>>()
        });
        for (form, bits) in &forms[1..] {
            assert_eq!(bits, &forms[0].1, "{members} members: {form} differs from portable");
        }
    }
}

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
