//! [`CoordinatorClient`]: a process's connection to the coordinator, and the listener at which its peers
//! reach it.

mod orders;
mod peers;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, mpsc};

pub use self::orders::LOST;
pub(crate) use self::orders::{End, Instruction};
use self::orders::{Instructed, Orders, coordinator_gone, finish};
pub(crate) use self::peers::fits;
use self::peers::{CONNECTING, Peer, PendingConnections, open_listener};
use super::invitation::Invitation;
use super::net::addresses::Addresses;
use super::net::first_message::{Handshake, Ids, Refused, Role};
use super::net::handshake::initiate;
use super::net::listener::{Listener, Retry, connect};
use super::net::secret::Secret;
use super::net::socket::Socket;
use super::net::wire::{heartbeat, send};
use super::parent_link::{ParentLink, note_lost_supervisor};
use super::plan::GenerationPlan;
use super::protocol::MemberReport;
use crate::base::error::EngineError;
use crate::base::process::peak_memory_bytes;
use crate::base::sync::lock;
use crate::cluster::net::link::{Link, messenger};
use crate::parties::{COORDINATOR, Keyring};
use crate::run::requests::BoundaryRequests;

/// A process's connection to the coordinator, and its listener for peers.
pub(crate) struct CoordinatorClient {
    me: Peer,
    control: Arc<Mutex<Socket>>,
    instructions: Mutex<mpsc::Receiver<Instructed>>,
    pub(crate) requests: Arc<BoundaryRequests>,
    pending: Arc<PendingConnections>,
    address: SocketAddr,
    _listener: Listener,
    /// `true` once a run has started on this connection.
    used: Arc<AtomicBool>,
    /// Function that ends the process when the generation is lost; `None` where a loss is an error.
    end: Option<End>,
    /// `true` if `raddle join` started the process.
    is_guest: bool,
    /// `true` once the process has no part in the run any more.
    done: Arc<AtomicBool>,
}

/// Digest of what this program is built from, once it is set.
static BUILD: OnceLock<u64> = OnceLock::new();

/// Names what this program is built from, such as its version and a digest of its sources. Processes of a run
/// must be built from the same, for whatever machine; a program that names nothing must be the same file
/// everywhere. Only a call before the process joins a run has an effect.
pub fn built_from(sources: &str) {
    // Of several calls the first counts. Reading a text does not fail.
    let _ = BUILD.set(crate::cluster::net::sum::sum_of(sources.as_bytes()).unwrap_or(1));
}

/// Returns the digest that [`built_from`] has set, else one of the running executable; 1 if that cannot be
/// read.
pub(crate) fn build() -> u64 {
    *BUILD.get_or_init(|| {
        let file = std::env::current_exe().and_then(std::fs::File::open);
        // If the system does not name the file, all builds count as equal.
        file.and_then(crate::cluster::net::sum::sum_of).unwrap_or(1)
    })
}

