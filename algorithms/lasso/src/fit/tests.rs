//! Shards that are made where they live have the bytes of those made from the whole.

use std::fmt::Write as _;

use proptest::prelude::*;
use raddle::state::to_bytes;
use raddle_datasets::{ColumnOptions, Missing, Options, StoredTable, Table, read_any};

use super::*;
use crate::data::preparation::Preparation;
use crate::data::prepare::testing::{Y, problem};
use crate::loss::Loss;

/// Returns a pseudorandom number below `most` that depends only on the other arguments.
fn drawn(seed: u64, place: usize, most: u64) -> u64 {
    let mixed =
        (seed ^ (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) % most
}

/// Makes a table as libsvm text (0), as delimited numbers (1), or with columns to encode and to fill (2):
/// in memory, and in a file.
fn tables(
    (kind, classes): (usize, u64),
    seed: u64,
    (rows, columns): (usize, usize),
    full: u64,
) -> (Table, StoredTable) {
    let folder = tempfile::tempdir().unwrap();
    let (path, mut text) = (folder.path().join("data"), String::new());
    for row in 0..rows {
        let y = drawn(seed, row, classes);
        let at = |column: usize| drawn(seed ^ 77, row * columns + column, 9) as f64 - 4.5;
        // A column has at least one value: a table without any is refused.
        let is_there = |column: usize| {
            (row, column) == (0, columns - 1) || drawn(seed ^ 5, row * columns + column, 100) < full
        };
        match kind {
            0 => write!(text, "{y}").unwrap(),
            1 => write!(text, "{y}").unwrap(),
            _ => write!(text, "{y},{}", ["red", "blue", "green", ""][drawn(seed, row + 999, 4) as usize])
                .unwrap(),
        }
        for column in 0..columns {
            match (kind, is_there(column)) {
                (0, true) => write!(text, " {}:{}", column + 1, at(column)).unwrap(),
                (0, false) => {}
                (2, false) if row > 1 => text.push(','),
                _ => write!(text, ",{}", at(column)).unwrap(),
            }
        }
        text.push('\n');
    }
    let names: String = (0..columns).map(|column| format!(",x{column}")).collect();
    let head = ["", "y", "y,colour"][kind];
    std::fs::write(&path, if kind == 0 { text } else { format!("{head}{names}\n{text}") }).unwrap();
    let columns = match kind {
        2 => ColumnOptions { missing: Missing::Mean, ..ColumnOptions::default() },
        _ => ColumnOptions::default(),
    };
    let options = Options { columns, y: (kind > 0).then(|| "y".into()), ..Options::default() };
    let source = path.to_str().unwrap();
    (read_any(source, &options).unwrap(), StoredTable::open(source, &options, folder.path()).unwrap())
}

/// Adds factors (some 0), bounds, groups, or nothing to a Lasso.
fn with_terms(lasso: Lasso, terms: usize, seed: u64, columns: usize) -> Lasso {
    let of = |j: usize, most: u64| drawn(seed ^ 31, j, most);
    match terms {
        1 => lasso.factors((0..columns).map(|j| [1.0, 0.5, 2.0, 0.0][of(j, 4) as usize]).collect()),
        2 => {
            let bounds = [(0.0, f64::INFINITY), (-0.1, 0.2), (f64::NEG_INFINITY, 0.0), (0.0, 0.0)];
            lasso.bounds((0..columns).map(|j| bounds[of(j, 4) as usize]).collect())
        }
        3 => lasso.groups((0..columns).map(|j| of(j, 5) as u32).collect()),
        _ => lasso,
    }
}

/// Returns all shards as bytes, in order.
fn shards_of(lasso: &Lasso, problem: &Problem) -> Result<Vec<Vec<u8>>, LassoError> {
    let start = Start::new(problem, lasso.loss, lasso.l1_ratio, &lasso.asked)?;
    let costs: Vec<u64> = (0..start.design.count()).map(|j| start.design.cost(j) as u64).collect();
    let ranges = whole_groups(lasso.assign(&start.design, &costs), &start.terms);
    let parts = GramTiles::assign(ranges.len(), &start.design)?;
    let coefficients = start.prepared(&lasso.init)?;
    let made = ranges
        .into_iter()
        .zip(parts)
        .map(|(range, part)| Ok(to_bytes(&ColumnShard::of(&start.design, range, part, &coefficients)?)));
    let mut all: Vec<Vec<u8>> = made.collect::<Result<_, LassoError>>()?;
    all.push(to_bytes(&start.rows(&coefficients)?));
    all.push(to_bytes(&start.largest()?));
    all.push(to_bytes(&costs));
    Ok(all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn made_shards_have_the_bytes_of_those_made_from_the_whole(
        seed: u64, kind in 0usize..3, rows in 4usize..40, columns in 1usize..30, full in prop_oneof![Just(9_u64), Just(60)],
        preparation in 0usize..5, terms in 0usize..4, loss in 0usize..4, weighted in 0usize..3, shards in 1usize..9, warm: bool,
    ) {
        let classes = if loss == 1 { 2 } else { 3 };
        let (whole, stored) = tables((kind, classes), seed, (rows, columns), full);
        let usual = |intercept, standardize| Preparation::Standard { intercept, standardize };
        let all = [usual(true, true), usual(true, false), usual(false, false), Preparation::DenseStd, Preparation::SparseRaw];
        let given = |problem: Result<Problem, LassoError>| {
            let weights = |set: usize| (0..rows).map(|row| drawn(seed ^ set as u64, row, 3) as f64 + 0.25).collect();
            let weighted = (0..weighted).try_fold(problem?, |problem, set| problem.weights(weights(set)))?;
            if loss == 3 {
                return Ok(weighted);
            }
            weighted.offset((0..rows).map(|row| drawn(seed, row + 50, 4) as f64 / 8.0).collect())
        };
        let count = whole.x.cols();
        prop_assert_eq!((stored.rows(), stored.cols()), (rows, count));
        let by_parts = given(Problem::by_parts(Arc::new(stored), all[preparation]));
        let whole = given(Problem::new(whole.x, whole.y, all[preparation]));
        let loss = [Loss::Squared, Loss::Logistic, Loss::Poisson, Loss::Multinomial][loss];
        let lasso = Lasso::params().loss(loss).ratio(4.0).shards(shards);
        let lasso = with_terms(lasso, terms, seed, count);
        let lasso = if warm { lasso.init(vec![(0, 0.5), (count as u32 - 1, -0.25)]) } else { lasso };
        let tell = |problem: &Result<Problem, LassoError>| -> Result<_, String> {
            let problem = problem.as_ref().map_err(|why| why.to_string())?;
            let bytes = shards_of(&lasso, problem).map_err(|why| why.to_string())?;
            let fit = lasso.clone().fit_with(problem, |engine| engine.epochs(40));
            Ok((bytes, fit.map(|fit| fit.digest()).map_err(|why| why.to_string())))
        };
        let told = tell(&whole);
        prop_assert!(loss != Loss::Squared || told.as_ref().is_ok_and(|(_, fit)| fit.is_ok()));
        prop_assert_eq!(tell(&by_parts), told);
    }
}

#[test]
fn a_constant_column_starts_a_fit_as_any_other_and_takes_no_part_in_it() {
    let varies = [1.0, 3.0, 4.0, 3.0, -2.0, 0.0, 2.0, 5.0];
    for constant in [7.0, 0.0] {
        let problem = problem(&[&varies, &[constant; 8]], &Y, false, Preparation::default());
        assert_eq!(problem.scale(1), 1.0);
        let fit = |init| Lasso::params().ratio(3.0).tolerance(1e-12).init(init).fit(&problem).unwrap();
        let (cold, warm) = (fit(Vec::new()), fit(vec![(0, 0.2), (1, 0.5)]));
        assert!(warm.report.metric.is_reached(), "{:?}", warm.report.metric);
        let of = |fit: &Fit| fit.coefficients.iter().find(|(j, _)| *j == 0).map(|(_, value)| *value);
        assert!((of(&cold).unwrap() - of(&warm).unwrap()).abs() < 1e-9);
    }
}

#[test]
fn a_column_that_varies_in_rows_that_count_nothing_alone_is_constant() {
    let weights = vec![0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 1.0];
    let varies = [1.0, 3.0, 4.0, 3.0, -2.0, 0.0, 2.0, 5.0];
    for (is_sparse, columns) in [
        (false, [&varies, &[0.3, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6]]),
        (false, [&varies, &[1e3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]]),
        // The only nonzero value is in a row of weight 0.
        (true, [&[0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0], &[5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]),
    ] {
        let problem = problem(&[columns[0], columns[1]], &Y, is_sparse, Preparation::default());
        assert_eq!(problem.is_sparse(), is_sparse);
        let problem = problem.weights(weights.clone()).unwrap();
        let fit = Lasso::params().ratio(10.0).fit(&problem).unwrap();
        assert!(fit.report.metric.is_reached() && problem.scale(1).is_finite(), "{}", problem.scale(1));
        let others: Vec<u32> = fit.coefficients.iter().map(|(j, _)| *j).collect();
        assert_eq!(others, [0], "{:?}", fit.coefficients);
    }
}
