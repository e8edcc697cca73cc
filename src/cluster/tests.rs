//! Strangers: whoever does not hold the token, or does not fit, is refused; what is changed on the way never panics.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use super::gate::{Gate, knock};
use super::hello::{Hello, PATIENCE, Refused, Role, Token, answer, greet};
use super::line::fits;
use crate::simulation::Dice;

const TOKEN: Token = Token([7; 32]);

fn hello(build: u64, run: u64, generation: u64) -> Hello {
    Hello::new(Role::Neighbour, (build, run), generation, 3).unwrap()
}

/// A gate that lets processes of build 1 and run 2 in, from generation 5 on; and those that came in.
fn gate() -> (Gate, Arc<Mutex<Vec<Hello>>>) {
    let came: Arc<Mutex<Vec<Hello>>> = Arc::default();
    let into = Arc::clone(&came);
    let admit = Box::new(|hello: &Hello| {
        fits(hello, (1, 2))?;
        if hello.generation >= 5 { Ok(()) } else { Err("its generation is over".into()) }
    });
    let deliver = Box::new(move |hello, _| into.lock().unwrap().push(hello));
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    (Gate::open(at, TOKEN, Box::new(|| Ok(hello(1, 2, 0))), admit, deliver).unwrap(), came)
}

fn knock_with(gate: &Gate, token: Token, hello: &Hello) -> Result<(Hello, TcpStream), Refused> {
    knock(gate.address(), token, || Ok(hello.clone()))
}

#[test]
fn who_fits_is_let_in_and_who_does_not_is_told_why() {
    let (gate, came) = gate();
    assert_eq!(knock_with(&gate, TOKEN, &hello(1, 2, 5)).unwrap().0.run, 2);
    for (wrong, why) in [
        (hello(9, 2, 5), "another build"),
        (hello(1, 9, 5), "another run"),
        (hello(1, 2, 4), "generation is over"),
    ] {
        let refused = knock_with(&gate, TOKEN, &wrong).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
    let refused = knock_with(&gate, Token([8; 32]), &hello(1, 2, 5)).unwrap_err();
    assert!(matches!(refused, Refused::Stranger), "{refused}");
    while came.lock().unwrap().is_empty() {
        thread::yield_now();
    }
    assert_eq!(came.lock().unwrap().len(), 1);
}

#[test]
fn a_hello_is_good_once() {
    let (gate, came) = gate();
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let (at, inside) = (proxy.local_addr().unwrap(), gate.address());
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
    greet(&socket, TOKEN, &hello(1, 2, 5)).unwrap();
    socket.shutdown(Shutdown::Both).unwrap();
    let said = recording.join().unwrap();
    assert!(said.len() > 100);
    // The same words once more, from somebody else.
    let mut replayed = TcpStream::connect(gate.address()).unwrap();
    replayed.write_all(&said).unwrap();
    let mut answer = Vec::new();
    let _ = replayed.read_to_end(&mut answer);
    while came.lock().unwrap().is_empty() {
        thread::yield_now();
    }
    knock_with(&gate, TOKEN, &hello(1, 2, 6)).unwrap();
    while came.lock().unwrap().len() < 2 {
        thread::yield_now();
    }
    let generations: Vec<u64> = came.lock().unwrap().iter().map(|hello| hello.generation).collect();
    assert_eq!(generations, [5, 6], "nobody came in by a recorded hello");
}

#[test]
fn garbage_and_silence_are_closed_and_keep_nobody_out_for_long() {
    let (gate, came) = gate();
    let mut dice = Dice::new(1);
    for _ in 0..200 {
        let mut socket = TcpStream::connect(gate.address()).unwrap();
        let length = dice.below(3000);
        let bytes: Vec<u8> = (0..length).map(|_| dice.below(256) as u8).collect();
        // It may be closed already.
        let _ = socket.write_all(&bytes);
    }
    // As many as may be under way, and they say nothing.
    let began = Instant::now();
    let silent: Vec<TcpStream> = (0..64).map(|_| TcpStream::connect(gate.address()).unwrap()).collect();
    knock_with(&gate, TOKEN, &hello(1, 2, 5)).unwrap();
    for mut socket in silent {
        let mut end = Vec::new();
        socket.set_read_timeout(Some(PATIENCE * 2)).unwrap();
        let closed = socket.read_to_end(&mut end);
        assert!(closed.is_ok() || closed.unwrap_err().kind() == std::io::ErrorKind::ConnectionReset);
    }
    assert!(began.elapsed() < PATIENCE * 2, "{:?}", began.elapsed());
    while came.lock().unwrap().is_empty() {
        thread::yield_now();
    }
}

#[test]
fn ten_thousand_connections_keep_nobody_out() {
    let (gate, came) = gate();
    let address = gate.address();
    let flood = thread::spawn(move || {
        for _ in 0..10_000 {
            // The system may refuse some itself.
            drop(TcpStream::connect_timeout(&address, Duration::from_secs(5)));
        }
    });
    knock_with(&gate, TOKEN, &hello(1, 2, 5)).unwrap();
    flood.join().unwrap();
    knock_with(&gate, TOKEN, &hello(1, 2, 6)).unwrap();
    while came.lock().unwrap().len() < 2 {
        thread::yield_now();
    }
}

/// Changes what one side of a handshake says.
#[test]
fn a_handshake_that_is_changed_on_the_way_is_refused_without_a_panic() {
    let seconds = std::env::var("RADDLE_MUTATE_SECONDS").map_or(0, |text| text.parse().unwrap());
    let (began, mut seed) = (Instant::now(), 0);
    while seed < 60 || began.elapsed() < Duration::from_secs(seconds) {
        seed += 1;
        let mut dice = Dice::new(seed);
        let [proxy, inside] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let (at, to) = (proxy.local_addr().unwrap(), inside.local_addr().unwrap());
        let answering = thread::spawn(move || {
            let socket = inside.accept().unwrap().0;
            answer(&socket, TOKEN, &hello(1, 2, 0), |_| Ok(())).map(|hello| hello.index)
        });
        // The byte that is changed, of those that the connector says, or of those that it hears.
        let (forwards, which, bit) = (dice.one_in(2), dice.below(190), 1 << dice.below(8));
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
        let greeted = greet(&socket, TOKEN, &hello(1, 2, 5));
        socket.shutdown(Shutdown::Both).unwrap();
        let answered = answering.join().unwrap();
        passing.join().unwrap();
        let was_changed = changed.try_recv().is_ok();
        let agreed = greeted.is_ok() && answered.is_ok();
        assert!(agreed != was_changed, "seed {seed}: changed {was_changed}, {greeted:?}, {answered:?}");
    }
}
