//! [`CoordinatorClient`]: a process's connection to the coordinator, and the gate at which other processes reach it.

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

/// An order is never longer: a plan names every shard.
const MOST: u64 = 1 << 30;
/// How long to wait for another process, or for a network that is gone. All are told of a generation at the same time.
const MEETING: Duration = Duration::from_secs(10);

/// What the coordinator said to the process itself.
enum ControlMessage {
    Begin(Box<GenerationStart>),
    SubmitParts { epoch: u64, anew: bool },
    Write,
    Refused(String),
    End,
    Gone,
}

/// What a process does next.
pub(crate) enum Instruction {
    /// Take part in a generation.
    Begin(Box<GenerationStart>),
    /// Hand in the parts of a checkpoint of the boundary after this epoch.
    SubmitParts { epoch: u64, anew: bool },
    /// Write the model.
    Write,
    /// The run goes on, or is over, without this process.
    Leave,
}

/// Connections of other processes, by generation and process, that wait to be used.
#[derive(Default)]
struct PendingConnections {
    links: Mutex<HashMap<(u64, u32), Link>>,
    came: Condvar,
    /// The generation under way: connections for older ones are refused.
    generation: AtomicU64,
}

/// A process's connections.
pub(crate) struct CoordinatorClient {
    index: u32,
    token: Token,
    ids: (u64, u64),
    control: Arc<Mutex<TcpStream>>,
    messages: Mutex<mpsc::Receiver<ControlMessage>>,
    pub(crate) requests: Arc<BoundaryRequests>,
    mail: Arc<PendingConnections>,
    address: SocketAddr,
    _gate: Listener,
    /// `true` if a run has been begun on it.
    used: Arc<AtomicBool>,
    /// End of the process with the generation, if it is to end so.
    end: Option<End>,
    /// `true` if it came from elsewhere to join.
    is_guest: bool,
    /// Whether the process has no part in the run any more.
    done: Arc<AtomicBool>,
}

/// End of the process with a status, such as `std::process::exit`.
pub(crate) type End = fn(i32) -> !;

/// The status of a process that ends because another one is lost, or the coordinator is gone.
pub(crate) const LOST: i32 = 75;
/// Who does not hear the coordinator for so many deadlines is cut off. The coordinator, which decides, comes first.
const SILENCE: f64 = 2.0;

/// A fingerprint of the program that runs.
pub(crate) fn build() -> u64 {
    static BUILD: OnceLock<u64> = OnceLock::new();
    *BUILD.get_or_init(|| {
        let file = std::env::current_exe().and_then(std::fs::File::open);
        // Where the system does not say, all builds are alike.
        file.and_then(crate::cluster::net::frames::sum_of).unwrap_or(1)
    })
}

