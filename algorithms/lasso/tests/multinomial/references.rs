//! Coefficients of glmnet and scikit-learn on the diabetes data, the response in three classes: up to 100, up
//! to 180, above.
//!
//! glmnet 4.1-6 (Friedman, Hastie and Tibshirani, "Regularization paths for generalized linear models via
//! coordinate descent", 2010) on R 4.2.2, as `coef(glmnet(x, c, family = "multinomial", type.multinomial =
//! "ungrouped", weights, penalty.factor, lower.limits, upper.limits, lambda = c(4 l, 2 l, l), thresh = 1e-20,
//! maxit = 1e8), s = l)` with l = 0.02. glmnet divides factors by their mean, so that its lambda is ours
//! times that mean. scikit-learn 1.9.1: `LogisticRegression(C=1/(l n), l1_ratio=a, solver="saga", tol=1e-14)`
//! on columns less their (weighted) means, divided by their population deviations; coefficients were
//! converted back, and the mean was subtracted from the intercepts.

use raddle_datasets::embedded::diabetes;
use raddle_lasso::{Lasso, Loss, Preparation, Problem};

use super::exported;
use raddle_common::testing::pairs;

const INF: f64 = f64::INFINITY;

const FACTORS: [f64; 10] = [1.0, 0.5, 2.0, 1.0, 1.0, 3.0, 1.0, 0.25, 1.0, 1.0];

const BOUNDS: [(f64, f64); 10] = [
    (-INF, 0.02),
    (-0.2, 0.2),
    (0.0, 0.06),
    (-0.02, 0.02),
    (-INF, INF),
    (-INF, 0.005),
    (-0.02, 0.0),
    (0.0, 1.0),
    (0.0, 2.0),
    (-INF, 0.01),
];

/// Intercept and coefficients of each class.
type Classes = [[f64; 11]; 3];

