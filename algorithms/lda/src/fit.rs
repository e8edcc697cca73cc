//! Fits by [`Lda`]: turns parameters and a problem into a program, its schedule and its parts, and the
//! outcome into a fit.

use std::sync::Arc;

use raddle::{Engine, Lazy, LazyParts, Parts, Visibility};

use crate::data::block::WordBlock;
use crate::data::carried::Carried;
use crate::data::layout::{assign_priors, sums_by_topic};
use crate::data::making::PartMaker;
use crate::data::problem::Problem;
use crate::data::shard::DocumentShard;
use crate::error::LdaError;
use crate::model::Fit;
use crate::params::{Init, Lda, SyncInterval};
use crate::run::annealing::Course;
use crate::run::evaluation_times::EvaluationTimes;
use crate::run::pinned::Record;
use crate::run::program::LdaProgram;
use crate::run::replica::Replica;
use crate::run::schedule::LdaSchedule;
use crate::run::spec::Spec;
use raddle_kernels::topics::counts::words::WordRows;

/// The parts of a run before its shards and the rows of its blocks are made.
struct Unmade {
    program: LdaProgram,
    schedule: LdaSchedule,
    totals: Replica,
    maker: PartMaker,
    shards: Vec<DocumentShard>,
    blocks: Vec<WordBlock>,
}

impl Lda {
    /// Fits the model.
    ///
    /// # Errors
    /// If a parameter is out of range, a document is too long for this number of topics, or the run fails.
    pub fn fit(self, problem: Problem) -> Result<Fit, LdaError> {
        self.fit_with(problem, |engine| engine)
    }

    /// Fits on an engine that `set` may configure: limits, rescales, checkpoints, an observer.
    ///
    /// # Errors
    /// If a parameter is out of range, a document is too long for this number of topics, or the run fails.
    pub fn fit_with(
        self,
        problem: Problem,
        set: impl FnOnce(Engine<LdaProgram>) -> Engine<LdaProgram>,
    ) -> Result<Fit, LdaError> {
        let documents = problem.documents();
        let engine = self.engine(problem)?;
        Ok(Fit::new(set(engine).run()?, documents))
    }

    /// Returns the engine that [`fit`](Lda::fit) runs.
    ///
    /// # Errors
    /// If a parameter is out of range, or a document is too long for this number of topics.
    pub fn engine(&self, problem: Problem) -> Result<Engine<LdaProgram>, LdaError> {
        let costs = costs(&problem.shards);
        let (program, schedule, lazy_parts) = self.lazy_parts(problem)?;
        Ok(self.engine_of(program, schedule, lazy_parts, costs))
    }

    /// Returns the parts of a run, for a caller that drives it step by step.
    ///
    /// # Errors
    /// If a parameter is out of range, a document is too long for this number of topics, or a file cannot be
    /// read.
    pub fn parts(&self, problem: Problem) -> Result<(LdaProgram, LdaSchedule, Parts<LdaProgram>), LdaError> {
        let Unmade { program, schedule, totals, maker, shards, blocks } = self.unmade(problem)?;
        let shards = shards.into_iter().map(|shard| maker.shard(shard)).collect::<Result<_, _>>()?;
        let blocks = (0..).zip(blocks).map(|(number, block)| WordBlock { rows: maker.rows(number), ..block });
        let blocks = blocks.collect();
        Ok((program, schedule, Parts { shards, blocks, pinned: Record::default(), replica: totals }))
    }

    /// Returns the parts of a run, which are made where they are placed.
    fn lazy_parts(
        &self,
        problem: Problem,
    ) -> Result<(LdaProgram, LdaSchedule, LazyParts<LdaProgram>), LdaError> {
        let Unmade { program, schedule, totals, maker, mut shards, mut blocks } = self.unmade(problem)?;
        let (maker, counts) = (Arc::new(maker), (shards.len(), blocks.len()));
        let of_blocks = Arc::clone(&maker);
        let shards =
            Lazy::new(counts.0, move |number| maker.shard(std::mem::take(&mut shards[number as usize])));
        let blocks = Lazy::new(counts.1, move |number| -> Result<WordBlock, LdaError> {
            let block = std::mem::take(&mut blocks[number as usize]);
            Ok(WordBlock { rows: of_blocks.rows(number), ..block })
        });
        Ok((program, schedule, LazyParts { shards, blocks, pinned: Record::default(), replica: totals }))
    }

    fn unmade(&self, problem: Problem) -> Result<Unmade, LdaError> {
        self.check(&problem)?;
        let kept = self.kept(&problem);
        let (program, schedule, totals) = self.frame(&problem, &kept);
        let blocks = self.blocks(&problem);
        let (maker, shards) = PartMaker::new(problem, self.topics, kept, self.sync == SyncInterval::Token)?;
        Ok(Unmade { program, schedule, totals, maker, shards, blocks })
    }

    /// Returns the program, its schedule, and the topics' totals at the start.
    fn frame(&self, problem: &Problem, kept: &Init) -> (LdaProgram, LdaSchedule, Replica) {
        let course = Arc::new(self.course(problem.tokens));
        let warm_sums = sums_by_topic(&self.warm(problem), self.topics);
        let Problem { shards, blocks, tokens, sets, word_counts, .. } = problem;
        let mut topics = vec![0; self.topics];
        kept.iter().for_each(|&(_, topic, count)| topics[topic as usize] += i64::from(count));
        let alpha = self.alpha.unwrap_or(50.0 / self.topics as f64);
        let totals = Replica { topics, alpha: vec![alpha; self.topics], beta: self.beta };
        let schedule = LdaSchedule {
            shards: shards.len() as u32,
            blocks: blocks.len() as u32,
            course: Arc::clone(&course),
            held_out: !sets.is_empty(),
            optimise: !self.fixed_priors,
            evaluations: EvaluationTimes::fixed(self.evaluate_every.is_some() || sets.is_empty()),
        };
        let spec = Spec {
            topics: self.topics,
            words: word_counts.len(),
            tokens: *tokens,
            course,
            seed: self.seed,
            visibility: match self.sync {
                SyncInterval::Epoch | SyncInterval::Token => Visibility::AtBoundary,
                SyncInterval::Round => Visibility::EachRound,
            },
            optimise: !self.fixed_priors,
            to_carry: self.to_carry,
            seeded: sums_by_topic(&self.word_priors, self.topics),
            warm: warm_sums,
            blocks: blocks.clone(),
            sets: sets.clone(),
            target: self.target,
        };
        (LdaProgram { spec }, schedule, totals)
    }

