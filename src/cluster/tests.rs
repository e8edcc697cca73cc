//! Tests of the listener: a connection that does not hold the token, or does not fit, is refused; changed
//! bytes never cause a panic.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::client::fits;
use super::net::first_message::{Handshake, Ids, Refused, Role, TIMEOUT};
use super::net::handshake::{initiate, respond};
use super::net::listener::{AcceptQueues, Listener, ListenerHandlers, Rejection, Retry, connect};
use super::net::records::Seal;
use super::net::socket::Socket;
use super::net::token::Token;
use crate::cluster::simulation::Rng;

const TOKEN: Token = Token([7; 32]);

fn handshake(build: u64, run: u64, generation: u64) -> Handshake {
    Handshake::new(Role::Neighbour, Ids { build, run }, generation, 3).unwrap()
}

/// A listener that admits processes of build 1 and run 2, from generation 5 on; and the handshakes it has
/// admitted.
fn listener() -> (Listener, Arc<Mutex<Vec<Handshake>>>) {
    let (listener, came, _) = listener_with_refusals();
    (listener, came)
}

/// Refused connections: the number of the process if it holds the token, and the reason.
type Refusals = Arc<Mutex<Vec<(Option<u32>, String)>>>;

fn listener_with_refusals() -> (Listener, Arc<Mutex<Vec<Handshake>>>, Refusals) {
    let (came, told): (Arc<Mutex<Vec<Handshake>>>, Refusals) = Default::default();
    let (into, refused) = (Arc::clone(&came), Arc::clone(&told));
    let admit = Box::new(|handshake: &Handshake| {
        fits(handshake, Ids { build: 1, run: 2 })?;
        if handshake.generation >= 5 { Ok(()) } else { Err("its generation is over".into()) }
    });
    let deliver = Box::new(move |handshake, _| into.lock().unwrap().push(handshake));
    let refuse = Box::new(move |rejection: &Rejection<'_>| {
        let of = rejection.handshake.map(|handshake| handshake.index);
        refused.lock().unwrap().push((of, rejection.why.to_owned()));
    });
    let introduce = Box::new(|| Ok(handshake(1, 2, 0)));
    let handlers = ListenerHandlers {
        secret: TOKEN.into(),
        introduce,
        admit,
        refuse,
        deliver,
        queues: AcceptQueues::default(),
    };
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    (Listener::open(at, handlers).unwrap(), came, told)
}

fn connect_with(
    listener: &Listener,
    token: Token,
    handshake: &Handshake,
) -> Result<(Handshake, Socket), Refused> {
    let retry = (Retry::Crowded, Duration::from_secs(30));
    connect(listener.address(), &token.into(), 3, || Ok(handshake.clone()), retry, || false)
}