impl CoordinatorClient {
    /// Connects to the coordinator, or takes the parent link if that leads there, and listens for peers at
    /// the address that `addresses` names, by default at the one from which the coordinator is reached: on
    /// loopback only, if the coordinator is there.
    ///
    /// `end` is called at once with [`LOST`] when another process is lost or the coordinator is gone; it is
    /// given if a launcher will start the process again.
    ///
    /// # Errors
    /// [`EngineError::Process`] if the connection breaks, [`EngineError::Setting`] if the coordinator refuses
    /// this process.
    pub(crate) fn open(
        invitation: &Invitation,
        index: u32,
        parent_link: ParentLink,
        end: Option<End>,
        addresses: Addresses,
    ) -> Result<Self, EngineError> {
        let Invitation { coordinator, run, .. } = *invitation;
        let me =
            Peer { index, secret: invitation.secret(addresses.encryption), ids: Ids { build: build(), run } };
        let refused = |why: &dyn fmt::Display| {
            EngineError::Process(format!("the coordinator of the run, at {coordinator}: {why}"))
        };
        let unfit = |why: Refused| match why {
            Refused::Broken(_) | Refused::Damaged => refused(&why),
            Refused::Stranger | Refused::OtherKeys | Refused::Version(_) | Refused::Unlike(_) => {
                EngineError::Setting(format!("the run at {coordinator} does not let it in: {why}"))
            }
        };
        let is_launched = matches!(parent_link, ParentLink::Launcher(_));
        let handshake = || Handshake::new(Role::Member, me.ids, 0, index);
        let (control, supervisor) =
            control(parent_link, coordinator, &me.secret, handshake).map_err(unfit)?;
        let here = match is_launched {
            true => coordinator.ip(),
            false => control.local_addr().map_err(|why| refused(&why))?.ip(),
        };
        let (pending, is_guest) = (Arc::new(PendingConnections::default()), supervisor.is_some());
        let listener = open_listener(addresses, here, &me, &pending)?;
        let address = addresses.advertised(listener.address());
        let requests = Arc::new(BoundaryRequests::default());
        let (done, used) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let received =
            Orders { end, done: Arc::clone(&done), used: Arc::clone(&used), requests: Arc::clone(&requests) };
        let control = Arc::new(Mutex::new(control));
        let instructions = received.receive_from(&control).map_err(|why| refused(&why))?;
        let instructions = Mutex::new(instructions);
        let alive = || MemberReport::Alive { memory: peak_memory_bytes().unwrap_or(0) };
        heartbeat(&control, alive).map_err(|why| refused(&why))?;
        if let Some(supervisor) = supervisor {
            leave_with_parent(supervisor, &control).map_err(|why| refused(&why))?;
        }
        Ok(Self {
            me,
            control,
            instructions,
            requests,
            pending,
            address,
            _listener: listener,
            used,
            end,
            is_guest,
            done,
        })
    }

    /// Returns the keys of this process, if the run has parties.
    pub(crate) fn keyring(&self) -> Option<&Keyring> {
        self.me.secret.keyring.as_ref()
    }

    /// Returns the number of this process in the run.
    pub(crate) fn index(&self) -> u32 {
        self.me.index
    }

    /// Returns the address at which peers reach this process.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    /// `true` on the first call only: one client carries out one run.
    pub(crate) fn takes_a_run(&self) -> bool {
        !self.used.swap(true, Ordering::AcqRel)
    }

    /// Sends a report to the coordinator.
    pub(crate) fn send(&self, report: &MemberReport) -> Result<(), EngineError> {
        let sent = send(&mut *lock(&self.control), &*discreet(report, self.keyring()));
        sent.map_err(|why| EngineError::Process(format!("the coordinator of the run is gone: {why}")))
    }

    /// Returns a function that sends reports from other threads; a broken connection is ignored.
    pub(crate) fn reporter(&self) -> impl Fn(&MemberReport) + Send + use<> {
        let (control, keyring) = (Arc::clone(&self.control), self.keyring().cloned());
        // The thread that receives orders notices that the coordinator is gone.
        move |report| drop(send(&mut *lock(&control), &*discreet(report, keyring.as_ref())))
    }

    /// Returns a function that reports why a process that `raddle join` started does not join; `None` for
    /// processes of the launcher, which sees their exit.
    pub(crate) fn decline(&self) -> Option<impl Fn(String) + Send + use<>> {
        let (report, used) = (self.reporter(), Arc::clone(&self.used));
        self.is_guest.then_some(move |why| {
            // A process that has taken part has reported it already; the launcher may be gone.
            if !used.load(Ordering::Acquire) {
                report(&MemberReport::Failed { why, of_a_peer: false });
            }
        })
    }

    /// Waits for the coordinator's next instruction.
    pub(crate) fn next(&self) -> Result<Instruction, EngineError> {
        let next = lock(&self.instructions).recv().unwrap_or_else(|_| Err(coordinator_gone()))?;
        if let Instruction::Begin(start) = &next {
            self.pending.generation.store(start.plan.number, Ordering::Release);
        }
        Ok(next)
    }

