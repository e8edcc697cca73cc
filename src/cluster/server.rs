//! [`Server`]: the coordinator with its connections.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::coordinator::{Action, Coordinator, Event, Terms};
use super::gate::Gate;
use super::hello::{Hello, PATIENCE, Role, random};
use super::invitation::{Invitation, new_token};
use super::line::fits;
use super::protocol::{Answer, Order};
use super::wire::{Timed, receive, send};
use crate::error::EngineError;
use crate::hands::lock;

/// How often the coordinator looks at the time.
const TICK: Duration = Duration::from_millis(100);
/// A report is never longer: it may name every shard.
const MOST: u64 = 1 << 30;

/// How a run of several processes is begun.
#[derive(Debug, Clone)]
pub struct CoordinatorSettings {
    /// Processes at the beginning.
    pub processes: u32,
    /// Workers of each process.
    pub workers: u32,
    /// Where to listen; on loopback unless told otherwise.
    pub listen: IpAddr,
    /// Whether shards move to faster workers.
    pub balance: bool,
    /// The program and its arguments, for processes that join.
    pub line: Vec<String>,
}

impl CoordinatorSettings {
    /// So many processes with so many workers each, on this machine.
    pub fn new(processes: u32, workers: u32) -> Self {
        let listen = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Self { processes, workers, listen, balance: true, line: Vec::new() }
    }
}

/// How a run ended: what process `who` has said is what the run says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The process.
    pub who: u32,
    /// The run's status.
    pub code: i32,
    /// Why, if it is not as it should be.
    pub why: Option<String>,
}

enum Input {
    Member(u32, TcpStream),
    Visitor(TcpStream),
    Event(Event),
}

/// Who may still connect as a process of the run, and which build it must be.
#[derive(Default)]
struct Expected {
    indices: BTreeSet<u32>,
    build: Option<u64>,
}

/// The coordinator of a run, with its connections.
pub struct Server {
    gate: Gate,
    invitation: Invitation,
    inputs: mpsc::Receiver<Input>,
    remote: Remote,
    machine: Coordinator,
    expected: Arc<Mutex<Expected>>,
    members: BTreeMap<u32, TcpStream>,
    visitors: BTreeMap<u64, TcpStream>,
}

/// Tells a coordinator what its launcher sees.
#[derive(Clone)]
pub struct Remote(mpsc::Sender<Input>);

impl Remote {
    /// A process has ended, with this status and in these words, such as `was killed by signal 9`.
    pub fn exited(&self, of: u32, code: i32, how: String) {
        self.tell(Event::Exited { of, code, how });
    }

    /// The run is to end after the epoch under way.
    pub fn stop(&self) {
        self.tell(Event::Stop);
    }

    fn tell(&self, event: Event) {
        // A coordinator that is done needs no telling.
        let _ = self.0.send(Input::Event(event));
    }
}

impl Server {
    /// Listens for the processes of a new run.
    ///
    /// # Errors
    /// If it cannot listen there, or the system has no random bytes.
    pub fn open(settings: &CoordinatorSettings) -> Result<Self, EngineError> {
        let refused = |why: std::io::Error| {
            EngineError::Setting(format!("cannot listen at {}: {why}", settings.listen))
        };
        let token = new_token().map_err(refused)?;
        let run = u64::from_le_bytes(random().map_err(refused)?);
        let CoordinatorSettings { processes, workers, balance, line, listen } = settings.clone();
        let machine = Coordinator::new(Terms { processes, workers, balance, line, run });
        let expected = Expected { indices: (0..processes).collect(), build: None };
        let expected = Arc::new(Mutex::new(expected));
        let (send, inputs) = mpsc::channel();
        let (who, deliver) = (Arc::clone(&expected), send.clone());
        let introduce = Box::new(move || Hello::new(Role::Coordinator, (0, run), 0, u32::MAX));
        let admit = Box::new(move |hello: &Hello| admit(&mut lock(&who), hello, run));
        let deliver = Box::new(move |hello: Hello, socket| {
            let input = match hello.role {
                Role::Member => Input::Member(hello.index, socket),
                _ => Input::Visitor(socket),
            };
            // A coordinator that is done hears nobody.
            let _ = deliver.send(input);
        });
        let gate = Gate::open(listen, token, introduce, admit, deliver).map_err(refused)?;
        let invitation = Invitation::new(gate.address(), token, run);
        let (members, visitors) = (BTreeMap::new(), BTreeMap::new());
        let remote = Remote(send);
        Ok(Self { gate, invitation, inputs, remote, machine, expected, members, visitors })
    }

