//! The conclusion of a boundary: new priors, an evaluation, and the end of the run.

use raddle::{Metric, Status, Verdict};

use super::evaluation_times::EvaluationTimes;
use super::messages::{Change, Sums};
use super::pinned::{Evaluation, Record};
use super::replica::Replica;
use super::spec::Spec;
use crate::data::held_out::HeldOut;
use crate::data::problem::{TEST, VALIDATION};
use crate::evaluate::perplexity::{self, MARGIN, Score};
use crate::evaluate::special::{digamma_step, gamma_step};
use raddle_kernels::topics::theta::TopicModel;

impl Spec {
    /// Returns alpha after one step of Minka's fixed point for an asymmetric alpha ("Estimating a Dirichlet
    /// distribution", 2000, eq. 55): `alpha_k <- alpha_k sum_d (digamma(n_dk + alpha_k) - digamma(alpha_k)) /
    /// sum_d (digamma(n_d + A) - digamma(A))`.
    pub(super) fn new_alpha(&self, sums: &Sums, totals: &Replica) -> Vec<f64> {
        let step = |(&alpha, &sum): (&f64, &f64)| (alpha * sum / sums.alpha_all).clamp(1e-6, 1e3);
        totals.alpha.iter().zip(&sums.alpha).map(step).collect()
    }

    /// Returns beta after the same step, with words in the place of topics, and topics in the place of
    /// documents.
    pub(super) fn new_beta(&self, sums: &Sums, totals: &Replica) -> f64 {
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

    /// Returns the scores of held-out documents by this number of rounds.
    pub(super) fn scores(&self, held_out: &HeldOut, totals: &Replica, rounds: usize) -> Vec<Score> {
        let inverse = self.inverse(totals);
        let given = TopicModel { inverse: &inverse, alpha: &totals.alpha, beta: totals.beta };
        perplexity::score(held_out, self.sets.len(), &given, rounds)
    }

    /// Returns `true` if an estimate after this many epochs may be enough.
    pub(super) fn may_be_estimated(&self, epoch: u64) -> bool {
        self.target.is_some() && self.course.part_of(epoch).1.is_some()
    }

    /// Returns `true` if the estimate after this many epochs is enough to continue, and keeps it then:
    /// whatever the score, the target is not met, and no plan depends on it. That holds while an estimate is
    /// at most [`MARGIN`] above the score, which is three times as much as was ever seen.
    pub(super) fn is_enough(&self, epoch: u64, record: &mut Record) -> bool {
        let value = record.sums.estimates.last().and_then(|estimate| estimate.perplexity());
        let waits = |value: &f64| {
            let least = value / (1.0 + MARGIN);
            self.target.is_some_and(|target| EvaluationTimes::waits(&self.course, epoch, least, target))
        };
        record.estimate = value.filter(waits).map(|value| (epoch, value)).or(record.estimate);
        value.is_some_and(|value| waits(&value))
    }

    /// Returns the evaluation, with the likelihoods of Griffiths and Steyvers (2004), equations 2 and 3, per
    /// token that has a topic.
    pub(super) fn evaluation(
        &self,
        epoch: u64,
        sums: &Sums,
        totals: &Replica,
        count_drift: f64,
    ) -> Evaluation {
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

    /// Returns the metric, and whether the run is over. The metric is the perplexity of the test documents if
    /// the run has a target and there are any, else of the validation documents; without either, exp(-joint
    /// log-likelihood) of the training tokens. An estimate says that it is one.
    pub(super) fn verdict(&self, epoch: u64, record: &Record) -> Verdict<Change> {
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
        let estimate = record.estimate.filter(|(at, _)| last.is_none_or(|last| last.epoch < *at));
        let metric = match estimate {
            Some((_, value)) => Metric::new(name, value, &format!("{on}, estimated")),
            None => Metric::new(name, last.map_or(f64::NAN, value), on),
        };
        let mut verdict = Verdict::new(metric.target(self.target));
        let measured = estimate.map(|(at, _)| at).or(last.map(|last| last.epoch));
        verdict.measured = measured == Some(epoch);
        verdict.status = match self.course.length() {
            Some(length) if epoch >= length => Status::Completed,
            Some(_) => Status::Continue,
            None if verdict.measured && self.gains_nothing(record, value) => Status::Converged,
            None => Status::Continue,
        };
        verdict
    }

    /// Returns `true` if the chain has settled and ten epochs have gained less than a thousandth; with a
    /// target, which may be near, if they and the last two evaluations have gained nothing.
    fn gains_nothing(&self, record: &Record, value: impl Fn(&Evaluation) -> f64) -> bool {
        let all = &record.evaluations;
        let Some(last) = all.last() else { return false };
        let from = self.course.settled();
        if self.target.is_none() {
            let is_earlier = |other: &&Evaluation| other.epoch >= from && other.epoch + 10 <= last.epoch;
            let earlier = all.iter().rfind(is_earlier);
            return earlier.is_some_and(|earlier| value(last) > 0.999 * value(earlier));
        }
        let of_ten_epochs = all.partition_point(|other| other.epoch + 10 <= last.epoch);
        let (earlier, recent) = all.split_at(of_ten_epochs.min(all.len().saturating_sub(2)));
        let least = recent.iter().map(&value).fold(f64::INFINITY, f64::min);
        earlier.iter().any(|earlier| earlier.epoch >= from && value(earlier) <= least)
    }
}