const PLAIN: Classes = [
    [
        6.980905504,
        0.0,
        0.1614873913,
        -0.05940987898,
        -0.01124253105,
        0.0,
        0.0,
        0.02694068501,
        0.0,
        -0.9679705688,
        0.0,
    ],
    [1.723851992, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [-8.704757496, 0.0, -0.1711281102, 0.1260899365, 0.02729051264, 0.0, 0.0, 0.0, 0.0, 0.9744393229, 0.0],
];

const WEIGHTED: Classes = [
    [
        6.246573559,
        0.0,
        0.1550532525,
        -0.02762442509,
        -0.004364545981,
        0.0,
        0.0,
        0.02925187652,
        -0.08335983075,
        -1.008600989,
        0.0,
    ],
    [2.151131471, 0.001659363854, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [
        -8.39770503,
        -0.005072983259,
        -0.2429974045,
        0.1430155798,
        0.02524300779,
        5.977683402e-05,
        0.0003565364347,
        0.0,
        0.06646633428,
        0.8792894713,
        0.003225471979,
    ],
];

const FACTORED: Classes = [
    [
        6.308448818,
        0.0,
        0.3165368263,
        -0.01923882744,
        -0.01502881088,
        0.0,
        0.0,
        0.02858851317,
        -0.0567190068,
        -0.995537375,
        0.0,
    ],
    [1.682979286, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [
        -7.991428104,
        0.0,
        -0.3378004405,
        0.09610669362,
        0.02986671608,
        0.0,
        0.0,
        0.0,
        0.07600365344,
        0.9210090386,
        0.0,
    ],
];

const UNPENALIZED: Classes = [
    [
        8.89299952,
        0.0,
        0.254012056,
        -0.113869814,
        -0.007749267541,
        0.0005356963236,
        0.0,
        0.02281291932,
        0.0,
        -1.282107253,
        0.0,
    ],
    [1.620448629, 0.0, 0.0, -0.01869029393, 0.0, 0.0, 0.0, 0.0, 0.0, 0.02073147436, 0.0],
    [-10.51344815, 0.0, -0.2824948924, 0.1325601079, 0.02594719237, 0.0, 0.0, 0.0, 0.0, 1.261375779, 0.0],
];

const BOUNDED: Classes = [
    [5.964338246, 0.0, 0.1013256406, 0.0, -0.02, 0.0, 0.0, 0.0, 0.0, 0.0, -0.004768755659],
    [1.628248345, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.01917503157, 0.0, 0.7079104449, 0.0],
    [-7.592586592, 0.0, -0.1828505458, 0.06, 0.02, 0.0, 0.0, -0.02, 0.0, 1.977643139, 0.0],
];

const NONNEGATIVE: Classes = [
    [5.379883797, 0.0, 0.1961137064, 0.0, 0.0, 0.0, 0.0, 0.03122826684, 0.0, 0.0, 0.0],
    [
        2.916157661,
        0.002829897031,
        0.0,
        0.02763144554,
        0.003817604012,
        0.0,
        0.0,
        0.0,
        0.0,
        0.6911721986,
        0.0006073822782,
    ],
    [-8.296041458, 0.0, 0.0, 0.1645064784, 0.03344857335, 0.0, 0.0, 0.0, 0.0, 1.717709049, 0.0],
];

/// Reference values from scikit-learn.
const SAGA: Classes = [
    [
        6.980905504,
        0.0,
        0.1614873912,
        -0.05940987899,
        -0.01124253104,
        0.0,
        0.0,
        0.02694068501,
        0.0,
        -0.9679705688,
        0.0,
    ],
    [1.723851992, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [-8.704757496, 0.0, -0.1711281103, 0.1260899365, 0.02729051264, 0.0, 0.0, 0.0, 0.0, 0.9744393229, 0.0],
];

const SAGA_WEIGHTED: Classes = [
    [
        6.24657356,
        0.0,
        0.1550532524,
        -0.0276244251,
        -0.004364545987,
        0.0,
        0.0,
        0.02925187651,
        -0.08335983084,
        -1.00860099,
        0.0,
    ],
    [2.15113147, 0.001659363843, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [
        -8.39770503,
        -0.005072983265,
        -0.2429974045,
        0.1430155798,
        0.02524300779,
        5.977683666e-05,
        0.0003565364305,
        0.0,
        0.06646633433,
        0.8792894711,
        0.003225471978,
    ],
];

fn problem() -> Problem {
    let data = diabetes();
    let class = |y: &f64| {
        if *y <= 100.0 {
            0.0
        } else if *y <= 180.0 {
            1.0
        } else {
            2.0
        }
    };
    let y = data.y.iter().map(class).collect();
    Problem::new(data.x, y, Preparation::default()).unwrap()
}

/// Compares each value to within 1e-5 of itself, or of the largest of its kind.
fn compare(name: &str, lasso: Lasso, problem: &Problem, expected: Classes) {
    let fit = lasso.loss(Loss::Multinomial).lambda(0.02).tolerance(1e-12).fit(problem).unwrap();
    let found = exported(&fit, 10);
    for ((intercept, found), expected) in pairs(&found, &expected) {
        assert!(
            (intercept - expected[0]).abs() <= 1e-5 * expected[0].abs(),
            "{name}: {intercept} {expected:?}"
        );
        for (found_one, expected_one) in pairs(found, &expected[1..]) {
            let near = 1e-5 * expected_one.abs().max(0.01);
            assert!((found_one - expected_one).abs() <= near, "{name}: {found:?}\n{expected:?}");
        }
    }
}

#[test]
fn fits_are_those_of_glmnet() {
    let weights: Vec<f64> = (0..442).map(|row| f64::from(row % 3)).collect();
    compare("plain", Lasso::params(), &problem(), PLAIN);
    let weighted = problem().weights(weights).unwrap();
    compare("weights, elastic net", Lasso::params().l1_ratio(0.5), &weighted, WEIGHTED);
    compare("factors", Lasso::params().factors(FACTORS.to_vec()), &problem(), FACTORED);
    let mut free = FACTORS.to_vec();
    (free[2], free[8]) = (0.0, 0.0);
    compare("unpenalized", Lasso::params().factors(free), &problem(), UNPENALIZED);
    compare("bounds", Lasso::params().bounds(BOUNDS.to_vec()), &problem(), BOUNDED);
    compare("nonnegative", Lasso::params().bounds(vec![(0.0, INF); 10]), &problem(), NONNEGATIVE);
}

#[test]
fn fits_are_those_of_scikit_learn() {
    compare("l1", Lasso::params(), &problem(), SAGA);
    let weighted = problem().weights((0..442).map(|row| f64::from(row % 3)).collect()).unwrap();
    compare("weights, elastic net", Lasso::params().l1_ratio(0.5), &weighted, SAGA_WEIGHTED);
}
