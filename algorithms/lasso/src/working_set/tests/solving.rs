//! Solutions compared with plain coordinate descent: by objective and gap, never by support.

use raddle::simd_level::SimdLevel;
use raddle_kernels::algebra::{dot, pass};

use super::super::factor::Factor;
use super::super::homotopy::Homotopy;
use super::super::local::LocalProblem;
use super::super::{WorkingSet, newton};
use super::Case;

#[test]
fn random_problems() {
    for (seed, &(n, p)) in [(1, 1), (1, 6), (5, 1), (20, 10), (12, 60), (30, 90), (60, 40)].iter().enumerate()
    {
        for ratio in [0.9, 1.5, 10.0, 100.0] {
            let case = Case::random(seed as u64, n, p);
            case.check(ratio);
            let problem =
                LocalProblem { penalty: case.largest() / ratio, yy: dot(&case.y, &case.y), rows: n };
            let followed = Homotopy::default().solve(&mut case.whole_set().whole, problem);
            assert_eq!(followed, Ok(()), "n {n} p {p}: the path of a small set is followed to its end");
        }
    }
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
    let before = local.measure(problem);
    newton::newton(local, problem, &mut Factor::default()).expect("a ridge makes up for the ties");
    let support = local.b.iter().filter(|&&b| b != 0.0).count();
    assert!(support <= 40, "{support} columns of rank 40");
    assert!(local.measure(problem).primal < before.primal);
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
