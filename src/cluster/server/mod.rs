//! [`Server`]: the coordinator with its connections.

mod admission;
mod clock;
mod connections;
mod remote;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use self::admission::{Expected, handlers};
use self::clock::Clock;
use self::remote::Input;
pub use self::remote::Remote;
use super::checkpoints::CheckpointStore;
use super::coordinator::{Action, Coordinator, CoordinatorConfig, Event};
use super::invitation::Invitation;
use super::net::addresses::Address;
use super::net::listener::Listener;
use super::net::secret::Secret;
use super::net::socket::Socket;
use super::net::token::Token;
use super::protocol::{CheckpointResult, Order};
use super::settings::{CoordinatorSettings, Ended, RunEvent, config};
use crate::base::error::EngineError;
use crate::base::sync::lock;
use crate::parties::bytes::random;

/// Longest time between two checks of the timeouts.
const TICK: Duration = Duration::from_millis(100);
/// Tick of a held run, which may wait for hours: shorter than the longest step of the clock.
const TICK_HELD: Duration = Duration::from_millis(400);

/// The coordinator of a run, with its connections.
pub struct Server {
    settings: CoordinatorSettings,
    listener: Listener,
    invitation: Invitation,
    inputs: mpsc::Receiver<Input>,
    remote: Remote,
    coordinator: Coordinator,
    checkpoints: Arc<Mutex<CheckpointStore>>,
    proof: Option<u64>,
    /// Number of the last generation, and of the last one before this run.
    generation: u64,
    before: u64,
    stop: bool,
    /// Number of losses of processes.
    losses: u64,
    expected: Arc<Mutex<Expected>>,
    members: BTreeMap<u32, Arc<Mutex<Socket>>>,
    admins: BTreeMap<u64, Socket>,
    /// Number of the admin client that came last: the holder keeps its own from attempt to attempt.
    last_admin: u64,
    /// The holder of a held run.
    holder: Option<(u64, Socket)>,
}

impl Server {
    /// Listens for the processes of a new run.
    ///
    /// # Errors
    /// If it cannot listen at that address, or the system has no random bytes.
    pub fn open(settings: &CoordinatorSettings) -> Result<Self, EngineError> {
        let refused = |why: std::io::Error| {
            let at = settings.listen;
            let port = Some(settings.port).filter(|&port| port > 0);
            EngineError::Setting(format!("cannot listen at {}: {why}", Address { ip: at, port }))
        };
        let token = settings.token.map_or_else(Token::new, Ok).map_err(refused)?;
        let run = u64::from_le_bytes(random().map_err(refused)?);
        let listen = SocketAddr::new(settings.listen, settings.port);
        let checkpoints = CheckpointStore::new(settings.folder.clone(), settings.resume.clone());
        let proof = checkpoints.write_proof().map_err(|why| {
            let folder = settings.folder.clone().unwrap_or_default();
            EngineError::Setting(format!("{}: cannot write: {why}", folder.display()))
        })?;
        let generation = checkpoints.last_generation();
        let coordinator =
            Coordinator::new(config(settings, run, generation, proof, checkpoints.may_have_checkpoint()));
        let checkpoints = Arc::new(Mutex::new(checkpoints));
        let own = settings.processes;
        let expected = Expected { indices: (0..own).collect(), build: None, own, run };
        let expected = Arc::new(Mutex::new(expected));
        let (send, inputs) = mpsc::channel();
        let (encryption, keyring) = (settings.encryption, settings.keyring.clone());
        let secret = Secret { token, encryption, keyring };
        let listener = Listener::open(listen, handlers(secret, &expected, &send)).map_err(refused)?;
        let invitation = Invitation::new(here(listener.address()), token, run);
        let (members, admins) = (BTreeMap::new(), BTreeMap::new());
        let (remote, settings, stop) = (Remote(send, run), settings.clone(), false);
        Ok(Self {
            settings,
            listener,
            invitation,
            inputs,
            remote,
            coordinator,
            checkpoints,
            proof,
            generation,
            before: generation,
            stop,
            losses: 0,
            expected,
            members,
            admins,
            last_admin: 0,
            holder: None,
        })
    }

