//! [`CoordinatorClient`]: a process's connection to the coordinator, and the listener at which its peers
//! reach it.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write as _};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, mpsc};
use std::time::{Duration, Instant};

use super::invitation::Invitation;
use super::net::addresses::Addresses;
use super::net::handshake::{Handshake, Refused, Role, Token, greet};
use super::net::listener::{AcceptQueues, Listener, ListenerHandlers, Rejection, Retry, connect};
use super::net::wire::{heartbeat, receive, send};
use super::parent_link::ParentLink;
use super::plan::{GenerationPlan, Participant};
use super::protocol::{GenerationStart, MemberReport, Order};
use crate::base::error::EngineError;
use crate::base::process::peak_memory_bytes;
use crate::base::sync::lock;
use crate::cluster::net::link::{Link, messenger};
use crate::run::requests::BoundaryRequests;

/// Longest order in bytes: a plan names every shard.
const MOST: u64 = 1 << 30;
/// Time to wait for a peer to connect, or for a network that is gone to return. All processes receive a
/// generation's start at about the same time.
const MEETING: Duration = Duration::from_secs(10);

/// An order of the coordinator that the process's main loop carries out.
enum ControlMessage {
    Begin(Box<GenerationStart>),
    SubmitParts { epoch: u64, anew: bool },
    Write,
    Refused(String),
    End,
    Gone,
}

/// The coordinator's next instruction to a process.
pub(crate) enum Instruction {
    /// Take part in a generation.
    Begin(Box<GenerationStart>),
    /// Submit the parts of a checkpoint of the boundary after this epoch.
    SubmitParts { epoch: u64, anew: bool },
    /// Write the model.
    Write,
    /// Leave: the run goes on, or is over, without this process.
    Leave,
}

/// Accepted connections of peers, by generation and process, until they are used.
#[derive(Default)]
struct PendingConnections {
    links: Mutex<HashMap<(u64, u32), Link>>,
    came: Condvar,
    /// The generation under way: connections of earlier ones are refused.
    generation: AtomicU64,
}

/// A process's connection to the coordinator, and its listener for peers.
pub(crate) struct CoordinatorClient {
    index: u32,
    token: Token,
    ids: (u64, u64),
    control: Arc<Mutex<TcpStream>>,
    messages: Mutex<mpsc::Receiver<ControlMessage>>,
    pub(crate) requests: Arc<BoundaryRequests>,
    pending: Arc<PendingConnections>,
    address: SocketAddr,
    _listener: Listener,
    /// `true` once a run has begun on it.
    used: Arc<AtomicBool>,
    /// Function that ends the process when the generation is lost; `None` where a loss is an error.
    end: Option<End>,
    /// `true` if `raddle join` started the process.
    is_guest: bool,
    /// `true` once the process has no part in the run any more.
    done: Arc<AtomicBool>,
}

/// Function that ends the process with a status, such as `std::process::exit`.
pub(crate) type End = fn(i32) -> !;

/// Exit status of a process that ends because another one is lost, or the coordinator is gone.
pub(crate) const LOST: i32 = 75;
/// Number of deadlines without a message of the coordinator after which a process counts it as gone. The
/// coordinator's own timeout is one deadline: it decides first.
const DEADLINES: f64 = 2.0;

/// Fingerprint of the running executable; 1 where the file cannot be read.
pub(crate) fn build() -> u64 {
    static BUILD: OnceLock<u64> = OnceLock::new();
    *BUILD.get_or_init(|| {
        let file = std::env::current_exe().and_then(std::fs::File::open);
        // Where the system does not name the file, all builds count as equal.
        file.and_then(crate::cluster::net::frames::sum_of).unwrap_or(1)
    })
}

