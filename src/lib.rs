//! Scheduled model-parallel machine learning on timely dataflow.
//!
//! Model-parallel training updates many variables of one model at the same time. Which of them may be updated
//! together is a question of the model's structure, and it decides whether the training converges. Here a
//! [`Schedule`] answers it, a [`Program`] does the mathematics, and the [`Engine`] runs the two on the
//! threads of its workers. A run ends on a [`Metric`], not on a count of iterations, and its model is the
//! same, bit for bit, for any number of workers and through every rescale, checkpoint and resume.
//!
//! # Ten words
//!
//! | word | what it means here |
//! |---|---|
//! | program | the mathematics of one algorithm; it knows no threads |
//! | shard | a piece of the training data with its solver state; stays with the worker it is placed on |
//! | block | model variables that are updated together; travels from shard to shard, unless pinned |
//! | replica | small state of which every worker keeps an equal copy; changed by commits alone |
//! | schedule | decides which variables and blocks meet which shards next; a state machine with one seed |
//! | round | tasks that may run at the same time, at most one a shard |
//! | epoch | the rounds between two boundaries; metrics, checkpoints and rescales happen at boundaries only |
//! | worker | a place for shards and their tasks, which a thread carries; never a part of the mathematics |
//! | commit | the moment an aggregated update becomes visible; every run commits in the same order |
//! | generation | one timely computation with a fixed set of workers; a rescale starts the next one |
//!
//! # Four levels
//!
//! 1. Fit: a bundled algorithm is a crate with a builder, such as
//!    `Lasso::params().ratio(100.0).fit(&problem)` of `raddle-lasso`, and with a command line.
//! 2. Write a [`Program`] and run it on an [`Engine`] under one of the schedules of [`schedule`].
//! 3. Write a [`Schedule`] of your own: it can be driven step by step in a test, without workers.
//! 4. Make a run an operator of your own dataflow: [`Engine::into_operator`], [`Scheduled`]; or train on a
//!    stream of records: [`Train`].
//!
//! # A program
//!
//! Temperatures on a ring of twelve cells, three cells a round. The moves that all cells would make bound the
//! error of all:
//!
//! ```
//! use raddle::prelude::*;
//!
//! /// 3 t[i] = t[i - 1] + t[i + 1] + i
//! struct Ring;
//! type Cells = Vec<(u32, f64)>;
//!
//! impl Program for Ring {
//!     raddle::program!(Replica = Vec<f64>, Partial = Cells; update); // the other types, as Shard, are ()
//!
//!     fn aggregate(&self, at: Aggregate<'_, Self>) -> Cells { at.partials.concat() }
//!     fn commit(&self, new: &Cells, t: &mut Vec<f64>) {
//!         new.iter().for_each(|&(i, value)| t[i as usize] = value);
//!     }
//!     fn evaluate(&self, at: Evaluate<'_, Self>) -> Cells {
//!         let cells = Task::of(6 * at.number..6 * at.number + 6);
//!         self.update(TaskOf { task: &cells, shard: at.shard, replica: at.replica })
//!     }
//!     fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Cells> {
//!         let moves = at.partials.iter().flatten().map(|&(i, new)| (new - at.replica[i as usize]).abs());
//!         Metric::new("error", 3.0 * moves.fold(0.0, f64::max), "all cells").target(1e-9).into()
//!     }
//! }
//!
//! impl Update for Ring {
//!     fn update(&self, at: TaskOf<'_, Self>) -> Cells {
//!         let t = at.replica;
//!         let beside = |i: usize| t[(i + t.len() - 1) % t.len()] + t[(i + 1) % t.len()];
//!         at.task.variables.iter().map(|&i| (i, (beside(i as usize) + f64::from(i)) / 3.0)).collect()
//!     }
//! }
//!
//! let run = |workers| {
//!     let cells = Variables::evenly(12, 2); // two shards of six
//!     let parts = Parts::new(vec![(), ()], vec![0.0; 12]);
//!     Engine::new(Ring, Cyclic::new(cells, 3), parts).workers(workers).run()
//! };
//! let (one, two) = (run(1)?, run(2)?);
//! assert!(one.report.metric.is_reached());
//! assert_eq!(one.parts.replica, two.parts.replica); // the same bits
//! # Ok::<(), EngineError>(())
//! ```

pub mod changes;
mod checkpoint;
pub mod cluster;
#[doc(hidden)]
pub mod command_line_support;
mod engine;
#[cfg(feature = "files")]
pub mod files;
mod generation;
mod map;
mod operator;
pub mod parties;
pub mod prelude;
mod program;
pub mod replay;
mod run;
pub mod schedule;

use raddle_base as base;
#[doc(inline)]
pub use raddle_base::digest::ModelDigest;
#[doc(inline)]
pub use raddle_base::error::EngineError;
#[doc(inline)]
pub use raddle_base::observed::{Reporter, observed};
#[doc(inline)]
pub use raddle_base::pool::Pool;
#[doc(inline)]
pub use raddle_base::side_by_side::side_by_side;
#[doc(inline)]
pub use raddle_base::slowdown::Slowdown;
#[doc(inline)]
pub use raddle_base::stop::Stop;
#[doc(inline)]
pub use raddle_base::{
    State, cancellation_point, exact, fork_join, random, simd_level, state, vector_kernels,
};

pub use checkpoint::{CheckpointEvery, has_checkpoint};
pub use cluster::Cluster;
pub use engine::{Engine, Lazy, LazyParts, Outcome, Parts};
pub use map::map;
pub use operator::{Operator, Scheduled, Train, Trained};
pub use program::context::{Aggregate, BlockTaskOf, Conclude, Evaluate, TaskOf};
pub use program::merge::{Additive, Merge};
#[doc(hidden)]
pub use program::partials;
pub use program::partials::{Numbers, Partials};
pub use program::restore::{RestoreByShard, Restoring};
pub use program::shard::{PinnedShard, Shard};
pub use program::verbs::{Enough, Fold, Relate, Update, UpdateBlock, Verb, Verbs};
pub use program::verdict::{Metric, Status, Verdict};
pub use program::{Boundary, Phase, Program, Task, Visibility};
pub use run::placement;
pub use run::record::{
    CheckpointRecord, Ending, EpochRecord, GenerationMember, GenerationRecord, Limit, ProcessRecord,
    RunReport,
};
pub use schedule::Schedule;

/// The program of the page for authors, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("AUTHORS.md")]
struct Authors;