impl CoordinatorClient {
    /// Connects to the coordinator, unless the tether leads there, and listens where it is told to, or where the coordinator is
    /// reached from: on loopback only, if that is there.
    /// Where the process is to end with the run's generation, as one that others have started does, `end` is called at once with
    /// [`LOST`] when another is lost or the coordinator is gone.
    ///
    /// # Errors
    /// [`EngineError::Process`] if the connection breaks, [`EngineError::Setting`] if this process does not fit.
    pub(crate) fn open(
        invitation: &Invitation,
        index: u32,
        parent_link: ParentLink,
        end: Option<End>,
        reach: Addresses,
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
        let hello = || Handshake::new(Role::Member, ids, 0, index);
        let (is_launched, is_guest) = (
            matches!(parent_link, ParentLink::Launcher(_)),
            matches!(parent_link, ParentLink::Supervisor(_)),
        );
        let (control, supervisor) = match parent_link {
            ParentLink::Launcher(socket) => {
                // A launcher that is stopped meanwhile goes on; one that is gone has closed it.
                let mine = hello().map_err(|why| refused(&why))?;
                greet(&socket, token, &mine, None).map_err(unfit)?;
                (socket, None)
            }
            ParentLink::Supervisor(socket) => {
                (reach_out(coordinator, token, hello).map_err(unfit)?, Some(socket))
            }
            ParentLink::None => (reach_out(coordinator, token, hello).map_err(unfit)?, None),
        };
        let here = match is_launched {
            true => coordinator.ip(),
            false => control.local_addr().map_err(|why| refused(&why))?.ip(),
        };
        let mail = Arc::new(PendingConnections::default());
        let gate = open_gate((reach, here), token, ids, index, &mail)?;
        let address = reach.told(gate.address());
        let requests = Arc::new(BoundaryRequests::default());
        let (tell, messages) = mpsc::channel();
        let mut orders = control.try_clone().map_err(|why| refused(&why))?;
        let heard = Arc::clone(&requests);
        let (is_done, is_used) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (done, used) = (Arc::clone(&is_done), Arc::clone(&is_used));
        let listening = messenger("orders").spawn(move || {
            loop {
                let order = receive(&mut orders, MOST);
                match (&order, end) {
                    (Ok(Order::Lost) | Err(_), Some(end)) if !done.load(Ordering::Acquire) => end(LOST),
                    // It is still reading its data, and nobody waits for them.
                    (Ok(Order::End), Some(end)) if !used.load(Ordering::Acquire) => end(0),
                    _ => {}
                }
                let messages = match order {
                    Ok(Order::Begin { start }) => ControlMessage::Begin(Box::new(start)),
                    Ok(Order::SubmitParts { epoch, anew, .. }) => ControlMessage::SubmitParts { epoch, anew },
                    Ok(Order::Write) => ControlMessage::Write,
                    Ok(Order::Alive { deadline }) => {
                        let limit = Duration::try_from_secs_f64(SILENCE * deadline).ok();
                        // A socket that is closed has no time limit, and needs none.
                        let _ = orders.set_read_timeout(limit.filter(|limit| !limit.is_zero()));
                        continue;
                    }
                    Ok(Order::EndGeneration { generation }) => {
                        heard.end_at_boundary(generation);
                        continue;
                    }
                    Ok(Order::Stop) => {
                        heard.stop();
                        continue;
                    }
                    Ok(Order::Refuse { why }) => ControlMessage::Refused(why),
                    Ok(Order::End) => {
                        heard.abort("the run has ended");
                        ControlMessage::End
                    }
                    Ok(Order::Lost) => {
                        heard.abort("another process is lost");
                        ControlMessage::Gone
                    }
                    Err(_) => {
                        heard.abort("the coordinator is gone");
                        ControlMessage::Gone
                    }
                };
                let is_last = matches!(messages, ControlMessage::Gone);
                // Nobody may listen any more.
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
            leave_with(supervisor, &control).map_err(|why| refused(&why))?;
        }
        Ok(Self {
            index,
            token,
            ids,
            control,
            messages,
            requests,
            mail,
            address,
            _gate: gate,
            used: is_used,
            end,
            is_guest,
            done: is_done,
        })
    }

    /// The number of this process.
    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    /// Where others reach this process.
    pub(crate) fn address(&self) -> String {
        self.address.to_string()
    }

    /// Whether this is the first run on it: the only one.
    pub(crate) fn takes_a_run(&self) -> bool {
        !self.used.swap(true, Ordering::AcqRel)
    }

    /// Says something to the coordinator.
    pub(crate) fn say(&self, report: &MemberReport) -> Result<(), EngineError> {
        let sent = send(&mut *lock(&self.control), report);
        sent.map_err(|why| EngineError::Process(format!("the coordinator of the run is gone: {why}")))
    }

    /// Says things from elsewhere, to whom it may concern.
    pub(crate) fn reporter(&self) -> impl Fn(&MemberReport) + Send + use<> {
        let control = Arc::clone(&self.control);
        // The thread that listens notices that the coordinator is gone.
        move |report| drop(send(&mut *lock(&control), report))
    }

    /// Says why a process that came to join does not; `None` for all others, of whom the launcher sees it.
    pub(crate) fn excuse(&self) -> Option<impl Fn(String) + Send + use<>> {
        let (control, used) = (Arc::clone(&self.control), Arc::clone(&self.used));
        self.is_guest.then_some(move |why| {
            // One that has taken part has said it.
            if !used.load(Ordering::Acquire) {
                // The launcher may be gone.
                let _ = send(&mut *lock(&control), &MemberReport::Failed { why, of_a_peer: false });
            }
        })
    }

    /// Waits for what is next.
    pub(crate) fn next(&self) -> Result<Instruction, EngineError> {
        match lock(&self.messages).recv() {
            Ok(ControlMessage::Begin(start)) => {
                self.mail.generation.store(start.plan.number, Ordering::Release);
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

    /// What a process does that cannot go on because another one is lost.
    pub(crate) fn ender(&self) -> impl Fn(&EngineError) + Send + use<> {
        let end = self.end;
        move |why| {
            if let (Some(end), EngineError::Process(_)) = (end, why) {
                end(LOST);
            }
        }
    }

    /// The process has no part in the run any more: nothing that becomes of the run ends it.
    pub(crate) fn leave(&self) {
        self.done.store(true, Ordering::Release);
    }

    /// Connects with all processes with which a generation has something to do: those with lower numbers are called, the
    /// others call.
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
                let hello = || Handshake::new(Role::Neighbour, self.ids, plan.number, self.index);
                let at = address.parse().map_err(|_| lost(&"that is no address"))?;
                let over = || self.requests.is_over();
                let peers = connect(at, self.token, hello, (Retry::Broken, MEETING), over);
                let (there, socket) = peers.map_err(|why| lost(&why))?;
                if there.index != *id {
                    return Err(lost(&"another process answers there"));
                }
                Link::new(socket).map_err(|why| lost(&why))?
            } else {
                self.mail.wait((plan.number, *id), &self.requests).ok_or_else(|| lost(&"it does not come"))?
            };
            link.limit(silence).map_err(|why| lost(&why))?;
            peers.push((*id, link));
        }
        Ok(peers)
    }
}

impl Drop for CoordinatorClient {
    fn drop(&mut self) {
        // What is closed here is no loss.
        self.done.store(true, Ordering::Release);
        if self.is_guest && !self.used.load(Ordering::Acquire) {
            // It may still say why it does not join; the connection ends with the process.
            return;
        }
        // The thread that listens to the coordinator ends, and the coordinator sees that nothing more comes.
        let _ = lock(&self.control).shutdown(std::net::Shutdown::Both);
    }
}

impl PendingConnections {
    fn wait(&self, from: (u64, u32), requests: &BoundaryRequests) -> Option<Link> {
        let until = Instant::now() + MEETING;
        let mut links = lock(&self.links);
        // What came for a generation before was never used.
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

/// The connection to a coordinator that is there, or was there a moment ago.
fn reach_out(
    coordinator: SocketAddr,
    token: Token,
    hello: impl Fn() -> io::Result<Handshake>,
) -> Result<TcpStream, Refused> {
    connect(coordinator, token, hello, (Retry::Broken, MEETING), || false).map(|(_, socket)| socket)
}

/// Lets the process leave when its supervisor is gone: nobody would end it, or start it again.
fn leave_with(mut supervisor: TcpStream, control: &Arc<Mutex<TcpStream>>) -> io::Result<()> {
    let control = Arc::downgrade(control);
    let waiting = messenger("supervisor").spawn(move || {
        // It says nothing.
        let _ = io::copy(&mut supervisor, &mut io::sink());
        if let Some(control) = control.upgrade() {
            // Nobody is left to tell if stderr is closed; the thread that listens notices that the coordinator is gone.
            let _ = writeln!(
                io::stderr(),
                "raddle: raddle join has ended, or was asked to: its process leaves the run"
            );
            let _ = send(&mut *lock(&control), &MemberReport::Leaving);
        }
    });
    waiting.map(drop)
}

/// Listens for other processes. Where a network is gone, so is its address: it may come back.
fn open_gate(
    (reach, here): (Addresses, IpAddr),
    token: Token,
    ids: (u64, u64),
    index: u32,
    mail: &Arc<PendingConnections>,
) -> Result<Listener, EngineError> {
    let (at, until) = (reach.listens(here), Instant::now() + MEETING);
    loop {
        match Listener::open(at, handlers(token, ids, index, mail)) {
            Ok(gate) => return Ok(gate),
            Err(why) if why.kind() != io::ErrorKind::AddrNotAvailable || reach.listen.is_some() => {
                return Err(EngineError::Setting(format!("cannot listen at {at}: {why}")));
            }
            Err(why) if Instant::now() >= until => {
                return Err(EngineError::Process(format!("cannot listen at {at}: {why}")));
            }
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// Who lets other processes of the run in.
fn handlers(token: Token, ids: (u64, u64), index: u32, mail: &Arc<PendingConnections>) -> ListenerHandlers {
    let (asks, takes) = (Arc::clone(mail), Arc::clone(mail));
    let introduce = Box::new(move || Handshake::new(Role::Neighbour, ids, 0, index));
    let admit = Box::new(move |hello: &Handshake| {
        if hello.role != Role::Neighbour {
            return Err("only processes of the run speak here".into());
        }
        fits(hello, ids)?;
        match hello.generation >= asks.generation.load(Ordering::Acquire) {
            true => Ok(()),
            false => Err(format!("generation {} is over", hello.generation)),
        }
    });
    let deliver = Box::new(move |hello: Handshake, socket| {
        // Where it cannot be, whoever is there waits for nobody and says so.
        let Ok(link) = Link::new(socket) else { return };
        lock(&takes.links).insert((hello.generation, hello.index), link);
        takes.came.notify_all();
    });
    // Whoever is turned away says so.
    let (refuse, queues) = (Box::new(|_: &Rejection<'_>| ()), AcceptQueues::default());
    ListenerHandlers { token, introduce, admit, refuse, deliver, queues }
}

/// Whether a process is of this run and build.
pub(crate) fn fits(hello: &Handshake, (build, run): (u64, u64)) -> Result<(), String> {
    if hello.run != run {
        return Err("it is a process of another run".into());
    }
    if hello.build != build {
        return Err("it is another build of the program: start the same file everywhere".into());
    }
    Ok(())
}
