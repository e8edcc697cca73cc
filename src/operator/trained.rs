//! Training on a stream of records, as an operator.

use std::rc::Rc;
use std::sync::mpsc;

use timely::ExchangeData;
use timely::dataflow::Stream;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::OutputBuilder;
use timely::dataflow::operators::generic::builder_rc::OperatorBuilder;
use timely::progress::frontier::MutableAntichain;
use timely::scheduling::SyncActivator;

use crate::base::error::EngineError;
use crate::engine::Outcome;
use crate::generation::ports::Output;
use crate::generation::wiring::waker;
use crate::program::Program;
use crate::run::record::EpochRecord;

/// Message of a stream of training.
pub enum Trained<P: Program> {
    /// An epoch is over.
    Epoch(Box<EpochRecord>),
    /// The run is over: its outcome, or why it failed.
    Over(Rc<Result<Outcome<P>, EngineError>>),
}

impl<P: Program> Clone for Trained<P> {
    fn clone(&self) -> Self {
        match self {
            Self::Epoch(record) => Self::Epoch(record.clone()),
            Self::Over(outcome) => Self::Over(Rc::clone(outcome)),
        }
    }
}

/// Message of the threads of a run to the operator that started it.
pub(crate) enum Event<P: Program> {
    Epoch(Box<EpochRecord>),
    Over(Box<Result<Outcome<P>, EngineError>>),
}

/// Gathers the records of a stream on the first worker. When the stream has ended, calls `begin` with them
/// and a waker of this operator. Then passes on the events of the run, each epoch's record at its time; the
/// last event is the outcome.
pub(crate) fn trained<'scope, D: ExchangeData, P: Program>(
    records: Stream<'scope, u64, Vec<D>>,
    begin: impl FnOnce(Vec<D>, SyncActivator) -> mpsc::Receiver<Event<P>> + 'static,
) -> Stream<'scope, u64, Vec<Trained<P>>> {
    let scope = records.scope();
    let mut builder = OperatorBuilder::new("train: gather records, train on them".to_owned(), scope);
    let mut input = builder.new_input(records, Exchange::new(|_: &D| 0));
    let (out, trained) = builder.new_output::<Vec<Trained<P>>>();
    let mut out: Output<Vec<Trained<P>>> = OutputBuilder::from(out);
    let waker = waker(&scope, &builder);
    let is_first = scope.index() == 0;
    builder.build(move |mut capabilities| {
        let mut capability = capabilities.pop().filter(|_| is_first);
        let (mut gathered, mut begin, mut events) = (Vec::new(), Some((begin, waker)), None);
        move |frontiers| {
            input.for_each(|_, some| gathered.append(some));
            if capability.is_none() {
                return;
            }
            if frontiers.iter().all(MutableAntichain::is_empty)
                && let Some((begin, waker)) = begin.take()
            {
                events = Some(begin(std::mem::take(&mut gathered), waker));
            }
            while let Some(event) = events.as_ref().and_then(|events| events.try_recv().ok()) {
                let Some(held) = &mut capability else { return };
                let (epoch, said) = match event {
                    Event::Epoch(record) => (record.epoch.saturating_sub(1), Trained::Epoch(record)),
                    Event::Over(outcome) => (*held.time(), Trained::Over(Rc::new(*outcome))),
                };
                if epoch > *held.time() {
                    held.downgrade(&epoch);
                }
                let is_over = matches!(said, Trained::Over(_));
                out.activate().session(held).give(said);
                if is_over {
                    capability = None;
                }
            }
        }
    });
    trained
}
