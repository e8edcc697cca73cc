//! A proxy on loopback that can stop passing bytes on, in one direction or in both, without closing a
//! connection.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

/// A port at which no process listens.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Directions of a connection in which bytes are lost: from the connecting end, and to it.
#[derive(Default)]
struct Lost {
    forth: AtomicBool,
    back: AtomicBool,
}

/// Passes connections on to an address.
pub(crate) struct Proxy {
    pub address: SocketAddr,
    connections: Arc<Mutex<Vec<Arc<Lost>>>>,
}

impl Proxy {
    pub(crate) fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections: Arc<Mutex<Vec<Arc<Lost>>>> = Arc::default();
        let made = Arc::clone(&connections);
        // It listens as long as the test lasts.
        thread::spawn(move || {
            for one in listener.incoming() {
                let (Ok(one), Ok(other)) = (one, TcpStream::connect(target)) else { continue };
                let _ = (one.set_nodelay(true), other.set_nodelay(true));
                let lost = Arc::new(Lost::default());
                made.lock().unwrap().push(Arc::clone(&lost));
                let (back, forth) = (other.try_clone().unwrap(), one.try_clone().unwrap());
                let same = Arc::clone(&lost);
                thread::spawn(move || pass(one, other, || lost.forth.load(Ordering::Acquire)));
                thread::spawn(move || pass(back, forth, || same.back.load(Ordering::Acquire)));
            }
        });
        Self { address, connections }
    }

    /// Waits for a connection.
    pub(crate) fn await_connection(&self) {
        let began = Instant::now();
        while self.connections.lock().unwrap().is_empty() {
            assert!(began.elapsed() < super::WATCHDOG, "nobody goes by what is advertised");
            thread::yield_now();
        }
    }

    /// From now on nothing passes on the connections that there are; later ones are whole. Returns how many
    /// there are.
    pub(crate) fn cut(&self, forth: bool, back: bool) -> usize {
        let connections = self.connections.lock().unwrap();
        for lost in connections.iter() {
            lost.forth.fetch_or(forth, Ordering::AcqRel);
            lost.back.fetch_or(back, Ordering::AcqRel);
        }
        connections.len()
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, is_lost: impl Fn() -> bool) {
    let mut some = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut some) {
        if !is_lost() && to.write_all(&some[..count]).is_err() {
            return;
        }
    }
    // The end of a connection is lost, too.
    if !is_lost() {
        let _ = to.shutdown(Shutdown::Write);
    }
}
