//! [`LdaProgram`]: the sampler as a program of the engine.
//!
//! A task meets a shard's documents with a block's words: [`Sample`] draws a topic for each token they share. What
//! changes in the topic totals becomes visible at the boundary (or each round), but to the shard itself at once, or, where
//! words are dealt to streams, with its next task. The randomness of a task is named by (seed, epoch, shard, block).

use std::sync::Arc;

use raddle::random::Stream;
use raddle::schedule::Round;
use raddle::state::{Reader, StateError, Writer};
use raddle::{Boundary, Metric, Program, Status, Task, Verdict, Visibility};

use crate::block::WordBlock;
use crate::course::Course;
use crate::held_out::Given;
use crate::kernels::{self, Draws, Sample};
use crate::partial::Partial;
use crate::problem::{TEST, VALIDATION};
use crate::record::{Evaluation, Record};
use crate::schedule::{ALPHA, GATHER, STATISTICS};
use crate::seeds::Seeds;
use crate::shard::DocumentShard;
use crate::special::{Steps, digamma_step, gamma_step};
use crate::totals::{Begin, Change, Totals};

/// Latent Dirichlet allocation on the engine.
#[derive(Debug)]
pub struct LdaProgram {
    pub(crate) topics: usize,
    /// V.
    pub(crate) words: usize,
    /// Tokens that are trained on.
    pub(crate) tokens: u64,
    pub(crate) course: Arc<Course>,
    pub(crate) seed: u64,
    pub(crate) visibility: Visibility,
    /// Whether the priors are optimised.
    pub(crate) optimise: bool,
    /// For each topic, what word priors add to V beta; empty without them.
    pub(crate) seeded: Vec<f64>,
    /// For each topic, the tokens of the model to start from; empty without one.
    pub(crate) warm: Vec<f64>,
    /// The words of each block.
    pub(crate) blocks: Vec<Vec<u32>>,
    /// Names of the held-out sets.
    pub(crate) sets: Vec<&'static str>,
    /// Perplexity at which the run is done.
    pub(crate) target: Option<f64>,
}

impl Program for LdaProgram {
    type Shard = DocumentShard;
    type Block = WordBlock;
    type Pinned = Record;
    type Replica = Totals;
    type Partial = Partial;
    type Change = Change;

    /// What is restored is checked as a conclusion leaves it.
    fn concludes_anew(&self) -> bool {
        false
    }

    fn visibility(&self) -> Visibility {
        self.visibility
    }

    /// Scoring held-out documents, and gathering what that needs; statistics of words too, if only the likelihood asks
    /// for them.
    fn measures(&self, kind: Option<u32>) -> bool {
        match kind {
            None | Some(GATHER) => true,
            Some(STATISTICS) => !self.optimise,
            Some(_) => false,
        }
    }

    /// The only rounds without blocks: statistics of documents for alpha.
    fn update(&self, task: &Task, shard: &mut DocumentShard, totals: &Totals) -> Partial {
        debug_assert_eq!(task.kind, ALPHA);
        self.alpha_sums(shard, totals)
    }

    fn update_block(
        &self,
        task: &Task,
        shard: &mut DocumentShard,
        block: &mut WordBlock,
        totals: &Totals,
    ) -> Partial {
        let number = task.block.unwrap_or_default();
        match task.kind {
            STATISTICS => self.statistics(block, totals),
            GATHER => {
                shard.held_out.gather(number, block);
                Partial::default()
            }
            _ => self.sample(task, number, shard, block, totals),
        }
    }

    fn fold(&self, so_far: &mut Partial, next: Partial) {
        so_far.add(next);
    }

    fn aggregate(&self, _: &Round, record: &mut Record, partials: Vec<(u32, Partial)>) -> Change {
        let mut moved = vec![0i64; self.topics];
        for (_, partial) in &partials {
            moved.iter_mut().zip(&partial.moved).for_each(|(sum, &part)| *sum += i64::from(part));
        }
        // What a shard has not seen is what the others changed, and what a task in lockstep has changed itself.
        let unseen = |partial: &Partial| -> u64 {
            let own = partial.moved.iter().map(|&own| i64::from(own));
            let others: u64 = moved.iter().zip(own).map(|(all, own)| (all - own).unsigned_abs()).sum();
            others + partial.unseen
        };
        let most = partials.iter().map(|(_, partial)| unseen(partial)).max().unwrap_or(0);
        record.epoch_drift = record.epoch_drift.max(most as f64 / self.tokens as f64);
        partials
            .into_iter()
            .for_each(|(_, partial)| record.sums.add(Partial { moved: Vec::new(), ..partial }));
        Change { moved, begins: None }
    }

