//! A scheduled program as an operator of another timely dataflow.

mod trained;

use std::sync::{Arc, Mutex, mpsc};

use timely::ExchangeData;
use timely::dataflow::{Scope, Stream};

pub use self::trained::Trained;
use self::trained::{Event, trained};
use crate::base::error::EngineError;
use crate::base::panic_context::{self, PanicContext};
use crate::base::sync::lock;
use crate::engine::{Engine, History, Outcome, RunEnd};
use crate::generation::{Generation, dataflow};
use crate::program::Program;
use crate::run::hub::GenerationExit;
use crate::run::local_state::GenerationResult;
use crate::run::placement::Layout;
use crate::run::record::{EpochRecord, GenerationMember};

/// Adds scheduled programs to a timely scope whose time counts epochs.
pub trait Scheduled<'scope> {
    /// Runs the program as an operator of this dataflow, on its workers. Every worker must call it, in the
    /// same order as every other operator. The stream carries each epoch's record, at the epoch as its time,
    /// on the first worker; its frontier tells which epochs are over.
    ///
    /// ```
    /// use raddle::prelude::*;
    /// use raddle::{Operator, Scheduled};
    /// # struct Count;
    /// # impl Program for Count {
    /// #     raddle::program!(Shard = u64, Block = u64; update_block);
    /// #     fn aggregate(&self, _: Aggregate<'_, Self>) {}
    /// #     fn commit(&self, _: &(), _: &mut ()) {}
    /// #     fn evaluate(&self, _: Evaluate<'_, Self>) {}
    /// #     fn conclude(&self, _: Conclude<'_, Self>) -> Verdict<()> {
    /// #         Metric::new("none", 1.0, "nothing").into()
    /// #     }
    /// # }
    /// # impl UpdateBlock for Count {
    /// #     fn update_block(&self, at: BlockTaskOf<'_, Self>) { *at.shard += 1; *at.block += 1; }
    /// # }
    /// use timely::dataflow::operators::vec::Map;
    /// use timely::dataflow::operators::Inspect;
    ///
    /// let parts = Parts::new(vec![0; 3], ()).blocks(vec![0; 2]);
    /// let operator = Engine::new(Count, Rotation::new(3, 2), parts).epochs(5).into_operator()?;
    /// let shared = operator.clone();
    /// timely::execute(timely::Config::process(2), move |worker| {
    ///     worker.dataflow::<u64, _, _>(|scope| {
    ///         let epochs = scope.scheduled(&shared).map(|record| record.epoch);
    ///         epochs.inspect(|epoch| println!("epoch {epoch} is over"));
    ///     });
    /// })?;
    /// assert_eq!(operator.finish()?.parts.shards, [10, 10, 10]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn scheduled<P: Program>(&self, operator: &Operator<P>) -> Stream<'scope, u64, Vec<EpochRecord>>;
}

impl<'scope> Scheduled<'scope> for Scope<'scope, u64> {
    fn scheduled<P: Program>(&self, operator: &Operator<P>) -> Stream<'scope, u64, Vec<EpochRecord>> {
        dataflow::scheduled(*self, operator.generation(self.peers()))
    }
}

/// Adds training to a timely stream of records whose time counts epochs.
pub trait Train<'scope, D> {
    /// Trains on the records of this stream, once it has ended: `make` builds the run from all records, in
    /// the order in which they arrived (sort them if several workers produce some). The resulting stream
    /// carries each epoch's record, at the epoch as its time, and ends with the outcome, which holds the
    /// model; all on the first worker. The run has threads of its own, as many as its engine asks for, so it
    /// may rescale and checkpoint as any other, and the workers of this dataflow continue meanwhile. The run
    /// ends early if the stream has no reader any more.
    ///
    /// ```
    /// use raddle::prelude::*;
    /// use raddle::{Train, Trained};
    /// # struct Mean(f64);
    /// # impl Program for Mean {
    /// #     raddle::program!(Shard = Vec<f64>, Replica = f64, Partial = f64; update);
    /// #     fn aggregate(&self, at: Aggregate<'_, Self>) -> f64 { at.partials.sum() / self.0 }
    /// #     fn commit(&self, step: &f64, mean: &mut f64) { *mean += step; }
    /// #     fn evaluate(&self, at: Evaluate<'_, Self>) -> f64 {
    /// #         at.shard.iter().map(|row| row - at.replica).sum()
    /// #     }
    /// #     fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<f64> {
    /// #         Metric::new("slope", at.partials.sum().abs(), "all rows").target(1e-9).into()
    /// #     }
    /// # }
    /// # impl Update for Mean {
    /// #     fn update(&self, at: TaskOf<'_, Self>) -> f64 {
    /// #         at.shard.iter().map(|row| row - at.replica).sum()
    /// #     }
    /// # }
    /// use timely::dataflow::operators::{Inspect, ToStream};
    ///
    /// timely::execute_directly(|worker| {
    ///     worker.dataflow::<u64, _, _>(|scope| {
    ///         let rows = (0..100).map(f64::from).to_stream(scope);
    ///         let trained = rows.train(|rows| {
    ///             let count = rows.len() as f64;
    ///             let shards = rows.chunks(25).map(<[f64]>::to_vec).collect();
    ///             Engine::new(Mean(count), EachShard::new(4), Parts::new(shards, 0.0)).workers(2)
    ///         });
    ///         trained.inspect(|said| match said {
    ///             Trained::Epoch(record) => println!("epoch {}", record.epoch),
    ///             Trained::Over(outcome) => {
    ///                 assert_eq!(outcome.as_ref().as_ref().unwrap().parts.replica, 49.5);
    ///             }
    ///         });
    ///     });
    /// });
    /// ```
    fn train<P: Program>(
        self,
        make: impl FnOnce(Vec<D>) -> Engine<P> + Send + 'static,
    ) -> Stream<'scope, u64, Vec<Trained<P>>>;
}

