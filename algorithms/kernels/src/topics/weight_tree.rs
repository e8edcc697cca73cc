//! [`WeightTree`]: sums of alpha_k f_k over topics, from which a topic is drawn.
//!
//! Sums are kept in `f64`, and changes are added as differences of two `f32`, so that repeated additions and
//! subtractions leave almost no rounding error.

use super::lanes::{FloatLine, LANES, Lanes};
use super::names::{Name, Names, Table};
use super::row::{SHORT, locate};
use super::word::Weights;

/// A level with at most this number of sums is the top level.
const TOP: usize = 4 * LANES;

/// The buffers of [`WeightTree`].
pub(super) struct Sums {
    names: Names,
    weights: Vec<f32>,
    alphas: Vec<f32>,
    /// The levels one after another, the lowest first, each padded with zeros to a multiple of sixteen.
    sums: Vec<f64>,
    /// Start of each level, and the end of the last.
    levels: Vec<usize>,
    topics: usize,
    /// Lane sums up to and including each sixteen of the top level.
    running: [FloatLine; SHORT],
}

impl Sums {
    /// Buffers for topics with these alphas, and without weights.
    pub(super) fn new(alphas: &[f64]) -> Self {
        let names = Names::of(alphas.len());
        let mut all = vec![0.0; names.count()];
        all.iter_mut().zip(alphas).for_each(|(to, &alpha)| *to = alpha as f32);
        let (mut levels, mut width) = (vec![0], names.count() / LANES);
        loop {
            let filled = width.next_multiple_of(LANES);
            levels.push(levels[levels.len() - 1] + filled);
            if width <= TOP {
                break;
            }
            width = width.div_ceil(LANES);
        }
        let (weights, sums) = (vec![0.0; names.count()], vec![0.0; levels[levels.len() - 1]]);
        let running = [FloatLine::default(); SHORT];
        Self { names, weights, alphas: all, sums, levels, topics: alphas.len(), running }
    }

    /// Returns the tree, without weights yet.
    #[inline(always)]
    pub(super) fn tree(&mut self) -> WeightTree<'_> {
        let Self { names, weights, alphas, sums, levels, topics, running } = self;
        let (weights, alphas) = (Table::new(weights, *names), Table::new(alphas, *names));
        WeightTree { names: *names, weights, alphas, sums, levels, total: 0.0, topics: *topics, running }
    }
}

/// The weights f_k of all topics, and sums of alpha_k f_k: of each sixteen topics, of each sixteen of these
/// sums, and so on up to a level of at most [`TOP`].
pub(super) struct WeightTree<'a> {
    names: Names,
    weights: Table<'a, f32>,
    alphas: Table<'a, f32>,
    sums: &'a mut [f64],
    levels: &'a [usize],
    total: f64,
    topics: usize,
    running: &'a mut [FloatLine; SHORT],
}

