//! Operators of a generation, and how they are connected. Their types do not depend on the program: their
//! work is passed in a box, so that timely is compiled once, and not for each program.

use std::rc::Rc;
use std::sync::Arc;

use timely::Container;
use timely::communication::Push;
use timely::dataflow::channels::Message as Envelope;
use timely::dataflow::channels::pact::{DistributorPact, LogPusher, ParallelizationContract};
use timely::dataflow::channels::pushers::Exchange;
use timely::dataflow::operators::generic::OutputBuilder;
use timely::dataflow::operators::generic::builder_rc::OperatorBuilder;
use timely::dataflow::operators::{ConnectLoop, Feedback};
use timely::dataflow::{Scope, Stream};
use timely::logging::TimelyLogger;
use timely::progress::operate::FrontierInterest;
use timely::scheduling::SyncActivator;
use timely::worker::Worker;

use super::ports::{AlonePorts, HubPorts, Input, Output, PlacePorts, Puller, RecordsOut};
use crate::cluster::net::frames::ToProcess;
use crate::generation::alarm::Alarm;
use crate::generation::parcel::{ByAddress, ByProcess, Parcel};
use crate::run::record::EpochRecord;

/// A scope whose time counts epochs.
pub(crate) type Epochs<'scope> = Scope<'scope, u64>;
/// Stream of a record for each epoch, on the first worker.
pub(crate) type Records<'scope> = Stream<'scope, u64, Vec<EpochRecord>>;
type Parceled<'scope> = Stream<'scope, u64, Parcel>;

/// The work of an operator, called each time that the operator is scheduled.
pub(crate) type Logic<Ports> = Box<dyn FnMut(&mut Ports)>;

/// A generation's way into a dataflow.
pub(crate) struct Wiring {
    /// The thread of each worker.
    pub(crate) thread_of: Arc<Vec<u32>>,
    pub(crate) alarm: Arc<Alarm>,
    /// Processes, where there are several.
    pub(crate) processes: Option<Processes>,
}

/// Several processes of a generation.
pub(crate) struct Processes {
    pub(crate) threads_of_each: usize,
    /// Channels whose parcels are for all threads of a process.
    pub(crate) to_process: Arc<ToProcess>,
    /// `true` if others than the first hand shared values on.
    pub(crate) has_relays: bool,
}

/// Sends parcels to all threads of a process at once.
struct ByProcessPact(usize, Arc<ToProcess>);

impl ParallelizationContract<u64, Parcel> for ByProcessPact {
    type Pusher = Exchange<u64, LogPusher<Box<dyn Push<Envelope<u64, Parcel>>>>, ByProcess>;
    type Puller = Puller;

    fn connect(
        self,
        worker: &Worker,
        channel: usize,
        address: Rc<[usize]>,
        logging: Option<TimelyLogger>,
    ) -> (Self::Pusher, Self::Puller) {
        self.1.add(channel);
        DistributorPact(|_| ByProcess(self.0)).connect(worker, channel, address, logging)
    }
}

impl Wiring {
    /// Sends parcels to the thread that carries the worker they are addressed to.
    fn by_address(&self) -> DistributorPact<Box<dyn FnOnce(usize) -> ByAddress>> {
        let thread_of = Arc::clone(&self.thread_of);
        DistributorPact(Box::new(move |_| ByAddress(thread_of)))
    }