impl CoordinatorClient {
    /// Connects to the coordinator, or takes the parent link if that leads there, and listens for peers at
    /// the address that `addresses` names, by default at the one from which the coordinator is reached: on
    /// loopback only, if the coordinator is there.
    ///
    /// `end` is called at once with [`LOST`] when another process is lost or the coordinator is gone; it is
    /// given where a launcher is to start the process anew.
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
        let Invitation { coordinator, token, run } = *invitation;
        let ids = (build(), run);
        let refused = |why: &dyn fmt::Display| {
            EngineError::Process(format!("the coordinator of the run, at {coordinator}: {why}"))
        };
        let unfit = |why: Refused| match why {
            Refused::Broken(why) => refused(&why),
            Refused::Stranger | Refused::Unlike(_) => {
                EngineError::Setting(format!("the run at {coordinator} does not let it in: {why}"))
            }
        };
        let handshake = || Handshake::new(Role::Member, ids, 0, index);
        let (is_launched, is_guest) = (
            matches!(parent_link, ParentLink::Launcher(_)),
            matches!(parent_link, ParentLink::Supervisor(_)),
        );
        let (control, supervisor) = match parent_link {
            ParentLink::Launcher(socket) => {
                // No time limit: a launcher that is stopped meanwhile goes on, and one that is gone has
                // closed its end.
                let mine = handshake().map_err(|why| refused(&why))?;
                greet(&socket, token, &mine, None).map_err(unfit)?;
                (socket, None)
            }
            ParentLink::Supervisor(socket) => {
                (reach_out(coordinator, token, handshake).map_err(unfit)?, Some(socket))
            }
            ParentLink::None => (reach_out(coordinator, token, handshake).map_err(unfit)?, None),
        };
        let here = match is_launched {
            true => coordinator.ip(),
            false => control.local_addr().map_err(|why| refused(&why))?.ip(),
        };
        let pending = Arc::new(PendingConnections::default());
        let listener = open_listener((addresses, here), token, ids, index, &pending)?;
        let address = addresses.advertised(listener.address());
        let requests = Arc::new(BoundaryRequests::default());
        let (tell, messages) = mpsc::channel();
        let mut orders = control.try_clone().map_err(|why| refused(&why))?;
        let boundary_requests = Arc::clone(&requests);
        let (is_done, is_used) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (done, used) = (Arc::clone(&is_done), Arc::clone(&is_used));
        let listening = messenger("orders").spawn(move || {
            loop {
                let order = receive(&mut orders, MOST);
                match (&order, end) {
                    (Ok(Order::Lost) | Err(_), Some(end)) if !done.load(Ordering::Acquire) => end(LOST),
                    // The process is still reading its data, which the run no longer needs.
                    (Ok(Order::End), Some(end)) if !used.load(Ordering::Acquire) => end(0),
                    _ => {}
                }
                let messages = match order {
                    Ok(Order::Begin { start }) => ControlMessage::Begin(Box::new(start)),
                    Ok(Order::SubmitParts { epoch, anew, .. }) => ControlMessage::SubmitParts { epoch, anew },
                    Ok(Order::Write) => ControlMessage::Write,
                    Ok(Order::Alive { deadline }) => {
                        let limit = Duration::try_from_secs_f64(DEADLINES * deadline).ok();
                        // Setting a time limit fails on a closed socket, which needs none.
                        let _ = orders.set_read_timeout(limit.filter(|limit| !limit.is_zero()));
                        continue;
                    }
                    Ok(Order::EndGeneration { generation }) => {
                        boundary_requests.end_at_boundary(generation);
                        continue;
                    }
                    Ok(Order::Stop) => {
                        boundary_requests.stop();
                        continue;
                    }
                    Ok(Order::Refuse { why }) => ControlMessage::Refused(why),
                    Ok(Order::End) => {
                        boundary_requests.abort("the run has ended");
                        ControlMessage::End
                    }
                    Ok(Order::Lost) => {
                        boundary_requests.abort("another process is lost");
                        ControlMessage::Gone
                    }
                    Err(_) => {
                        boundary_requests.abort("the coordinator is gone");
                        ControlMessage::Gone
                    }
                };
                let is_last = matches!(messages, ControlMessage::Gone);
                // The client may have been dropped.
                if tell.send(messages).is_err() || is_last {
                    return;
                }
            }
        });
        listening.map_err(|why| refused(&why))?;
        let (control, messages) = (Arc::new(Mutex::new(control)), Mutex::new(messages));
        let alive = || MemberReport::Alive { memory: peak_memory_bytes().unwrap_or(0) };
        heartbeat(&control, alive).map_err(|why| refused(&why))?;
        if let Some(supervisor) = supervisor {
            leave_with_parent(supervisor, &control).map_err(|why| refused(&why))?;
        }
        Ok(Self {
            index,
            token,
            ids,
            control,
            messages,
            requests,
            pending,
            address,
            _listener: listener,
            used: is_used,
            end,
            is_guest,
            done: is_done,
        })
    }

    /// The number of this process in the run.
    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    /// Address at which peers reach this process.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    /// `true` on the first call: one client carries out one run.
    pub(crate) fn takes_a_run(&self) -> bool {
        !self.used.swap(true, Ordering::AcqRel)
    }

    /// Sends a report to the coordinator.
    pub(crate) fn say(&self, report: &MemberReport) -> Result<(), EngineError> {
        let sent = send(&mut *lock(&self.control), report);
        sent.map_err(|why| EngineError::Process(format!("the coordinator of the run is gone: {why}")))
    }

    /// Function that sends reports from other threads; a broken connection is ignored.
    pub(crate) fn reporter(&self) -> impl Fn(&MemberReport) + Send + use<> {
        let control = Arc::clone(&self.control);
        // The thread that receives orders notices that the coordinator is gone.
        move |report| drop(send(&mut *lock(&control), report))
    }

    /// Function that reports why a process that `raddle join` started does not join; `None` for processes of
    /// the launcher, which sees their exit.
    pub(crate) fn decline(&self) -> Option<impl Fn(String) + Send + use<>> {
        let (control, used) = (Arc::clone(&self.control), Arc::clone(&self.used));
        self.is_guest.then_some(move |why| {
            // A process that has taken part has reported it already.
            if !used.load(Ordering::Acquire) {
                // The launcher may be gone.
                let _ = send(&mut *lock(&control), &MemberReport::Failed { why, of_a_peer: false });
            }
        })
    }

    /// Waits for the coordinator's next instruction.
    pub(crate) fn next(&self) -> Result<Instruction, EngineError> {
        match lock(&self.messages).recv() {
            Ok(ControlMessage::Begin(start)) => {
                self.pending.generation.store(start.plan.number, Ordering::Release);
                Ok(Instruction::Begin(start))
            }
            Ok(ControlMessage::SubmitParts { epoch, anew }) => Ok(Instruction::SubmitParts { epoch, anew }),
            Ok(ControlMessage::Refused(why)) => Err(EngineError::Setting(why)),
            Ok(ControlMessage::End) => Ok(Instruction::Leave),
            Ok(ControlMessage::Write) => Ok(Instruction::Write),
            Ok(ControlMessage::Gone) | Err(_) => {
                Err(EngineError::Process("the coordinator of the run is gone".into()))
            }
        }
    }

    /// Function that ends the process with [`LOST`] where the error is the loss of another one and the
    /// process is to end so.
    pub(crate) fn ender(&self) -> impl Fn(&EngineError) + Send + use<> {
        let end = self.end;
        move |why| {
            if let (Some(end), EngineError::Process(_)) = (end, why) {
                end(LOST);
            }
        }
    }

    /// Marks that the process has no part in the run any more: the end of the run does not end it.
    pub(crate) fn leave(&self) {
        self.done.store(true, Ordering::Release);
    }

    /// Connects with all peers of a generation: this process dials those with lower numbers, those with
    /// higher numbers dial it. A peer that sends nothing for `deadline` seconds is lost from then on.
    pub(crate) fn connect_peers(
        &self,
        plan: &GenerationPlan,
        deadline: f64,
    ) -> Result<Vec<(u32, Link)>, EngineError> {
        let (mut peers, silence) = (Vec::new(), Duration::try_from_secs_f64(deadline).ok());
        for Participant { id, address } in plan.everyone() {
            if !plan.links(self.index, *id) {
                continue;
            }
            let lost = |why: &dyn fmt::Display| {
                EngineError::Process(format!("process {id} at {address} cannot be met: {why}"))
            };
            let link = if *id < self.index {
                let handshake = || Handshake::new(Role::Neighbour, self.ids, plan.number, self.index);
                let at = address.parse().map_err(|_| lost(&"that is no address"))?;
                let over = || self.requests.is_over();
                let peers = connect(at, self.token, handshake, (Retry::Broken, MEETING), over);
                let (there, socket) = peers.map_err(|why| lost(&why))?;
                if there.index != *id {
                    return Err(lost(&"another process answers there"));
                }
                Link::new(socket).map_err(|why| lost(&why))?
            } else {
                self.pending
                    .wait((plan.number, *id), &self.requests)
                    .ok_or_else(|| lost(&"it does not come"))?
            };
            link.limit(silence).map_err(|why| lost(&why))?;
            peers.push((*id, link));
        }
        Ok(peers)
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

impl PendingConnections {
    fn wait(&self, from: (u64, u32), requests: &BoundaryRequests) -> Option<Link> {
        let until = Instant::now() + MEETING;
        let mut links = lock(&self.links);
        // Connections of earlier generations were never used.
        links.retain(|&(generation, _), _| generation >= from.0);
        loop {
            if let Some(link) = links.remove(&from) {
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

/// Connects to the coordinator, and tries again for [`MEETING`] where the connection breaks.
fn reach_out(
    coordinator: SocketAddr,
    token: Token,
    handshake: impl Fn() -> io::Result<Handshake>,
) -> Result<TcpStream, Refused> {
    connect(coordinator, token, handshake, (Retry::Broken, MEETING), || false).map(|(_, socket)| socket)
}

/// Reports that the process leaves once its supervisor is gone: nothing else would end it, or start it again.
fn leave_with_parent(mut supervisor: TcpStream, control: &Arc<Mutex<TcpStream>>) -> io::Result<()> {
    let control = Arc::downgrade(control);
    let waiting = messenger("supervisor").spawn(move || {
        // The supervisor sends nothing: the copy ends with the connection.
        let _ = io::copy(&mut supervisor, &mut io::sink());
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

/// Opens the listener for peers. Where a network is gone, so is its address: the call tries again for
/// [`MEETING`].
fn open_listener(
    (addresses, here): (Addresses, IpAddr),
    token: Token,
    ids: (u64, u64),
    index: u32,
    pending: &Arc<PendingConnections>,
) -> Result<Listener, EngineError> {
    let (at, until) = (addresses.listens(here), Instant::now() + MEETING);
    loop {
        match Listener::open(at, handlers(token, ids, index, pending)) {
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
fn handlers(
    token: Token,
    ids: (u64, u64),
    index: u32,
    pending: &Arc<PendingConnections>,
) -> ListenerHandlers {
    let (asks, takes) = (Arc::clone(pending), Arc::clone(pending));
    let introduce = Box::new(move || Handshake::new(Role::Neighbour, ids, 0, index));
    let admit = Box::new(move |handshake: &Handshake| {
        if handshake.role != Role::Neighbour {
            return Err("only processes of the run speak here".into());
        }
        fits(handshake, ids)?;
        match handshake.generation >= asks.generation.load(Ordering::Acquire) {
            true => Ok(()),
            false => Err(format!("generation {} is over", handshake.generation)),
        }
    });
    let deliver = Box::new(move |handshake: Handshake, socket| {
        // Where no link can be made the socket closes, and the peer reports that.
        let Ok(link) = Link::new(socket) else { return };
        lock(&takes.links).insert((handshake.generation, handshake.index), link);
        takes.came.notify_all();
    });
    // A peer that is turned away reports it.
    let (refuse, queues) = (Box::new(|_: &Rejection<'_>| ()), AcceptQueues::default());
    ListenerHandlers { token, introduce, admit, refuse, deliver, queues }
}

/// Error that names the difference where a process belongs to another run, or runs another build.
pub(crate) fn fits(handshake: &Handshake, (build, run): (u64, u64)) -> Result<(), String> {
    if handshake.run != run {
        return Err("it is a process of another run".into());
    }
    if handshake.build != build {
        return Err("it is another build of the program: start the same file everywhere".into());
    }
    Ok(())
}