    fn commit(&self, change: &Change, totals: &mut Totals) {
        totals.commit(change);
    }

    fn certify(&self, _: u32, shard: &mut DocumentShard, totals: &Totals) -> Partial {
        let mut share = Partial::default();
        if self.course.scores(totals.epoch) {
            share.documents = self.documents_likelihood(shard, totals);
            if !self.sets.is_empty() {
                let inverse = self.inverse(totals, totals.beta, false);
                let given = Given { inverse: &inverse, alpha: &totals.alpha, beta: totals.beta };
                share.scores = shard.held_out.score(self.sets.len(), &given);
            }
        }
        share
    }

    fn conclude(
        &self,
        boundary: &Boundary,
        record: &mut Record,
        totals: &Totals,
        shares: Vec<(u32, Partial)>,
    ) -> Verdict<Change> {
        let mut sums = std::mem::take(&mut record.sums);
        shares.into_iter().for_each(|(_, share)| sums.add(share));
        let count_drift = std::mem::take(&mut record.epoch_drift);
        let epoch = boundary.epoch;
        if let Some(last) = epoch.checked_sub(1) {
            if self.course.pass(last).had >= 1.0 {
                record.count_drift = record.count_drift.max(count_drift);
            }
            if self.course.scores(last) {
                record.evaluations.push(self.evaluation(epoch, &sums, totals, count_drift));
            }
        }
        let mut begin = Begin { epoch, alpha: None, beta: None };
        if epoch > 0 && self.optimise && self.course.optimises(epoch - 1) {
            (begin.alpha, begin.beta) =
                (Some(self.new_alpha(&sums, totals)), Some(self.new_beta(&sums, totals)));
        }
        let mut verdict = self.verdict(epoch, record);
        verdict.change = Some(Change { moved: Vec::new(), begins: Some(begin) });
        verdict
    }

    fn remember(&self, shard: &DocumentShard, out: &mut Writer) {
        shard.remember(out);
    }

    fn recall(&self, shard: &mut DocumentShard, from: &mut Reader<'_>) -> Result<(), StateError> {
        shard.recall(from)
    }

    fn check_restored(
        &self,
        shards: &[DocumentShard],
        blocks: &[WordBlock],
        record: &Record,
        totals: &Totals,
    ) -> Result<(), StateError> {
        self.check(shards, blocks, record, totals)
    }
}

impl LdaProgram {
    fn sample(
        &self,
        task: &Task,
        number: u32,
        shard: &mut DocumentShard,
        block: &mut WordBlock,
        totals: &Totals,
    ) -> Partial {
        let pass = self.course.pass(task.epoch);
        let (had, has) = (shard.first_documents(pass.had), shard.first_documents(pass.has));
        let first = task.epoch == 0;
        let beta = totals.beta * pass.beta_factor;
        let mut norms = self.norms(totals, beta, first);
        // Totals know of the shard's own changes in this epoch too, unless these are merged each round.
        let own = match self.visibility {
            Visibility::AtBoundary => shard.moved.during(task.epoch, self.topics),
            Visibility::EachRound => &mut [],
        };
        norms.iter_mut().zip(&*own).for_each(|(norm, &moved)| *norm += f64::from(moved));
        if !first {
            block.warm = Seeds::default();
        }
        let seeds = if first && !self.warm.is_empty() { &block.warm } else { &block.seeds };
        let moved = Sample {
            given: kernels::Given { norms: &norms, alphas: &totals.alpha, beta },
            rows: &mut shard.rows,
            slice: &mut shard.slices[number as usize],
            words: &mut block.rows,
            seeds,
            had,
            has,
            uniform: pass.uniform,
            draws: Draws::new(Stream::new(&[self.seed, task.epoch, task.shard.into(), number.into()]).bits()),
        }
        .run();
        own.iter_mut().zip(&moved).for_each(|(sum, part)| *sum += part);
        let unseen = match shard.slices[number as usize].is_dealt() {
            true => moved.iter().map(|moved| u64::from(moved.unsigned_abs())).sum(),
            false => 0,
        };
        Partial { moved, unseen, ..Partial::default() }
    }