    /// An input that is asked only when something comes.
    fn input<'scope>(&self, builder: &mut OperatorBuilder<'scope, u64>, stream: Parceled<'scope>) -> Input {
        let number = builder.shape().inputs();
        let input = builder.new_input(stream, self.by_address());
        builder.set_notify_for(number, FrontierInterest::Never);
        input
    }

    /// An input for what is sent to whole processes.
    fn values_input<'scope>(
        &self,
        builder: &mut OperatorBuilder<'scope, u64>,
        stream: Parceled<'scope>,
    ) -> Option<Input> {
        let Processes { threads_of_each, to_process, .. } = self.processes.as_ref()?;
        let number = builder.shape().inputs();
        let pact = ByProcessPact(*threads_of_each, Arc::clone(to_process));
        let input = builder.new_input(stream, pact);
        builder.set_notify_for(number, FrontierInterest::Never);
        Some(input)
    }

    fn has_relays(&self) -> bool {
        self.processes.as_ref().is_some_and(|processes| processes.has_relays)
    }

    /// Hub and places, each an operator. Other threads than the first have no hub, and give its outputs up at
    /// once.
    pub(crate) fn parted<'scope>(
        &self,
        scope: Epochs<'scope>,
        hub: Option<Logic<HubPorts>>,
        places: Logic<PlacePorts>,
        announces: bool,
    ) -> Records<'scope> {
        let (answer_loop, answers) = scope.feedback::<Parcel>(1);
        let (block_loop, arrivals) = scope.feedback::<Parcel>(1);
        let (orders, values, records) = self.hub(scope, hub, answers);
        let (relay_loop, relayed) = self.has_relays().then(|| scope.feedback::<Parcel>(1)).unzip();
        let values = values.into_iter().chain(relayed).collect();
        let ([answers, blocks], relays) = self.places(scope, places, announces, [orders, arrivals], values);
        answers.connect_loop(answer_loop);
        blocks.connect_loop(block_loop);
        for (relays, relay_loop) in relays.into_iter().zip(relay_loop) {
            relays.connect_loop(relay_loop);
        }
        records
    }

    fn hub<'scope>(
        &self,
        scope: Epochs<'scope>,
        logic: Option<Logic<HubPorts>>,
        answers: Parceled<'scope>,
    ) -> (Parceled<'scope>, Option<Parceled<'scope>>, Records<'scope>) {
        let mut builder = OperatorBuilder::new("hub: schedule, aggregate, conclude".to_owned(), scope);
        let answers = self.input(&mut builder, answers);
        self.alarm.wake_on_failure(waker(&scope, &builder));
        let (orders_out, orders) = outlet(&mut builder);
        let (out, records) = outlet(&mut builder);
        let (values_out, values) = self.processes.is_some().then(|| outlet(&mut builder)).unzip();
        builder.build(move |capabilities| {
            let mut held = capabilities.into_iter().filter(|_| logic.is_some());
            let (held, of_records, of_values) = (held.next(), held.next(), held.next());
            let records = RecordsOut { out, held: of_records, shown: 0 };
            let values = values_out.zip(of_values);
            let mut ports = HubPorts { answers, orders: orders_out, values, held, records };
            let mut logic = logic.unwrap_or_else(|| Box::new(|ports| drop(ports.arrived())));
            move |_| logic(&mut ports)
        });
        (orders, values, records)
    }

    fn places<'scope>(
        &self,
        scope: Epochs<'scope>,
        mut logic: Logic<PlacePorts>,
        announces: bool,
        [orders, arrivals]: [Parceled<'scope>; 2],
        values: Vec<Parceled<'scope>>,
    ) -> ([Parceled<'scope>; 2], Option<Parceled<'scope>>) {
        let mut builder = OperatorBuilder::new("place: update, commit, evaluate".to_owned(), scope);
        let activator = scope.activator_for(builder.operator_info().address);
        let orders = self.input(&mut builder, orders);
        let arrivals = self.input(&mut builder, arrivals);
        let values =
            values.into_iter().filter_map(|values| self.values_input(&mut builder, values)).collect();
        self.alarm.wake_on_failure(waker(&scope, &builder));
        let (answers_out, answers) = outlet(&mut builder);
        let (blocks_out, blocks) = outlet(&mut builder);
        let (relays, relays_out) = self.has_relays().then(|| outlet(&mut builder)).unzip();
        builder.build(move |capabilities| {
            let first = capabilities.into_iter().next().filter(|_| announces);
            let (answers, blocks) = (answers_out, blocks_out);
            let mut ports = PlacePorts {
                arrivals,
                orders,
                values,
                answers,
                blocks,
                relays,
                held: None,
                first,
                activator,
            };
            move |_| logic(&mut ports)
        });
        ([answers, blocks], relays_out)
    }
}

/// Hub and places in one operator, for a single thread.
pub(crate) fn alone(scope: Epochs<'_>, mut logic: Logic<AlonePorts>) -> Records<'_> {
    let mut builder = OperatorBuilder::new("hub and places: a run on one thread".to_owned(), scope);
    let activator = scope.activator_for(builder.operator_info().address);
    let (out, records) = outlet(&mut builder);
    builder.build(move |mut capabilities| {
        let records = RecordsOut { out, held: capabilities.pop(), shown: 0 };
        let mut ports = AlonePorts { records, activator };
        move |_| logic(&mut ports)
    });
    records
}

/// A new output of an operator.
fn outlet<'scope, C: Container>(
    builder: &mut OperatorBuilder<'scope, u64>,
) -> (Output<C>, Stream<'scope, u64, C>) {
    let (outlet, stream) = builder.new_output();
    (OutputBuilder::from(outlet), stream)
}

/// Wakes an operator from any thread.
pub(crate) fn waker(scope: &Epochs<'_>, builder: &OperatorBuilder<'_, u64>) -> SyncActivator {
    scope.worker().sync_activator_for(builder.operator_info().address.to_vec())
}
