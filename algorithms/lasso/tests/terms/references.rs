//! Coefficients of glmnet and scikit-learn on the diabetes data.
//!
//! glmnet 4.1-6 (Friedman, Hastie and Tibshirani, "Regularization paths for generalized linear models via
//! coordinate descent", 2010) on R 4.2.2, as `coef(glmnet(x, y, family, weights, offset, penalty.factor,
//! lower.limits, upper.limits, lambda = c(4 l, 2 l, l), thresh = 1e-22, maxit = 1e8), s = l)`. glmnet divides
//! factors by their mean, so that its lambda is ours times that mean. scikit-learn 1.9.1: `Lasso` and
//! `ElasticNet` with `tol=1e-14`, which do not divide columns.

use raddle_common::testing::pairs;
use raddle_datasets::embedded::diabetes;
use raddle_lasso::{Lasso, Loss, Preparation, Problem};

const INF: f64 = f64::INFINITY;

const FACTORS: [f64; 10] = [1.0, 0.5, 2.0, 1.0, 1.0, 3.0, 1.0, 0.25, 1.0, 1.0];

const BOUNDS: [(f64, f64); 10] = [
    (-INF, 0.0),
    (-10.0, 0.0),
    (0.0, 4.0),
    (-0.5, 0.8),
    (-0.2, INF),
    (-INF, 0.2),
    (-0.3, 0.0),
    (0.0, 2.0),
    (0.0, 30.0),
    (-INF, 0.1),
];

/// Weights 0, 1, 2, 0, ...; weights 1, 2, 3, 1, ...; offsets of 0, 1/4, ..., 1.
fn zeros_too() -> Vec<f64> {
    (0..442).map(|row| f64::from(row % 3)).collect()
}

fn from_one() -> Vec<f64> {
    (0..442).map(|row| f64::from(1 + row % 3)).collect()
}

fn offset(times: f64) -> Vec<f64> {
    (0..442).map(|row| times * f64::from(row % 5) / 4.0).collect()
}

fn problem(loss: Loss) -> Problem {
    let data = diabetes();
    let y = match loss {
        Loss::Squared => data.y,
        Loss::Logistic => data.y.iter().map(|&y| f64::from(u8::from(y > 140.0))).collect(),
        Loss::Multinomial => unreachable!("its references are elsewhere"),
        // As R rounds: halves to even.
        Loss::Poisson => data.y.iter().map(|y| (y / 10.0).round_ties_even()).collect(),
    };
    Problem::new(data.x, y, Preparation::default()).unwrap()
}

/// Compares a fit with the intercept and the coefficients, each to within 1e-5 of itself or of the largest.
fn compare(name: &str, lasso: Lasso, problem: &Problem, expected: [f64; 11]) {
    let fit = lasso.tolerance(1e-12).fit(problem).unwrap();
    let mut all = [0.0; 11];
    all[0] = fit.intercept;
    fit.coefficients.iter().for_each(|&(j, value)| all[j as usize + 1] = value);
    for (got, expected) in pairs(&all, &expected) {
        assert!((got - expected).abs() <= 1e-5 * expected.abs().max(0.1), "{name}: {all:?}\n{expected:?}");
    }
}

fn scaled(by: f64) -> Vec<(f64, f64)> {
    BOUNDS.map(|(lower, upper)| (lower / by, upper / by)).to_vec()
}

#[test]
fn squared_fits_are_those_of_glmnet() {
    let loss = Loss::Squared;
    let lasso = || Lasso::params().lambda(4.0);
    let weighted = problem(loss).weights(zeros_too()).unwrap();
    compare(
        "weights",
        lasso(),
        &weighted,
        [
            -188.573058,
            0.0,
            -0.6831987521,
            5.341781152,
            0.6668446148,
            0.0,
            0.0,
            -0.7131963526,
            0.0,
            37.06829991,
            0.02028749317,
        ],
    );
    let both = problem(loss).offset(offset(20.0)).unwrap().weights(from_one()).unwrap();
    compare(
        "offset",
        lasso(),
        &both,
        [
            -212.3505705,
            0.0,
            -4.092590168,
            5.506793303,
            0.7500362736,
            0.0,
            0.0,
            -0.6803540366,
            0.0,
            38.23085081,
            0.01186360363,
        ],
    );
    compare(
        "factors",
        lasso().factors(FACTORS.to_vec()),
        &problem(loss),
        [
            -199.1248517,
            0.0,
            -14.97292352,
            4.055059853,
            0.9759715976,
            0.0,
            0.0,
            -0.6759923287,
            2.996538894,
            40.39482813,
            0.08641467633,
        ],
    );
    // glmnet divides the response by its deviation s, so that its ridge is smaller by that factor: for its
    // lambda l and ratio a, ours are l (a + (1 - a) / s) and a / (a + (1 - a) / s).
    let y = diabetes().y;
    let mean = y.iter().sum::<f64>() / 442.0;
    let s = (y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / 442.0).sqrt();
    let total = 0.5 + 0.5 / s;
    let net = Lasso::params().lambda(4.0 * total).l1_ratio(0.5 / total);
    compare(
        "elastic net",
        net.factors(FACTORS.to_vec()),
        &problem(loss),
        [
            -221.8259657,
            0.0,
            -18.66086203,
            4.602614914,
            1.039926855,
            -0.139577393,
            0.0,
            -0.5940168847,
            4.358545406,
            43.05045917,
            0.2186687574,
        ],
    );
    compare(
        "nonnegative",
        lasso().bounds(vec![(0.0, INF); 10]),
        &problem(loss),
        [-283.4125747, 0.0, 0.0, 5.956792176, 0.7384900761, 0.0, 0.0, 0.0, 1.148145205, 43.92238427, 0.0],
    );
    compare(
        "bounds",
        lasso().bounds(BOUNDS.to_vec()),
        &problem(loss),
        [-165.3179864, 0.0, -3.63789216, 4.0, 0.8, 0.0, 0.0, -0.3, 2.0, 30.0, 0.1],
    );
}

