//! The dataflow of a generation: the work of its operators. Their inputs and outputs are in
//! [`ports`](super::ports).
//!
//! ```text
//!           orders (by address)            blocks (by address)
//!   hub ──────────────────────▶ place ──────────────────────┐
//!    ▲   schedule, aggregate,     │ ▲   update, commit,      │
//!    │   learn, conclude          │ │   evaluate             │
//!    └──────── answers (+1) ──────┘ └──────── (+1) ──────────┘
//! ```
//!
//! Timestamps are epochs. The hub holds a capability for the current epoch and moves it at each boundary, so
//! the frontier of the records shows which epochs are over. Within an epoch rounds are closed by counting
//! answers, which costs no progress traffic; a place holds a capability only while it has work.
//!
//! If one thread carries all workers there is a single operator ([`alone`]): messages between hub and places
//! then need no channel, and several short epochs run in one turn.

use std::sync::Arc;

use crate::generation::endpoints::{Receiver, Sender};
use crate::generation::parcel::Parcel;
use crate::generation::ports::{AlonePorts, HubPorts, PlacePorts};
use crate::generation::wiring::{self, Epochs, Logic, Processes, Records, Wiring};
use crate::generation::{Generation, tree};
use crate::program::Program;
use crate::run::hub::Hub;
use crate::run::message::Message;
use crate::run::place::{HUB, Outbox};
use crate::run::places::Places;

