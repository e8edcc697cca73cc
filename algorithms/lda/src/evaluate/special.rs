//! Differences of digamma and log-gamma at integer distances: exact sums for small counts, the library's
//! functions beyond.

/// Counts up to this are summed term by term.
const SHORT: u32 = 16;

/// Returns digamma(n + x) - digamma(x) = sum over j < n of 1 / (x + j).
pub(crate) fn digamma_step(x: f64, n: u32) -> f64 {
    match n <= SHORT {
        true => (0..n).fold(0.0, |sum, j| sum + 1.0 / (x + f64::from(j))),
        false => digamma(x + f64::from(n)) - digamma(x),
    }
}

/// Returns ln gamma(n + x) - ln gamma(x) = sum over j < n of ln(x + j).
pub(crate) fn gamma_step(x: f64, n: u32) -> f64 {
    match n {
        0 => 0.0,
        1..=4 => libm::log((0..n).fold(1.0, |product, j| product * (x + f64::from(j)))),
        _ => libm::lgamma(x + f64::from(n)) - libm::lgamma(x),
    }
}

/// Returns digamma(x) for x > 0: the recurrence up to 10, then the asymptotic series (Abramowitz and Stegun
/// 6.3.18).
pub(crate) fn digamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < 10.0 {
        below += 1.0 / x;
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let series = r * (1.0 / 12.0 - r * (1.0 / 120.0 - r * (1.0 / 252.0 - r * (1.0 / 240.0 - r / 132.0))));
    libm::log(x) - 0.5 / x - series - below
}

/// [`digamma_step`] and [`gamma_step`] for one x, cached for small counts.
pub(crate) struct Steps {
    x: f64,
    digamma: Vec<f64>,
    gamma: Vec<f64>,
}

impl Steps {
    pub(crate) fn new(x: f64) -> Self {
        let table = |step: fn(f64, u32) -> f64| (0..1024).map(|n| step(x, n)).collect();
        Self { x, digamma: table(digamma_step), gamma: table(gamma_step) }
    }

    pub(crate) fn digamma(&self, n: u32) -> f64 {
        self.digamma.get(n as usize).copied().unwrap_or_else(|| digamma_step(self.x, n))
    }

    pub(crate) fn gamma(&self, n: u32) -> f64 {
        self.gamma.get(n as usize).copied().unwrap_or_else(|| gamma_step(self.x, n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_has_its_known_values() {
        assert!((digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-12);
        assert!((digamma(0.5) + 1.963_510_026_021_423_4).abs() < 1e-12);
        assert!((digamma(1e6) - 13.815_510_057_964_19).abs() < 1e-12);
    }

    #[test]
    fn steps_agree_with_the_functions() {
        for x in [0.01, 0.05, 1.0, 7.5] {
            let steps = Steps::new(x);
            for n in [0u32, 1, 4, 5, 16, 17, 900, 5000] {
                let by_hand: f64 = (0..n).map(|j| 1.0 / (x + f64::from(j))).sum();
                assert!((steps.digamma(n) - by_hand).abs() < 1e-9 * (1.0 + by_hand), "{x} {n}");
                let by_hand: f64 = (0..n).map(|j| (x + f64::from(j)).ln()).sum();
                assert!((steps.gamma(n) - by_hand).abs() < 1e-9 * (1.0 + by_hand.abs()), "{x} {n}");
            }
        }
    }
}
