//! Connections of a [`Server`]: to the processes of the run, and to those who ask after it.

use std::io;
use std::net::Shutdown;
use std::sync::{Arc, Mutex};

use super::Server;
use crate::base::sync::lock;
use crate::cluster::coordinator::Event;
use crate::cluster::net::first_message::TIMEOUT;
use crate::cluster::net::link::messenger;
use crate::cluster::net::socket::Socket;
use crate::cluster::net::wire::{Timed, heartbeat, receive, send};
use crate::cluster::protocol::{AdminRequest, AdminResponse, Order};
use crate::parties::COORDINATOR;

/// Most admin clients at the same time; beyond them the oldest connection is closed.
const MAX_ADMIN_CLIENTS: usize = 256;
/// Longest report in bytes: it may name every shard.
const MOST: u64 = 1 << 30;

impl Server {
    /// Serves the connection of a process of the run.
    pub(super) fn listen_to(&mut self, of: u32, socket: Socket) {
        let (mut reports, remote) = (socket.clone(), self.remote.clone());
        // A process that does not read is as good as gone.
        let _ = socket.set_write_timeout(Some(TIMEOUT));
        let (socket, deadline) = (Arc::new(Mutex::new(socket)), self.settings.deadline.as_secs_f64());
        // Without a thread for heartbeats the coordinator's other messages have to do.
        let _ = heartbeat(&socket, move || Order::Alive { deadline });
        self.members.insert(of, socket);
        let listen = messenger(&format!("process-{of}"));
        let listening = listen.spawn(move || {
            let why = loop {
                match receive(&mut reports, MOST) {
                    Ok(report) => remote.send(Event::Report { from: of, report }),
                    Err(why) => break why,
                }
            };
            // Nobody reads what it sends from here on: it is to know. It may be closed already.
            let _ = reports.shutdown(Shutdown::Both);
            remote.send(Event::Closed { of, damaged: why.kind() == io::ErrorKind::InvalidData });
        });
        if listening.is_err() {
            self.remote.send(Event::Closed { of, damaged: false });
        }
    }

    /// Serves an admin client, which sends one request; the holder, and who asks to be, sends more. If the
    /// run has parties, `from` is the number of one.
    pub(super) fn listen_to_admin(&mut self, admin: u64, from: u32, socket: Socket) {
        let (asking, remote) = (socket.clone(), self.remote.clone());
        let has_parties = self.settings.keyring.is_some();
        // Clients that send nothing are dropped, the oldest first.
        self.admins.insert(admin, socket);
        while self.admins.len() > MAX_ADMIN_CLIENTS {
            self.admins.pop_first();
        }
        // Without a thread for it the client gets no response.
        let _ = messenger("admin").spawn(move || {
            let Ok(request) = receive(&mut Timed::behind(&asking, TIMEOUT), MOST) else {
                // Nobody answers: the client is to know. It may be gone.
                let _ = asking.shutdown(Shutdown::Both);
                return;
            };
            let request = match has_parties {
                false => request,
                true => match of_party(from, request) {
                    Ok(request) => request,
                    Err(why) => return respond(&asking, &AdminResponse::Refused(why.into())),
                },
            };
            let holds = request == AdminRequest::Hold;
            remote.ask(admin, request);
            if holds {
                let mut asking = &asking;
                while let Ok(request) = receive(&mut asking, MOST) {
                    remote.ask(admin, request);
                }
                remote.admin_gone(admin);
            }
        });
    }

    pub(super) fn send(&mut self, to: u32, order: &Order) {
        // Nothing follows on these: a process that is to leave is not called lost.
        let is_last = matches!(order, Order::End | Order::Refuse { .. });
        let socket = if is_last { self.members.remove(&to) } else { self.members.get(&to).cloned() };
        let Some(socket) = socket else { return };
        let mut socket = lock(&socket);
        if send(&mut *socket, order).is_err() {
            // The thread that receives its reports notices the end.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    pub(super) fn respond(&mut self, admin: u64, answer: &AdminResponse) {
        if let AdminResponse::JoinGrant { index, .. } = answer {
            lock(&self.expected).indices.insert(*index);
        }
        if *answer == AdminResponse::Holds {
            self.holder = self.admins.remove(&admin).map(|socket| (admin, socket));
        }
        match (&self.holder, self.admins.remove(&admin)) {
            (Some((holder, socket)), _) if *holder == admin => respond(socket, answer),
            (_, Some(socket)) => respond(&socket, answer),
            _ => {}
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some((_, socket)) = &self.holder {
            respond(socket, &AdminResponse::Ended);
        }
    }
}

/// Returns the request as the party of this number may make it, for itself alone; a number of nobody is that
/// of those who run the coordinator.
fn of_party(from: u32, request: AdminRequest) -> Result<AdminRequest, &'static str> {
    let is_party = from != COORDINATOR;
    match request {
        AdminRequest::Join { workers, .. } => {
            Ok(AdminRequest::Join { workers, rank: Some(from).filter(|_| is_party) })
        }
        AdminRequest::Exited { process, .. } if process != from => {
            Err("a party tells of its own process alone")
        }
        AdminRequest::Status | AdminRequest::Offer | AdminRequest::Exited { .. } => Ok(request),
        _ if is_party => Err("a party does not steer the run: ask those who coordinate it"),
        _ => Ok(request),
    }
}

fn respond(to: &Socket, answer: &AdminResponse) {
    // Reads on the same socket have no time limit, which `Timed` would set.
    let mut to = to;
    // The client may be gone.
    let _ = to.set_write_timeout(Some(TIMEOUT)).and_then(|()| send(&mut to, answer));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_party_asks_for_itself_alone_and_steers_nothing() {
        let join = |rank| AdminRequest::Join { workers: Some(2), rank };
        assert_eq!(of_party(2, join(Some(1))), Ok(join(Some(2))));
        assert_eq!(of_party(COORDINATOR, join(Some(1))), Ok(join(None)));
        let how = || "was killed".to_owned();
        let exited = |process| AdminRequest::Exited { run: 1, process, code: 1, crashed: true, how: how() };
        assert_eq!(of_party(2, exited(2)), Ok(exited(2)));
        assert!(of_party(2, exited(1)).is_err() && of_party(COORDINATOR, exited(1)).is_err());
        let pause = AdminRequest::Pause { generation: 1, epoch: 1 };
        for steers in [AdminRequest::Rescale { workers: 1 }, AdminRequest::Hold, pause] {
            assert!(of_party(2, steers.clone()).is_err(), "{steers:?}");
            assert_eq!(of_party(COORDINATOR, steers.clone()), Ok(steers));
        }
        for asks in [AdminRequest::Status, AdminRequest::Offer] {
            assert_eq!(of_party(2, asks.clone()), Ok(asks));
        }
    }
}