#[test]
fn poisson_fits_are_those_of_glmnet() {
    let lasso = || Lasso::params().loss(Loss::Poisson).lambda(0.05);
    let weighted = problem(Loss::Poisson).weights(zeros_too()).unwrap();
    compare(
        "weights",
        lasso(),
        &weighted,
        [
            0.01864235946,
            0.0,
            -0.0983718501,
            0.03233433297,
            0.00582790128,
            -0.004950727561,
            0.004547591872,
            -0.003120710546,
            0.0,
            0.4044479568,
            0.0008758071031,
        ],
    );
    let from = problem(Loss::Poisson).offset(offset(1.0)).unwrap();
    compare(
        "offset",
        lasso(),
        &from,
        [
            -0.9920902636,
            -0.0008799052322,
            -0.1171623399,
            0.04231837599,
            0.008117668311,
            -0.007611396211,
            0.006726155852,
            0.0,
            0.007539355429,
            0.4267510527,
            0.000762957112,
        ],
    );
    let bounded = lasso().factors(FACTORS.to_vec()).bounds(scaled(500.0));
    compare(
        "factors and bounds",
        bounded,
        &problem(Loss::Poisson),
        [1.683306195, 0.0, 0.0, 0.008, 0.0016, 0.002031853, 0.0, -0.0006, 0.004, 0.06, 0.0002],
    );
}

#[test]
fn logistic_fits_are_those_of_glmnet() {
    let lasso = || Lasso::params().loss(Loss::Logistic).lambda(0.02);
    let weighted = problem(Loss::Logistic).weights(zeros_too()).unwrap();
    compare(
        "weights",
        lasso(),
        &weighted,
        [
            -8.845879225,
            0.0,
            -0.4782247789,
            0.1294932061,
            0.01432943535,
            0.0,
            0.0,
            -0.02968717549,
            0.0,
            1.345323561,
            0.0,
        ],
    );
    let both = problem(Loss::Logistic).offset(offset(1.0)).unwrap().weights(from_one()).unwrap();
    compare(
        "offset",
        lasso(),
        &both,
        [
            -9.740082979,
            0.0,
            -0.5272149033,
            0.1308846298,
            0.02201357855,
            0.0,
            0.0,
            -0.03222619014,
            0.0,
            1.308080293,
            0.0,
        ],
    );
    let bounded = lasso().factors(FACTORS.to_vec()).bounds(scaled(100.0));
    compare(
        "factors and bounds",
        bounded,
        &problem(Loss::Logistic),
        [-3.558616544, 0.0, -0.0873388464, 0.04, 0.008, 0.002430679774, 0.0, -0.003, 0.02, 0.3, 0.001],
    );
}

#[test]
fn unpenalized_columns_are_those_of_glmnet() {
    let mut factors = FACTORS.to_vec();
    (factors[0], factors[2]) = (0.0, 0.0);
    let lasso = |loss, lambda| Lasso::params().loss(loss).lambda(lambda).factors(factors.clone());
    compare(
        "squared",
        lasso(Loss::Squared, 4.0),
        &problem(Loss::Squared),
        [
            -237.6935171,
            0.03754639008,
            -12.12488414,
            6.734764686,
            0.7512381,
            -0.04801903088,
            0.0,
            -0.3672885086,
            3.644963125,
            36.54159653,
            0.0,
        ],
    );
    compare(
        "poisson",
        lasso(Loss::Poisson, 0.05),
        &problem(Loss::Poisson),
        [
            0.3011914009,
            0.0003812861169,
            -0.1381460279,
            0.0353779503,
            0.006887985696,
            -0.0004772984067,
            0.0,
            -0.007451372336,
            -0.005485668643,
            0.2862248737,
            0.001215964785,
        ],
    );
    compare(
        "logistic",
        lasso(Loss::Logistic, 0.02),
        &problem(Loss::Logistic),
        [
            -9.883340861,
            0.004065379592,
            -0.6854264504,
            0.1669308354,
            0.02580291311,
            -0.001790344807,
            0.0,
            -0.0290296128,
            0.0,
            1.219066742,
            0.0,
        ],
    );
}

#[test]
fn fits_are_those_of_scikit_learn() {
    let data = diabetes();
    let preparation = Preparation::Standard { intercept: true, standardize: false };
    let plain = Problem::new(data.x, data.y, preparation).unwrap();
    let weighted = plain.clone().weights(zeros_too()).unwrap();
    compare(
        "Lasso, sample_weight",
        Lasso::params().lambda(4.0),
        &weighted,
        [
            -80.54721394362298,
            -0.11641141170601382,
            0.0,
            5.887796222974266,
            0.8988512592734349,
            0.9731424253114646,
            -1.0051857728345084,
            -2.0110688848797094,
            0.0,
            0.0,
            0.33359728713572606,
        ],
    );
    let positive = Lasso::params().lambda(4.0).l1_ratio(0.5).bounds(vec![(0.0, INF); 10]);
    compare(
        "ElasticNet, positive",
        positive,
        &plain,
        [
            -234.51404803006366,
            0.0,
            0.0,
            6.56868881914575,
            1.2326623476346898,
            0.0,
            0.0,
            0.0,
            3.7672916654739304,
            3.0244413820422724,
            0.7380421859603553,
        ],
    );
}
