//! The dataflow of a generation: the only file that names timely's operators.
//!
//! ```text
//!           orders (by address)            blocks (by address)
//!   hub ──────────────────────▶ place ──────────────────────┐
//!    ▲   schedule, aggregate,     │ ▲   update, commit,      │
//!    │   learn, conclude          │ │   evaluate             │
//!    └──────── answers (+1) ──────┘ └──────── (+1) ──────────┘
//! ```
//!
//! Timestamps are epochs. The hub holds a capability for the epoch under way and moves it at each boundary, so the
//! frontier of the records tells which epochs are over. Inside an epoch rounds are closed by counting answers, which
//! costs no progress traffic; a place holds a capability only while it has work.
//!
//! Where one thread carries all there is a single operator ([`alone`]): what hub and places have for each other then
//! needs no channel, and short epochs share a turn.

use std::sync::Arc;

use timely::Container;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::generic::OutputBuilder;
use timely::dataflow::operators::generic::builder_rc::OperatorBuilder;
use timely::dataflow::operators::{Capability, ConnectLoop, Feedback};
use timely::dataflow::{Scope, Stream};
use timely::progress::operate::FrontierInterest;
use timely::scheduling::SyncActivator;

use crate::base::doing;
use crate::generation::Generation;
use crate::generation::parcel::{ByAddress, Parcels, Receiver, Sender};
use crate::program::Program;
use crate::run::hub::Hub;
use crate::run::message::Message;
use crate::run::place::{HUB, Outbox};
use crate::run::places::Places;
use crate::run::record::EpochRecord;

pub(crate) type Output<C> = OutputBuilder<u64, CapacityContainerBuilder<C>>;

/// Builds the operators of a generation in a scope whose time counts epochs. The stream carries a record an epoch,
/// on the first worker.
pub(crate) fn scheduled<P: Program>(
    scope: Scope<'_, u64>,
    generation: Arc<Generation<P>>,
) -> Stream<'_, u64, Vec<EpochRecord>> {
    let thread = scope.index() as u32;
    let serialized = generation.settings.serialized;
    // Serialized mode is there to send everything.
    if generation.layout.threads == 1 && !serialized {
        return alone(scope, generation);
    }
    let (answer_loop, answers) = scope.feedback::<Parcels<P>>(1);
    let (block_loop, arrivals) = scope.feedback::<Parcels<P>>(1);
    let places = generation.seat(thread);
    let hub = if thread == 0 { generation.hub(places.first()) } else { None };
    let (orders, records) = hub_operator(scope, &generation, hub, answers);
    let (answers, blocks) = place_operator(scope, generation, places, orders, arrivals);
    answers.connect_loop(answer_loop);
    blocks.connect_loop(block_loop);
    records
}

/// Parcels go to the thread that carries the worker they are addressed to.
fn by_address<P: Program>(generation: &Generation<P>) -> DistributorPact<impl FnOnce(usize) -> ByAddress> {
    let thread_of = Arc::clone(&generation.layout.thread_of);
    DistributorPact(move |_| ByAddress(thread_of))
}

/// The hub, on the first thread: answers come in, orders and records go out.
fn hub_operator<'scope, P: Program>(
    scope: Scope<'scope, u64>,
    generation: &Arc<Generation<P>>,
    hub: Option<Hub<P>>,
    answers: Stream<'scope, u64, Parcels<P>>,
) -> (Stream<'scope, u64, Parcels<P>>, Stream<'scope, u64, Vec<EpochRecord>>) {
    let (thread, serialized) = (scope.index() as u32, generation.settings.serialized);
    let mut builder = OperatorBuilder::new("hub: schedule, aggregate, conclude".to_owned(), scope);
    let mut answers = builder.new_input(answers, by_address(generation));
    builder.set_notify_for(0, FrontierInterest::Never);
    generation.wake_on_failure(waker(&scope, &builder));
    let (mut orders_out, orders) = outlet(&mut builder);
    let (mut records_out, records) = outlet(&mut builder);
    let shared = Arc::clone(generation);
    builder.build(move |mut capabilities| {
        let record_capability = capabilities.pop();
        let order_capability = capabilities.pop();
        let capabilities = order_capability.zip(record_capability);
        // Only the first worker has a hub; the others give their capabilities up at once.
        let mut run = hub.zip(capabilities);
        let (mut sender, mut receiver) =
            (Sender::new(thread, &generation.layout, serialized), Receiver::default());
        let (mut begun, mut shown) = (false, 0);
        move |_| {
            let mut arrived = Vec::new();
            answers.for_each(|_, parcel| arrived.push(std::mem::take(parcel)));
            if !arrived.is_empty() {
                doing::note_messages();
            }
            if shared.has_failed() {
                run = None;
            }
            let Some((hub, (order_capability, record_capability))) = run.as_mut() else { return };
            let mut out = Outbox::new();
            let going = guarded(&shared, || {
                if !std::mem::replace(&mut begun, true) {
                    hub.start(&mut out)?;
                }
                for parcel in arrived {
                    match receiver.unpack(parcel)? {
                        Some(Message::Here { memory }) => shares_memory(&shared, memory)?,
                        Some(message) => hub.receive(message, &mut out)?,
                        None => {}
                    }
                }
                Ok(())
            });
            show(hub, &mut shown, record_capability, &mut records_out);
            if record_capability.time() > order_capability.time() {
                order_capability.downgrade(record_capability.time());
            }
            let mut orders_out = orders_out.activate();
            let sent = guarded(&shared, || {
                for mut parcel in out.into_iter().flat_map(|(to, message)| sender.pack(to, message)) {
                    orders_out.session(order_capability).give_container(&mut parcel);
                }
                Ok(())
            });
            if going.is_none() || sent.is_none() || hub.parting.is_some() {
                shared.count_bytes(sender.bytes, sender.block_bytes);
                if let Some((hub, _)) = run.take() {
                    shared.leave_hub(hub);
                }
            }
        }
    });
    (orders, records)
}