impl WeightTree<'_> {
    /// Returns the weight f of every topic.
    #[inline(always)]
    pub(super) fn weights(&self) -> &[f32] {
        self.weights.all()
    }

    /// Returns the sum of alpha_k f_k if a topic had this weight.
    #[inline(always)]
    pub(super) fn total_if(&self, topic: Name, weight: f32) -> f32 {
        self.total as f32 + self.alphas[topic] * (weight - self.weights[topic])
    }

    /// Returns the sum of alpha_k f_k.
    #[inline(always)]
    pub(super) fn total(&self) -> f32 {
        self.total as f32
    }

    /// Returns the topic at `point`, from 0 to below the total, if the topic `of` had this weight.
    #[inline(always)]
    pub(super) fn draw_if<L: Lanes>(&mut self, of: Name, weight: f32, point: f32) -> Name {
        let alpha = self.alphas[of];
        let change = f64::from(alpha * weight) - f64::from(alpha * self.weights[of]);
        let mut level = self.levels.len() - 2;
        let (tops, number) =
            (&self.sums[self.levels[level]..], of.number() >> (LANES.ilog2() as usize * (level + 1)));
        let tops = tops.as_chunks::<LANES>().0;
        let changed = (tops[number / LANES][number % LANES] + change) as f32;
        let (mut sums, number) = (L::zero(), L::number(number as u32));
        for (at, (top, running)) in tops.iter().zip(&mut *self.running).enumerate() {
            sums = sums.add(L::narrow(top).with(at, number, changed));
            sums.store(running);
        }
        let (mut at, mut point) = locate(&self.running[..], sums.running(), point, tops.len());
        while level > 0 {
            level -= 1;
            let (lane, left) = child(self.children::<L>(level, at, of, change).running(), point);
            (at, point) = (at * LANES + lane, left);
        }
        let weights =
            L::load(sixteen(self.weights.all(), at)).with(at, L::number(of.number() as u32), weight);
        let leaves = weights.mul(L::load(sixteen(self.alphas.all(), at)));
        // A topic that only pads a line can be reached only by rounding.
        let topic = (at * LANES + child(leaves.running(), point).0).min(self.topics - 1);
        self.names.name(topic as u32)
    }

    /// Returns the topic at `point`, from 0 to below the total.
    #[inline(always)]
    pub(super) fn draw<L: Lanes>(&mut self, point: f32) -> Name {
        let first = self.names.name(0);
        self.draw_if::<L>(first, self.weights[first], point)
    }

    /// Returns sixteen sums of a level, if the sum of a topic had changed. The change is added in registers:
    /// a value that was just stored alone could not be loaded with the others.
    #[inline(always)]
    fn children<L: Lanes>(&self, level: usize, at: usize, topic: Name, change: f64) -> L {
        let sums = &self.sums[self.levels[level]..self.levels[level + 1]];
        let number = topic.number() >> (LANES.ilog2() as usize * (level + 1));
        let changed = (sums[number] + change) as f32;
        L::narrow(sixteen(sums, at)).with(at, L::number(number as u32), changed)
    }
}

impl Weights for WeightTree<'_> {
    #[inline(always)]
    fn set(&mut self, topic: Name, weight: f32) -> f64 {
        let alpha = self.alphas[topic];
        let before = std::mem::replace(&mut self.weights[topic], weight);
        let change = f64::from(alpha * weight) - f64::from(alpha * before);
        let mut at = topic.number() / LANES;
        self.sums[at] += change;
        if self.levels.len() > 2 {
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

/// Returns the sixteen values with this number.
#[inline(always)]
fn sixteen<T>(values: &[T], number: usize) -> &[T; LANES] {
    let lines = values.as_chunks::<LANES>().0;
    &lines[number.min(lines.len() - 1)]
}

/// Returns the lane into which `point` falls, given running sums, and the rest of the point within that lane.
#[inline(always)]
fn child<L: Lanes>(sums: L, point: f32) -> (usize, f32) {
    let all = sums.last();
    let point = if point < all { point } else { all.next_down() };
    let lane = sums.at_most(point).min(LANES - 1);
    let mut stored = FloatLine::default();
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
            let (mut sums, names) = (Sums::new(&alphas), Names::of(topics));
            let mut tree = sums.tree();
            // Weights that rise and fall leave no trace.
            for turn in [1e4, 3.0, 1.0] {
                (0..topics).for_each(|k| {
                    let change = tree.set(names.name(k as u32), turn * (1 + k * 7 % 3) as f32);
                    tree.add(change);
                });
            }
            let mass = |k: usize| f64::from(alphas[k] as f32 * (1 + k * 7 % 3) as f32);
            let all: f64 = (0..topics).map(mass).sum();
            assert!((f64::from(tree.total()) / all - 1.0).abs() < 1e-6);
            // Sums at the top are drawn lane by lane, all below them in order.
            let below = LANES.pow(tree.levels.len() as u32 - 1);
            let mut order: Vec<usize> = (0..topics).collect();
            order.sort_by_key(|&topic| (topic / below % LANES, topic / below, topic));
            let (mut sum, mut off) = (0.0, 0);
            for topic in order {
                let point = (sum + mass(topic) / 2.0) as f32;
                // Single precision may miss by a neighbour if there are many topics.
                let drawn = tree.draw::<Portable>(point).number();
                assert!(drawn.abs_diff(topic) <= topics / 1000, "{topic} of {topics}: {drawn}");
                off += usize::from(drawn != topic);
                sum += mass(topic);
            }
            assert!(off <= topics / 100, "{off} of {topics}");
            assert!(tree.draw::<Portable>(2.0 * all as f32).number() < topics);
        }
    }
}
