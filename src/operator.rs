//! A scheduled program as an operator in one's own timely dataflow.

use std::sync::{Arc, Mutex, PoisonError};

use timely::dataflow::{Scope, Stream};

use crate::dataflow;
use crate::engine::{Engine, History, Outcome};
use crate::error::EngineError;
use crate::generation::{Generation, Returned};
use crate::hub::Parting;
use crate::placement::Layout;
use crate::program::Program;
use crate::record::EpochRecord;

/// Adds scheduled programs to a timely scope whose time counts epochs.
pub trait Scheduled<'scope> {
    /// Runs the program as an operator of this dataflow, on its workers. Every worker must call it, in the same
    /// order as every other operator. The stream carries each epoch's record, at the epoch as its time, on the first
    /// worker; its frontier tells which epochs are over.
    ///
    /// ```
    /// use raddle::schedule::Rotation;
    /// use raddle::{Boundary, Engine, Metric, Operator, Parts, Program, Scheduled, Verdict};
    /// # use raddle::{Task, schedule::Round};
    /// # struct Count;
    /// # impl Program for Count {
    /// #     type Shard = u64; type Block = u64; type Pinned = (); type Replica = (); type Partial = (); type Change = ();
    /// #     fn update_block(&self, _: &Task, shard: &mut u64, block: &mut u64, _: &()) { *shard += 1; *block += 1; }
    /// #     fn aggregate(&self, _: &Round, _: &mut (), _: Vec<(u32, ())>) {}
    /// #     fn commit(&self, _: &(), _: &mut ()) {}
    /// #     fn certify(&self, _: u32, _: &mut u64, _: &()) {}
    /// #     fn conclude(&self, _: &Boundary, _: &mut (), _: &(), _: Vec<(u32, ())>) -> Verdict<()> {
    /// #         Verdict::new(Metric::new("none", 1.0, "nothing"))
    /// #     }
    /// # }
    /// use timely::dataflow::operators::vec::Map;
    /// use timely::dataflow::operators::Inspect;
    ///
    /// let parts = Parts::new(vec![0; 3], ()).blocks(vec![0; 2]);
    /// let operator = Engine::new(Count, Rotation::new(3, 2), parts).epochs(5).into_operator()?;
    /// let shared = operator.clone();
    /// timely::execute(timely::Config::process(2), move |worker| {
    ///     worker.dataflow::<u64, _, _>(|scope| {
    ///         scope.scheduled(&shared).map(|record| record.epoch).inspect(|epoch| println!("epoch {epoch} is over"));
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

/// A run that waits to become an operator, or has become one; made by [`Engine::into_operator`]. Clones are the same
/// run: one for each worker.
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

    /// The generation, made for as many workers as the first caller has.
    fn generation(&self, workers: usize) -> Arc<Generation<P>> {
        let mut stage = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = match std::mem::replace(&mut *stage, Stage::Over) {
            Stage::Waiting(engine) => Arc::new(engine.into_generation(workers)),
            Stage::Running(generation) => generation,
            Stage::Over => panic!("the operator has already finished: it runs in one dataflow only"),
        };
        *stage = Stage::Running(Arc::clone(&generation));
        generation
    }

    /// What the run leaves behind, once the dataflow that it was part of is over.
    ///
    /// # Errors
    /// If a worker failed, or the dataflow is not over yet.
    pub fn finish(self) -> Result<Outcome<P>, EngineError> {
        let stage =
            std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), Stage::Over);
        let unfinished =
            || EngineError::Setting("the dataflow of this operator has not run to its end".into());
        let Stage::Running(generation) = stage else { return Err(unfinished()) };
        if let Some(reason) = generation.failure() {
            return Err(EngineError::Worker(reason));
        }
        let returned = generation.take_back().ok_or_else(unfinished)?;
        let mut history = History::default();
        let Layout { workers, threads, shard_at, .. } = &generation.layout;
        history.add(0, (*workers, *threads), Arc::clone(shard_at), &returned);
        let Returned { held, hub, ended, .. } = returned;
        history.trace = ended.records;
        let (Some((metric, objective)), Some(Parting::Over(ending))) = (ended.verdict, ended.parting) else {
            return Err(unfinished());
        };
        let program = Arc::clone(&generation.program);
        let ended = (ending, metric, objective);
        Ok(history.outcome(program, ended, held, hub, generation.settings.elapsed()))
    }
}
