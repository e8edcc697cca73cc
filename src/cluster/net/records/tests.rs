//! Tests of connections in clear and encrypted: bytes arrive as they were written; what is changed on the way
//! ends the connection, and of one that is encrypted nothing can be read there.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use std::collections::HashSet;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

use raddle_common::testing::not_empty;

use super::*;
use crate::cluster::net::cipher::{Agreement, End};
use crate::cluster::net::socket::Socket;
use crate::cluster::net::token::Token;
use crate::cluster::simulation::Rng;

const TOKEN: Token = Token([7; 32]);

/// Seals of the connecting and of the accepting end, with a cipher.
fn keys(tokens: [Token; 2], over: [&[u8]; 2]) -> io::Result<[Seal; 2]> {
    let mut connector = Agreement::new(&tokens[0].into(), over[0], End::Connector)?;
    let mut acceptor = Agreement::new(&tokens[1].into(), over[1], End::Acceptor)?;
    acceptor.take(&connector.message()?)?;
    connector.take(&acceptor.message()?)?;
    Ok([Seal::Keys(connector.keys()?), Seal::Keys(acceptor.keys()?)])
}

/// Seals of both ends of a connection.
fn seals(encrypted: bool) -> [Seal; 2] {
    if encrypted { keys([TOKEN; 2], [b"both"; 2]).unwrap() } else { [Seal::Sums, Seal::Sums] }
}

fn tcp() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (one, listener.accept().unwrap().0)
}

fn content(length: usize, rng: &mut Rng) -> Vec<u8> {
    (0..length).map(|_| rng.below(256) as u8).collect()
}

/// Writes of many lengths, among them none, and more than a record.
fn writes(seed: u64) -> Vec<Vec<u8>> {
    let mut rng = Rng::new(seed);
    let lengths = [0, 1, 40, 5_000, CONTENT - 1, CONTENT, CONTENT + 1, 200_000];
    (0..6).map(|_| content(lengths[rng.below(8) as usize], &mut rng)).collect()
}

/// The bytes that an end puts on the wire for these writes, and the other end.
fn wire(writes: &[Vec<u8>], [one, other]: [Seal; 2]) -> (Vec<u8>, Records) {
    let (from, mut wire) = (Records::new(one), Vec::new());
    for bytes in writes {
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let count = from.write(&mut wire, rest).unwrap();
            rest = &rest[count..];
        }
    }
    (wire, Records::new(other))
}

/// Reads the records in these bytes until they end or fail: the content, and the error if there is one.
fn read(mut wire: &[u8], to: &Records) -> (Vec<u8>, Option<ErrorKind>) {
    let (mut all, mut some) = (Vec::new(), vec![0; 70_000]);
    loop {
        match to.read(&mut wire, &mut some) {
            Ok(0) => return (all, None),
            Ok(count) => all.extend_from_slice(&some[..count]),
            Err(why) => return (all, Some(why.kind())),
        }
    }
}

/// Bytes of a record beside its content.
fn beside(seal: &Seal) -> usize {
    LENGTH + 2 * seal.tag()
}

/// Places of the records of these writes on the wire.
fn records(writes: &[Vec<u8>], beside: usize) -> Vec<Range<usize>> {
    let mut at = 0;
    let contents = writes.iter().flat_map(|bytes| bytes.chunks(CONTENT));
    let place = |content: &[u8]| {
        let begin = at;
        at += content.len() + beside;
        begin..at
    };
    contents.map(place).collect()
}

#[test]
fn bytes_arrive_in_both_directions_as_they_were_written() {
    for seed in 0..20 {
        let [one, other] = seals(seed % 2 == 0);
        let (here, there) = tcp();
        let (here, there) = (Socket::new(here, one), Socket::new(there, other));
        let ends =
            [(here, 2 * seed, 2 * seed + 1), (there, 2 * seed + 1, 2 * seed)].map(|(socket, says, hears)| {
                let mut out = socket.clone();
                let writing = thread::spawn(move || {
                    writes(says).iter().for_each(|bytes| out.write_all(bytes).unwrap());
                    out.shutdown(Shutdown::Write).unwrap();
                });
                let reading = thread::spawn(move || {
                    let (mut socket, mut all) = (socket, Vec::new());
                    socket.read_to_end(&mut all).unwrap();
                    assert!(all == writes(hears).concat(), "seed {seed}");
                });
                (writing, reading)
            });
        for (writing, reading) in ends {
            writing.join().unwrap();
            reading.join().unwrap();
        }
    }
}