/// Builds the operators of a generation in a scope whose time counts epochs. The stream carries a record for
/// each epoch, on the first worker.
pub(crate) fn scheduled<P: Program>(scope: Epochs<'_>, generation: Arc<Generation<P>>) -> Records<'_> {
    let thread = scope.index() as u32;
    // Serialized mode is there to send everything.
    if generation.layout.threads == 1 && !generation.settings.serialized {
        return alone(scope, generation);
    }
    let places = generation.take_workers(thread);
    let hub = if thread == 0 { generation.hub(places.first()) } else { None };
    let hub = hub.map(|hub| hub_logic(Arc::clone(&generation), hub));
    let layout = &generation.layout;
    let processes = layout.is_distributed().then(|| Processes {
        threads_of_each: layout.here.len(),
        to_process: Arc::clone(&generation.to_process),
        has_relays: tree::has_relays(layout.processes()),
    });
    let (thread_of, alarm) = (Arc::clone(&layout.thread_of), Arc::clone(&generation.alarm));
    let wiring = Wiring { thread_of, alarm, processes };
    let announces = generation.memory.is_some();
    wiring.parted(scope, hub, place_logic(generation, thread, places), announces)
}

/// Builds the work of the hub, on the first thread.
fn hub_logic<P: Program>(generation: Arc<Generation<P>>, hub: Hub<P>) -> Logic<HubPorts> {
    let serialized = generation.settings.serialized;
    let (mut sender, mut receiver) = (Sender::new(0, &generation.layout, serialized), Receiver::default());
    let (mut run, mut begun) = (Some(hub), false);
    Box::new(move |ports| {
        let arrived = ports.arrived();
        let alarm = &generation.alarm;
        if alarm.has_failed() {
            run = None;
            ports.close();
        }
        let Some(hub) = run.as_mut() else { return };
        let mut out = Outbox::new();
        let going = alarm.guarded(|| {
            if !std::mem::replace(&mut begun, true) {
                hub.start(&mut out)?;
            }
            arrived.into_iter().for_each(|parcel| receiver.put(parcel));
            while let Some((_, message)) = receiver.next(&generation.values)? {
                match message {
                    Message::Here { memory } => shares_memory(&generation, memory)?,
                    message => hub.receive(message, &mut out)?,
                }
            }
            hub.look(&mut out)
        });
        ports.show(&hub.ended.records, hub.state.progress.epoch);
        let sent = alarm.guarded(|| {
            for (to, message) in out {
                let (values, order) = sender.pack(to, message);
                ports.send(values, order);
            }
            Ok(())
        });
        if hub.ended.exit.is_some() && generation.settings.cancellation.is() {
            alarm.cancelled();
        }
        if going.is_none() || sent.is_none() || hub.ended.exit.is_some() {
            generation.count(sender.traffic);
            if let Some(hub) = run.take() {
                generation.leave_hub(hub);
            }
            ports.close();
        }
    })
}

/// Builds the work of the places that a thread carries.
fn place_logic<P: Program>(
    generation: Arc<Generation<P>>,
    thread: u32,
    mut places: Places<P>,
) -> Logic<PlacePorts> {
    let mut sender = Sender::new(thread, &generation.layout, generation.settings.serialized);
    let [mut from_hub, mut from_places] = [(); 2].map(|()| Receiver::default());
    // Sent at once, where the workers may be in several processes.
    let mut first = generation.memory;
    Box::new(move |ports| {
        if let Some(memory) = first.take() {
            ports.announce(sender.pack(HUB, Message::<P>::Here { memory }).1);
        }
        let alarm = &generation.alarm;
        // Before the orders that name the values, and even if nothing is left to do here, as other threads of
        // the process need them.
        ports.take_values(|parcel| {
            alarm.guarded(|| take_value(&generation, &mut sender, parcel)).unwrap_or_default()
        });
        let arrived = ports.arrived();
        if alarm.has_failed() || places.have_left() {
            // A thread without a worker hands values on, too.
            generation.count(std::mem::take(&mut sender.traffic));
            return ports.rest();
        }
        let mut out = Outbox::new();
        let mut has_orders = false;
        let worked = alarm.guarded(|| {
            for (order, parcel) in arrived {
                has_orders |= order;
                if order { &mut from_hub } else { &mut from_places }.put(parcel);
            }
            // Blocks first, as an order that needs one then finds it.
            for receiver in [&mut from_places, &mut from_hub] {
                while let Some((to, message)) = receiver.next(&generation.values)? {
                    places.receive(to, message);
                }
            }
            // Messages to other processes leave when a step ends: their orders do before this thread's first
            // task.
            if has_orders && thread == 0 && generation.layout.is_distributed() {
                return Ok(true);
            }
            work(&mut places, &mut out)
        });
        let sent = alarm.guarded(|| {
            let out = if ports.are_open() { out } else { Outbox::new() };
            for (to, message) in out {
                let (_, parcels) = sender.pack(to, message);
                if to == HUB { ports.answer(parcels) } else { ports.pass_on(parcels) }
            }
            Ok(())
        });
        if places.gave_up() {
            // The hub may have nothing else to wake it.
            alarm.wake();
        }
        if worked == Some(true) && !places.have_left() {
            ports.activate();
        }
        if places.have_left() {
            generation.count(std::mem::take(&mut sender.traffic));
            generation.leave(&mut places);
        }
        let is_idle = places.are_idle() && !from_hub.is_waiting();
        if worked.is_none() || sent.is_none() || places.have_left() || is_idle {
            ports.rest();
        }
    })
}

/// Checks that all workers of the dataflow share the memory in which an operator leaves its state: only then
/// can it end.
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

/// Stores a piece of a shared value. Returns the parcels that pass on a value that the piece completes.
fn take_value<P: Program>(
    generation: &Generation<P>,
    sender: &mut Sender,
    parcel: Parcel,
) -> Result<Vec<Parcel>, String> {
    let completed = parcel.into_piece().map_or(Ok(None), |piece| generation.values.put(piece))?;
    Ok(completed.map_or_else(Vec::new, |(number, pieces)| sender.hand_on(number, &pieces)))
}

/// Works until there is a message for others, or nothing to do. Returns `true` if there may be more work.
/// Messages for others leave before the next task runs.
fn work<P: Program>(places: &mut Places<P>, out: &mut Outbox<P>) -> Result<bool, String> {
    while out.is_empty() {
        if !places.run(out)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Builds hub and places in one operator, for a single thread.
fn alone<P: Program>(scope: Epochs<'_>, generation: Arc<Generation<P>>) -> Records<'_> {
    let mut places = generation.take_workers(0);
    let mut hub = generation.hub(places.first());
    let (mut begun, mut out) = (false, Outbox::new());
    let logic: Logic<AlonePorts> = Box::new(move |ports| {
        let Some(running) = &mut hub else { return };
        let going = generation.alarm.guarded(|| {
            if !std::mem::replace(&mut begun, true) {
                running.start(&mut out)?;
            }
            running.run_local(&mut places, &mut out)
        });
        ports.records.show(&running.ended.records, running.state.progress.epoch);
        if going == Some(true) {
            ports.activate();
        }
        if going.is_none() || places.have_left() {
            if let Some(hub) = hub.take() {
                generation.leave(&mut places);
                generation.leave_hub(hub);
            }
            ports.records.close();
        }
    });
    wiring::alone(scope, logic)
}
