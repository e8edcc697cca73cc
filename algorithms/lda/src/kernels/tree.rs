//! [`Prepared`]: what a task's chains start from, and the tree of sums from which topics are drawn in proportion to
//! `alpha_k (n_kw + beta) / (n_k + V beta)`.

use super::lanes::{LANES, Lanes, Sixteen};

/// What the sampler needs of one topic while it is at a word, in one place of memory.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
pub(crate) struct Topic {
    /// How often the word has the topic, n_kw: whole, below 2^24 exact.
    pub(crate) count: f32,
    /// beta, and what a prior adds for this word and topic.
    pub(crate) prior: f32,
    /// 1 / (n_k + V beta).
    pub(crate) inverse: f32,
    /// alpha_k.
    pub(crate) alpha: f32,
}

impl Topic {
    /// (n_kw + beta) / (n_k + V beta).
    #[inline(always)]
    pub(crate) fn weight(&self) -> f32 {
        (self.count + self.prior) * self.inverse
    }
}

/// Sums of sixteen, sums of sixteen of these, and so on up to at most sixteen: level 1 has a node for every sixteen
/// topics. All levels lie behind each other, each filled up with zeros to whole lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Sixteen>,
    /// Line at which each level begins, level 1 first.
    levels: Vec<usize>,
}

impl Tree {
    /// Zeros over so many topics.
    fn new(topics: usize) -> Self {
        let (mut levels, mut lines, mut length) = (Vec::new(), 0, topics);
        loop {
            length = length.div_ceil(LANES);
            levels.push(lines);
            lines += length.div_ceil(LANES);
            if length <= LANES {
                break;
            }
        }
        Self { nodes: vec![Sixteen::default(); lines], levels }
    }

    /// Adds to the sums over a topic.
    #[inline(always)]
    pub(crate) fn add(&mut self, topic: usize, what: f32) {
        let mut at = topic;
        for &level in &self.levels {
            at /= LANES;
            self.nodes[level + at / LANES].0[at % LANES] += what;
        }
    }

    /// Makes the sums over a topic those of `base`.
    #[inline(always)]
    pub(crate) fn restore(&mut self, topic: usize, base: &Self) {
        let mut at = topic;
        for &level in &self.levels {
            at /= LANES;
            let (line, lane) = (level + at / LANES, at % LANES);
            self.nodes[line].0[lane] = base.nodes[line].0[lane];
        }
    }

    /// The topic at the part `unit` in [0, 1) of the whole mass, whose topics weigh `weights` times their alpha.
    #[inline(always)]
    pub(crate) fn draw<L: Lanes>(&self, unit: f32, weights: &[f32], alphas: &[Sixteen]) -> usize {
        let (mut at, mut left) = (0, f32::NAN);
        for &level in self.levels.iter().rev() {
            let children = L::load(&self.nodes[level + at]);
            at = at * LANES + child(children, &mut left, unit);
        }
        // A node that is only there to fill a line up is reached by rounding alone.
        at = at.min(alphas.len() - 1);
        let mut sixteen = Sixteen::default();
        sixteen.0.copy_from_slice(&weights[at * LANES..][..LANES]);
        let leaves = L::load(&sixteen).mul(L::load(&alphas[at]));
        at * LANES + child(leaves, &mut left, unit)
    }
}

/// The lane into which `left` falls; what is left within it takes its place. At the root, NaN stands for `unit` of all.
#[inline(always)]
fn child<L: Lanes>(children: L, left: &mut f32, unit: f32) -> usize {
    let running = children.running();
    let all = running.last();
    let from = if left.is_nan() { unit * all } else { *left };
    let from = if from < all { from } else { all.next_down() };
    let lane = running.at_most(from).min(LANES - 1);
    let mut sums = Sixteen::default();
    running.store(&mut sums);
    *left = if lane > 0 { from - sums.0[lane - 1] } else { from };
    lane
}

/// What every chain of a task starts from: each topic as a word without tokens sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prepared {
    /// As many as the packing's bits can name; those beyond the last weigh nothing.
    pub(crate) topics: Vec<Topic>,
    pub(crate) weights: Vec<f32>,
    pub(crate) alphas: Vec<Sixteen>,
    pub(crate) tree: Tree,
    pub(crate) total: f32,
}

impl Prepared {
    /// For totals n_k + V beta (priors of words included), alphas and beta; `names` is what the packing can name.
    pub(crate) fn new(totals: impl ExactSizeIterator<Item = f64>, alpha: &[f64], beta: f64, names: usize) -> Self {
        let count = totals.len();
        let mut prepared = Self {
            topics: vec![Topic::default(); names],
            weights: vec![0.0; names],
            alphas: vec![Sixteen::default(); count.div_ceil(LANES)],
            tree: Tree::new(count),
            total: 0.0,
        };
        for (topic, (total, &alpha)) in totals.zip(alpha).enumerate() {
            let (alpha, inverse) = (alpha as f32, (1.0 / total) as f32);
            let about = Topic { count: 0.0, prior: beta as f32, inverse, alpha };
            (prepared.topics[topic], prepared.weights[topic]) = (about, about.weight());
            prepared.alphas[topic / LANES].0[topic % LANES] = alpha;
            let mass = about.weight() * alpha;
            prepared.tree.add(topic, mass);
            prepared.total += mass;
        }
        prepared
    }
}