    /// Returns a function that ends the process with [`LOST`], if the error is the loss of another process
    /// and losses are to end this one.
    pub(crate) fn ender(&self) -> impl Fn(&EngineError) + Send + use<> {
        let end = self.end;
        move |why| {
            if let (Some(end), EngineError::Process(_)) = (end, why) {
                finish(end, LOST);
            }
        }
    }

    /// Notes that the process has left the run: the end of the run does not end it.
    pub(crate) fn leave(&self) {
        self.done.store(true, Ordering::Release);
    }

    /// Connects with all peers of a generation; one that sends nothing for `deadline` seconds is lost.
    pub(crate) fn connect_peers(
        &self,
        plan: &GenerationPlan,
        deadline: f64,
    ) -> Result<Vec<(u32, Link)>, EngineError> {
        self.pending.connect_peers(&self.me, plan, deadline, &self.requests)
    }
}

impl Drop for CoordinatorClient {
    fn drop(&mut self) {
        // A connection that this end closes is no loss.
        self.done.store(true, Ordering::Release);
        if self.is_guest && !self.used.load(Ordering::Acquire) {
            // It may still report why it does not join; the connection ends with the process.
            return;
        }
        // The thread that receives orders ends, and the coordinator sees the end of the reports.
        let _ = lock(&self.control).shutdown(std::net::Shutdown::Both);
    }
}

/// Returns a report as it may leave the process: what goes wrong at a party may quote its rows, and is said
/// there alone.
fn discreet<'a>(report: &'a MemberReport, keyring: Option<&Keyring>) -> Cow<'a, MemberReport> {
    match report {
        MemberReport::Failed { of_a_peer: false, .. } if keyring.is_some() => {
            let why = "what is wrong is said where it was started".to_owned();
            Cow::Owned(MemberReport::Failed { why, of_a_peer: false })
        }
        _ => Cow::Borrowed(report),
    }
}

/// Opens the control connection, and the link to a supervisor if there is one. Over the network a broken
/// connection is retried for [`CONNECTING`].
fn control(
    parent_link: ParentLink,
    coordinator: SocketAddr,
    secret: &Secret,
    handshake: impl Fn() -> io::Result<Handshake>,
) -> Result<(Socket, Option<TcpStream>), Refused> {
    let supervisor = match parent_link {
        ParentLink::Launcher(socket) => {
            // No time limit: a launcher that is stopped for a while continues, and one that is gone has
            // closed its end.
            let (_, seal) = initiate(&socket, &secret.towards(COORDINATOR)?, &handshake()?, None)?;
            return Ok((Socket::new(socket, seal), None));
        }
        ParentLink::Supervisor(socket) => Some(socket),
        ParentLink::None => None,
    };
    let (_, control) =
        connect(coordinator, secret, COORDINATOR, handshake, (Retry::Broken, CONNECTING), || false)?;
    Ok((control, supervisor))
}

/// Reports that the process leaves once its supervisor is gone: nothing else would end it, or start it again.
fn leave_with_parent(mut supervisor: TcpStream, control: &Arc<Mutex<Socket>>) -> io::Result<()> {
    let control = Arc::downgrade(control);
    let waiting = messenger("supervisor").spawn(move || {
        // The supervisor sends nothing: the copy ends with the connection.
        let _ = io::copy(&mut supervisor, &mut io::sink());
        note_lost_supervisor();
        if let Some(control) = control.upgrade() {
            // If stderr is closed there is nowhere to print; the thread that receives orders notices that the
            // coordinator is gone.
            let _ = writeln!(
                io::stderr(),
                "raddle: raddle join has ended, or was asked to: its process leaves the run"
            );
            let _ = send(&mut *lock(&control), &MemberReport::Leaving);
        }
    });
    waiting.map(drop)
}
