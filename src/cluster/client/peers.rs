//! Connections of a process to the others of a generation: the process dials those with lower numbers, and is
//! dialled by the others.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, io};

use crate::base::error::EngineError;
use crate::base::sync::lock;
use crate::cluster::net::addresses::Addresses;
use crate::cluster::net::first_message::{Handshake, Ids, Role};
use crate::cluster::net::link::Link;
use crate::cluster::net::listener::{AcceptQueues, Listener, ListenerHandlers, Rejection, Retry, connect};
use crate::cluster::net::secret::Secret;
use crate::cluster::plan::{GenerationPlan, Participant};
use crate::run::requests::BoundaryRequests;

/// Time to wait for a peer to connect, or for a network that is gone to return. All processes receive a
/// generation's start at about the same time.
pub(super) const CONNECTING: Duration = Duration::from_secs(10);

/// A process as its peers know it.
#[derive(Clone)]
pub(super) struct Peer {
    /// Number of the process in the run.
    pub(super) index: u32,
    pub(super) secret: Secret,
    pub(super) ids: Ids,
}

/// Accepted connections of peers, by generation and process, until they are used.
#[derive(Default)]
pub(super) struct PendingConnections {
    links: Mutex<HashMap<(u64, u32), Link>>,
    came: Condvar,
    /// The current generation: connections of earlier ones are refused.
    pub(super) generation: AtomicU64,
}

impl PendingConnections {
    /// Connects with all peers of a generation: this process dials those with lower numbers, those with
    /// higher numbers dial it. A peer that sends nothing for `deadline` seconds is lost from then on.
    pub(super) fn connect_peers(
        &self,
        &Peer { index: me, ref secret, ids }: &Peer,
        plan: &GenerationPlan,
        deadline: f64,
        requests: &BoundaryRequests,
    ) -> Result<Vec<(u32, Link)>, EngineError> {
        let (mut peers, timeout) = (Vec::new(), Duration::try_from_secs_f64(deadline).ok());
        for Participant { id, address, .. } in plan.everyone() {
            if !plan.links(me, *id) {
                continue;
            }
            let lost = |why: &dyn fmt::Display| {
                EngineError::Process(format!("process {id} at {address} cannot be reached: {why}"))
            };
            let link = if *id < me {
                let handshake = || Handshake::new(Role::Neighbour, ids, plan.number, me);
                let at = address.parse().map_err(|_| lost(&"that is no address"))?;
                let dialled =
                    connect(at, secret, *id, handshake, (Retry::Broken, CONNECTING), || requests.is_over());
                let (there, socket) = dialled.map_err(|why| lost(&why))?;
                if there.index != *id {
                    return Err(lost(&"another process answers there"));
                }
                Link::new(socket).map_err(|why| lost(&why))?
            } else {
                self.wait(plan.number, *id, requests, Instant::now() + CONNECTING)
                    .ok_or_else(|| lost(&"it does not come"))?
            };
            link.limit(timeout).map_err(|why| lost(&why))?;
            peers.push((*id, link));
        }
        Ok(peers)
    }

    fn wait(&self, generation: u64, from: u32, requests: &BoundaryRequests, until: Instant) -> Option<Link> {
        let mut links = lock(&self.links);
        // Connections of earlier generations were never used.
        links.retain(|&(of, _), _| of >= generation);
        loop {
            if let Some(link) = links.remove(&(generation, from)) {
                return Some(link);
            }
            if requests.is_over() || Instant::now() >= until {
                return None;
            }
            let waited = self.came.wait_timeout(links, Duration::from_millis(100));
            links = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Opens the listener for peers. If a network is gone, so is its address: the call retries for
/// [`CONNECTING`].
pub(super) fn open_listener(
    addresses: Addresses,
    here: IpAddr,
    me: &Peer,
    pending: &Arc<PendingConnections>,
) -> Result<Listener, EngineError> {
    let (at, until) = (addresses.listens(here), Instant::now() + CONNECTING);
    loop {
        match Listener::open(at, handlers(me, pending)) {
            Ok(listener) => return Ok(listener),
            Err(why) if why.kind() != io::ErrorKind::AddrNotAvailable || addresses.listen.is_some() => {
                return Err(EngineError::Setting(format!("cannot listen at {at}: {why}")));
            }
            Err(why) if Instant::now() >= until => {
                return Err(EngineError::Process(format!("cannot listen at {at}: {why}")));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// Handlers that admit peers of the run and store their connections.
fn handlers(&Peer { index, ref secret, ids }: &Peer, pending: &Arc<PendingConnections>) -> ListenerHandlers {
    let (asks, takes) = (Arc::clone(pending), Arc::clone(pending));
    let introduce = Box::new(move || Handshake::new(Role::Neighbour, ids, 0, index));
    let admit = Box::new(move |handshake: &Handshake| {
        if handshake.role != Role::Neighbour {
            return Err("only processes of the run connect here".into());
        }
        fits(handshake, ids)?;
        match handshake.generation >= asks.generation.load(Ordering::Acquire) {
            true => Ok(()),
            false => Err(format!("generation {} is over", handshake.generation)),
        }
    });
    let deliver = Box::new(move |handshake: Handshake, socket| {
        // If no link can be made, the socket closes, and the peer reports that.
        let Ok(link) = Link::new(socket) else { return };
        lock(&takes.links).insert((handshake.generation, handshake.index), link);
        takes.came.notify_all();
    });
    // A peer that is turned away reports it.
    let (refuse, queues) = (Box::new(|_: &Rejection<'_>| ()), AcceptQueues::default());
    ListenerHandlers { secret: secret.clone(), introduce, admit, refuse, deliver, queues }
}

/// Checks that a process belongs to this run and is built from the same sources; the error names the
/// difference.
pub(crate) fn fits(handshake: &Handshake, Ids { build, run }: Ids) -> Result<(), String> {
    if handshake.run != run {
        return Err("it is a process of another run".into());
    }
    if handshake.build != build {
        return Err("it is another build of the program: start the same version, of the same sources, everywhere (--version)".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_peer_ends_in_time_and_with_the_run() {
        let (pending, requests) = (PendingConnections::default(), BoundaryRequests::default());
        let now = Instant::now();
        assert!(pending.wait(1, 2, &requests, now).is_none());
        requests.abort("it is over");
        // What does not end with the run ends in a day.
        assert!(pending.wait(1, 2, &requests, now + Duration::from_secs(86_400)).is_none());
    }
}
