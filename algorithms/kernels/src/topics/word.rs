//! [`WordState`]: the topics during a task at one word.
//!
//! The weight of a topic is
//!
//! ```text
//! f_k = (n_kw + beta) / (n_k + V beta)
//! ```
//!
//! and the next token sees the changes of n_k and n_kw by the one before. A topic's division is done when its
//! total changes, already for one more token and so for the next change, so that no draw waits for a
//! division.

use super::lanes::{LANES, Lanes};
use super::names::{Name, Names, Table};
use crate::topics::counts::priors::WordPriors;
use crate::topics::counts::words::WordRows;

/// The weights of all topics, in the storage of a chain.
pub(super) trait Weights {
    /// Sets the weight of a topic. Returns the increase of alpha_k f_k, which must be [`added`](Self::add)
    /// sooner or later.
    fn set(&mut self, topic: Name, weight: f32) -> f64;
    /// Adds an increase to the sum of alpha_k f_k.
    fn add(&mut self, change: f64);
}

/// Topic parameters of a task.
#[derive(Clone, Copy, Debug)]
pub struct TopicParams<'a> {
    /// n_k + V beta, plus the word priors.
    pub norms: &'a [f64],
    /// alpha_k.
    pub alphas: &'a [f64],
    /// beta.
    pub beta: f64,
}

/// One topic: the values that every word and every token reads. The inverses are not adjacent: adjacent ones
/// would be copied two at a time, and a load of two waits until both, just stored one by one, have left the
/// core.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
struct Topic {
    /// n_kw at the word.
    count: u32,
    /// 1 / norm.
    inverse: f32,
    /// beta, plus the word's priors.
    prior: f32,
    /// 1 / norm with one token less.
    without: f32,
}

/// Norms that are needed only when a token changes its topic.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
struct Norm {
    /// n_k + V beta: the value given to the task plus its own changes.
    norm: f64,
    /// 1 / norm with one token more.
    with: f32,
}

/// Returns 1 / norm.
#[inline(always)]
fn inverse(norm: f64) -> f32 {
    (1.0 / norm) as f32
}

/// Prefetches the row of a word that is needed soon: its topics and its counts, sixteen per line.
#[inline(always)]
pub(super) fn prefetch<L: Lanes>(word: usize, words: &WordRows) {
    let start = words.starts[word] as usize;
    for at in [start, start + LANES] {
        if let (Some(topic), Some(count)) = (words.topics.get(at), words.counts.get(at)) {
            L::prefetch(topic);
            L::prefetch(count);
        }
    }
}

/// The buffers of [`WordState`].
pub(super) struct WordBuffers {
    names: Names,
    topics: Vec<Topic>,
    norms: Vec<Norm>,
    list: Vec<u16>,
    beta: f32,
}

impl WordBuffers {
    /// Buffers for a task of at most this number of tokens.
    pub(super) fn new(given: TopicParams<'_>, tokens: usize) -> Self {
        let (names, prior) = (Names::of(given.norms.len()), given.beta as f32);
        let topic =
            |norm: f64| Topic { count: 0, inverse: inverse(norm), prior, without: inverse(norm - 1.0) };
        let mut topics: Vec<_> = given.norms.iter().map(|&norm| topic(norm)).collect();
        let mut norms: Vec<_> =
            given.norms.iter().map(|&norm| Norm { norm, with: inverse(norm + 1.0) }).collect();
        topics.resize(names.count(), Topic::default());
        norms.resize(names.count(), Norm::default());
        Self { names, topics, norms, list: vec![0; names.count() + tokens], beta: prior }
    }
}

/// The topics at a word. All fields are borrowed or copied, so that a compiler keeps them in registers from
/// token to token: reading them again after each write took a twentieth of a task.
pub(super) struct WordState<'a, W> {
    pub(super) weights: W,
    pub(super) names: Names,
    topics: Table<'a, Topic>,
    norms: Table<'a, Norm>,
    /// The first `listed` entries are the topics whose weight is not that of a word without tokens, some of
    /// them repeated.
    list: &'a mut [u16],
    listed: usize,
    beta: f32,
}

impl<'a, W: Weights> WordState<'a, W> {
    /// The state at no word: every topic weighs beta / (n_k + V beta). `weights` has no weights yet.
    #[inline(always)]
    pub(super) fn new(buffers: &'a mut WordBuffers, given: TopicParams<'_>, mut weights: W) -> Self {
        let WordBuffers { names, topics, norms, list, beta } = buffers;
        let mut change = 0.0;
        for (number, topic) in (0..).zip(&*topics).take(given.norms.len()) {
            change += weights.set(names.name(number), *beta * topic.inverse);
        }
        weights.add(change);
        let (topics, norms) = (Table::new(topics, *names), Table::new(norms, *names));
        Self { weights, names: *names, topics, norms, list, listed: 0, beta: *beta }
    }

