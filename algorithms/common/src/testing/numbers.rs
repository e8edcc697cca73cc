//! [`Numbers`]: a generator of numbers for tests.

/// A small generator of numbers in [-1, 1): the same seed always gives the same numbers.
#[derive(Debug, Clone)]
pub struct Numbers(pub u64);

impl Numbers {
    /// Returns the next number.
    #[expect(clippy::should_implement_trait, reason = "it has no end")]
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Returns the next `count` numbers.
    pub fn many(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.next()).collect()
    }
}
