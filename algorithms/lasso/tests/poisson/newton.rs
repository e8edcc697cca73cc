//! A naive proximal Newton method for the Poisson elastic net: full steps of coordinate descent on weighted
//! least squares.

#![allow(clippy::needless_range_loop, reason = "the method as it is written down")]

/// Returns the intercept, and the coefficients on the scale of `columns`, that minimise the mean of exp f_i -
/// y_i f_i plus lambda (a |b|_1 + (1 - a)/2 |b|^2), with f = b_0 + X b. Each coefficient j is penalised as
/// that of the column divided by `scales[j]`. Steps are halved until the objective falls.
pub(crate) fn solve(
    columns: &[Vec<f64>],
    y: &[f64],
    (scales, intercept): (&[f64], bool),
    (lambda, a): (f64, f64),
) -> (f64, Vec<f64>) {
    let n = y.len();
    let x = |i: usize, j: usize| columns[j][i] / scales[j];
    let p = columns.len();
    let scores = |b0: f64, b: &[f64]| -> Vec<f64> {
        (0..n).map(|i| b0 + (0..p).map(|j| x(i, j) * b[j]).sum::<f64>()).collect()
    };
    let objective = |b0: f64, b: &[f64]| -> f64 {
        let loss: f64 = scores(b0, b).iter().zip(y).map(|(f, y)| f.exp() - y * f).sum();
        let penalty: f64 = b.iter().map(|b| a * b.abs() + (1.0 - a) / 2.0 * b * b).sum();
        loss / n as f64 + lambda * penalty
    };
    let (mut b0, mut b) =
        (if intercept { (y.iter().sum::<f64>() / n as f64).ln() } else { 0.0 }, vec![0.0; p]);
    for _ in 0..200 {
        let f = scores(b0, &b);
        let w: Vec<f64> = f.iter().map(|f| f.exp()).collect();
        // Residuals of the working response z = f + (y - w) / w.
        let mut r: Vec<f64> = (0..n).map(|i| (y[i] - w[i]) / w[i]).collect();
        let (mut c0, mut c) = (b0, b.clone());
        for _ in 0..20_000 {
            let mut moved = 0.0f64;
            for j in 0..p {
                let curvature: f64 = (0..n).map(|i| w[i] * x(i, j) * x(i, j)).sum::<f64>() / n as f64;
                let slope: f64 = (0..n).map(|i| w[i] * x(i, j) * r[i]).sum::<f64>() / n as f64;
                let z = slope + curvature * c[j];
                let after = z.signum() * (z.abs() - lambda * a).max(0.0) / (curvature + lambda * (1.0 - a));
                let step = after - c[j];
                c[j] = after;
                (0..n).for_each(|i| r[i] -= x(i, j) * step);
                moved = moved.max(step.abs());
            }
            if intercept {
                let step = (0..n).map(|i| w[i] * r[i]).sum::<f64>() / w.iter().sum::<f64>();
                c0 += step;
                r.iter_mut().for_each(|r| *r -= step);
                moved = moved.max(step.abs());
            }
            if moved < 1e-13 {
                break;
            }
        }
        let (before, mut length) = (objective(b0, &b), 1.0);
        let at = |length: f64| -> (f64, Vec<f64>) {
            (b0 + length * (c0 - b0), b.iter().zip(&c).map(|(b, c)| b + length * (c - b)).collect())
        };
        let mut next = at(length);
        while objective(next.0, &next.1) > before + 1e-14 * before.abs() && length > 1e-10 {
            length /= 2.0;
            next = at(length);
        }
        let moved = next.1.iter().zip(&b).map(|(c, b)| (c - b).abs()).fold((next.0 - b0).abs(), f64::max);
        (b0, b) = next;
        if moved < 1e-11 {
            break;
        }
    }
    (b0, b.iter().zip(scales).map(|(b, scale)| b / scale).collect())
}
