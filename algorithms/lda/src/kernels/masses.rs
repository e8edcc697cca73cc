//! [`Masses`]: sums of alpha_k f_k over topics, from which a topic is drawn.
//!
//! Sums are kept in `f64`, and what changes is added as the difference of two `f32`: adding and taking away leaves next
//! to nothing behind, however often it is done.

use super::lanes::{LANES, Lanes, Sixteen};
use super::word::Weights;

/// A level of sums is not summed up further if it has at most so many.
const TOP: usize = 4 * LANES;

/// The weights f_k of all topics, and sums of alpha_k f_k: of each sixteen topics, of each sixteen of these sums, and so
/// on up to a level of at most [`TOP`].
#[derive(Clone, Debug)]
pub(super) struct Masses {
    weights: Vec<f32>,
    alphas: Vec<f32>,
    /// The levels behind each other, the lowest first, each filled up with zeros to a multiple of sixteen.
    sums: Vec<f64>,
    /// Where each level begins; one more, which is where all end.
    levels: Vec<usize>,
    total: f64,
    topics: usize,
}

impl Masses {
    /// Of so many topics with these alphas and without weights. `names`, a multiple of sixteen, is at least their
    /// number.
    pub(super) fn new(alphas: &[f64], names: usize) -> Self {
        let mut all = vec![0.0; names];
        all.iter_mut().zip(alphas).for_each(|(to, &alpha)| *to = alpha as f32);
        let (mut levels, mut width) = (vec![0], names / LANES);
        loop {
            let filled = width.next_multiple_of(LANES);
            levels.push(levels[levels.len() - 1] + filled);
            if width <= TOP {
                break;
            }
            width = width.div_ceil(LANES);
        }
        let sums = vec![0.0; levels[levels.len() - 1]];
        Self { weights: vec![0.0; names], alphas: all, sums, levels, total: 0.0, topics: alphas.len() }
    }

    /// f of every topic.
    #[inline(always)]
    pub(super) fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Sum of alpha_k f_k, if a topic weighed so much.
    #[inline(always)]
    pub(super) fn total_if(&self, topic: usize, weight: f32) -> f32 {
        let alpha = self.alphas[topic];
        (self.total + (f64::from(alpha * weight) - f64::from(alpha * self.weights[topic]))) as f32
    }

    /// Sum of alpha_k f_k.
    #[inline(always)]
    pub(super) fn total(&self) -> f32 {
        self.total as f32
    }

    /// The topic at `point`, from 0 to below the total.
    #[inline(always)]
    pub(super) fn draw<L: Lanes>(&self, mut point: f32) -> usize {
        let mut level = self.levels.len() - 2;
        let (top, end) = (self.levels[level], self.levels[level + 1]);
        // At the top, the sixteen into which the point falls; rounding may have led past the last with mass.
        let (mut at, mut mass) = (0, 0.0);
        for (number, sums) in self.sums[top..end].as_chunks::<LANES>().0.iter().enumerate() {
            let sum = L::narrow(sums).running().last();
            if sum > 0.0 {
                if mass > 0.0 {
                    point -= mass;
                }
                (at, mass) = (number, sum);
                if point < sum {
                    break;
                }
            }
        }
        let mut sums = L::narrow(sixteen(&self.sums[top..], at)).running();
        loop {
            let (lane, left) = child(sums, point);
            (at, point) = (at * LANES + lane, left);
            if level == 0 {
                break;
            }
            level -= 1;
            sums = L::narrow(sixteen(&self.sums[self.levels[level]..], at)).running();
        }
        let leaves = L::load(sixteen(&self.weights, at)).mul(L::load(sixteen(&self.alphas, at)));
        // A topic that is only there to fill a line up is reached by rounding alone.
        (at * LANES + child(leaves.running(), point).0).min(self.topics - 1)
    }
}

impl Weights for Masses {
    #[inline(always)]
    fn set(&mut self, topic: usize, weight: f32) -> f64 {
        let alpha = self.alphas[topic];
        let before = std::mem::replace(&mut self.weights[topic], weight);
        let change = f64::from(alpha * weight) - f64::from(alpha * before);
        self.sums[topic / LANES] += change;
        if self.levels.len() > 2 {
            let mut at = topic / LANES;
            for &start in &self.levels[1..self.levels.len() - 1] {
                at /= LANES;
                self.sums[start + at] += change;
            }
        }
        change
    }

    #[inline(always)]
    fn add(&mut self, change: f64) {
        self.total += change;
    }
}

/// The sixteen values of this number.
#[inline(always)]
fn sixteen<T>(values: &[T], number: usize) -> &[T; LANES] {
    let lines = values.as_chunks::<LANES>().0;
    &lines[number.min(lines.len() - 1)]
}

/// The lane into which `point` falls, given running sums, and what is left of it within that lane.
#[inline(always)]
fn child<L: Lanes>(sums: L, point: f32) -> (usize, f32) {
    let all = sums.last();
    let point = if point < all { point } else { all.next_down() };
    let lane = sums.at_most(point).min(LANES - 1);
    let mut stored = Sixteen::default();
    sums.store(&mut stored);
    (lane, if lane > 0 { point - stored.0[lane - 1] } else { point })
}

#[cfg(test)]
mod tests {
    use super::super::lanes::Portable;
    use super::*;

    #[test]
    fn topics_are_drawn_at_the_points_of_their_masses() {
        for topics in [1, 16, 17, 300, 1024, 1025, 20_000, 65_536usize] {
            let alphas: Vec<f64> = (0..topics).map(|k| 0.1 + (k % 5) as f64).collect();
            let mut masses = Masses::new(&alphas, topics.next_power_of_two().max(16));
            // Weights that rise and fall leave no trace.
            for turn in [1e4, 3.0, 1.0] {
                (0..topics).for_each(|k| {
                    let change = masses.set(k, turn * (1 + k * 7 % 3) as f32);
                    masses.add(change);
                });
            }
            let mass = |k: usize| f64::from(alphas[k] as f32 * (1 + k * 7 % 3) as f32);
            let all: f64 = (0..topics).map(mass).sum();
            assert!((f64::from(masses.total()) / all - 1.0).abs() < 1e-6);
            let (mut sum, mut off) = (0.0, 0);
            for topic in 0..topics {
                let point = (sum + mass(topic) / 2.0) as f32;
                // Single precision may miss by a neighbour where there are many.
                let drawn = masses.draw::<Portable>(point);
                assert!(drawn.abs_diff(topic) <= topics / 1000, "{topic} of {topics}: {drawn}");
                off += usize::from(drawn != topic);
                sum += mass(topic);
            }
            assert!(off <= topics / 100, "{off} of {topics}");
            assert!(masses.draw::<Portable>(2.0 * all as f32) < topics);
        }
    }
}