    /// Begins a new attempt after a loss: expects as many processes as before, or one fewer where [one has
    /// left](Ended::left), with the [`invitation`](Self::invitation) as it is then. Messages of the attempt
    /// before are ignored.
    ///
    /// # Errors
    /// If the system has no random bytes.
    pub fn again(&mut self) -> Result<(), EngineError> {
        let refused = |why: std::io::Error| EngineError::Setting(format!("no random bytes: {why}"));
        let run = u64::from_le_bytes(random().map_err(refused)?);
        // The lock waits for a commit that is under way.
        let (last, may_resume) = {
            let checkpoints = lock(&self.checkpoints);
            (checkpoints.last_generation(), checkpoints.may_have_checkpoint())
        };
        self.generation = self.generation.max(last);
        let config = config(&self.settings, run, self.generation, self.proof, may_resume);
        let holder = self.holder.as_ref().map(|&(admin, _)| admin);
        // Only the first epoch waits for others, unless there is nobody else.
        let goes_on = self.has_begun();
        let wait_for =
            if goes_on { config.wait_for.min(u32::from(config.processes == 0)) } else { config.wait_for };
        // Parties begin again together.
        let (parties, awaited) = (self.coordinator.parties(), self.coordinator.parties_awaited());
        let wait_for = if awaited > 0 { awaited } else { wait_for };
        let (losses, refused) = (self.losses, self.coordinator.refused());
        self.coordinator = Coordinator::new(CoordinatorConfig {
            holder,
            wait_for,
            goes_on,
            losses,
            refused,
            parties,
            ..config
        });
        let (build, own) = (lock(&self.expected).build, self.settings.processes);
        *lock(&self.expected) = Expected { indices: (0..own).collect(), build, own, run };
        for socket in std::mem::take(&mut self.members).into_values() {
            // It may be closed already.
            let _ = lock(&socket).shutdown(Shutdown::Both);
        }
        self.invitation.run = run;
        self.remote.1 = run;
        Ok(())
    }

    /// Number in the proof file of the run's folder; `None` without a folder.
    #[doc(hidden)]
    pub fn proof(&self) -> Option<u64> {
        self.proof
    }

    /// Number of processes that it expects.
    pub fn processes(&self) -> u32 {
        self.settings.processes
    }

    /// Takes the socket pair to a process that the launcher started.
    ///
    /// # Errors
    /// If no thread can be started for its handshake.
    #[doc(hidden)]
    pub fn take(&self, control: TcpStream) -> std::io::Result<()> {
        self.listener.take(control)
    }

    /// `true` once a generation has begun: processes started later belong to a run that goes on.
    pub fn has_begun(&self) -> bool {
        self.generation > self.before
    }

    /// Number of epochs completed, as last reported.
    pub fn epoch(&self) -> u64 {
        self.coordinator.epoch()
    }

    /// Invitation for the processes of the current attempt.
    pub fn invitation(&self) -> &Invitation {
        &self.invitation
    }

    /// Address at which it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// Handle for the launcher's events, in the current attempt.
    pub fn remote(&self) -> Remote {
        self.remote.clone()
    }

