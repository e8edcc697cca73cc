//! A proxy on loopback that can stop passing bytes on, in one direction or in both, without closing a
//! connection; that changes what it passes on, and keeps a copy of it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::commands::pause;

/// Ports from here on need no rights.
const FIRST_PORT: u32 = 10_000;

/// A port at which no process listens, given once. The system gives such ports to nobody by itself: one of
/// its own choice may be an end of another test's connection before it is used.
pub(crate) fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let below = range.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or(32_768);
    let count = (below - FIRST_PORT).min(20_000);
    let start = 7_919 * (process::id() % 1_000);
    let ports = (0..count).map(|_| FIRST_PORT + (start + NEXT.fetch_add(1, Ordering::Relaxed)) % count);
    let mut free =
        ports.map(|port| port as u16).filter(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok());
    free.next().expect("no port is free")
}

/// Change of the bytes that are passed on next.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tampering {
    /// A bit of the bytes is flipped.
    Flip,
    /// The bytes are passed on twice.
    Repeat,
    /// The bytes are passed on after those that follow.
    Swap,
    /// The bytes are left out.
    Drop,
    /// Half of them is the last that is passed on.
    Cut,
}

/// Role of the connecting end of a connection, as its handshake says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// A process of the run, to the coordinator.
    Member = 0,
    /// A process of the run, to another one.
    Neighbour = 1,
    /// `raddle join`, to the coordinator.
    AdminClient = 2,
}

/// Place of the role in the bytes of a connection: behind the length of the handshake, its magic and its
/// version.
const ROLE: usize = 8 + 8 + 4;
/// Place of the number of the connecting process: behind its role, build, run and generation.
const INDEX: usize = ROLE + 1 + 3 * 8;

/// A bit that is flipped on the first connection of a role that passes on this number of bytes in one
/// direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flip {
    pub role: Role,
    /// `true` for bytes of the connecting end.
    pub forth: bool,
    pub byte: usize,
    pub bit: u8,
}

/// A flip, and whether it is still to come. Several proxies may share it.
pub(crate) type OneFlip = Arc<Mutex<Option<Flip>>>;

/// One direction of a connection.
#[derive(Default)]
struct Direction {
    /// `true` for bytes of the connecting end.
    forth: bool,
    flip: OneFlip,
    /// The role of the connecting end, once it has said it.
    role: Arc<Mutex<Option<u8>>>,
    /// `true` if bytes are lost.
    is_cut: AtomicBool,
    tampering: Mutex<Option<Tampering>>,
    /// Bytes a second that a process of this number may send.
    rate: Option<fn(u32) -> f64>,
    seen: Mutex<Vec<u8>>,
}

/// A connection: from the connecting end, and to it.
type Both = [Arc<Direction>; 2];

/// Passes connections on to an address.
pub(crate) struct Proxy {
    pub address: SocketAddr,
    connections: Arc<Mutex<Vec<Both>>>,
}

impl Proxy {
    pub(crate) fn to(target: SocketAddr) -> Self {
        Self::flipping(target, &OneFlip::default())
    }

    /// A proxy that flips a bit.
    pub(crate) fn flipping(target: SocketAddr, flip: &OneFlip) -> Self {
        Self::open(target, flip, None)
    }

    /// A proxy that passes on what the process of a number sends at a rate in bytes a second.
    pub(crate) fn slowing(target: SocketAddr, rate: fn(u32) -> f64) -> Self {
        Self::open(target, &OneFlip::default(), Some(rate))
    }

    fn open(target: SocketAddr, flip: &OneFlip, rate: Option<fn(u32) -> f64>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections: Arc<Mutex<Vec<Both>>> = Arc::default();
        let (made, flip) = (Arc::clone(&connections), Arc::clone(flip));
        // It listens as long as the test lasts.
        thread::spawn(move || {
            for one in listener.incoming() {
                let (Ok(one), Ok(other)) = (one, TcpStream::connect(target)) else { continue };
                let _ = (one.set_nodelay(true), other.set_nodelay(true));
                let role = Arc::default();
                let direction = |forth| {
                    let (flip, role) = (Arc::clone(&flip), Arc::clone(&role));
                    let rate = rate.filter(|_| forth);
                    Arc::new(Direction { forth, flip, role, rate, ..Direction::default() })
                };
                let (forth, back) = (direction(true), direction(false));
                made.lock().unwrap().push([Arc::clone(&forth), Arc::clone(&back)]);
                let (from, to) = (other.try_clone().unwrap(), one.try_clone().unwrap());
                thread::spawn(move || forth.pass(one, other));
                thread::spawn(move || back.pass(from, to));
            }
        });
        Self { address, connections }
    }

