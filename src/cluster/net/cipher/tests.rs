//! Tests of encrypted connections: bytes arrive as they were written; on the way nothing can be read, and what is changed
//! there ends the connection.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use std::collections::HashSet;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpListener};
use std::thread;

use raddle_common::testing::not_empty;

use super::*;
use crate::cluster::net::socket::Socket;
use crate::cluster::simulation::Rng;

const TOKEN: Token = Token([7; 32]);

/// Ciphers of the connecting and of the accepting end.
fn ciphers(tokens: [Token; 2], over: [&[u8]; 2]) -> io::Result<(Cipher, Cipher)> {
    let mut connector = Agreement::new(tokens[0], over[0], true)?;
    let mut acceptor = Agreement::new(tokens[1], over[1], false)?;
    acceptor.take(&connector.message()?)?;
    connector.take(&acceptor.message()?)?;
    Ok((connector.cipher()?, acceptor.cipher()?))
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

/// The bytes that an end puts on the wire for these writes, and the cipher of the other end.
fn wire(writes: &[Vec<u8>]) -> (Vec<u8>, Cipher) {
    let (one, other) = ciphers([TOKEN; 2], [b"both"; 2]).unwrap();
    let (from, mut to) = tcp();
    let reading = thread::spawn(move || {
        let mut all = Vec::new();
        to.read_to_end(&mut all).unwrap();
        all
    });
    let mut from = Socket::new(from, Some(one));
    writes.iter().for_each(|bytes| from.write_all(bytes).unwrap());
    drop(from);
    (reading.join().unwrap(), other)
}

/// What an end reads where these bytes are on the wire, and the error at which it ends, if it does.
fn read(bytes: Vec<u8>, cipher: Cipher) -> (Vec<u8>, Option<ErrorKind>) {
    let (mut from, to) = tcp();
    let writing = thread::spawn(move || {
        // The reader may close before all is written.
        let _ = from.write_all(&bytes);
    });
    let mut to = Socket::new(to, Some(cipher));
    let mut all = Vec::new();
    let why = to.read_to_end(&mut all).err().map(|why| why.kind());
    drop(to);
    writing.join().unwrap();
    (all, why)
}

/// Places of the records of these writes on the wire.
fn records(writes: &[Vec<u8>]) -> Vec<Range<usize>> {
    let mut at = 0;
    let contents = writes.iter().flat_map(|bytes| bytes.chunks(CONTENT));
    let place = |content: &[u8]| {
        let begin = at;
        at += HEAD + content.len() + TAG;
        begin..at
    };
    contents.map(place).collect()
}

#[test]
fn bytes_arrive_in_both_directions_as_they_were_written() {
    for seed in 0..20 {
        let (one, other) = ciphers([TOKEN; 2], [b"both"; 2]).unwrap();
        let (here, there) = tcp();
        let (here, there) = (Socket::new(here, Some(one)), Socket::new(there, Some(other)));
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
    let (wire, _) = wire(&[text.clone(), random.clone()]);
    let seen: HashSet<&[u8]> = not_empty(wire.windows(8)).collect();
    for secret in [&text[..], &random, &TOKEN.0] {
        assert!(not_empty(secret.windows(8)).all(|eight| !seen.contains(eight)));
    }
}

/// A change of what is on the wire. Whatever it is, the reader gets what was written before it, and then an error.
#[test]
fn what_is_changed_repeated_left_out_swapped_or_cut_is_refused() {
    let mut found = HashSet::new();
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let writes = writes(seed);
        let (mut bytes, cipher) = wire(&writes);
        let written = writes.concat();
        let records = records(&writes);
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
        let (read, why) = read(bytes, cipher);
        let whole = at + usize::from(kind == 1);
        let before: usize = records[..whole].iter().map(|record| record.len() - HEAD - TAG).sum();
        assert!(read == written[..before], "seed {seed}, kind {kind}: {} of {before}", read.len());
        let expected = if kind == 4 { ErrorKind::UnexpectedEof } else { ErrorKind::InvalidData };
        assert_eq!(why, Some(expected), "seed {seed}, kind {kind}");
        found.insert(kind);
    }
    assert_eq!(found.len(), 5, "{found:?}");
}

#[test]
fn ends_agree_only_with_one_token_and_over_the_same_handshakes() {
    let other = Token([8; 32]);
    assert!(ciphers([TOKEN; 2], [b"both"; 2]).is_ok());
    for (tokens, over) in [([TOKEN, other], [b"both", b"both"]), ([TOKEN; 2], [b"both", b"else"])] {
        let why = ciphers(tokens, over.map(|text| &text[..])).err().unwrap();
        assert_eq!(why.kind(), ErrorKind::InvalidData);
    }
    // Keys of another moment are others.
    let (one, _) = ciphers([TOKEN; 2], [b"both"; 2]).unwrap();
    let (wire, _) = wire(&[b"content".to_vec()]);
    assert_eq!(read(wire, one).1, Some(ErrorKind::InvalidData));
}
