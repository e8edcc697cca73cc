//! Input and output ports of the operators of a generation.

use timely::communication::Pull;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::Message as Envelope;
use timely::dataflow::channels::pact::LogPuller;
use timely::dataflow::operators::Capability;
use timely::dataflow::operators::generic::{InputHandleCore, OutputBuilder};
use timely::scheduling::Activator;

use crate::base::panic_context;
use crate::generation::parcel::Parcel;
use crate::run::record::EpochRecord;

pub(crate) type Output<C> = OutputBuilder<u64, CapacityContainerBuilder<C>>;
pub(super) type Puller = LogPuller<Box<dyn Pull<Envelope<u64, Parcel>>>>;
pub(super) type Input = InputHandleCore<u64, Parcel, Puller>;

/// Output for records. It holds the time of the current epoch, so that its frontier shows which epochs are
/// over.
pub(crate) struct RecordsOut {
    pub(super) out: Output<Vec<EpochRecord>>,
    pub(super) held: Option<Capability<u64>>,
    pub(super) shown: usize,
}

impl RecordsOut {
    /// Sends the records that were not shown yet, each at the time of its epoch, as several epochs may have
    /// ended; then holds the time of the current epoch.
    pub(crate) fn show(&mut self, records: &[EpochRecord], epoch: u64) {
        let Some(held) = &mut self.held else { return };
        let reach = |held: &mut Capability<u64>, epoch: u64| {
            if epoch > *held.time() {
                held.downgrade(&epoch);
            }
        };
        let mut out = self.out.activate();
        // Records after a cancellation may be fewer than were shown.
        for record in records.get(self.shown..).unwrap_or_default() {
            reach(held, record.epoch.saturating_sub(1));
            out.session(held).give(record.clone());
        }
        self.shown = self.shown.max(records.len());
        drop(out);
        reach(held, epoch);
    }

    /// Closes the output.
    pub(crate) fn close(&mut self) {
        self.held = None;
    }
}

/// Ports of the hub: answers come in, orders and records go out.
pub(crate) struct HubPorts {
    pub(super) answers: Input,
    pub(super) orders: Output<Parcel>,
    /// The output for shared values to other processes, if there are any.
    pub(super) values: Option<(Output<Parcel>, Capability<u64>)>,
    pub(super) held: Option<Capability<u64>>,
    pub(crate) records: RecordsOut,
}

impl HubPorts {
    pub(crate) fn arrived(&mut self) -> Vec<Parcel> {
        let mut arrived = Vec::new();
        self.answers.for_each(|_, parcel| arrived.push(std::mem::take(parcel)));
        note(&arrived);
        arrived
    }

    /// Shows records, and sets the epoch of the orders to the current one.
    pub(crate) fn show(&mut self, records: &[EpochRecord], epoch: u64) {
        self.records.show(records, epoch);
        if let (Some(orders), Some(records)) = (&mut self.held, &self.records.held)
            && records.time() > orders.time()
        {
            orders.downgrade(records.time());
            if let Some((_, values)) = &mut self.values {
                values.downgrade(records.time());
            }
        }
    }

    /// Sends an order, after the shared values that it needs.
    pub(crate) fn send(&mut self, values: Vec<Parcel>, order: Vec<Parcel>) {
        if let Some((out, held)) = &mut self.values {
            send(out, Some(held), values);
        }
        send(&mut self.orders, self.held.as_ref(), order);
    }

    pub(crate) fn close(&mut self) {
        (self.held, self.values) = (None, None);
        self.records.close();
    }
}

/// Ports of the places that a thread carries: orders and blocks come in, answers and blocks go out.
pub(crate) struct PlacePorts {
    pub(super) arrivals: Input,
    pub(super) orders: Input,
    pub(super) answers: Output<Parcel>,
    pub(super) blocks: Output<Parcel>,
    /// Inputs of shared values from the hub and from other places; and, next, the output to other places.
    pub(super) values: Vec<Input>,
    pub(super) relays: Option<Output<Parcel>>,
    /// Held while there is work.
    pub(super) held: Option<[Capability<u64>; 2]>,
    /// Held for messages that are sent at once.
    pub(super) first: Option<Capability<u64>>,
    pub(super) activator: Activator,
}

impl PlacePorts {
    /// Returns the parcels that have arrived, each with `true` if the hub sent it. Blocks come first, so that
    /// an order that needs one finds it.
    pub(crate) fn arrived(&mut self) -> Vec<(bool, Parcel)> {
        let mut arrived = Vec::new();
        self.arrivals.for_each(|_, parcel| arrived.push((false, std::mem::take(parcel))));
        self.orders.for_each(|capability, parcel| {
            self.held = Some([capability.retain(0), capability.retain(1)]);
            arrived.push((true, std::mem::take(parcel)));
        });
        note(&arrived);
        arrived
    }

    /// Passes the pieces of shared values that have arrived to `take_in`, and sends on what it returns.
    pub(crate) fn take_values(&mut self, mut take_in: impl FnMut(Parcel) -> Vec<Parcel>) {
        for values in &mut self.values {
            values.for_each(|capability, parcel| {
                let parcels = take_in(std::mem::take(parcel));
                if let (Some(out), false) = (&mut self.relays, parcels.is_empty()) {
                    send(out, Some(&capability.retain(2)), parcels);
                }
            });
        }
    }

    /// `true` if the outputs are open: from the arrival of an order until all its work is done.
    pub(crate) fn are_open(&self) -> bool {
        self.held.is_some()
    }

    /// Sends answers before there are orders.
    pub(crate) fn announce(&mut self, parcels: Vec<Parcel>) {
        send(&mut self.answers, self.first.take().as_ref(), parcels);
    }

    pub(crate) fn answer(&mut self, parcels: Vec<Parcel>) {
        send(&mut self.answers, self.held.as_ref().map(|[answers, _]| answers), parcels);
    }

    pub(crate) fn pass_on(&mut self, parcels: Vec<Parcel>) {
        send(&mut self.blocks, self.held.as_ref().map(|[_, blocks]| blocks), parcels);
    }

    /// Has this operator scheduled again.
    pub(crate) fn activate(&self) {
        self.activator.activate();
    }

    /// Drops the capability until the next order.
    pub(crate) fn rest(&mut self) {
        self.held = None;
    }
}

/// Ports of hub and places in one operator.
pub(crate) struct AlonePorts {
    pub(crate) records: RecordsOut,
    pub(super) activator: Activator,
}

impl AlonePorts {
    /// Has this operator scheduled again.
    pub(crate) fn activate(&self) {
        self.activator.activate();
    }
}

/// Notes on this thread that messages have come.
fn note<T>(arrived: &[T]) {
    if !arrived.is_empty() {
        panic_context::note_messages();
    }
}

/// Sends a message's parcels to a channel, while that is open.
fn send(out: &mut Output<Parcel>, held: Option<&Capability<u64>>, parcels: Vec<Parcel>) {
    let Some(held) = held else { return };
    for mut parcel in parcels {
        out.activate().session(held).give_container(&mut parcel);
    }
}