    /// Returns the engine that continues from an earlier fit on the next version of the corpus
    /// ([`Problem::going_on`]): remaining tokens keep their topics, and new ones draw a topic from the
    /// counts. There are neither progressive stages nor annealing; the usual rule ends the run.
    ///
    /// # Errors
    /// The errors of [`engine`](Lda::engine), and an earlier fit with another number of topics.
    pub fn going_on(&self, problem: Problem, carried: &Carried) -> Result<Engine<LdaProgram>, LdaError> {
        if carried.topics != self.topics {
            let (name, value) = ("topics", self.topics.to_string());
            return Err(LdaError::Parameter { name, value, range: "the fit to continue has another number" });
        }
        let counts = problem.blocks.clone();
        let (mut program, mut schedule, mut parts) = self.parts(problem)?;
        let mut rows: Vec<WordRows> =
            parts.blocks.iter_mut().map(|block| std::mem::take(&mut block.rows)).collect();
        let totals = carried.give_topics(&mut parts.shards, &counts, &mut rows, self.seed);
        parts.blocks.iter_mut().zip(rows).for_each(|(block, rows)| block.rows = rows);
        let course = Arc::new(self.evaluated(Course::going_on(self.epochs)));
        (program.spec.course, schedule.course) = (Arc::clone(&course), course);
        parts.replica = Replica { topics: totals, alpha: carried.alpha.clone(), beta: carried.beta };
        if self.fixed_priors {
            let alpha = self.alpha.unwrap_or(50.0 / self.topics as f64);
            (parts.replica.alpha, parts.replica.beta) = (vec![alpha; self.topics], self.beta);
        }
        let costs = costs(&parts.shards);
        Ok(self.engine_of(program, schedule, parts.into(), costs))
    }

    fn engine_of(
        &self,
        program: LdaProgram,
        schedule: LdaSchedule,
        lazy_parts: LazyParts<LdaProgram>,
        costs: Vec<u64>,
    ) -> Engine<LdaProgram> {
        let engine =
            Engine::new(program, schedule, lazy_parts).costs(costs).workers(self.workers).guard(false);
        match self.epochs {
            Some(epochs) => engine.epochs(epochs),
            None => engine,
        }
    }

    fn course(&self, tokens: u64) -> Course {
        self.evaluated(match &self.init {
            Some(_) => Course::warm(self.epochs),
            None => Course::new(tokens, self.topics, self.progressive, self.beta_anneal, self.epochs),
        })
    }

    /// Returns the course with the interval of evaluations that the user gave.
    fn evaluated(&self, mut course: Course) -> Course {
        course.every = self.evaluate_every.unwrap_or(course.every);
        course
    }

    /// Returns the counts of the initial model for words that have training tokens.
    fn warm(&self, problem: &Problem) -> Vec<(u32, u32, f32)> {
        let init = self.init.iter().flatten().filter(|&&(word, ..)| problem.word_counts[word as usize] > 0);
        init.map(|&(word, topic, count)| (word, topic, count as f32)).collect()
    }

    /// Makes the blocks without their rows: words, the additions of priors and, for the first epoch, the
    /// initial model.
    fn blocks(&self, problem: &Problem) -> Vec<WordBlock> {
        let mut warm = self.warm(problem);
        if !warm.is_empty() {
            // Priors apply in the first epoch, too.
            warm.extend(&self.word_priors);
        }
        let Problem { blocks, places, .. } = problem;
        let word_priors = assign_priors(&self.word_priors, places, blocks.len());
        let warm = assign_priors(&warm, places, blocks.len());
        let block = |(words, (word_priors, warm)): (&Vec<u32>, _)| WordBlock {
            words: words.clone(),
            word_priors,
            warm,
            ..WordBlock::default()
        };
        blocks.iter().zip(word_priors.into_iter().zip(warm)).map(block).collect()
    }

    /// Returns the counts of the initial model for words that the training documents lack, sorted by word and
    /// topic, with each pair once.
    fn kept(&self, problem: &Problem) -> Init {
        let lacks = |&&(word, ..): &&(u32, u32, u32)| problem.word_counts[word as usize] == 0;
        let mut kept: Init = self.init.iter().flatten().filter(lacks).copied().collect();
        kept.sort_unstable();
        kept.dedup_by(|next, sum| {
            let same = (next.0, next.1) == (sum.0, sum.1);
            if same {
                sum.2 = sum.2.saturating_add(next.2);
            }
            same
        });
        kept
    }
}

/// Cost of drawing a topic in multiply-adds: a few products of sixteen counts with weights, and the search in
/// their sums. It hardly depends on the number of topics.
const TOKEN: u64 = 100;

/// Returns the cost of each shard, proportional to its tokens plus one.
fn costs(shards: &[DocumentShard]) -> Vec<u64> {
    shards.iter().map(|shard| TOKEN * (shard.ends.last().copied().unwrap_or(0) + 1)).collect()
}