    /// What its processes need to find it.
    pub fn invitation(&self) -> &Invitation {
        &self.invitation
    }

    /// Where it listens.
    pub fn address(&self) -> std::net::SocketAddr {
        self.gate.address()
    }

    /// Through which it is told what its launcher sees.
    pub fn remote(&self) -> Remote {
        self.remote.clone()
    }

    /// Coordinates until the run is over. `note` is called with what is worth a line on the screen.
    pub fn run(mut self, mut note: impl FnMut(&str)) -> Ended {
        let (began, mut visitor) = (Instant::now(), 0);
        loop {
            let event = match self.inputs.recv_timeout(TICK) {
                Ok(Input::Event(event)) => event,
                Ok(Input::Member(index, socket)) => {
                    self.listen_to(index, socket);
                    Event::Tick
                }
                Ok(Input::Visitor(socket)) => {
                    visitor += 1;
                    self.hear(visitor, socket);
                    Event::Tick
                }
                Err(_) => Event::Tick,
            };
            for action in self.machine.on(event, began.elapsed().as_secs_f64()) {
                match action {
                    Action::Tell { to, order } => self.tell(to, &order),
                    Action::Answer { visitor, answer } => self.answer(visitor, &answer),
                    Action::Note(text) => note(&text),
                    Action::Over { who, code, why } => return Ended { who, code, why },
                }
            }
        }
    }

    /// A process of the run has connected.
    fn listen_to(&mut self, of: u32, socket: TcpStream) {
        let (Ok(mut reports), remote) = (socket.try_clone(), self.remote.clone()) else { return };
        // One that does not read is as good as gone.
        let _ = socket.set_write_timeout(Some(PATIENCE));
        self.members.insert(of, socket);
        let listen = thread::Builder::new().name(format!("raddle:process-{of}"));
        let listening = listen.spawn(move || {
            while let Ok(report) = receive(&mut reports, MOST) {
                remote.tell(Event::Said { from: of, report });
            }
            remote.tell(Event::Closed { of });
        });
        if listening.is_err() {
            self.remote.tell(Event::Closed { of });
        }
    }

    /// A visitor asks one question.
    fn hear(&mut self, visitor: u64, socket: TcpStream) {
        let (Ok(asking), remote) = (socket.try_clone(), self.remote.clone()) else { return };
        self.visitors.insert(visitor, socket);
        // Without a thread for it the visitor is not answered.
        let _ = thread::Builder::new().name("raddle:visitor".into()).spawn(move || {
            if let Ok(question) = receive(&mut Timed::new(&asking, PATIENCE), MOST) {
                remote.tell(Event::Asked { visitor, question });
            }
        });
    }

    fn tell(&mut self, to: u32, order: &Order) {
        let Some(socket) = self.members.get_mut(&to) else { return };
        if send(socket, order).is_err() {
            // Its own thread notices that it is gone.
            let _ = socket.shutdown(std::net::Shutdown::Both);
        }
    }

    fn answer(&mut self, visitor: u64, answer: &Answer) {
        if let Answer::Place { index, .. } = answer {
            lock(&self.expected).indices.insert(*index);
        }
        if let Some(socket) = self.visitors.remove(&visitor) {
            // Whoever asked may be gone.
            let _ = send(&mut Timed::new(&socket, PATIENCE), answer);
        }
    }
}

/// Each process connects once; all are of one build.
fn admit(expected: &mut Expected, hello: &Hello, run: u64) -> Result<(), String> {
    match hello.role {
        Role::Visitor => Ok(()),
        Role::Member => {
            fits(hello, (expected.build.unwrap_or(hello.build), run))?;
            if !expected.indices.remove(&hello.index) {
                return Err(format!("nobody waits for a process {}", hello.index));
            }
            expected.build = Some(hello.build);
            Ok(())
        }
        Role::Neighbour | Role::Coordinator => {
            Err("only processes of the run and visitors speak here".into())
        }
    }
}