impl<'scope, D: ExchangeData + Send> Train<'scope, D> for Stream<'scope, u64, Vec<D>> {
    fn train<P: Program>(
        self,
        make: impl FnOnce(Vec<D>) -> Engine<P> + Send + 'static,
    ) -> Stream<'scope, u64, Vec<Trained<P>>> {
        trained(self, |records, waker| {
            let (tell, events) = mpsc::channel();
            std::thread::spawn(move || {
                let (teller, wakes) = (tell.clone(), waker.clone());
                let observer = move |record: &EpochRecord| {
                    let is_heard = teller.send(Event::Epoch(Box::new(record.clone()))).is_ok();
                    // A dataflow that is gone needs no waking.
                    let _ = wakes.activate();
                    is_heard
                };
                let made = panic_context::guarded(|| {
                    PanicContext::verb("making the run").enter();
                    Ok(make(records))
                });
                let run = |engine: Engine<P>| engine.observe_while(observer).run();
                let outcome = made.map_err(EngineError::Worker).and_then(run);
                // The stream may have no reader any more.
                let _ = tell.send(Event::Over(Box::new(outcome)));
                let _ = waker.activate();
            });
            events
        })
    }
}

impl<P: Program> Engine<P> {
    /// Makes the run an operator of another dataflow, with
    /// [`scope.scheduled(&operator)`](crate::Scheduled::scheduled): its workers are those of that dataflow.
    ///
    /// # Errors
    /// If a setting makes no sense there: workers are fixed, and checkpoints are up to the surrounding
    /// dataflow.
    pub fn into_operator(self) -> Result<Operator<P>, EngineError> {
        self.for_operator().map(Operator::new)
    }
}

/// A run that will become an operator, or has become one; made by [`Engine::into_operator`]. Clones, one for
/// each worker, share the run.
pub struct Operator<P: Program>(Arc<Mutex<Stage<P>>>);

enum Stage<P: Program> {
    Waiting(Box<Engine<P>>),
    Running(Arc<Generation<P>>),
    Over,
}

impl<P: Program> Clone for Operator<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P: Program> Operator<P> {
    pub(crate) fn new(engine: Engine<P>) -> Self {
        Self(Arc::new(Mutex::new(Stage::Waiting(Box::new(engine)))))
    }

    /// Returns the generation, made for the number of workers of the first caller.
    fn generation(&self, workers: usize) -> Arc<Generation<P>> {
        let mut stage = lock(&self.0);
        let generation = match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Waiting(engine) => Arc::new(engine.into_generation(workers)),
            Stage::Running(generation) => generation,
            Stage::Over => panic!("the operator has already finished: it runs in one dataflow only"),
        };
        *stage = Stage::Running(Arc::clone(&generation));
        generation
    }

    /// Returns the outcome of the run, once the dataflow that it was part of is over.
    ///
    /// # Errors
    /// If a worker failed, or the dataflow is not over yet.
    pub fn finish(self) -> Result<Outcome<P>, EngineError> {
        let stage = std::mem::replace(&mut *lock(&self.0), Stage::Over);
        let unfinished =
            || EngineError::Setting("the dataflow of this operator has not run to its end".into());
        let Stage::Running(generation) = stage else { return Err(unfinished()) };
        if let Some(reason) = generation.failure() {
            return Err(EngineError::Worker(reason));
        }
        let mut returned = generation.take_back().ok_or_else(unfinished)?;
        let hub = returned.hub.take().ok_or_else(unfinished)?;
        let mut history = History::default();
        let Layout { workers, threads, shard_at, block_at, .. } = &generation.layout;
        let (shards, blocks) = (shard_at.len(), block_at.len());
        let members =
            vec![GenerationMember { workers: *workers, shards, blocks, ..GenerationMember::default() }];
        history.add(0, *workers, *threads, Arc::clone(shard_at), members, &returned);
        let GenerationResult { local, ended, .. } = returned;
        let held = local.whole().ok_or_else(unfinished)?;
        history.trace = ended.records;
        if let Some(GenerationExit::BeforeBoundary(ending)) = ended.exit {
            return Err(ending.before_boundary());
        }
        let (Some((metric, objective)), Some(GenerationExit::Finished(ending))) = (ended.verdict, ended.exit)
        else {
            return Err(unfinished());
        };
        let program = Arc::clone(&generation.program);
        if let Some(last) = history.trace.last_mut() {
            last.ending = Some(ending);
        }
        let ended = RunEnd { ending, metric, objective };
        Ok(history.outcome(program, ended, held, hub, generation.settings.elapsed()))
    }
}
