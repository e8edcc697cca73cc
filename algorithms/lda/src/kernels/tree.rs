//! [`Prepared`]: what all chains of a task share, and the tree of sums from which topics are drawn in proportion to
//! `alpha_k beta / (n_k + V beta)`.

use super::lanes::{LANES, Lanes, Sixteen, Tables};

/// What a task draws from, beside the rows: tables over all topics that the packing can name, zeros beyond the last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prepared {
    /// beta.
    pub(crate) beta: f32,
    /// 1 / (n_k + V beta).
    pub(crate) inverses: Vec<f32>,
    /// alpha_k / (n_k + V beta).
    pub(crate) slopes: Vec<f32>,
    /// What a topic weighs in a word that does not have it: beta / (n_k + V beta).
    pub(crate) weights: Vec<f32>,
    /// Over alpha_k times these.
    tree: Tree,
    topics: usize,
}

impl Prepared {
    /// For totals n_k + V beta (what word priors add included), alphas and beta; `names` is what the packing can name.
    pub(crate) fn new(totals: &[f64], alpha: &[f64], beta: f64, names: usize) -> Self {
        let (mut inverses, mut slopes, mut weights) = (vec![0.0; names], vec![0.0; names], vec![0.0; names]);
        let beta = beta as f32;
        for (topic, (total, &alpha)) in totals.iter().zip(alpha).enumerate() {
            inverses[topic] = (1.0 / total) as f32;
            slopes[topic] = alpha as f32 * inverses[topic];
            weights[topic] = beta * inverses[topic];
        }
        let tree = Tree::new(slopes[..totals.len()].iter().map(|slope| beta * slope));
        Self { beta, inverses, slopes, weights, tree, topics: totals.len() }
    }

    /// The tables that a word's entries are combined with.
    #[inline(always)]
    pub(crate) fn tables(&self) -> Tables<'_> {
        Tables { inverses: &self.inverses, slopes: &self.slopes }
    }

    /// Sum of alpha_k beta / (n_k + V beta).
    #[inline(always)]
    pub(crate) fn total(&self) -> f32 {
        self.tree.total
    }

    /// The topic at `point`, below the total, of these.
    #[inline(always)]
    pub(crate) fn draw<L: Lanes>(&self, point: f32) -> usize {
        // A leaf that is only there to fill a line up is reached by rounding alone.
        self.tree.draw::<L>(point).min(self.topics - 1)
    }
}

/// Sums of sixteen, sums of sixteen of these, and so on up to at most sixteen. All levels lie behind each other, the
/// leaves first, each filled up with zeros to whole lines.
#[derive(Clone, Debug, Default)]
struct Tree {
    lines: Vec<Sixteen>,
    /// Line at which each level begins.
    levels: Vec<usize>,
    total: f32,
}

impl Tree {
    fn new(leaves: impl ExactSizeIterator<Item = f32>) -> Self {
        let (mut lines, mut levels) = (vec![Sixteen::default(); leaves.len().div_ceil(LANES)], vec![0]);
        leaves.enumerate().for_each(|(at, leaf)| lines[at / LANES].0[at % LANES] = leaf);
        let mut level = 0..lines.len();
        while level.len() > 1 {
            levels.push(lines.len());
            let sums: Vec<f32> = lines[level].iter().map(|line| line.0.iter().sum()).collect();
            let above = sums.chunks(LANES).map(|some| {
                let mut line = Sixteen::default();
                line.0[..some.len()].copy_from_slice(some);
                line
            });
            lines.extend(above);
            level = *levels.last().unwrap_or(&0)..lines.len();
        }
        let total = lines[level].iter().map(|line| line.0.iter().sum::<f32>()).sum();
        Self { lines, levels, total }
    }

    #[inline(always)]
    fn draw<L: Lanes>(&self, point: f32) -> usize {
        let (mut at, mut left, mut depth) = (0, point, self.levels.len());
        while depth > 0 {
            depth -= 1;
            let line = self.levels[depth] + at;
            let children = L::load(&self.lines[line.min(self.lines.len() - 1)]).running();
            let all = children.last();
            let (lane, rest) = child(children, if left < all { left } else { all.next_down() });
            (at, left) = (at * LANES + lane, rest);
        }
        at
    }
}

/// The lane into which `point` falls, given running sums, and what is left of it within that lane.
#[inline(always)]
pub(super) fn child<L: Lanes>(sums: L, point: f32) -> (usize, f32) {
    let lane = sums.at_most(point).min(LANES - 1);
    let mut stored = Sixteen::default();
    sums.store(&mut stored);
    (lane, if lane > 0 { point - stored.0[lane - 1] } else { point })
}
