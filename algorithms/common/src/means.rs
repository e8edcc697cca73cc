//! [`Means`]: the mean over folds of a measure of held-out rows, for each of several settings.

/// Choice of a setting among those of a curve, of which the first is the simplest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// The setting with the best mean (the smallest error or the largest accuracy); among equals the
    /// simplest.
    #[default]
    Min,
    /// The simplest setting whose mean is at most one standard error worse than the best, so not clearly
    /// worse.
    OneSe,
}

impl Rule {
    /// The names that `--rule` accepts, and the rules.
    pub const NAMES: [(&str, Rule); 2] = [("min", Rule::Min), ("1se", Rule::OneSe)];
}

/// A mean over folds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// Mean over all rows held out.
    pub mean: f64,
    /// Standard error of the mean, from the differences between folds; NaN for a single fold.
    pub se: f64,
}

/// Means over folds for each setting, the simplest first, and the settings that the rules choose.
///
/// With K folds that hold out n_k rows, n together, and measures e_k, the mean is m = sum n_k e_k / n and its
/// standard error sqrt(sum n_k (e_k - m)^2 / n / (K - 1)). For equal folds that is the deviation of the K
/// measures over sqrt(K), as in Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning", 2nd
/// edition, 7.10.
#[derive(Debug, Clone, PartialEq)]
pub struct Means {
    /// The mean of each setting, at least one.
    pub points: Vec<Mean>,
    /// -1 where larger is better, else 1: a mean times this is an error, of which the smallest is the best.
    sign: f64,
    min: usize,
    one_se: usize,
}

impl Means {
    /// Means over folds; each fold has the number of its rows and its measure for each setting.
    pub fn new(folds: &[(f64, &[f64])], is_larger_better: bool) -> Self {
        let rows: f64 = folds.iter().map(|(rows, _)| rows).sum();
        let settings = folds.first().map_or(0, |(_, of)| of.len());
        let point = |at: usize| {
            let over_rows = |value: &dyn Fn(f64) -> f64| {
                folds.iter().map(|(rows, of)| rows * value(of[at])).sum::<f64>() / rows
            };
            let mean = over_rows(&|value| value);
            let variance = over_rows(&|value| (value - mean).powi(2)) / (folds.len() as f64 - 1.0);
            Mean { mean, se: variance.sqrt() }
        };
        let points: Vec<Mean> = (0..settings).map(point).collect();
        let sign = if is_larger_better { -1.0 } else { 1.0 };
        let error = |at: usize| sign * points[at].mean;
        let better = |best: usize, at: usize| if error(at) < error(best) { at } else { best };
        let min = (0..points.len()).fold(0, better);
        let bound = points.get(min).map_or(0.0, |point| sign * point.mean + point.se);
        let one_se = (0..points.len()).position(|at| error(at) <= bound).unwrap_or(min);
        Self { points, sign, min, one_se }
    }

    /// Returns the mean of the setting that a rule chooses, signed as an error: the smaller, the better.
    pub fn error(&self, rule: Rule) -> f64 {
        self.sign * self.points[self.position(rule)].mean
    }

    /// Returns the position of the setting that a rule chooses.
    pub fn position(&self, rule: Rule) -> usize {
        match rule {
            Rule::Min => self.min,
            Rule::OneSe => self.one_se,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_over_rows_and_its_error_over_folds() {
        let found = Means::new(&[(1.0, &[4.0, 1.0]), (3.0, &[0.0, 1.0])], false);
        assert_eq!((found.points[0].mean, found.points[1]), (1.0, Mean { mean: 1.0, se: 0.0 }));
        // Deviations -2, -1, 3: variance 14 / 2, over 3 folds.
        let Mean { mean, se } = Means::new(&[(2.0, &[1.0]), (2.0, &[2.0]), (2.0, &[6.0])], false).points[0];
        assert!((mean - 3.0).abs() < 1e-15 && (se - (7.0f64 / 3.0).sqrt()).abs() < 1e-15, "{mean} {se}");
    }

    #[test]
    fn the_rules_choose_the_best_mean_and_the_simplest_near_it() {
        // Means 9, 5.5, 5, 5, 7 with a standard error of 1 each.
        let [a, b] = [[8.0, 4.5, 4.0, 4.0, 6.0], [10.0, 6.5, 6.0, 6.0, 8.0]];
        let chosen = |is_larger_better: bool, of: &dyn Fn(f64) -> f64| {
            let [a, b] = [a.map(of), b.map(of)];
            let means = Means::new(&[(2.0, &a), (2.0, &b)], is_larger_better);
            [Rule::Min, Rule::OneSe].map(|rule| means.position(rule))
        };
        assert_eq!(chosen(false, &|value| value), [2, 1]);
        assert_eq!(chosen(true, &|value| 1.0 - value), [2, 1]);
        assert_eq!(chosen(true, &|value| value), [0, 0]);
    }
}