    /// Waits for a connection.
    pub(crate) fn await_connection(&self) {
        let began = Instant::now();
        while self.connections.lock().unwrap().is_empty() {
            assert!(began.elapsed() < super::WATCHDOG, "nobody goes by what is advertised");
            pause();
        }
    }

    /// From now on nothing passes on the connections that there are; later ones are whole. Returns how many
    /// there are.
    pub(crate) fn cut(&self, forth: bool, back: bool) -> usize {
        let connections = self.connections.lock().unwrap();
        for [there, here] in connections.iter() {
            there.is_cut.fetch_or(forth, Ordering::AcqRel);
            here.is_cut.fetch_or(back, Ordering::AcqRel);
        }
        connections.len()
    }

    /// Changes what is passed on next to the connecting ends of the connections that there are. Returns how
    /// many there are.
    pub(crate) fn tamper(&self, how: Tampering) -> usize {
        let connections = self.connections.lock().unwrap();
        connections.iter().for_each(|[_, back]| *back.tampering.lock().unwrap() = Some(how));
        connections.len()
    }

    /// Number of bytes of the longest connection of each role, to the connecting end and from it.
    pub(crate) fn lengths(&self) -> Vec<(u8, bool, usize)> {
        let connections = self.connections.lock().unwrap();
        let one = |direction: &Arc<Direction>| {
            let role = (*direction.role.lock().unwrap())?;
            Some((role, direction.forth, direction.seen.lock().unwrap().len()))
        };
        connections.iter().flatten().filter_map(one).collect()
    }

    /// Returns all bytes that have passed, one direction of a connection after the other.
    pub(crate) fn seen(&self) -> Vec<Vec<u8>> {
        let connections = self.connections.lock().unwrap();
        connections.iter().flatten().map(|direction| direction.seen.lock().unwrap().clone()).collect()
    }
}

impl Direction {
    /// Flips a bit of these bytes, which are the next ones, if it is among them.
    fn flip(&self, bytes: &mut [u8]) {
        let passed = self.seen.lock().unwrap().len();
        if self.forth && passed <= ROLE && passed + bytes.len() > ROLE {
            *self.role.lock().unwrap() = Some(bytes[ROLE - passed]);
        }
        let role = *self.role.lock().unwrap();
        let is_here = |flip: &mut Flip| {
            role == Some(flip.role as u8)
                && flip.forth == self.forth
                && (passed..passed + bytes.len()).contains(&flip.byte)
        };
        if let Some(flip) = self.flip.lock().unwrap().take_if(is_here) {
            bytes[flip.byte - passed] ^= 1 << flip.bit;
        }
    }

    /// Waits for as long as so many bytes take.
    fn hold_back(&self, count: usize) {
        let Some(rate) = self.rate else { return };
        let index = self.seen.lock().unwrap().get(INDEX..INDEX + 4).map(|index| index.try_into().unwrap());
        if let Some(index) = index.map(u32::from_le_bytes) {
            thread::sleep(Duration::from_secs_f64(count as f64 / rate(index)));
        }
    }

    fn pass(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut some = vec![0; 1 << 16];
        let mut held: Option<Vec<u8>> = None;
        while let Ok(count @ 1..) = from.read(&mut some) {
            if self.is_cut.load(Ordering::Acquire) {
                continue;
            }
            let mut bytes = some[..count].to_vec();
            self.flip(&mut bytes);
            self.seen.lock().unwrap().extend_from_slice(&some[..count]);
            self.hold_back(count);
            match self.tampering.lock().unwrap().take() {
                Some(Tampering::Flip) => bytes[count / 2] ^= 1,
                Some(Tampering::Repeat) => bytes.extend_from_within(..),
                Some(Tampering::Swap) => {
                    held = Some(bytes);
                    continue;
                }
                Some(Tampering::Drop) => continue,
                Some(Tampering::Cut) => {
                    let _ = to.write_all(&bytes[..count / 2]);
                    let _ = (to.shutdown(Shutdown::Both), from.shutdown(Shutdown::Both));
                    return;
                }
                None => bytes.extend(held.take().into_iter().flatten()),
            }
            if to.write_all(&bytes).is_err() {
                return;
            }
        }
        // The end of a connection is lost, too.
        if !self.is_cut.load(Ordering::Acquire) {
            let _ = to.shutdown(Shutdown::Write);
        }
    }
}