/// The places that a thread carries: orders and blocks come in, answers and blocks go out.
fn place_operator<'scope, P: Program>(
    scope: Scope<'scope, u64>,
    generation: Arc<Generation<P>>,
    mut places: Places<P>,
    orders: Stream<'scope, u64, Parcels<P>>,
    arrivals: Stream<'scope, u64, Parcels<P>>,
) -> (Stream<'scope, u64, Parcels<P>>, Stream<'scope, u64, Parcels<P>>) {
    let (thread, serialized) = (scope.index() as u32, generation.settings.serialized);
    let mut builder = OperatorBuilder::new("place: update, commit, evaluate".to_owned(), scope);
    let activator = scope.activator_for(builder.operator_info().address);
    let mut orders = builder.new_input(orders, by_address(&generation));
    let mut arrivals = builder.new_input(arrivals, by_address(&generation));
    (0..2).for_each(|input| builder.set_notify_for(input, FrontierInterest::Never));
    generation.wake_on_failure(waker(&scope, &builder));
    let (mut answers_out, answers) = outlet(&mut builder);
    let (mut blocks_out, blocks) = outlet(&mut builder);
    builder.build(move |mut initial| {
        // What is said at once, where the workers may be in several processes.
        let mut first = generation.memory.zip(initial.drain(..).next());
        let mut sender = Sender::new(thread, &generation.layout, serialized);
        let [mut from_hub, mut from_places] = [(); 2].map(|()| Receiver::default());
        let mut capabilities: Option<(Capability<u64>, Capability<u64>)> = None;
        move |_| {
            if let Some((memory, capability)) = first.take() {
                send(&mut answers_out, &capability, sender.pack(HUB, Message::<P>::Here { memory }));
            }
            let mut arrived = Vec::new();
            // Blocks first: an order that needs one then finds it.
            arrivals.for_each(|_, parcel| arrived.push((false, std::mem::take(parcel))));
            orders.for_each(|capability, parcel| {
                capabilities = Some((capability.retain(0), capability.retain(1)));
                arrived.push((true, std::mem::take(parcel)));
            });
            if !arrived.is_empty() {
                doing::note_messages();
            }
            if generation.has_failed() || places.have_left() {
                return capabilities = None;
            }
            let mut out = Outbox::new();
            let mut has_orders = false;
            let worked = guarded(&generation, || {
                for (order, parcel) in arrived {
                    has_orders |= order;
                    take_in(&mut places, if order { &mut from_hub } else { &mut from_places }, parcel)?;
                }
                // Messages to other processes leave when a step ends: their orders do before this thread's first task.
                if has_orders && thread == 0 && generation.layout.is_among_others() {
                    return Ok(true);
                }
                work(&mut places, &mut out)
            });
            let sent = guarded(&generation, || {
                let Some((answer, block)) = &capabilities else { return Ok(()) };
                let (mut answers, mut blocks) = ((&mut answers_out, answer), (&mut blocks_out, block));
                for (to, message) in out {
                    let (outlet, capability) = if to == HUB { &mut answers } else { &mut blocks };
                    send(outlet, capability, sender.pack(to, message));
                }
                Ok(())
            });
            if worked == Some(true) && !places.have_left() {
                activator.activate();
            }
            if places.have_left() {
                generation.count_bytes(sender.bytes, sender.block_bytes);
                generation.leave(&mut places);
            }
            if worked.is_none() || sent.is_none() || places.have_left() || places.are_idle() {
                capabilities = None;
            }
        }
    });
    (answers, blocks)
}