    /// n_k + V beta and what priors add; with the tokens of the model to start from in the first epoch.
    pub(crate) fn norms(&self, totals: &Totals, beta: f64, first: bool) -> Vec<f64> {
        let add = |list: &[f64], topic: usize| list.get(topic).copied().unwrap_or(0.0);
        let norm = |(topic, &total): (usize, &i64)| {
            let warm = if first { add(&self.warm, topic) } else { 0.0 };
            total as f64 + self.words as f64 * beta + add(&self.seeded, topic) + warm
        };
        totals.topics.iter().enumerate().map(norm).collect()
    }

    /// 1 / N_k.
    pub(crate) fn inverse(&self, totals: &Totals, beta: f64, first: bool) -> Vec<f64> {
        self.norms(totals, beta, first).into_iter().map(|norm| 1.0 / norm).collect()
    }

    /// What a block's words contribute to beta and to the likelihood.
    fn statistics(&self, block: &WordBlock, totals: &Totals) -> Partial {
        let steps = Steps::new(totals.beta);
        let (mut beta, mut words) = (0.0, 0.0);
        for word in 0..block.rows.len() {
            let is_seeded = block.seeds.of(word).next().is_some();
            for (topic, count) in block.rows.of(word) {
                if is_seeded {
                    let prior = block.seeds.of(word).filter(|&(of, _)| of == topic);
                    let prior = prior.fold(totals.beta, |sum, (_, weight)| sum + f64::from(weight));
                    beta += digamma_step(prior, count);
                    words += gamma_step(prior, count);
                } else {
                    beta += steps.digamma(count);
                    words += steps.gamma(count);
                }
            }
        }
        Partial { beta, words, ..Partial::default() }
    }

    /// The shard's sums for alpha: see [`new_alpha`](Self::new_alpha).
    fn alpha_sums(&self, shard: &DocumentShard, totals: &Totals) -> Partial {
        let mut share = Partial::default();
        let all: f64 = totals.alpha.iter().sum();
        let short: Vec<[f64; 2]> =
            totals.alpha.iter().map(|&alpha| [1.0 / alpha, 1.0 / alpha + 1.0 / (alpha + 1.0)]).collect();
        share.alpha = vec![0.0; self.topics];
        for document in 0..shard.first_documents(self.course.pass(totals.epoch).has) {
            for (topic, count) in shard.rows.of(document, self.topics) {
                let topic = topic as usize;
                share.alpha[topic] += match short[topic].get(count as usize - 1) {
                    Some(step) => *step,
                    None => digamma_step(totals.alpha[topic], count),
                };
            }
            share.alpha_all += digamma_step(all, shard.length(document) as u32);
        }
        share
    }

    /// One step of Minka's fixed point for an asymmetric alpha ("Estimating a Dirichlet distribution", 2000, eq. 55):
    /// `alpha_k <- alpha_k sum_d (digamma(n_dk + alpha_k) - digamma(alpha_k)) / sum_d (digamma(n_d + A) - digamma(A))`.
    fn new_alpha(&self, sums: &Partial, totals: &Totals) -> Vec<f64> {
        let step = |(&alpha, &sum): (&f64, &f64)| (alpha * sum / sums.alpha_all).clamp(1e-6, 1e3);
        totals.alpha.iter().zip(&sums.alpha).map(step).collect()
    }

    /// The same step for a symmetric beta: words take the place of topics, topics that of documents.
    fn new_beta(&self, sums: &Partial, totals: &Totals) -> f64 {
        let norm = self.words as f64 * totals.beta;
        let every: f64 = totals
            .topics
            .iter()
            .map(|&total| digamma_step(norm, u32::try_from(total).unwrap_or(u32::MAX)))
            .sum();
        match every > 0.0 {
            true => (totals.beta * sums.beta / (self.words as f64 * every)).clamp(1e-6, 1e3),
            false => totals.beta,
        }
    }

