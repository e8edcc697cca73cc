//! [`AtWord`]: topics as a task sees them while it is at one word.
//!
//! What a topic weighs is
//!
//! ```text
//! f_k = (n_kw + beta) / (n_k + V beta)
//! ```
//!
//! and what a token adds to n_k and n_kw is seen by the next one. A topic's division is done when its total changes, for
//! one token more and thus for the next change, so that no draw waits for one.

use crate::rows::WordRows;
use crate::seeds::Seeds;

/// The weights of all topics, however a chain keeps them.
pub(super) trait Weights {
    /// A topic weighs so much from now on. Returns by how much alpha_k f_k has risen, which is to be
    /// [`added`](Self::add) sooner or later.
    fn set(&mut self, topic: usize, weight: f32) -> f64;
    /// The sum of alpha_k f_k has risen.
    fn add(&mut self, change: f64);
}

/// What a task is given of the topics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'a> {
    /// n_k + V beta, and what word priors add.
    pub(crate) norms: &'a [f64],
    /// alpha_k.
    pub(crate) alphas: &'a [f64],
    /// beta.
    pub(crate) beta: f64,
}

/// One topic: what every word and every token reads. The inverses lie apart: side by side, they would be moved two at a
/// time, and a load of two waits until both that were just stored one by one have left the core.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
struct Topic {
    /// 1 / norm with a token less.
    without: f32,
    /// n_kw at the word.
    count: f32,
    /// 1 / norm.
    inverse: f32,
    /// Whether the word's list names it: 1 or 0.
    listed: u32,
}

/// What is only needed where a token changes its topic: apart, so that what is read more often stays near.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
struct Norm {
    /// n_k + V beta: what the task was given and its own changes.
    norm: f64,
    /// 1 / norm with a token more.
    with: f32,
}

/// 1 / norm.
#[inline(always)]
fn inverse(norm: f64) -> f32 {
    (1.0 / norm) as f32
}

/// The topics at a word.
pub(super) struct AtWord<W> {
    pub(super) weights: W,
    topics: Vec<Topic>,
    norms: Vec<Norm>,
    /// The topics whose weight is not that of a word without tokens.
    list: Vec<u16>,
    beta: f32,
    /// What word priors add for this word, if anything.
    seeds: Vec<(u32, f32)>,
}

impl<W: Weights> AtWord<W> {
    /// At no word: every topic weighs beta / (n_k + V beta). `names` is at least the number of topics.
    pub(super) fn new(given: Given<'_>, names: usize, mut weights: W) -> Self {
        let (mut topics, mut norms) = (vec![Topic::default(); names], vec![Norm::default(); names]);
        let (beta, mut change) = (given.beta as f32, 0.0);
        for (number, &norm) in given.norms.iter().enumerate() {
            let (without, inverse) = (inverse(norm - 1.0), inverse(norm));
            change += weights.set(number, beta * inverse);
            topics[number] = Topic { without, inverse, ..Topic::default() };
            norms[number] = Norm { norm, with: self::inverse(norm + 1.0) };
        }
        weights.add(change);
        Self { weights, topics, norms, list: Vec::with_capacity(given.norms.len()), beta, seeds: Vec::new() }
    }

    /// Comes to a word.
    #[inline(always)]
    pub(super) fn enter(&mut self, word: usize, words: &WordRows, seeds: &Seeds) {
        if !seeds.is_empty() {
            self.seeds.extend(seeds.of(word));
        }
        let (start, length) = (words.starts[word] as usize, words.lengths[word] as usize);
        let (topics, counts) = (&words.topics[start..start + length], &words.counts[start..start + length]);
        // Changes are added up beside what each next one would have to wait for.
        let mut change = 0.0;
        for (&topic, &count) in topics.iter().zip(counts) {
            self.list.push(topic);
            let number = usize::from(topic);
            let prior = self.prior(number);
            let at = &mut self.topics[number];
            (at.count, at.listed) = (count as f32, 1);
            change += self.weights.set(number, (at.count + prior) * at.inverse);
        }
        self.weights.add(change);
        if !self.seeds.is_empty() {
            self.seed();
        }
    }

    /// Topics that the word has by its priors alone.
    #[cold]
    #[inline(never)]
    fn seed(&mut self) {
        for at in 0..self.seeds.len() {
            let number = self.seeds[at].0 as usize;
            let prior = self.prior(number);
            let topic = &mut self.topics[number];
            if topic.listed == 0 {
                self.list.push(number as u16);
                topic.listed = 1;
                let change = self.weights.set(number, prior * topic.inverse);
                self.weights.add(change);
            }
        }
    }

    /// Leaves a word: its row is written, and every topic weighs what it does in a word without tokens.
    #[inline(always)]
    pub(super) fn leave(&mut self, word: usize, words: &mut WordRows) {
        let (start, end) = (words.starts[word] as usize, words.starts[word + 1] as usize);
        let (topics, counts) = (&mut words.topics[start..end], &mut words.counts[start..end]);
        let (mut length, mut change) = (0, 0.0);
        for &topic in &self.list {
            let number = usize::from(topic);
            let at = &mut self.topics[number];
            if at.count > 0.0 {
                (topics[length], counts[length]) = (topic, at.count as u32);
                length += 1;
            }
            (at.count, at.listed) = (0.0, 0);
            change += self.weights.set(number, self.beta * at.inverse);
        }
        self.weights.add(change);
        words.lengths[word] = length as u32;
        self.list.clear();
        self.seeds.clear();
    }

    /// beta and what priors add to it for a topic of the word.
    #[inline(always)]
    fn prior(&self, topic: usize) -> f32 {
        let mut prior = self.beta;
        if !self.seeds.is_empty() {
            for &(of, weight) in &self.seeds {
                prior += if of as usize == topic { weight } else { 0.0 };
            }
        }
        prior
    }

    /// What a topic weighs without a token that it has.
    #[inline(always)]
    pub(super) fn without(&self, topic: usize) -> f32 {
        let at = &self.topics[topic];
        (at.count - 1.0 + self.prior(topic)) * at.without
    }

    /// The word loses a token of a topic, which weighs so much [`without`](Self::without) it.
    #[inline(always)]
    pub(super) fn lose(&mut self, topic: usize, without: f32) {
        let (at, far) = (&mut self.topics[topic], &mut self.norms[topic]);
        at.count -= 1.0;
        far.norm -= 1.0;
        (far.with, at.inverse, at.without) = (at.inverse, at.without, inverse(far.norm - 1.0));
        let change = self.weights.set(topic, without);
        self.weights.add(change);
    }

    /// The word gains a token of a topic.
    #[inline(always)]
    pub(super) fn gain(&mut self, topic: usize) {
        let prior = self.prior(topic);
        let (at, far) = (&mut self.topics[topic], &mut self.norms[topic]);
        if at.listed == 0 {
            at.listed = 1;
            self.list.push(topic as u16);
        }
        at.count += 1.0;
        far.norm += 1.0;
        (at.without, at.inverse, far.with) = (at.inverse, far.with, inverse(far.norm + 1.0));
        let change = self.weights.set(topic, (at.count + prior) * at.inverse);
        self.weights.add(change);
    }

    /// How the tokens of each topic have changed since the task was `given` its totals.
    pub(super) fn moved(&self, given: Given<'_>) -> Vec<i32> {
        given.norms.iter().zip(&self.norms).map(|(norm, now)| (now.norm - norm).round() as i32).collect()
    }
}
