//! Tests of a hand-over in clear: it arrives as it was given, or the connection fails.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use std::io::Read as _;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

use raddle_common::testing::not_empty;

use super::*;
use crate::cluster::net::records::Seal;
use crate::cluster::net::socket::Socket;
use crate::cluster::simulation::mixing::Mixing;

/// An end of a connection in clear, and the bare other end.
fn half() -> (Link, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let link = Link::new(Socket::new(one, Seal::Sums)).unwrap();
    // Nothing waits longer than this.
    link.limit(Some(Duration::from_secs(20))).unwrap();
    (link, listener.accept().unwrap().0)
}

/// Each kind of transfer that is bytes, with a content.
fn transfers() -> Vec<Transfer<Mixing>> {
    let stats = ProcessStats { process: 1, peak_memory: 1 << 20, moved: 7, ..ProcessStats::default() };
    vec![
        Transfer::Question(vec![1, 2, 3]),
        Transfer::Answers(vec![0; 20]),
        Transfer::Hub(b"what the first process knows".to_vec()),
        Transfer::End(stats),
    ]
}

fn packed(transfers: Vec<Transfer<Mixing>>) -> Vec<(u8, u32, Vec<u8>)> {
    transfers.into_iter().map(Transfer::pack).collect()
}

/// Shards that a receiver of these bytes takes, or the reason why it fails.
fn taken(bytes: &[u8]) -> Result<Vec<(u8, u32, Vec<u8>)>, String> {
    let (link, mut from) = half();
    from.write_all(bytes).unwrap();
    // Bytes that it waits for do not come.
    from.shutdown(Shutdown::Write).unwrap();
    take::<Mixing>(&link).map(|came| packed(came.into_iter().map(|(one, _)| one).collect()))
}

#[test]
fn no_byte_of_a_hand_over_can_change_unnoticed() {
    let (link, mut to) = half();
    give(&link, transfers()).unwrap();
    link.shutdown(Shutdown::Write);
    let mut bytes = Vec::new();
    to.read_to_end(&mut bytes).unwrap();
    assert_eq!(taken(&bytes).unwrap(), packed(transfers()));
    for at in not_empty(0..bytes.len()) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        let why = taken(&changed).unwrap_err();
        assert!(why.contains("did not arrive as it was"), "byte {at}: {why}");
    }
}