/// A new output of an operator.
fn outlet<'scope, C: Container>(
    builder: &mut OperatorBuilder<'scope, u64>,
) -> (Output<C>, Stream<'scope, u64, C>) {
    let (outlet, stream) = builder.new_output();
    (OutputBuilder::from(outlet), stream)
}

/// An operator can only end where all workers of its dataflow share the memory in which it leaves what it has.
fn shares_memory<P: Program>(generation: &Generation<P>, memory: u64) -> Result<(), String> {
    match generation.memory == Some(memory) {
        true => Ok(()),
        false => {
            Err("the workers of this dataflow are in several processes, and an operator runs in one: use \
                      `Engine::run_on` with a `Cluster`, or a dataflow on one process"
                .into())
        }
    }
}

/// Gives what a message was packed as to a channel.
fn send<P: Program>(out: &mut Output<Parcels<P>>, capability: &Capability<u64>, parcels: Vec<Parcels<P>>) {
    for mut parcel in parcels {
        out.activate().session(capability).give_container(&mut parcel);
    }
}

/// Hands a message to the place it is addressed to, once all its pieces are here.
fn take_in<P: Program>(
    places: &mut Places<P>,
    receiver: &mut Receiver,
    parcel: Parcels<P>,
) -> Result<(), String> {
    let to = parcel.to();
    if let Some(message) = receiver.unpack(parcel)? {
        places.receive(to, message);
    }
    Ok(())
}

/// Works until there is something for others, or nothing to do. Returns whether there may be more: what others wait for
/// leaves before the next task runs.
fn work<P: Program>(places: &mut Places<P>, out: &mut Outbox<P>) -> Result<bool, String> {
    while out.is_empty() {
        if !places.run(out)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Hub and places in one operator, for a single thread.
fn alone<P: Program>(
    scope: Scope<'_, u64>,
    generation: Arc<Generation<P>>,
) -> Stream<'_, u64, Vec<EpochRecord>> {
    let mut places = generation.seat(0);
    let mut hub = generation.hub(places.first());
    let mut builder = OperatorBuilder::new("hub and places: a run on one thread".to_owned(), scope);
    let activator = scope.activator_for(builder.operator_info().address);
    let (mut records_out, records) = outlet(&mut builder);
    builder.build(move |mut capabilities| {
        let mut capability = capabilities.pop();
        let (mut begun, mut shown, mut out) = (false, 0, Outbox::new());
        move |_| {
            let (Some(running), Some(held)) = (&mut hub, &mut capability) else { return };
            let going = guarded(&generation, || {
                if !std::mem::replace(&mut begun, true) {
                    running.start(&mut out)?;
                }
                running.converse(&mut places, &mut out)
            });
            show(running, &mut shown, held, &mut records_out);
            if going == Some(true) {
                activator.activate();
            }
            if going.is_none() || places.have_left() {
                if let Some(hub) = hub.take() {
                    generation.leave(&mut places);
                    generation.leave_hub(hub);
                }
                capability = None;
            }
        }
    });
    records
}

type EpochRecords = Vec<EpochRecord>;

/// Gives the records that were not shown yet, each at the time of its epoch, of which several may have ended; then the
/// capability has the time of the epoch under way.
fn show<P: Program>(
    hub: &Hub<P>,
    shown: &mut usize,
    capability: &mut Capability<u64>,
    out: &mut Output<EpochRecords>,
) {
    let reach = |capability: &mut Capability<u64>, epoch: u64| {
        if epoch > *capability.time() {
            capability.downgrade(&epoch);
        }
    };
    let mut output = out.activate();
    for record in &hub.records[*shown..] {
        reach(capability, record.epoch.saturating_sub(1));
        output.session(capability).give(record.clone());
    }
    *shown = hub.records.len();
    drop(output);
    reach(capability, hub.state.progress.epoch);
}

/// Wakes an operator from any thread.
pub(crate) fn waker(scope: &Scope<'_, u64>, builder: &OperatorBuilder<'_, u64>) -> SyncActivator {
    scope.worker().sync_activator_for(builder.operator_info().address.to_vec())
}

/// Runs a program's or a schedule's code: a panic or an error in it ends the generation, and nothing of timely's
/// unwinds. `None` if it did.
fn guarded<P: Program, T>(generation: &Generation<P>, work: impl FnOnce() -> Result<T, String>) -> Option<T> {
    doing::guarded(work).map_err(|reason| generation.fail(reason)).ok()
}
