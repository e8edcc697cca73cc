//! [`Gate`]: a listener that lets in only those who pass the handshake.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::hello::{Hello, Refused, Token, answer, greet};
use crate::link::messenger;

/// Connections whose handshake is under way; further ones are closed at once.
const PENDING: usize = 64;
/// How long to try again where a gate has no room.
const KNOCKING: Duration = Duration::from_secs(10);

/// Decides who is let in.
pub(crate) type Admit = Box<dyn Fn(&Hello) -> Result<(), String> + Send + Sync>;
/// Takes a connection whose handshake has succeeded.
pub(crate) type Deliver = Box<dyn Fn(Hello, TcpStream) + Send + Sync>;
/// Makes this end's hello.
pub(crate) type Introduce = Box<dyn Fn() -> io::Result<Hello> + Send + Sync>;

/// Listens until it is dropped.
pub(crate) struct Gate {
    address: SocketAddr,
    closed: Arc<AtomicBool>,
    listening: Option<JoinHandle<()>>,
}

struct Keeper {
    token: Token,
    introduce: Introduce,
    admit: Admit,
    deliver: Deliver,
    pending: AtomicUsize,
}

impl Gate {
    /// Listens at this address; port 0 is any that is free.
    pub(crate) fn open(
        at: SocketAddr,
        token: Token,
        introduce: Introduce,
        admit: Admit,
        deliver: Deliver,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(at)?;
        let address = listener.local_addr()?;
        let closed = Arc::new(AtomicBool::new(false));
        let keeper = Keeper { token, introduce, admit, deliver, pending: AtomicUsize::new(0) };
        let (keeper, shut) = (Arc::new(keeper), Arc::clone(&closed));
        let listening = messenger("gate").spawn(move || {
            for socket in listener.incoming() {
                if shut.load(Ordering::Acquire) {
                    return;
                }
                match socket {
                    Ok(socket) => Keeper::receive(&keeper, socket),
                    // Out of descriptors, say: those that are held are let go in a moment.
                    Err(_) => thread::sleep(Duration::from_millis(10)),
                }
            }
        })?;
        Ok(Self { address, closed, listening: Some(listening) })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Keeper {
    fn receive(keeper: &Arc<Self>, socket: TcpStream) {
        if keeper.pending.fetch_add(1, Ordering::AcqRel) >= PENDING {
            keeper.pending.fetch_sub(1, Ordering::AcqRel);
            return;
        }
        let inside = Arc::clone(keeper);
        let spawned = messenger("hello").spawn(move || {
            let answered = inside.answer(&socket);
            inside.pending.fetch_sub(1, Ordering::AcqRel);
            if let Ok(hello) = answered {
                (inside.deliver)(hello, socket);
            }
        });
        if spawned.is_err() {
            keeper.pending.fetch_sub(1, Ordering::AcqRel);
        }
    }

    fn answer(&self, socket: &TcpStream) -> Result<Hello, Refused> {
        answer(socket, self.token, &(self.introduce)()?, |hello| (self.admit)(hello))
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Release);
        // Wakes the listener. Where nobody can connect any more, the thread ends with the process.
        let woken = TcpStream::connect_timeout(&self.address, Duration::from_secs(1)).is_ok();
        if let Some(listening) = self.listening.take().filter(|_| woken) {
            let _ = listening.join();
        }
    }
}

/// Connects and says hello; tries again where the gate is crowded.
pub(crate) fn knock(
    at: SocketAddr,
    token: Token,
    hello: impl Fn() -> io::Result<Hello>,
) -> Result<(Hello, TcpStream), Refused> {
    let until = Instant::now() + KNOCKING;
    loop {
        let tried = TcpStream::connect_timeout(&at, super::hello::PATIENCE).map_err(Refused::Broken);
        let tried = tried.and_then(|socket| Ok((greet(&socket, token, &hello()?)?, socket)));
        match tried {
            // A crowded gate closes what it cannot attend to.
            Err(Refused::Broken(why)) if is_closed(&why) && Instant::now() < until => {
                thread::sleep(Duration::from_millis(20));
            }
            tried => return tried,
        }
    }
}

fn is_closed(why: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(why.kind(), BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}
