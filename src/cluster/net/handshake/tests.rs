//! Tests of handshakes that change on the way, and of ends that speak another version of the protocol.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use raddle_common::testing::not_empty;

use super::super::first_message::{Ids, PROTOCOL, Role, TIMEOUT};
use super::*;
use crate::cluster::net::token::Token;

const TOKEN: Token = Token([7; 32]);

fn handshake(role: Role, encrypts: bool) -> Handshake {
    Handshake::new(role, Ids { build: 1, run: 2 }, 5, 3).unwrap().encrypting(encrypts)
}

fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (one, listener.accept().unwrap().0)
}

/// A byte that is changed on the way: `true` for one to the acceptor, its place in this direction, and the
/// change.
type Change = (bool, usize, u8);

/// Passes bytes on, one of them changed; returns how many there were.
fn pass(mut from: TcpStream, mut to: TcpStream, change: Option<(usize, u8)>) -> usize {
    let (mut some, mut passed) = ([0; 512], 0);
    while let Ok(count @ 1..) = from.read(&mut some) {
        if let Some((at, how)) = change.filter(|(at, _)| (passed..passed + count).contains(at)) {
            some[at - passed] ^= how;
        }
        passed += count;
        if to.write_all(&some[..count]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    passed
}

/// How a handshake ends at the connector, if it is let in at the acceptor, and how many bytes go to the
/// acceptor and back.
fn greet(
    encrypts: bool,
    limit: Duration,
    change: Option<Change>,
) -> (Result<Seal, Refused>, bool, [usize; 2]) {
    let ((connector, forth), (back, acceptor)) = (pair(), pair());
    let of = |to_acceptor| change.filter(|change| change.0 == to_acceptor).map(|(_, at, how)| (at, how));
    let (from, to) = (forth.try_clone().unwrap(), back.try_clone().unwrap());
    let (there, here) = (of(true), of(false));
    thread::scope(|scope| {
        let passing =
            [scope.spawn(move || pass(from, to, there)), scope.spawn(move || pass(back, forth, here))];
        let answering = scope.spawn(move || {
            let mine = handshake(Role::Coordinator, false);
            let done = respond(&acceptor, &TOKEN.into(), &mine, Some(limit), |_, _| (), |_| Ok(()));
            let _ = acceptor.shutdown(Shutdown::Both);
            done.is_ok()
        });
        let mine = handshake(Role::Member, encrypts);
        let greeted = initiate(&connector, &TOKEN.into(), &mine, Some(limit)).map(|(_, seal)| seal);
        let let_in = answering.join().unwrap();
        let _ = connector.shutdown(Shutdown::Both);
        (greeted, let_in, passing.map(|passing| passing.join().unwrap()))
    })
}

/// Whoever is let in by both ends was not changed; who is not, may try again: neither end takes damage for a
/// wrong token, a refusal or another version.
#[test]
fn no_byte_of_a_handshake_can_change_unnoticed_and_the_connector_may_try_again() {
    for encrypts in [false, true] {
        let (greeted, let_in, lengths) = greet(encrypts, TIMEOUT, None);
        assert!(let_in && matches!(greeted.unwrap(), Seal::Keys(_)) == encrypts);
        let places: Vec<(bool, usize)> = [true, false]
            .into_iter()
            .zip(lengths)
            .flat_map(|(to, length)| (0..length).map(move |at| (to, at)))
            .collect();
        let next = AtomicUsize::new(0);
        // Most of the time is that of lengths which are waited for.
        let limit = Duration::from_millis(150);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    while let Some(&(to, at)) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let (greeted, let_in, _) = greet(encrypts, limit, Some((to, at, 1 << (at % 8))));
                        assert!(greeted.is_err() || !let_in, "{to} {at}");
                        let may_try = greeted
                            .err()
                            .is_none_or(|why| matches!(why, Refused::Damaged | Refused::Broken(_)));
                        assert!(may_try, "{to} {at}");
                    }
                });
            }
        });
        assert!(next.into_inner() > 300);
    }
}

