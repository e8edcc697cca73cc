//! [`Listener`]: accepts connections, and admits those that pass the handshake.
//!
//! A connection that has not shown a valid ticket waits in the queue of the *silent*; one that has waits in
//! that of the *known*. Each queue has a fixed length. If a queue is full its oldest connection is closed,
//! not the newest, so that strangers cannot keep out a process that sends its handshake at once.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::first_message::{Handshake, Refused, TIMEOUT, is_timeout};
use super::handshake::{initiate, respond};
use super::link::messenger;
use super::records::Seal;
use super::secret::Secret;
use super::socket::Socket;
use super::token::Shared;
use crate::base::sync::lock;
use crate::parties::COORDINATOR;

/// Length of the queue of connections that have shown no ticket; and, next, of the queue of those that have
/// and whose handshake is in progress.
const SILENT: usize = 256;
const KNOWN: usize = 64;
/// Minimum of time that a connection stays in its queue: enough to send a handshake.
const MOMENT: Duration = Duration::from_millis(10);
/// Time between two attempts to connect.
const AGAIN: Duration = Duration::from_millis(20);
/// Limit of damaged handshakes, each retried after a longer pause: more of them are no accident.
const DAMAGED: u32 = 5;

/// Function that admits a connection by its handshake, or gives the reason why not.
pub(crate) type Admit = Box<dyn Fn(&Handshake) -> Result<(), String> + Send + Sync>;
/// Function that takes a connection whose handshake has succeeded.
pub(crate) type Deliver = Box<dyn Fn(Handshake, Socket) + Send + Sync>;
/// Function that makes this end's handshake.
pub(crate) type Introduce = Box<dyn Fn() -> io::Result<Handshake> + Send + Sync>;
/// Function that is called with each connection that is refused.
pub(crate) type Refuse = Box<dyn Fn(&Rejection<'_>) + Send + Sync>;

/// A refused connection.
pub(crate) struct Rejection<'a> {
    /// Handshake of the other end, if it holds the token.
    pub(crate) handshake: Option<&'a Handshake>,
    /// IP address of the other end; `None` for a process of the launcher.
    pub(crate) from: Option<IpAddr>,
    pub(crate) why: &'a str,
}

/// Number of a waiting connection, the time since when it waits, and the socket.
type Waiter = (u64, Instant, Arc<TcpStream>);

/// Number of the last connection, and the waiting ones, the oldest first.
#[derive(Default)]
struct Waiting(Mutex<(u64, VecDeque<Waiter>)>);

impl Waiting {
    /// Adds a connection to the queue and returns its number. If all `places` are taken, the oldest
    /// connection is closed, once it has waited for [`MOMENT`].
    fn enter(&self, socket: &Arc<TcpStream>, places: usize) -> u64 {
        loop {
            let mut waiting = lock(&self.0);
            let age = waiting.1.front().map_or(MOMENT, |(_, since, _)| since.elapsed());
            if waiting.1.len() >= places && age < MOMENT {
                drop(waiting);
                thread::sleep(MOMENT - age);
                continue;
            }
            if waiting.1.len() >= places
                && let Some((_, _, oldest)) = waiting.1.pop_front()
            {
                // The thread of its handshake notices the end.
                let _ = oldest.shutdown(Shutdown::Both);
            }
            waiting.0 += 1;
            let number = waiting.0;
            waiting.1.push_back((number, Instant::now(), Arc::clone(socket)));
            return number;
        }
    }

    /// Takes a connection out of the queue.
    fn leave(&self, number: u64) {
        lock(&self.0).1.retain(|(other, ..)| *other != number);
    }
}

/// Listening socket with its thread; it is closed when dropped.
pub(crate) struct Listener {
    address: SocketAddr,
    handlers: Arc<ListenerHandlers>,
    closed: Arc<AtomicBool>,
    listening: Option<JoinHandle<()>>,
}

/// Secret, functions and queues of a listener.
pub(crate) struct ListenerHandlers {
    pub(crate) secret: Secret,
    pub(crate) introduce: Introduce,
    pub(crate) admit: Admit,
    pub(crate) refuse: Refuse,
    pub(crate) deliver: Deliver,
    pub(crate) queues: AcceptQueues,
}

/// Connections whose handshake is in progress.
#[derive(Default)]
pub(crate) struct AcceptQueues {
    silent: Waiting,
    known: Waiting,
}

impl Listener {
    /// Listens at this address; port 0 stands for any free port.
    pub(crate) fn open(at: SocketAddr, handlers: ListenerHandlers) -> io::Result<Self> {
        let listener = TcpListener::bind(at)?;
        let address = listener.local_addr()?;
        let closed = Arc::new(AtomicBool::new(false));
        let handlers = Arc::new(handlers);
        let (inside, shut) = (Arc::clone(&handlers), Arc::clone(&closed));
        let listening = messenger("listener").spawn(move || {
            for socket in listener.incoming() {
                if shut.load(Ordering::Acquire) {
                    return;
                }
                match socket {
                    Ok(socket) => ListenerHandlers::receive(&inside, socket),
                    // Such as no free descriptor: some are closed within a moment.
                    Err(_) => thread::sleep(MOMENT),
                }
            }
        })?;
        Ok(Self { address, handlers, closed, listening: Some(listening) })
    }

    /// Returns the address of the listener.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Starts the handshake on a socket pair to a process of the launcher: it waits in no queue, and has no
    /// time limit.
    pub(crate) fn take(&self, socket: TcpStream) -> io::Result<()> {
        let inside = Arc::clone(&self.handlers);
        messenger("handshake").spawn(move || inside.finish(Arc::new(socket), None, None)).map(drop)
    }
}

