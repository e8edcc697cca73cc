//! Tests of frames: they arrive as they were sent, or the other end is lost by name.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc;
use std::thread;

use super::*;
use crate::cluster::net::records::Seal;
use crate::cluster::net::socket::Socket;

/// Two ends of a connection.
fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (one, listener.accept().unwrap().0)
}

/// One end, from threads 2 and 3 to threads 0 and 1, and the reasons with which it was lost.
fn end(socket: TcpStream) -> (Frames, Arc<Mutex<Vec<String>>>) {
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let into = Arc::clone(&said);
    let lost: Lost = Arc::new(move |why: &str| into.lock().unwrap().push(why.to_owned()));
    let link = Link::new(Socket::new(socket, Seal::Sums)).unwrap();
    (Frames::new(link, "process 7", 2..4, 0..2, Arc::default(), lost), said)
}

fn frame(source: u64, targets: (u64, u64), content: &[u8]) -> Vec<u8> {
    let header = [5, source, targets.0, targets.1, content.len() as u64, 9];
    let mut bytes: Vec<u8> = header.iter().flat_map(|number: &u64| number.to_be_bytes()).collect();
    bytes.extend_from_slice(content);
    bytes
}

/// Frames of many lengths, then the end that timely sends.
fn frames(seed: u64) -> Vec<u8> {
    let mut rng = crate::cluster::simulation::Rng::new(seed);
    let mut bytes = Vec::new();
    for _ in 0..1 + rng.below(6) {
        let length = [8, 40, 1000, 70_000][rng.below(4) as usize] + rng.below(50);
        let content: Vec<u8> = (0..length).map(|_| rng.below(256) as u8).collect();
        let lower = rng.below(2);
        bytes.extend(frame(2 + rng.below(2), (lower, 1 + lower + rng.below(2 - lower)), &content));
    }
    bytes.extend([0; HEADER]);
    bytes
}

/// The bytes that a sender puts on the wire, in pieces of any length.
fn wire(seed: u64, bytes: &[u8]) -> Vec<u8> {
    let (from, to) = pair();
    let (mut sender, _) = end(from);
    let reading = thread::spawn(move || {
        let (mut all, mut to) = (Vec::new(), to);
        to.read_to_end(&mut all).unwrap();
        all
    });
    let mut rng = crate::cluster::simulation::Rng::new(seed);
    let mut rest = bytes;
    while !rest.is_empty() {
        let (head, tail) = rest.split_at(rest.len().min(1 + rng.below(5000) as usize));
        assert_eq!(sender.write(head).unwrap(), head.len());
        rest = tail;
    }
    sender.shutdown(Shutdown::Both).unwrap();
    drop(sender);
    reading.join().unwrap()
}

/// The bytes that timely reads where these are on the wire, and the reasons with which the other end was
/// lost.
fn read(bytes: Vec<u8>) -> (Vec<u8>, Vec<String>) {
    let (mut from, to) = pair();
    let (mut receiver, said) = end(to);
    let writing = thread::spawn(move || {
        // The receiver may close before all is written.
        let _ = from.write_all(&bytes);
    });
    let (tell, told) = mpsc::channel();
    let reading = thread::spawn(move || {
        let mut all = Vec::new();
        receiver.read_to_end(&mut all).unwrap();
        tell.send(all).unwrap();
    });
    let all = told.recv_timeout(std::time::Duration::from_secs(60)).expect("the receiver comes to its end");
    reading.join().unwrap();
    writing.join().unwrap();
    let said = std::mem::take(&mut *said.lock().unwrap());
    (all, said)
}

#[test]
fn frames_arrive_as_they_were_sent() {
    for seed in 0..30 {
        let sent = frames(seed);
        let (came, said) = read(wire(seed, &sent));
        assert!(came == sent && said.is_empty(), "{said:?}");
    }
}

#[test]
fn bytes_that_change_on_the_way_end_the_run_by_name_and_nothing_of_them_is_seen() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let seconds = std::time::Duration::from_secs(number("RADDLE_MUTATE_SECONDS", 0));
    let (began, mut seed) = (std::time::Instant::now(), 0);
    while seed < 300 || began.elapsed() < seconds {
        seed += 1;
        let mut rng = crate::cluster::simulation::Rng::new(seed);
        let sent = frames(seed);
        let whole = wire(seed, &sent);
        let mut bytes = whole.clone();
        let at = rng.below(bytes.len() as u64) as usize;
        match rng.below(4) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes.truncate(at),
            2 => drop(bytes.remove(at)),
            _ => bytes.insert(at, rng.below(256) as u8),
        }
        if bytes == whole {
            continue;
        }
        let (came, said) = read(bytes);
        // Timely reads the whole frames before the change, and then an end.
        let seen = came.len().checked_sub(HEADER).expect("an end");
        assert!(came[seen..].iter().all(|&byte| byte == 0), "seed {seed}");
        let same = came[..seen] == sent[..seen.min(sent.len())];
        // Bytes behind the end are never read.
        assert!(same && (said.len() == 1 || came == sent), "seed {seed}: {said:?}");
        assert!(said.iter().all(|why| why.starts_with("process 7 is lost: ")), "seed {seed}: {said:?}");
    }
}

#[test]
fn frames_that_nobody_sends_are_refused() {
    for wrong in [
        frame(1, (0, 1), b"from one of our own threads"),
        frame(4, (0, 1), b"from nobody"),
        frame(2, (0, 3), b"to threads that are elsewhere"),
        frame(2, (1, 1), b"to nobody"),
        frame(2, (u64::MAX, 0), b"to nobody"),
        frame(2, (0, 1), &vec![0; 3 << 20]),
    ] {
        let (came, said) = read(wire(1, &wrong));
        assert!(came == [0; HEADER] && said.len() == 1, "{said:?}");
    }
}

#[test]
fn a_frame_for_a_process_is_addressed_to_all_threads_of_it_and_no_other_frame_is() {
    let (from, to) = pair();
    let (mut sender, said) = end(from);
    sender.to_process.add(5);
    let mut other = frame(0, (2, 3), b"to one thread");
    other[7] = 6;
    let bytes = [frame(0, (3, 4), b"to all"), other].concat();
    // The end of a write may be anywhere, in a header too.
    for part in bytes.chunks(50) {
        sender.write_all(part).unwrap();
    }
    let link = Link::new(Socket::new(to, Seal::Sums)).unwrap();
    let mut came = vec![0; bytes.len()];
    (&link).read_exact(&mut came).unwrap();
    let second = HEADER + 6;
    let targets = |at: usize| [2, 3].map(|number| field(&came[at..at + HEADER], number));
    assert_eq!(targets(0), [2, 4], "all threads of the other end");
    assert_eq!(came[HEADER..HEADER + 6], *b"to all");
    assert_eq!(targets(second), [2, 3]);
    assert_eq!(came[second..][..bytes.len() - HEADER - 6], bytes[HEADER + 6..]);
    assert!(said.lock().unwrap().is_empty());
}