    /// What documents contribute to the joint log-likelihood: log p(topics).
    fn documents_likelihood(&self, shard: &DocumentShard, totals: &Totals) -> f64 {
        let all: f64 = totals.alpha.iter().sum();
        let first = totals.alpha.first().copied().unwrap_or(1.0);
        let same = totals.alpha.iter().all(|&alpha| alpha == first).then(|| Steps::new(first));
        let mut sum = 0.0;
        for document in 0..shard.first_documents(self.course.pass(totals.epoch).has) {
            for (topic, count) in shard.rows.of(document, self.topics) {
                let topic = topic as usize;
                sum += match &same {
                    Some(steps) => steps.gamma(count),
                    None => gamma_step(totals.alpha[topic], count),
                };
            }
            sum -= gamma_step(all, shard.length(document) as u32);
        }
        sum
    }

    /// Griffiths and Steyvers (2004), equations 2 and 3, for each token that has a topic.
    fn evaluation(&self, epoch: u64, sums: &Partial, totals: &Totals, count_drift: f64) -> Evaluation {
        let tokens = totals.topics.iter().sum::<i64>().max(1) as f64;
        let norms = totals.topics.iter().enumerate().map(|(topic, &total)| {
            let prior = self.words as f64 * totals.beta + self.seeded.get(topic).copied().unwrap_or(0.0);
            gamma_step(prior, u32::try_from(total).unwrap_or(u32::MAX))
        });
        let words = (sums.words - norms.sum::<f64>()) / tokens;
        let of = |set: &str| {
            let set = self.sets.iter().position(|name| *name == set)?;
            sums.scores.get(set)?.perplexity()
        };
        let (validation, test) = (of(VALIDATION), of(TEST));
        Evaluation { epoch, validation, test, joint: words + sums.documents / tokens, words, count_drift }
    }

    /// The perplexity of the test documents if the run has a target and there are some, else of the validation documents;
    /// without any, exp(-joint log-likelihood) of the training tokens. And whether the run is over.
    fn verdict(&self, epoch: u64, record: &Record) -> Verdict<Change> {
        let set = if self.target.is_some() { self.sets.last() } else { self.sets.first() };
        let value = |evaluation: &Evaluation| match set {
            Some(set) => evaluation.of(set).unwrap_or(f64::NAN),
            None => libm::exp(-evaluation.joint),
        };
        let (name, on) = match set {
            Some(set) => ("perplexity", *set),
            None => ("joint perplexity", "training data"),
        };
        let last = record.evaluations.last();
        let metric = Metric::new(name, last.map_or(f64::NAN, value), on).target(self.target);
        let mut verdict = Verdict::new(metric);
        verdict.measured = last.is_some_and(|last| last.epoch == epoch);
        verdict.status = match self.course.length() {
            Some(length) if epoch >= length => Status::Completed,
            Some(_) => Status::Continue,
            None if verdict.measured && self.gains_nothing(record, value) => Status::Converged,
            None => Status::Continue,
        };
        verdict
    }

    /// Whether the chain has settled, and ten epochs have not gained a thousandth; with a target, which may be near, that
    /// they have gained nothing.
    fn gains_nothing(&self, record: &Record, value: impl Fn(&Evaluation) -> f64) -> bool {
        let Some(last) = record.evaluations.last() else { return false };
        let from = self.course.settled();
        let is_earlier = |other: &&Evaluation| other.epoch >= from && other.epoch + 10 <= last.epoch;
        let earlier = || record.evaluations.iter().filter(is_earlier);
        if self.target.is_none() {
            return earlier().next_back().is_some_and(|earlier| value(last) > 0.999 * value(earlier));
        }
        let is_recent = |other: &&Evaluation| other.epoch + 10 > last.epoch;
        let recent = record.evaluations.iter().filter(is_recent).map(&value).fold(f64::INFINITY, f64::min);
        earlier().any(|earlier| value(earlier) <= recent)
    }
}
