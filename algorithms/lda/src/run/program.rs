//! [`LdaProgram`]: the sampler as a program of the engine.
//!
//! A task brings together a shard's documents and a block's words: [`Sample`] draws a topic for each of their
//! common tokens. Changes of the topic totals become visible at the boundary (or each round), but to the
//! shard itself at once or, where words are assigned to streams, in its next task. The random numbers of a
//! task are named by (seed, epoch, shard, block).

use raddle::random::Stream;
use raddle::state::{Learned, Reader, StateError, Writer};
use raddle::{
    Aggregate, BlockTaskOf, Conclude, Evaluate, Fold, Merge, Program, Task, TaskOf, Update, UpdateBlock,
    Verdict, Visibility,
};

use super::messages::{Change, Partial, Sums};
use super::pinned::Record;
use super::replica::Replica;
use super::schedule::Phase;
use super::spec::Spec;
use crate::data::block::WordBlock;
use crate::data::shard::{DocumentShard, by_others};
use crate::evaluate::perplexity;
use raddle_kernels::topics::counts::priors::WordPriors;
use raddle_kernels::topics::{self as kernels, Draws, Sample};

/// Latent Dirichlet allocation on the engine.
#[derive(Debug)]
pub struct LdaProgram {
    pub(crate) spec: Spec,
}

impl Program for LdaProgram {
    raddle::program!(
        Shard = DocumentShard,
        Block = WordBlock,
        Pinned = Record,
        Replica = Replica,
        Partial = Partial,
        Change = Change,
        Phase = Phase;
        update, update_block, fold, merge, restore_by_shard
    );

    fn visibility(&self) -> Visibility {
        self.spec.visibility
    }

    /// Returns `true` for rounds that score held-out documents or gather rows for that, and for statistics of
    /// words if only the likelihood needs them.
    fn is_evaluation(&self, phase: Option<&Phase>) -> bool {
        match phase {
            None | Some(Phase::Gather | Phase::Estimate(_)) => true,
            Some(Phase::Statistics) => !self.spec.optimise,
            Some(Phase::Sample | Phase::Alpha) => false,
        }
    }

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Change {
        let Aggregate { round, pinned: record, partials } = at;
        let mut moved = vec![0i64; self.spec.topics];
        for partial in &partials {
            moved.iter_mut().zip(&partial.moved).for_each(|(sum, &part)| *sum += part);
        }
        // If changes become visible at the boundary, the shards get them there.
        if self.spec.visibility == Visibility::EachRound {
            let unseen =
                |partial: &Partial| by_others(&moved, partial.moved.iter().copied()) + partial.unseen;
            let most = partials.iter().map(unseen).max().unwrap_or(0);
            record.epoch_drift = record.epoch_drift.max(self.spec.drift(most));
        }
        partials.into_iter().flat_map(|partial| partial.sums).for_each(|sums| record.sums.add(sums));
        let is_estimated = match round.phase {
            Phase::Estimate(epoch) => self.spec.is_enough(epoch, record),
            _ => false,
        };
        Change { moved, priors: None, is_estimated }
    }

    fn commit(&self, change: &Change, totals: &mut Replica) {
        totals.commit(change);
    }

