//! Admission: which processes and admin clients a coordinator lets in.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::Input;
use crate::base::sync::lock;
use crate::cluster::client::fits;
use crate::cluster::coordinator::Event;
use crate::cluster::net::first_message::{Handshake, Ids, Role};
use crate::cluster::net::listener::{AcceptQueues, ListenerHandlers, Rejection};
use crate::cluster::net::secret::Secret;

/// The processes that may still connect, and the build that they must have.
#[derive(Default)]
pub(super) struct Expected {
    pub(super) indices: BTreeSet<u32>,
    pub(super) build: Option<u64>,
    /// Number of processes that the launcher itself starts: their build is that of the run.
    pub(super) own: u32,
    /// Random number of the attempt.
    pub(super) run: u64,
}

/// Longest time for which a process from elsewhere waits until one of the launcher's has said which build the
/// run is of, and between two looks.
const BUILD_KNOWN: (Duration, Duration) = (Duration::from_secs(3), Duration::from_millis(5));

impl Expected {
    /// `true` if the process may be of another build than the launcher's, of which none has come yet.
    fn is_early(&self, handshake: &Handshake) -> bool {
        handshake.role == Role::Member && self.build.is_none() && self.own > 0 && handshake.index >= self.own
    }

    /// Removes a process from those expected; `false` if it was not expected.
    fn take(&mut self, handshake: &Handshake) -> bool {
        handshake.run == self.run && self.indices.remove(&handshake.index)
    }
}

/// Handlers of a coordinator's listener.
pub(super) fn handlers(
    secret: Secret,
    expected: &Arc<Mutex<Expected>>,
    send: &mpsc::Sender<Input>,
) -> ListenerHandlers {
    let (who, deliver) = (Arc::clone(expected), send.clone());
    let (whose, gone) = (Arc::clone(expected), send.clone());
    let introduce = Box::new(move || {
        Handshake::new(Role::Coordinator, Ids { build: 0, run: lock(&whose).run }, 0, u32::MAX)
    });
    let admit = Box::new(move |handshake: &Handshake| {
        let came = Instant::now();
        while lock(&who).is_early(handshake) && came.elapsed() < BUILD_KNOWN.0 {
            thread::sleep(BUILD_KNOWN.1);
        }
        admit(&mut lock(&who), handshake)
    });
    let awaited = Arc::clone(expected);
    let deliver = Box::new(move |handshake: Handshake, socket| {
        let input = match handshake.role {
            // Each process is taken once: with its handshake done it does not try again.
            Role::Member if !lock(&awaited).take(&handshake) => return,
            Role::Member => Input::Member(handshake.run, handshake.index, socket),
            _ => Input::AdminClient(handshake.index, socket),
        };
        // The coordinator may have ended.
        let _ = deliver.send(input);
    });
    let refuse = Box::new(move |rejection: &Rejection<'_>| {
        // Role and number are believed only where the token was proved.
        let (of, role) = (
            rejection.handshake.map(|handshake| handshake.index),
            rejection.handshake.map(|handshake| handshake.role),
        );
        let who = match (role, rejection.from) {
            (Some(Role::Member), Some(from)) => format!("process {}, at {from}", of.unwrap_or_default()),
            (Some(Role::Member), None) => format!("process {}", of.unwrap_or_default()),
            (_, from) => {
                format!("somebody at {}", from.map_or("this machine".into(), |ip| ip.to_string()))
            }
        };
        let of = of.filter(|_| role == Some(Role::Member));
        let why = format!("{who}, was turned away: {}", rejection.why);
        let _ = gone.send(Input::Event(
            rejection.handshake.map(|handshake| handshake.run),
            Event::TurnedAway { of, why },
        ));
    });
    ListenerHandlers { secret, introduce, admit, refuse, deliver, queues: AcceptQueues::default() }
}

/// Admits admin clients, and each expected process once, all of one build.
fn admit(expected: &mut Expected, handshake: &Handshake) -> Result<(), String> {
    match handshake.role {
        Role::AdminClient => Ok(()),
        Role::Member => {
            fits(handshake, Ids { build: expected.build.unwrap_or(handshake.build), run: expected.run })?;
            if !expected.indices.contains(&handshake.index) {
                return Err(format!("nobody waits for a process {}", handshake.index));
            }
            expected.build = Some(handshake.build);
            Ok(())
        }
        Role::Neighbour | Role::Coordinator => {
            Err("only processes of the run and admin clients connect here".into())
        }
    }
}
