//! [`Weights`]: importance sampling in logarithmic time.

use crate::base::random::Stream;

/// Nonnegative weights from which positions are drawn with probability proportional to weight plus base
/// weight.
///
/// A sum tree: setting a weight and drawing cost `log2 n` steps. Each inner node is the sum of its two
/// children, recomputed, so nothing drifts. The base weight is a fraction of the mean of the nonzero weights,
/// the same for every position: nothing starves (STRADS's eta).
#[derive(Debug, Clone)]
pub struct Weights {
    count: usize,
    /// The first leaf; leaves beyond `count` stay zero.
    leaves: usize,
    tree: Vec<f64>,
    nonzero: usize,
    base: f64,
}

impl Weights {
    /// Makes `count` zero weights with a base weight of `base` times the mean of the nonzero weights.
    pub fn new(count: usize, base: f64) -> Self {
        let leaves = count.max(1).next_power_of_two();
        Self { count, leaves, tree: vec![0.0; 2 * leaves], nonzero: 0, base }
    }

    /// Returns the weight at a position, without the base weight.
    pub fn get(&self, position: usize) -> f64 {
        self.tree[self.leaves + position]
    }

    /// Sets the weight at a position; a weight that is not a positive finite number counts as 0.
    pub fn set(&mut self, position: usize, weight: f64) {
        let weight = if weight.is_finite() && weight > 0.0 { weight } else { 0.0 };
        let mut node = self.leaves + position;
        self.nonzero = self.nonzero + usize::from(weight > 0.0) - usize::from(self.tree[node] > 0.0);
        self.tree[node] = weight;
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node] + self.tree[2 * node + 1];
        }
    }

    /// Draws a position; `None` if there are no positions.
    pub fn draw(&self, stream: &mut Stream) -> Option<usize> {
        if self.count == 0 {
            return None;
        }
        let total = self.tree[1];
        if self.nonzero == 0 || !total.is_finite() || total <= 0.0 {
            return Some(stream.below(self.count));
        }
        let base = self.base * (total / self.nonzero as f64) * self.count as f64;
        let mut point = stream.unit() * (total + base);
        if point >= total {
            return Some(stream.below(self.count));
        }
        let mut node = 1;
        while node < self.leaves {
            let left = self.tree[2 * node];
            // Rounding may leave the point just beyond the last positive leaf: never step into an empty half.
            let go_right = point >= left && self.tree[2 * node + 1] > 0.0;
            if go_right {
                point -= left;
            }
            node = 2 * node + usize::from(go_right);
        }
        Some((node - self.leaves).min(self.count - 1))
    }

    /// Returns all weights in order, without the base weight.
    pub fn as_slice(&self) -> &[f64] {
        &self.tree[self.leaves..self.leaves + self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_common::testing::pairs;

    #[test]
    fn positions_are_drawn_in_proportion() {
        let mut weights = Weights::new(5, 0.1);
        for (position, weight) in [0.0, 1.0, 2.0, 0.0, 7.0].into_iter().enumerate() {
            weights.set(position, weight);
        }
        let (draws, mut counts, mut stream) = (200_000, [0usize; 5], Stream::new(&[1]));
        for _ in 0..draws {
            counts[weights.draw(&mut stream).unwrap()] += 1;
        }
        // The mean of the nonzero weights is 10/3, so every position gets 1/3 more.
        for (count, weight) in pairs(counts, [0.0, 1.0, 2.0, 0.0, 7.0]) {
            let expected = (weight + 1.0 / 3.0) / (10.0 + 5.0 / 3.0) * draws as f64;
            assert!((count as f64 - expected).abs() < 5.0 * expected.sqrt(), "{count} against {expected}");
        }
    }

    #[test]
    fn without_weights_every_position_is_equally_likely() {
        let (weights, mut stream) = (Weights::new(3, 0.01), Stream::new(&[2]));
        let mut counts = [0usize; 3];
        for _ in 0..3000 {
            counts[weights.draw(&mut stream).unwrap()] += 1;
        }
        assert!(counts.iter().all(|&count| count > 800));
        assert_eq!(Weights::new(0, 0.01).draw(&mut stream), None);
    }
}
