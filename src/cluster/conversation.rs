//! Tests of the messages between a process and its coordinator, in clear: no byte of them can change
//! unnoticed.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use std::io::{self, Read, Write};

use raddle_common::testing::not_empty;

use super::net::records::{Records, Seal};
use super::net::wire::{receive, send};
use super::protocol::{
    AdminResponse, CheckpointNeed, Epoch, GenerationEnd, MemberReport, MemberStatus, Order, RunStatus,
};
use crate::base::state::State;
use crate::run::traffic::Traffic;

/// Size limit of a message, in bytes.
const MOST: u64 = 1 << 20;

/// One direction of a connection, in memory.
struct Direction<'a> {
    records: Records,
    sent: Vec<u8>,
    arriving: &'a [u8],
}

impl<'a> Direction<'a> {
    fn new(arriving: &'a [u8]) -> Self {
        Self { records: Records::new(Seal::Sums), sent: Vec::new(), arriving }
    }
}

impl Write for Direction<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.records.write(&mut self.sent, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Direction<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.records.read(&mut self.arriving, to)
    }
}

/// Checks that messages arrive as they were sent and that, if any byte is changed, only the messages before
/// it arrive, followed by an error.
fn is_noticed<T: State + PartialEq + std::fmt::Debug>(messages: &[T]) {
    let mut way = Direction::new(&[]);
    messages.iter().for_each(|message| send(&mut way, message).unwrap());
    let bytes = way.sent;
    let received = |bytes: &[u8]| {
        let mut way = Direction::new(bytes);
        let mut came = Vec::new();
        loop {
            match receive::<T>(&mut way, MOST) {
                Ok(message) => came.push(message),
                Err(why) => return (came, why.kind()),
            }
        }
    };
    assert_eq!(received(&bytes), (received(&bytes).0, io::ErrorKind::UnexpectedEof));
    assert_eq!(received(&bytes).0, messages);
    for at in not_empty(0..bytes.len()) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        let (came, why) = received(&changed);
        assert_eq!(why, io::ErrorKind::InvalidData, "byte {at}");
        assert!(messages.starts_with(&came) && came.len() < messages.len(), "byte {at}: {came:?}");
    }
}

#[test]
fn no_byte_of_a_message_can_change_unnoticed() {
    let epoch =
        Epoch { epoch: 3, metric: Some(("rmse".into(), 0.75)), load: vec![0.5, 0.25], ..Epoch::default() };
    let end = GenerationEnd {
        epoch: 3,
        over: false,
        block_at: vec![0, 1],
        checkpoint_need: CheckpointNeed::PartsWritten,
        change: Some(vec![0; 24]),
    };
    is_noticed(&[
        MemberReport::Alive { memory: 1 << 30 },
        MemberReport::Epoch { generation: 1, epoch },
        MemberReport::Ended { generation: 1, end: Some(end), sent: Traffic::default(), moved: 9 },
        MemberReport::Done,
    ]);
    is_noticed(&[
        Order::Alive { deadline: 10.0 },
        Order::SubmitParts { generation: 1, epoch: 3, anew: true },
        Order::Write,
        Order::End,
    ]);
    let member = MemberStatus { process: 1, address: "127.0.0.1:5".into(), ..MemberStatus::default() };
    let grant = AdminResponse::JoinGrant {
        argv: vec!["lda".into(), "fit".into()],
        index: 1,
        workers: 2,
        run: 9,
        begins: true,
    };
    is_noticed(&[AdminResponse::Status(RunStatus { members: vec![member], ..RunStatus::default() }), grant]);
}