    fn commit_shard(&self, change: &Change, _: u32, shard: &mut DocumentShard) {
        if self.spec.visibility == Visibility::AtBoundary && !change.moved.is_empty() {
            shard.learn_of(&change.moved);
        }
        if change.is_estimated {
            shard.held_out.let_go();
        }
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> Partial {
        let Evaluate { boundary, shard, replica: totals, .. } = at;
        let mut share = Partial { unseen: shard.unseen, ..Partial::default() };
        let is_scored = |last: &u64| match self.spec.sets.is_empty() {
            true => self.spec.course.scores(*last),
            false => shard.held_out.is_gathered,
        };
        if let Some(last) = boundary.epoch.checked_sub(1).filter(is_scored) {
            let documents = self.spec.documents_likelihood(shard, totals, last);
            let mut sums = Sums { documents, ..Sums::default() };
            if !self.spec.sets.is_empty() {
                sums.scores = self.spec.scores(&shard.held_out, totals, perplexity::ROUNDS);
                shard.held_out.let_go();
            }
            share.sums.push(sums);
        }
        share
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Change> {
        let Conclude { boundary, pinned: record, replica: totals, partials: shares } = at;
        let mut sums = std::mem::take(&mut record.sums);
        let mut count_drift = std::mem::take(&mut record.epoch_drift);
        for share in shares {
            count_drift = count_drift.max(self.spec.drift(share.unseen));
            share.sums.into_iter().for_each(|one| sums.add(one));
        }
        let epoch = boundary.epoch;
        if let Some(last) = epoch.checked_sub(1) {
            if self.spec.course.pass(last).had >= 1.0 {
                record.count_drift = record.count_drift.max(count_drift);
            }
            if !sums.scores.is_empty() || self.spec.sets.is_empty() && self.spec.course.scores(last) {
                record.evaluations.push(self.spec.evaluation(epoch, &sums, totals, count_drift));
            }
        }
        let mut verdict = self.spec.verdict(epoch, record);
        if epoch > 0 && self.spec.optimise && self.spec.course.optimises(epoch - 1) {
            let (alpha, beta) = (self.spec.new_alpha(&sums, totals), self.spec.new_beta(&sums, totals));
            verdict.change = Some(Change { priors: Some((alpha, beta)), ..Change::default() });
        }
        verdict
    }

    fn drop_training_data(&self, shard: &mut DocumentShard) {
        if !self.spec.to_carry {
            shard.drop_training_data();
        }
    }

    fn shrink_to_model(&self, block: &mut WordBlock) {
        block.rows.drop_training_data();
    }

    fn save_state(&self, shard: &DocumentShard, out: &mut Learned<Writer>) {
        shard.save_state(out);
    }

    fn load_state(
        &self,
        shard: &mut DocumentShard,
        from: &mut Learned<Reader<'_>>,
    ) -> Result<(), StateError> {
        shard.load_state(from)
    }
}

impl Update for LdaProgram {
    /// Returns the statistics of documents for alpha, or estimates of scores: the only rounds without blocks.
    fn update(&self, at: TaskOf<'_, Self>) -> Partial {
        let TaskOf { task, shard, replica } = at;
        match task.phase {
            Phase::Alpha => Partial::of(self.spec.alpha_sums(shard, replica, task.epoch)),
            Phase::Estimate(_) => {
                // The replica has the totals of the boundary before.
                let totals = Replica { topics: shard.held_out.totals.clone(), ..replica.clone() };
                let estimates = self.spec.scores(&shard.held_out, &totals, perplexity::FEW);
                Partial::of(Sums { estimates, ..Sums::default() })
            }
            Phase::Sample | Phase::Statistics | Phase::Gather => panic!("a round with blocks"),
        }
    }
}

impl UpdateBlock for LdaProgram {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) -> Partial {
        let BlockTaskOf { task, shard, number, block, replica: totals } = at;
        match task.phase {
            Phase::Sample => self.sample(task, number, shard, block, totals),
            Phase::Statistics => Partial::of(self.spec.statistics(block, totals)),
            Phase::Gather => {
                shard.held_out.gather(number, block);
                if self.spec.may_be_estimated(task.epoch + 1) {
                    shard.held_out.add_totals(block, self.spec.topics);
                }
                Partial::default()
            }
            Phase::Alpha | Phase::Estimate(_) => panic!("a round without blocks"),
        }
    }
}

impl Fold for LdaProgram {
    fn fold(&self, so_far: &mut Partial, next: Partial) {
        so_far.fold(next);
    }
}

impl Merge for LdaProgram {
    fn merge(&self, _: Option<&Phase>, left: &mut Partial, right: Partial) {
        left.merge(right);
    }

    /// Returns `false` for sampling if changes become visible each round: each shard's own change is then
    /// needed to compute how far the other shards changed the totals that it read.
    fn merges(&self, phase: Option<&Phase>) -> bool {
        phase.is_none() || self.spec.visibility == Visibility::AtBoundary
    }
}

impl LdaProgram {
    fn sample(
        &self,
        task: &Task<Phase>,
        number: u32,
        shard: &mut DocumentShard,
        block: &mut WordBlock,
        totals: &Replica,
    ) -> Partial {
        let pass = self.spec.course.pass(task.epoch);
        let (had, has) = (shard.first_documents(pass.had), shard.first_documents(pass.has));
        let first = task.epoch == 0;
        let beta = totals.beta * pass.beta_factor;
        let mut norms = self.spec.norms(totals, beta, first);
        // The totals include the shard's own changes in this epoch, unless these are merged each round.
        let own = match self.spec.visibility {
            Visibility::AtBoundary => shard.moved.during(task.epoch, self.spec.topics),
            Visibility::EachRound => &mut [],
        };
        norms.iter_mut().zip(&*own).for_each(|(norm, &moved)| *norm += f64::from(moved));
        if !first {
            block.warm = WordPriors::default();
        }
        let word_priors = if first && !self.spec.warm.is_empty() { &block.warm } else { &block.word_priors };
        let moved = Sample {
            given: kernels::TopicParams { norms: &norms, alphas: &totals.alpha, beta },
            rows: &mut shard.rows,
            slice: &mut shard.slices[number as usize],
            words: &mut block.rows,
            word_priors,
            had,
            has,
            uniform: pass.uniform,
            draws: Draws::new(
                Stream::new(&[self.spec.seed, task.epoch, task.shard.into(), number.into()]).bits(),
            ),
        }
        .run();
        own.iter_mut().zip(&moved).for_each(|(sum, part)| *sum += part);
        let unseen = match shard.slices[number as usize].has_streams() {
            true => moved.iter().map(|moved| u64::from(moved.unsigned_abs())).sum(),
            false => 0,
        };
        if self.spec.visibility == Visibility::AtBoundary {
            shard.moved.fixed = shard.moved.fixed.max(unseen);
        }
        Partial { moved: moved.into_iter().map(i64::from).collect(), unseen, sums: Vec::new() }
    }
}
