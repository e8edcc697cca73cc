//! [`Factored`]: a Cholesky factor of a matrix whose rows may be linearly dependent.

/// A Cholesky factor that leaves out rows that depend on earlier rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Factored {
    l: Vec<Vec<f64>>,
    kept: Vec<bool>,
}

raddle::state!(Factored { l, kept });

impl Factored {
    /// Factor of the matrix with these elements, i >= j.
    pub(crate) fn new(count: usize, product: impl Fn(usize, usize) -> f64) -> Self {
        let (mut l, mut kept) = (vec![vec![0.0; count]; count], vec![false; count]);
        for i in 0..count {
            let own = product(i, i);
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
                let rest = if i == j { own } else { product(i, j) } - sum;
                if i == j {
                    kept[i] = rest > 1e-12 * own && rest.is_finite();
                    l[i][i] = if kept[i] { rest.sqrt() } else { 1.0 };
                } else if kept[j] {
                    l[i][j] = rest / l[j][j];
                }
            }
            if !kept[i] {
                l[i][..i].fill(0.0);
            }
        }
        Self { l, kept }
    }

    /// The inverse of the factor times these values.
    pub(crate) fn half(&self, values: &[f64]) -> Vec<f64> {
        let mut half: Vec<f64> =
            values.iter().zip(&self.kept).map(|(value, kept)| if *kept { *value } else { 0.0 }).collect();
        for i in 0..half.len() {
            let sum: f64 = (0..i).map(|k| self.l[i][k] * half[k]).sum();
            half[i] = (half[i] - sum) / self.l[i][i];
        }
        half
    }

    /// Returns the solution for these values, if there is one.
    pub(crate) fn solved(&self, values: &[f64]) -> Option<Vec<f64>> {
        let mut step = self.half(values);
        for i in (0..step.len()).rev() {
            let sum: f64 = (i + 1..step.len()).map(|k| self.l[k][i] * step[k]).sum();
            step[i] = (step[i] - sum) / self.l[i][i];
        }
        (self.kept.contains(&true) && step.iter().all(|step| step.is_finite())).then_some(step)
    }
}
