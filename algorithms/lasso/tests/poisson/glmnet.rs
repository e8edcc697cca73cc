//! Coefficients of glmnet on a published set.
//!
//! The set is `warpbreaks` of R's package datasets: breaks of warp threads per loom by wool and tension
//! (Tippett, "Technological Applications of Statistics", 1950). Columns are those of `model.matrix(breaks ~
//! wool * tension)` without the first. The references were computed by glmnet 4.1-6 (Friedman, Hastie and
//! Tibshirani, "Regularization paths for generalized linear models via coordinate descent", 2010) on R 4.2.2,
//! as `coef(glmnet(x, breaks, family = "poisson", alpha = a, lambda = c(2, 0.5, 0.1), standardize = s, thresh
//! = 1e-22, maxit = 1e7))`.

use raddle_lasso::{Lasso, Loss, Preparation, Problem};

use raddle_common::testing::pairs;

use crate::common::dense;

const BREAKS: [u32; 54] = [
    26, 30, 54, 25, 70, 52, 51, 26, 67, 18, 21, 29, 17, 12, 18, 35, 30, 36, 36, 21, 24, 18, 10, 43, 28, 15,
    26, 27, 14, 29, 19, 29, 31, 41, 20, 44, 42, 26, 19, 16, 39, 28, 21, 39, 29, 20, 21, 24, 17, 13, 15, 15,
    16, 28,
];

/// (a, s, lambda), then the intercept and the coefficients.
const FITS: [((f64, bool, f64), [f64; 6]); 12] = [
    ((1.0, true, 2.0), [3.4487402934, -0.0474318098, -0.0505440365, -0.2006834522, 0.0, -0.0543236097]),
    ((1.0, true, 0.5), [3.6810782627, -0.2712454639, -0.4027173808, -0.4467347928, 0.3128626453, 0.0]),
    (
        (1.0, true, 0.1),
        [3.7668274279, -0.4005860910, -0.5678910997, -0.5454744710, 0.5534527821, 0.0999277486],
    ),
    ((1.0, false, 2.0), [3.3459978323, 0.0, 0.0, -0.0257695132, 0.0, 0.0]),
    ((1.0, false, 0.5), [3.5731727975, -0.1344125276, -0.1799948148, -0.3655087127, 0.0, 0.0]),
    ((1.0, false, 0.1), [3.7307432554, -0.3339663002, -0.5038992609, -0.4881113262, 0.4456559509, 0.0]),
    (
        (0.5, true, 2.0),
        [3.5586058018, -0.1137088605, -0.1804509664, -0.3195464886, 0.0138369408, -0.0771154563],
    ),
    ((0.5, true, 0.5), [3.7169167690, -0.3187661466, -0.4777618652, -0.4746346605, 0.4165184672, 0.0]),
    (
        (0.5, true, 0.1),
        [3.7787273083, -0.4233039915, -0.5875576490, -0.5657811423, 0.5869916197, 0.1367548258],
    ),
    ((0.5, false, 2.0), [3.4230552865, -0.0553118826, -0.0137612897, -0.1698785538, 0.0, 0.0]),
    ((0.5, false, 0.5), [3.6430923790, -0.2263393722, -0.3189730248, -0.4127916572, 0.1973792086, 0.0]),
    (
        (0.5, false, 0.1),
        [3.7486960101, -0.3678030931, -0.5334677535, -0.5168596486, 0.4964552461, 0.0516958685],
    ),
];

/// glmnet's largest lambda, for a = 1 and s = true.
const LAMBDA_MAX: f64 = 4.583099507691;

/// Wool in the order of rows A, B; within each, tension L, M, H, nine rows each.
fn columns() -> Vec<Vec<f64>> {
    let of = |is: &dyn Fn(usize, usize) -> bool| -> Vec<f64> {
        (0..54).map(|row| f64::from(u8::from(is(row / 27, row / 9 % 3)))).collect()
    };
    vec![
        of(&|wool, _| wool == 1),
        of(&|_, tension| tension == 1),
        of(&|_, tension| tension == 2),
        of(&|wool, tension| wool == 1 && tension == 1),
        of(&|wool, tension| wool == 1 && tension == 2),
    ]
}

#[test]
fn fits_are_those_of_glmnet() {
    let y: Vec<f64> = BREAKS.iter().map(|&count| f64::from(count)).collect();
    for ((a, standardize, lambda), expected) in FITS {
        let preparation = Preparation::Standard { intercept: true, standardize };
        let problem = Problem::new(dense(&columns()), y.clone(), preparation).unwrap();
        let lasso = Lasso::params().loss(Loss::Poisson).l1_ratio(a).lambda(lambda).tolerance(1e-12);
        let fit = lasso.fit(&problem).unwrap();
        let mut all = [0.0; 6];
        all[0] = fit.intercept;
        fit.coefficients.iter().for_each(|&(j, value)| all[j as usize + 1] = value);
        for (got, expected) in pairs(&all, &expected) {
            assert!((got - expected).abs() < 1e-6, "a {a}, s {standardize}, lambda {lambda}: {all:?}");
        }
        if a == 1.0 && standardize {
            assert!((fit.lambda_max - LAMBDA_MAX).abs() < 1e-9, "{}", fit.lambda_max);
        }
    }
}