#[test]
fn who_fits_is_let_in_and_who_does_not_is_told_why() {
    let (listener, came, told) = listener_with_refusals();
    assert_eq!(connect_with(&listener, TOKEN, &handshake(1, 2, 5)).unwrap().0.run, 2);
    for (wrong, why) in [
        (handshake(9, 2, 5), "another build"),
        (handshake(1, 9, 5), "another run"),
        (handshake(1, 2, 4), "generation is over"),
    ] {
        let refused = connect_with(&listener, TOKEN, &wrong).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
    let refused = connect_with(&listener, Token([8; 32]), &handshake(1, 2, 5)).unwrap_err();
    assert!(matches!(refused, Refused::Stranger), "{refused}");
    let told: Vec<_> = told.lock().unwrap().iter().map(|(of, why)| (*of, why[..11].to_owned())).collect();
    let expected =
        [(Some(3), "it is anoth"), (Some(3), "it is a pro"), (Some(3), "its generat"), (None, "its token i")];
    assert_eq!(told, expected.map(|(of, why)| (of, why.to_owned())), "who has no token is not believed");
    while came.lock().unwrap().is_empty() {
        thread::yield_now();
    }
    assert_eq!(came.lock().unwrap().len(), 1);
}

#[test]
fn a_hello_is_good_once() {
    let (listener, came) = listener();
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let (at, inside) = (proxy.local_addr().unwrap(), listener.address());
    let recording = thread::spawn(move || {
        let (mut connector, mut acceptor) = (proxy.accept().unwrap().0, TcpStream::connect(inside).unwrap());
        let (mut back, mut forth) = (acceptor.try_clone().unwrap(), connector.try_clone().unwrap());
        let answers = thread::spawn(move || {
            let _ = std::io::copy(&mut back, &mut forth);
            let _ = forth.shutdown(Shutdown::Both);
        });
        let mut said = Vec::new();
        let mut some = [0; 1024];
        while let Ok(count @ 1..) = connector.read(&mut some) {
            said.extend_from_slice(&some[..count]);
            acceptor.write_all(&some[..count]).unwrap();
        }
        let _ = acceptor.shutdown(Shutdown::Both);
        answers.join().unwrap();
        said
    });
    let socket = TcpStream::connect(at).unwrap();
    initiate(&socket, &TOKEN.into(), &handshake(1, 2, 5), Some(TIMEOUT)).unwrap();
    socket.shutdown(Shutdown::Both).unwrap();
    let said = recording.join().unwrap();
    assert!(said.len() > 100);
    // A replay of the bytes on another connection.
    let mut replayed = TcpStream::connect(listener.address()).unwrap();
    replayed.write_all(&said).unwrap();
    let mut answer = Vec::new();
    let _ = replayed.read_to_end(&mut answer);
    while came.lock().unwrap().is_empty() {
        thread::yield_now();
    }
    connect_with(&listener, TOKEN, &handshake(1, 2, 6)).unwrap();
    while came.lock().unwrap().len() < 2 {
        thread::yield_now();
    }
    let generations: Vec<u64> = came.lock().unwrap().iter().map(|handshake| handshake.generation).collect();
    assert_eq!(generations, [5, 6], "nobody came in by a recorded handshake");
}

#[test]
fn garbage_is_closed_and_keeps_nobody_out() {
    let (listener, came) = listener();
    let mut rng = Rng::new(1);
    for _ in 0..200 {
        let mut socket = TcpStream::connect(listener.address()).unwrap();
        let length = rng.below(3000);
        let bytes: Vec<u8> = (0..length).map(|_| rng.below(256) as u8).collect();
        // It may be closed already.
        let _ = socket.write_all(&bytes);
    }
    connect_with(&listener, TOKEN, &handshake(1, 2, 5)).unwrap();
    while came.lock().unwrap().is_empty() {
        thread::yield_now();
    }
}

/// More connections than the queue of the silent holds; they send nothing, and are made again as they are
/// closed.
#[test]
fn silent_connections_keep_nobody_out() {
    for silent in [130, 1_000] {
        let (listener, came) = listener();
        let address = listener.address();
        let (over, held) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (ends, holds) = (Arc::clone(&over), Arc::clone(&held));
        let strangers = thread::spawn(move || {
            let connect = || TcpStream::connect_timeout(&address, TIMEOUT).unwrap();
            let mut sockets: Vec<TcpStream> = (0..silent).map(|_| connect()).collect();
            sockets.iter().for_each(|socket| socket.set_nonblocking(true).unwrap());
            holds.store(silent, Ordering::Release);
            while !ends.load(Ordering::Acquire) {
                for socket in &mut sockets {
                    let is_open =
                        matches!(socket.read(&mut [0]), Err(why) if why.kind() == ErrorKind::WouldBlock);
                    if !is_open {
                        *socket = connect();
                        socket.set_nonblocking(true).unwrap();
                    }
                }
            }
        });
        while held.load(Ordering::Acquire) < silent {
            thread::yield_now();
        }
        for generation in 5..15 {
            connect_with(&listener, TOKEN, &handshake(1, 2, generation)).unwrap();
        }
        over.store(true, Ordering::Release);
        strangers.join().unwrap();
        while came.lock().unwrap().len() < 10 {
            thread::yield_now();
        }
    }
}

/// A holder of the token that is stopped in the middle of its handshake is not displaced by strangers.
#[test]
fn those_that_hold_the_token_have_places_of_their_own() {
    let (listener, came) = listener();
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let (at, inside) = (proxy.local_addr().unwrap(), listener.address());
    let (tell, told) = mpsc::channel();
    let (go_on, goes_on) = mpsc::channel::<()>();
    // The listener's answer is held back until strangers have connected.
    let passing = thread::spawn(move || {
        let (mut connector, mut acceptor) = (proxy.accept().unwrap().0, TcpStream::connect(inside).unwrap());
        let (mut forth, mut to) = (connector.try_clone().unwrap(), acceptor.try_clone().unwrap());
        let said = thread::spawn(move || drop(std::io::copy(&mut forth, &mut to)));
        let mut first = [0; 1];
        acceptor.read_exact(&mut first).unwrap();
        tell.send(()).unwrap();
        goes_on.recv().unwrap();
        connector.write_all(&first).unwrap();
        drop(std::io::copy(&mut acceptor, &mut connector));
        said.join().unwrap();
    });
    let connecting = thread::spawn(move || {
        let socket = TcpStream::connect(at).unwrap();
        // No time limit: strangers may take any time.
        let greeted =
            initiate(&socket, &TOKEN.into(), &handshake(1, 2, 5), None).map(|(handshake, _)| handshake.run);
        socket.shutdown(Shutdown::Both).unwrap();
        greeted
    });
    told.recv().unwrap();
    let strangers: Vec<TcpStream> =
        (0..400).map(|_| TcpStream::connect(listener.address()).unwrap()).collect();
    // The last of them is in the queue when the first is closed.
    let mut oldest = &strangers[0];
    assert_eq!(oldest.read(&mut [0]).unwrap_or(0), 0);
    go_on.send(()).unwrap();
    assert_eq!(connecting.join().unwrap().unwrap(), 2);
    passing.join().unwrap();
    while came.lock().unwrap().is_empty() {
        thread::yield_now();
    }
}

/// 2,500 connections, or a hundred times `RADDLE_STRANGERS`.
#[test]
fn thousands_of_connections_keep_nobody_out() {
    let (listener, came) = listener();
    let address = listener.address();
    let flood = thread::spawn(move || {
        for _ in 0..100 * std::env::var("RADDLE_STRANGERS").map_or(25, |text| text.parse().unwrap()) {
            // The system may refuse some itself.
            drop(TcpStream::connect_timeout(&address, Duration::from_secs(5)));
        }
    });
    connect_with(&listener, TOKEN, &handshake(1, 2, 5)).unwrap();
    flood.join().unwrap();
    connect_with(&listener, TOKEN, &handshake(1, 2, 6)).unwrap();
    while came.lock().unwrap().len() < 2 {
        thread::yield_now();
    }
}

fn is_encrypted(seal: &Seal) -> bool {
    matches!(seal, Seal::Keys(_))
}

/// A bit of one side's bytes is changed.
#[test]
fn a_handshake_that_is_changed_on_the_way_is_refused_without_a_panic() {
    let seconds = std::env::var("RADDLE_MUTATE_SECONDS").map_or(0, |text| text.parse().unwrap());
    let (began, mut seed) = (Instant::now(), 0);
    while seed < 60 || began.elapsed() < Duration::from_secs(seconds) {
        seed += 1;
        let mut rng = Rng::new(seed);
        let [proxy, inside] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let (at, to) = (proxy.local_addr().unwrap(), inside.local_addr().unwrap());
        let answering = thread::spawn(move || {
            let socket = inside.accept().unwrap().0;
            let mine = handshake(1, 2, 0).encrypting(seed % 3 == 0);
            respond(&socket, &TOKEN.into(), &mine, Some(TIMEOUT), |_, _| (), |_| Ok(()))
                .map(|(handshake, seal)| (handshake.index, is_encrypted(&seal)))
        });
        // The direction, the byte in it and the bit that is changed.
        let (forwards, which, bit) = (rng.one_in(2), rng.below(250), 1 << rng.below(8));
        let (tell, changed) = mpsc::channel();
        let passing = thread::spawn(move || {
            let (one, other) = (proxy.accept().unwrap().0, TcpStream::connect(to).unwrap());
            let pass = |mut from: TcpStream, mut to: TcpStream, changes: bool, tell: mpsc::Sender<()>| {
                thread::spawn(move || {
                    let (mut some, mut passed) = ([0; 512], 0);
                    while let Ok(count @ 1..) = from.read(&mut some) {
                        if changes && (passed..passed + count as u64).contains(&which) {
                            some[(which - passed) as usize] ^= bit;
                            tell.send(()).unwrap();
                        }
                        passed += count as u64;
                        if to.write_all(&some[..count]).is_err() {
                            break;
                        }
                    }
                    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
                })
            };
            let (back, forth) = (other.try_clone().unwrap(), one.try_clone().unwrap());
            let there = pass(one, other, forwards, tell.clone());
            let back = pass(back, forth, !forwards, tell);
            there.join().unwrap();
            back.join().unwrap();
        });
        let socket = TcpStream::connect(at).unwrap();
        let mine = handshake(1, 2, 5).encrypting(seed % 3 == 1);
        let greeted =
            initiate(&socket, &TOKEN.into(), &mine, Some(TIMEOUT)).map(|(_, seal)| is_encrypted(&seal));
        // A socket that was closed with unread bytes may be gone already.
        let _ = socket.shutdown(Shutdown::Both);
        let answered = answering.join().unwrap();
        passing.join().unwrap();
        let was_changed = changed.try_recv().is_ok();
        let agreed = greeted.is_ok() && answered.is_ok();
        assert!(agreed != was_changed, "seed {seed}: changed {was_changed}, {greeted:?}, {answered:?}");
        if let (Ok(one), Ok((_, other))) = (greeted, answered) {
            assert_eq!([one, other], [seed % 3 < 2; 2], "where an end wants a cipher both have it");
        }
    }
}

/// The length of a message is changed on the way: the end that reads it waits for more bytes than there are.
#[test]
fn an_end_that_is_not_answered_connects_again() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let answering = thread::spawn(move || {
        let silent = listener.accept().unwrap().0;
        let socket = listener.accept().unwrap().0;
        drop(silent);
        let mine = handshake(1, 2, 0);
        respond(&socket, &TOKEN.into(), &mine, Some(TIMEOUT), |_, _| (), |_| Ok(())).map(|_| ())
    });
    let greeted =
        connect(at, &TOKEN.into(), 3, || Ok(handshake(1, 2, 5)), (Retry::Crowded, 2 * TIMEOUT), || false);
    assert!(greeted.is_ok() && answering.join().unwrap().is_ok());
}