impl ListenerHandlers {
    /// Starts the handshake of a connection that was accepted.
    fn receive(handlers: &Arc<Self>, socket: TcpStream) {
        let from = socket.peer_addr().ok().map(|address| address.ip());
        let socket = Arc::new(socket);
        let number = handlers.queues.silent.enter(&socket, SILENT);
        let inside = Arc::clone(handlers);
        let spawned = messenger("handshake").spawn(move || inside.finish(socket, from, Some(number)));
        if spawned.is_err() {
            handlers.queues.silent.leave(number);
        }
    }

    /// Carries the handshake out, and delivers the connection if it succeeds.
    fn finish(&self, socket: Arc<TcpStream>, from: Option<IpAddr>, silent: Option<u64>) {
        let mut known = None;
        let handshake = self.handshake(&socket, from, silent, &mut known);
        silent.iter().for_each(|&number| self.queues.silent.leave(number));
        known.iter().for_each(|&number| self.queues.known.leave(number));
        // If a queue still holds it, it is being closed at this moment.
        if let (Ok((handshake, seal)), Some(socket)) = (handshake, Arc::into_inner(socket)) {
            (self.deliver)(handshake, Socket::new(socket, seal));
        }
    }

    fn handshake(
        &self,
        socket: &Arc<TcpStream>,
        from: Option<IpAddr>,
        silent: Option<u64>,
        known: &mut Option<u64>,
    ) -> Result<(Handshake, Seal), Refused> {
        let on_ticket = |theirs: &Handshake, holds: bool| match (holds, silent) {
            (true, Some(number)) => {
                *known = Some(self.queues.known.enter(socket, KNOWN));
                self.queues.silent.leave(number);
            }
            (true, None) => {}
            (false, _) => {
                let why = match self.secret.keyring.as_ref().filter(|_| theirs.index != COORDINATOR) {
                    Some(keyring) => format!("its key is not that of {}", keyring.name(theirs.index)),
                    None => "its token is not the run's".into(),
                };
                (self.refuse)(&Rejection { handshake: None, from, why: &why });
            }
        };
        let admit = |handshake: &Handshake| {
            let admitted = (self.admit)(handshake);
            admitted.inspect_err(|why| (self.refuse)(&Rejection { handshake: Some(handshake), from, why }))
        };
        // Without it messages wait for acknowledgements of earlier ones; only TCP connections have the
        // option.
        if silent.is_some() {
            socket.set_nodelay(true)?;
        }
        let limit = silent.map(|_| TIMEOUT);
        let mine = (self.introduce)()?.encrypting(from.is_some_and(|ip| self.secret.encrypts(ip)));
        let greeted = respond(socket, &self.secret, &mine, limit, on_ticket, admit);
        if let Err(why @ Refused::Version(_)) = &greeted {
            (self.refuse)(&Rejection { handshake: None, from, why: &why.to_string() });
        }
        greeted
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Release);
        // A connection wakes the thread; if none can be made, the thread ends with the process.
        let woken = TcpStream::connect_timeout(&self.address, Duration::from_secs(1)).is_ok();
        if let Some(listening) = self.listening.take().filter(|_| woken) {
            let _ = listening.join();
        }
    }
}

/// Errors after which to try again to connect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    /// The listener has closed the connection, as it does if its queue is full.
    Crowded,
    /// Any broken connection: the other end is known to exist, and the network may come back.
    Broken,
}

/// Connects to the end of this number and carries the handshake out. After errors that `retry` names it tries
/// again for this time, and a few times after a damaged handshake, until `is_over`.
pub(crate) fn connect(
    at: SocketAddr,
    secret: &Secret,
    other: u32,
    handshake: impl Fn() -> io::Result<Handshake>,
    (retry, lasts): (Retry, Duration),
    is_over: impl Fn() -> bool,
) -> Result<(Handshake, Socket), Refused> {
    let until = Instant::now() + lasts;
    let (shared, mut damaged): (Shared, u32) = (secret.towards(other)?, 0);
    loop {
        let mut is_open = false;
        let tried = TcpStream::connect_timeout(&at, TIMEOUT).map_err(Refused::Broken);
        let tried = tried.and_then(|socket| {
            is_open = true;
            socket.set_nodelay(true)?;
            let mine = handshake()?.encrypting(secret.encrypts(at.ip()));
            let (theirs, seal) = initiate(&socket, &shared, &mine, Some(TIMEOUT))?;
            Ok((theirs, Socket::new(socket, seal)))
        });
        match tried {
            Err(Refused::Broken(why))
                if (retry == Retry::Broken || is_closed(&why)) && Instant::now() < until && !is_over() =>
            {
                thread::sleep(AGAIN);
            }
            Err(why)
                if is_damaged(&why, is_open) && damaged < DAMAGED && Instant::now() < until && !is_over() =>
            {
                thread::sleep(AGAIN * 2_u32.pow(damaged));
                damaged += 1;
            }
            tried => return tried,
        }
    }
}

/// `true` if the handshake may have been damaged on the way, also if it timed out: an end that reads a
/// damaged length waits for more bytes than there are.
fn is_damaged(why: &Refused, is_open: bool) -> bool {
    match why {
        Refused::Damaged => true,
        Refused::Broken(why) => is_open && is_timeout(why),
        _ => false,
    }
}

fn is_closed(why: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(why.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}