    /// Enters a word.
    #[inline(always)]
    pub(super) fn enter(&mut self, word: usize, words: &WordRows, word_priors: &WordPriors) {
        for (topic, weight) in word_priors.of(word) {
            self.topics[self.names.name(topic)].prior += weight;
        }
        let (start, length) = (words.starts[word] as usize, words.lengths[word] as usize);
        let (topics, counts) = (&words.topics[start..start + length], &words.counts[start..start + length]);
        // Changes are summed here, so that none waits for the one before.
        let mut change = 0.0;
        for (&topic, &count) in topics.iter().zip(counts) {
            let name = self.names.name(topic.into());
            let at = &mut self.topics[name];
            at.count = count;
            change += self.weights.set(name, (count as f32 + at.prior) * at.inverse);
        }
        self.list[..length].copy_from_slice(topics);
        self.listed = length;
        // Topics that the word has only by its priors.
        for (topic, _) in word_priors.of(word) {
            let name = self.names.name(topic);
            let at = &self.topics[name];
            if at.count == 0 {
                change += self.weights.set(name, at.prior * at.inverse);
                self.list(name);
            }
        }
        self.weights.add(change);
    }

    /// Leaves a word: its row is written, and every topic gets the weight that it has in a word without
    /// tokens.
    #[inline(always)]
    pub(super) fn leave(&mut self, word: usize, words: &mut WordRows, word_priors: &WordPriors) {
        for (topic, _) in word_priors.of(word) {
            self.topics[self.names.name(topic)].prior = self.beta;
        }
        let (start, end) = (words.starts[word] as usize, words.starts[word + 1] as usize);
        let (topics, counts) = (&mut words.topics[start..end], &mut words.counts[start..end]);
        let (mut length, mut change) = (0, 0.0);
        for &topic in &self.list[..self.listed] {
            let name = self.names.name(topic.into());
            let at = &mut self.topics[name];
            if at.count > 0 {
                (topics[length], counts[length]) = (topic, at.count);
                length += 1;
            }
            at.count = 0;
            change += self.weights.set(name, self.beta * at.inverse);
        }
        self.weights.add(change);
        words.lengths[word] = length as u32;
        self.listed = 0;
    }

    /// Returns the weight of a topic less one of its tokens.
    #[inline(always)]
    pub(super) fn without(&self, topic: Name) -> f32 {
        let at = &self.topics[topic];
        (at.count.wrapping_sub(1) as f32 + at.prior) * at.without
    }

    /// Removes a token of a topic from the word; `without` is the topic's weight [`without`](Self::without)
    /// it.
    #[inline(always)]
    pub(super) fn decrement(&mut self, topic: Name, without: f32) {
        let (at, far) = (&mut self.topics[topic], &mut self.norms[topic]);
        at.count = at.count.wrapping_sub(1);
        far.norm -= 1.0;
        (far.with, at.inverse, at.without) = (at.inverse, at.without, inverse(far.norm - 1.0));
        let change = self.weights.set(topic, without);
        self.weights.add(change);
    }

    /// Adds a token of a topic to the word.
    #[inline(always)]
    pub(super) fn increment(&mut self, topic: Name) {
        let (at, far) = (&mut self.topics[topic], &mut self.norms[topic]);
        let is_new = at.count == 0;
        at.count += 1;
        far.norm += 1.0;
        (at.without, at.inverse, far.with) = (at.inverse, far.with, inverse(far.norm + 1.0));
        let change = self.weights.set(topic, (at.count as f32 + at.prior) * at.inverse);
        self.weights.add(change);
        if is_new {
            self.list(topic);
        }
    }

    #[inline(always)]
    fn list(&mut self, topic: Name) {
        self.list[self.listed] = topic.number() as u16;
        self.listed += 1;
    }

    /// Returns how the number of tokens of each topic has changed since the task was `given` its totals.
    pub(super) fn moved(&self, given: TopicParams<'_>) -> Vec<i32> {
        let norms = given.norms.iter().zip(self.norms.all());
        norms.map(|(norm, now)| (now.norm - norm).round() as i32).collect()
    }
}

/// Returns the end of the tokens of documents below `has`, among a word's tokens.
#[inline(always)]
pub(super) fn up_to(documents: &[u16], start: usize, end: usize, has: usize) -> usize {
    let part = &documents[start..end];
    match part.last() {
        Some(&last) if usize::from(last) >= has => {
            start + part.partition_point(|&document| usize::from(document) < has)
        }
        _ => end,
    }
}