#[test]
fn a_refusal_is_believed_only_with_its_proof_and_shows_no_control_characters() {
    let (connector, acceptor) = pair();
    let refusing = thread::spawn(move || {
        let mine = handshake(Role::Coordinator, false);
        let why = "no\u{1b}[31m\nplace".to_owned();
        respond(&acceptor, &TOKEN.into(), &mine, Some(TIMEOUT), |_, _| (), |_| Err(why))
            .unwrap_err()
            .to_string()
    });
    let refused =
        initiate(&connector, &TOKEN.into(), &handshake(Role::Member, false), Some(TIMEOUT)).unwrap_err();
    assert!(matches!(&refused, Refused::Unlike(why) if why == "no [31m place"), "{refused}");
    refusing.join().unwrap();
    // Who passes the handshake on and knows no token makes up a reason.
    let (connector, forth) = pair();
    let (back, acceptor) = pair();
    let forging = thread::spawn(move || {
        let (mut from, mut to) = (forth.try_clone().unwrap(), back.try_clone().unwrap());
        let there = thread::spawn(move || drop(std::io::copy(&mut from, &mut to)));
        let (mut from, mut to) = (back, forth);
        let answer = receive_bytes(&mut from, MOST).unwrap();
        send_bytes(&mut to, &answer).unwrap();
        let verdict = Verdict { refused: Some("go away".into()), key: Vec::new() };
        send_bytes(&mut to, &summed(&(verdict, [9_u8; PROOF]), &[])).unwrap();
        let _ = from.shutdown(Shutdown::Both);
        (there, to)
    });
    let answering = thread::spawn(move || {
        let mine = handshake(Role::Coordinator, false);
        respond(&acceptor, &TOKEN.into(), &mine, Some(TIMEOUT), |_, _| (), |_| Ok(())).is_ok()
    });
    let refused =
        initiate(&connector, &TOKEN.into(), &handshake(Role::Member, false), Some(TIMEOUT)).unwrap_err();
    assert!(matches!(refused, Refused::Stranger), "{refused}");
    connector.shutdown(Shutdown::Both).unwrap();
    assert!(!answering.join().unwrap());
    let (there, to) = forging.join().unwrap();
    let _ = to.shutdown(Shutdown::Both);
    there.join().unwrap();
}

/// The handshake of an end of another version.
fn of_version(protocol: u32) -> Handshake {
    Handshake { protocol, ..handshake(Role::Member, false) }
}

#[test]
fn ends_of_other_versions_are_told_so_and_so_are_we() {
    for (version, has_sums) in not_empty([(WITHOUT_SUMS, false), (PROTOCOL + 1, true)]) {
        // They come to us.
        let (mut connector, acceptor) = pair();
        let answering = thread::spawn(move || {
            let mine = handshake(Role::Coordinator, false);
            respond(&acceptor, &TOKEN.into(), &mine, Some(TIMEOUT), |_, _| (), |_| Ok(())).unwrap_err()
        });
        let theirs = of_version(version);
        send(&mut connector, &theirs).unwrap();
        let ticket = proof(mac(&TOKEN.into(), TICKET, &[&theirs]));
        let ticket = if has_sums { summed(&ticket, &to_bytes(&theirs)) } else { to_bytes(&ticket) };
        send_bytes(&mut connector, &ticket).unwrap();
        let answered = receive_bytes(&mut connector, MOST).unwrap();
        let (ours, _): (Handshake, Proof) =
            if has_sums { checked(&answered, &[]).unwrap() } else { from_bytes(&answered).unwrap() };
        assert_eq!(ours.protocol, PROTOCOL, "they can read it");
        let why = answering.join().unwrap();
        assert!(matches!(why, Refused::Version(there) if there == version), "{why}");
        // We come to them.
        let (connector, mut acceptor) = pair();
        let answering = thread::spawn(move || {
            let first: Vec<Vec<u8>> = (0..2).map(|_| receive_bytes(&mut acceptor, MOST).unwrap()).collect();
            from_bytes::<Handshake>(&first[0]).unwrap();
            let answer = (of_version(version), [0_u8; PROOF]);
            let answer = if has_sums { summed(&answer, &[]) } else { to_bytes(&answer) };
            send_bytes(&mut acceptor, &answer).unwrap();
        });
        let mine = handshake(Role::Member, false);
        let why = initiate(&connector, &TOKEN.into(), &mine, Some(TIMEOUT)).unwrap_err();
        assert!(why.to_string().contains(&format!("version {version} of the protocol")), "{why}");
        answering.join().unwrap();
    }
}