#[test]
fn nothing_that_is_written_can_be_seen_on_the_way() {
    let mut rng = Rng::new(1);
    // Content that is easily told: 8 bytes of it in a row are nowhere in 200,000 random ones.
    let text = b"the rows of the model, in clear; ".repeat(3_000);
    let random = content(100_000, &mut rng);
    let (wire, _) = wire(&[text.clone(), random.clone()], seals(true));
    let seen: HashSet<&[u8]> = not_empty(wire.windows(8)).collect();
    for secret in [&text[..], &random, &TOKEN.0] {
        assert!(not_empty(secret.windows(8)).all(|eight| !seen.contains(eight)));
    }
}

/// A change of what is on the wire. Whatever it is, the reader gets what was written before it, and then an
/// error.
#[test]
fn what_is_changed_repeated_left_out_swapped_or_cut_is_refused() {
    let mut found = HashSet::new();
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let writes = writes(seed);
        let seals = seals(seed % 2 == 0);
        let beside = beside(&seals[0]);
        let (mut bytes, other) = wire(&writes, seals);
        let written = writes.concat();
        let records = records(&writes, beside);
        assert_eq!(records.last().map_or(0, |last| last.end), bytes.len());
        if records.len() < 2 {
            continue;
        }
        let at = rng.below(records.len() as u64 - 1) as usize;
        let (one, next) = (records[at].clone(), records[at + 1].clone());
        let kind = rng.below(5);
        match kind {
            0 => bytes[one.start + rng.below(one.len() as u64) as usize] ^= 1 << rng.below(8),
            1 => drop(bytes.splice(one.end..one.end, bytes[one.clone()].to_vec())),
            2 => drop(bytes.drain(one.clone())),
            3 => bytes[one.start..next.end].rotate_left(one.len()),
            _ => bytes.truncate(one.start + 1 + rng.below(one.len() as u64 - 1) as usize),
        }
        let (read, why) = read(&bytes, &other);
        let whole = at + usize::from(kind == 1);
        let before: usize = records[..whole].iter().map(|record| record.len() - beside).sum();
        assert!(read == written[..before], "seed {seed}, kind {kind}: {} of {before}", read.len());
        let expected = if kind == 4 { ErrorKind::UnexpectedEof } else { ErrorKind::InvalidData };
        assert_eq!(why, Some(expected), "seed {seed}, kind {kind}");
        found.insert((kind, seed % 2));
    }
    assert_eq!(found.len(), 10, "{found:?}");
}

/// Values and heartbeats, as they cross between a process and its coordinator.
#[test]
fn no_bit_of_a_short_connection_can_change_unnoticed() {
    let writes = [b"length and value".to_vec(), Vec::new(), vec![0; 40], b"the last".to_vec()];
    let (from, mut whole) = (Records::new(Seal::Sums), Vec::new());
    writes.iter().for_each(|bytes| assert_eq!(from.write(&mut whole, bytes).unwrap(), bytes.len()));
    let written = writes.concat();
    for bit in not_empty(0..8 * whole.len()) {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let (read, why) = read(&bytes, &Records::new(Seal::Sums));
        assert_eq!(why, Some(ErrorKind::InvalidData), "bit {bit}");
        assert!(written.starts_with(&read) && read.len() < written.len(), "bit {bit}");
    }
}

#[test]
fn ends_agree_only_with_one_token_and_over_the_same_handshakes() {
    let other = Token([8; 32]);
    assert!(keys([TOKEN; 2], [b"both"; 2]).is_ok());
    for (tokens, over) in [([TOKEN, other], [b"both", b"both"]), ([TOKEN; 2], [b"both", b"else"])] {
        let why = keys(tokens, over.map(|text| &text[..])).err().unwrap();
        assert_eq!(why.kind(), ErrorKind::InvalidData);
    }
    // Keys of another moment are others.
    let (wire, _) = wire(&[b"content".to_vec()], seals(true));
    let [other, _] = seals(true);
    assert_eq!(read(&wire, &Records::new(other)).1, Some(ErrorKind::InvalidData));
}