    /// Coordinates until the run is over, or a process is lost. `on_event` is called with the run's progress.
    pub fn run(&mut self, mut on_event: impl FnMut(RunEvent<'_>)) -> Ended {
        let mut clock = Clock::new();
        let tick = if self.settings.held { TICK_HELD } else { TICK };
        if self.stop {
            self.remote.stop();
        }
        loop {
            let event = match self.inputs.recv_timeout(tick) {
                Ok(Input::Event(of, event)) if of.is_none_or(|of| of == self.invitation.run) => event,
                // An event of an earlier attempt.
                Ok(Input::Event(..)) => Event::Tick,
                Ok(Input::Member(of, index, socket)) => {
                    if of == self.invitation.run {
                        self.listen_to(index, socket);
                    }
                    Event::Tick
                }
                Ok(Input::AdminClient(from, socket)) => {
                    self.last_admin += 1;
                    self.listen_to_admin(self.last_admin, from, socket);
                    Event::Tick
                }
                Err(_) => Event::Tick,
            };
            if let Event::AdminGone { admin } = event {
                self.holder.take_if(|(holder, _)| *holder == admin);
            }
            for action in self.coordinator.on(event, clock.now()) {
                if let Some(ended) = self.act(action, &mut on_event) {
                    // The next attempt is to stop, too.
                    self.stop |= self.coordinator.is_stopping();
                    return ended;
                }
            }
        }
    }

    /// Carries an action out; returns the end of the run, if this is it.
    fn act(&mut self, action: Action, on_event: &mut impl FnMut(RunEvent<'_>)) -> Option<Ended> {
        match action {
            Action::Send { to, order } => self.send(to, &order),
            Action::Dismiss { of } => {
                self.send(of, &Order::Lost);
                if let Some(socket) = self.members.remove(&of) {
                    // It may be closed already.
                    let _ = lock(&socket).shutdown(Shutdown::Both);
                }
            }
            Action::AdminResponse { admin, answer } => self.respond(admin, &answer),
            Action::Note(text) => on_event(RunEvent::Note(&text)),
            Action::Begun => on_event(RunEvent::Begun(self.generation)),
            Action::Number(number) => {
                self.generation = number;
                on_event(RunEvent::Placed(self.coordinator.placed()));
                let event = move |failed: Option<String>| Event::Numbered { number, failed };
                self.spawn_store_work(
                    move |checkpoints| {
                        event(checkpoints.note_generation(number).err().map(|why| why.to_string()))
                    },
                    move |why| event(Some(why)),
                );
            }
            Action::Find { identity } => {
                self.spawn_store_work(
                    move |checkpoints| checkpoints.find(&identity),
                    |why| Event::Unusable { why },
                );
            }
            Action::Commit { epoch, generation, identity, submitted } => {
                let event = move |checkpoint_result| Event::Committed { generation, checkpoint_result };
                self.spawn_store_work(
                    move |checkpoints| event(checkpoints.commit(epoch, generation, &identity, submitted)),
                    move |why| event(CheckpointResult { cost: 0.0, bytes: 0, failed: Some(why) }),
                );
            }
            Action::Over { who, code, why } => {
                return Some(Ended { who, code, why, lost: false, left: false });
            }
            Action::Lost { who, why } => {
                self.losses += 1;
                return Some(Ended { who, code: 1, why: Some(why), lost: true, left: false });
            }
            Action::Left { who, why } => {
                // Others remain: the coordinator has checked that.
                self.settings.processes -= 1;
                return Some(Ended { who, code: 1, why: Some(why), lost: true, left: true });
            }
        }
        None
    }

    /// Runs slow work on the checkpoint store in a thread of its own; `failed` makes the event for the case
    /// that none starts.
    fn spawn_store_work(
        &self,
        work: impl FnOnce(&mut CheckpointStore) -> Event + Send + 'static,
        failed: impl FnOnce(String) -> Event,
    ) {
        let (checkpoints, remote) = (Arc::clone(&self.checkpoints), self.remote.clone());
        let beside = thread::Builder::new().name("raddle:checkpoints".into());
        let begun = beside.spawn(move || {
            let mut checkpoints = lock(&checkpoints);
            remote.send(work(&mut checkpoints));
        });
        if let Err(why) = begun {
            self.remote.send(failed(format!("no thread can be started: {why}")));
        }
    }
}

/// Address by which this machine reaches a listener at that address.
fn here(listens: SocketAddr) -> SocketAddr {
    let loopback = match listens.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(loopback, listens.port())
}
