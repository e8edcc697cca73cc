//! Tests of connections between parties: who does not have the key of the party that it says it is gets
//! nowhere, and disturbs nobody.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::net::first_message::{Handshake, Ids, Refused, Role};
use super::net::link::Link;
use super::net::listener::{AcceptQueues, Listener, ListenerHandlers, Rejection, Retry, connect};
use super::net::secret::Secret;
use super::net::socket::Socket;
use super::net::token::Token;
use crate::parties::{COORDINATOR, Keyring, PrivateKey};

const NAMES: [&str; 3] = ["east", "north", "south"];
const TOKEN: Token = Token([7; 32]);

/// The keyrings of three parties and of their coordinator.
fn keyrings() -> (Vec<Keyring>, Keyring) {
    let keys = NAMES.map(|name| (name, PrivateKey::new().unwrap()));
    let publics: BTreeMap<String, _> =
        keys.iter().map(|(name, key)| ((*name).into(), key.public())).collect();
    let coordinator = PrivateKey::new().unwrap();
    let ring = |me: Option<&str>, key: &PrivateKey| {
        Keyring::new(coordinator.public(), &publics, me, key.clone()).unwrap()
    };
    (keys.iter().map(|(name, key)| ring(Some(name), key)).collect(), ring(None, &coordinator))
}

fn secret(ring: &Keyring) -> Secret {
    Secret { keyring: Some(ring.clone()), ..TOKEN.into() }
}

fn handshake(index: u32) -> Handshake {
    Handshake::new(Role::Member, Ids { build: 1, run: 2 }, 5, index).unwrap()
}

/// A coordinator's listener, the connections that it lets in, and the reasons why it lets none in.
struct Door {
    listener: Listener,
    came: mpsc::Receiver<(u32, Socket)>,
    refused: mpsc::Receiver<String>,
}

impl Door {
    fn open(ring: &Keyring) -> Self {
        let ((comes, came), (refuses, refused)) = (mpsc::channel(), mpsc::channel());
        let handlers = ListenerHandlers {
            secret: secret(ring),
            introduce: Box::new(|| {
                Handshake::new(Role::Coordinator, Ids { build: 0, run: 2 }, 0, COORDINATOR)
            }),
            admit: Box::new(|_| Ok(())),
            refuse: Box::new(move |rejection: &Rejection<'_>| {
                refuses.send(rejection.why.to_owned()).unwrap()
            }),
            deliver: Box::new(move |handshake, socket| comes.send((handshake.index, socket)).unwrap()),
            queues: AcceptQueues::default(),
        };
        let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self { listener: Listener::open(at, handlers).unwrap(), came, refused }
    }

    /// Connects by this secret as the end of this number.
    fn enter(&self, by: &Secret, index: u32) -> Result<Socket, Refused> {
        let lasts = (Retry::Crowded, Duration::from_secs(30));
        let at = self.listener.address();
        connect(at, by, COORDINATOR, || Ok(handshake(index)), lasts, || false).map(|(_, socket)| socket)
    }
}

/// Bytes that bind a connection of parties.
fn binding(socket: Socket) -> [u8; 32] {
    Link::new(socket).unwrap().binding().unwrap()
}

#[test]
fn parties_are_let_in_by_their_keys_over_connections_that_are_encrypted_and_bound() {
    let (rings, coordinator) = keyrings();
    let door = Door::open(&coordinator);
    let mut seen = Vec::new();
    for (number, ring) in (1..).zip(&rings).chain((1..).zip(&rings)) {
        let mut here = door.enter(&secret(ring), number).unwrap();
        let (of, mut there) = door.came.recv().unwrap();
        assert_eq!(of, number);
        here.write_all(b"hello").unwrap();
        let mut came = [0; 5];
        there.read_exact(&mut came).unwrap();
        assert_eq!(came, *b"hello");
        let bound = binding(here);
        assert_eq!(binding(there), bound);
        assert!(!seen.contains(&bound));
        seen.push(bound);
    }
    // Who runs the coordinator asks it by its token.
    assert!(door.enter(&TOKEN.into(), COORDINATOR).is_ok());
}

#[test]
fn impostors_are_refused_by_name_and_others_are_let_in_all_the_same() {
    let ((rings, coordinator), (others, _)) = (keyrings(), keyrings());
    let door = Door::open(&coordinator);
    let refused = |by: &Secret, index: u32| match door.enter(by, index) {
        Err(why) => why.to_string(),
        Ok(_) => panic!("let in as {index}"),
    };
    // Another party's key, a key that is in no file, the token of the run, and a number of nobody.
    for (by, index) in [(secret(&rings[0]), 2), (secret(&others[1]), 2), (TOKEN.into(), 2)] {
        let why = refused(&by, index);
        assert!(why.contains("keys of the two ends do not fit") || why.contains("does not hold this token"));
        assert_eq!(door.refused.recv().unwrap(), "its key is not that of north");
    }
    refused(&secret(&rings[0]), 7);
    door.refused.recv().unwrap();
    // A party does not pass for who runs the coordinator.
    refused(&secret(&rings[0]), COORDINATOR);
    assert_eq!(door.refused.recv().unwrap(), "its token is not the run's");
    assert!(door.enter(&secret(&rings[1]), 2).is_ok());
    assert_eq!(door.came.recv().unwrap().0, 2);
}

#[test]
fn a_party_tells_the_coordinator_from_others() {
    let ((rings, _), (_, other)) = (keyrings(), keyrings());
    // Another coordinator, and another party that answers in place of it.
    for answering in [&other, &rings[2]] {
        let door = Door::open(answering);
        let why = door.enter(&secret(&rings[0]), 1).err().unwrap();
        assert!(matches!(why, Refused::OtherKeys), "{why}");
        assert!(door.came.try_recv().is_err());
    }
}

#[test]
fn a_recorded_handshake_lets_nobody_in() {
    let (rings, coordinator) = keyrings();
    let door = Door::open(&coordinator);
    // A party connects by way of who records.
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let (at, inside) = (proxy.local_addr().unwrap(), door.listener.address());
    let recording = thread::spawn(move || {
        let (mut here, mut there) = (proxy.accept().unwrap().0, TcpStream::connect(inside).unwrap());
        let (mut back, mut answered) = (there.try_clone().unwrap(), here.try_clone().unwrap());
        let answering = thread::spawn(move || drop(std::io::copy(&mut back, &mut answered)));
        let (mut sent, mut some) = (Vec::new(), [0; 512]);
        while let Ok(count @ 1..) = here.read(&mut some) {
            sent.extend_from_slice(&some[..count]);
            there.write_all(&some[..count]).unwrap();
        }
        let _ = there.shutdown(Shutdown::Both);
        answering.join().unwrap();
        sent
    });
    let lasts = (Retry::Crowded, Duration::from_secs(30));
    let connected = connect(at, &secret(&rings[0]), COORDINATOR, || Ok(handshake(1)), lasts, || false);
    drop(connected.unwrap());
    assert_eq!(door.came.recv().unwrap().0, 1);
    let sent = recording.join().unwrap();
    let mut replayed = TcpStream::connect(inside).unwrap();
    replayed.write_all(&sent).unwrap();
    // It is closed after the answer to the first message.
    let _ = replayed.read_to_end(&mut Vec::new());
    assert!(door.came.recv_timeout(Duration::from_millis(200)).is_err());
    assert!(door.enter(&secret(&rings[0]), 1).is_ok());
}
