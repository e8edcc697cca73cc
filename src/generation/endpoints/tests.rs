//! A simulated delivery: 64 processes, whose pieces of values and whose messages arrive in any order that the
//! channels of their senders allow.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use std::collections::BTreeMap;

use super::*;
use crate::base::state::Shared;
use crate::cluster::simulation::Rng;
use crate::cluster::simulation::mixing::Mixing;
use crate::run::message::RoundTasks;

const PROCESSES: usize = 64;
const THREADS: usize = 2;
/// Workers of each process: two on its first thread.
const WORKERS: usize = 3;

fn thread(worker: usize) -> usize {
    worker / WORKERS * THREADS + worker % WORKERS % THREADS
}

fn layout(process: usize) -> Layout {
    Layout {
        asked: PROCESSES * WORKERS,
        workers: PROCESSES * WORKERS,
        threads: PROCESSES * THREADS,
        here: process * THREADS..(process + 1) * THREADS,
        thread_of: Arc::new((0..PROCESSES * WORKERS).map(|worker| thread(worker) as u32).collect()),
        shard_at: Arc::default(),
        block_at: Vec::new(),
    }
}

/// A process: what its threads share, and their ends of the channels.
struct Process {
    values: ArrivedValues,
    sender: Sender,
    receivers: Vec<Receiver>,
}

/// Parcels on their way, in the order of each channel: from a process, to a thread, of values or of messages.
#[derive(Default)]
struct Wires {
    open: BTreeMap<(usize, usize, bool), VecDeque<Parcel>>,
    copies: BTreeMap<usize, u64>,
}

impl Wires {
    fn send(&mut self, from: usize, parcels: Vec<Parcel>) {
        for parcel in parcels {
            let (to, arriving) = (parcel.to, parcel.travelled());
            if !matches!(parcel.content, Content::Shared(..)) {
                self.open.entry((from, thread(to as usize), false)).or_default().push_back(arriving);
                continue;
            }
            let piece = arriving.into_piece().unwrap();
            *self.copies.entry(from).or_default() += u64::from(piece.part == 0);
            for thread in to as usize * THREADS..(to as usize + 1) * THREADS {
                let parcel = Parcel { to, content: Content::Piece(piece.clone()) };
                self.open.entry((from, thread, true)).or_default().push_back(parcel);
            }
        }
    }

    /// Returns the next parcel of any channel, with its thread, and `true` if it belongs to a value.
    fn next(&mut self, rng: &mut Rng) -> Option<(usize, bool, Parcel)> {
        let at = rng.below(self.open.len().max(1) as u64) as usize;
        let (&channel, waiting) = self.open.iter_mut().nth(at)?;
        let parcel = waiting.pop_front()?;
        if waiting.is_empty() {
            self.open.remove(&channel);
        }
        Some((channel.1, channel.2, parcel))
    }
}

/// Deliveries so far.
struct Delivered {
    /// The changes that each worker has committed, of those beyond the first process.
    committed: BTreeMap<u32, Vec<Vec<u64>>>,
    copies: BTreeMap<usize, u64>,
    processes: Vec<Process>,
    bytes_from_the_first: u64,
    held_back: u64,
}

/// Sends changes to all workers of other processes than the first, to each worker at its own moments, and
/// delivers them.
fn deliver(changes: &[Vec<u64>], seed: u64) -> Delivered {
    let mut rng = Rng::new(seed);
    let process = |process| {
        let layout = layout(process);
        let receivers = (0..THREADS).map(|_| Receiver::default()).collect();
        Process { values: ArrivedValues::new(&layout), sender: Sender::new(0, &layout, false), receivers }
    };
    let mut processes: Vec<Process> = (0..PROCESSES).map(process).collect();
    let (mut wires, mut committed, mut held_back) = (Wires::default(), BTreeMap::new(), 0);
    let workers = WORKERS as u32..(PROCESSES * WORKERS) as u32;
    let mut unsent: Vec<Vec<Shared<Vec<u64>>>> = workers.clone().map(|_| Vec::new()).collect();
    let mut changes = changes.iter();
    loop {
        // The hub sends on while earlier messages are on their way.
        if rng.one_in(200) || wires.open.is_empty() {
            let change = changes.next().cloned().map(Shared::new);
            let is_last = change.is_none();
            if is_last && unsent.iter().all(Vec::is_empty) && wires.open.is_empty() {
                break;
            }
            for (to, unsent) in workers.clone().zip(&mut unsent) {
                unsent.extend(change.clone());
                if !unsent.is_empty() && (is_last || rng.one_in(2)) {
                    let changes = std::mem::take(unsent);
                    let work = RoundTasks { epoch: 0, round: 0, phase: 0, tasks: Vec::new(), answering: 0 };
                    let message: Message<Mixing> = Message::Step { changes, forward: Vec::new(), work };
                    let (values, order) = processes[0].sender.pack(to, message);
                    wires.send(0, values);
                    wires.send(0, order);
                }
            }
        }
        let Some((thread, is_value, parcel)) = wires.next(&mut rng) else { continue };
        let Process { values, sender, receivers } = &mut processes[thread / THREADS];
        if is_value {
            let completed = values.put(parcel.into_piece().unwrap()).unwrap();
            if let Some((number, pieces)) = completed {
                wires.send(thread / THREADS, sender.hand_on(number, &pieces));
            }
        } else {
            receivers[thread % THREADS].put(parcel);
        }
        // As where the operator of the thread is scheduled, because something has come to it.
        let receiver = &mut receivers[thread % THREADS];
        while let Some((worker, message)) = receiver.next::<Mixing>(values).unwrap() {
            let Message::Step { changes, .. } = message else { panic!("only steps were sent") };
            let committed: &mut Vec<Vec<u64>> = committed.entry(worker).or_default();
            committed.extend(changes.iter().map(|change| (**change).clone()));
        }
        held_back += u64::from(receiver.is_waiting());
    }
    let bytes_from_the_first = processes[0].sender.traffic.bytes;
    Delivered { committed, copies: wires.copies, processes, bytes_from_the_first, held_back }
}

/// Makes changes of many lengths: within a message, separate from it, and in several pieces.
fn changes(count: u64) -> Vec<Vec<u64>> {
    let length = |number| if number == 3 { 150_000 } else { 1 + number * number % 60 };
    (0..count).map(|number| (0..length(number)).map(|at| number << 32 | at).collect()).collect()
}

#[test]
fn every_worker_of_64_processes_commits_the_same_changes_in_the_same_order_whatever_arrives_first() {
    let changes = changes(20);
    for seed in 0..3 {
        let delivered = deliver(&changes, seed);
        assert_eq!(delivered.committed.len(), (PROCESSES - 1) * WORKERS);
        for (worker, committed) in &delivered.committed {
            assert!(*committed == changes, "worker {worker} with seed {seed}");
        }
        assert!(delivered.held_back > 0, "no message overtook a value");
        assert!(delivered.processes.iter().all(|process| process.values.is_empty()), "with seed {seed}");
    }
}

#[test]
fn a_change_leaves_no_process_more_than_three_times() {
    let changes = changes(20);
    let delivered = deliver(&changes, 7);
    let apart = changes.iter().filter(|change| 8 * (change.len() + 1) > 128).count() as u64;
    assert!(apart > 10, "{apart}");
    assert!(delivered.copies.values().all(|&copies| copies <= 3 * apart), "{:?}", delivered.copies);
    assert_eq!(delivered.copies.values().sum::<u64>(), (PROCESSES as u64 - 1) * apart);
    let three_times = 3 * changes.iter().map(|change| 8 * change.len() as u64).sum::<u64>();
    let (bytes, messages) = (delivered.bytes_from_the_first, (PROCESSES * WORKERS) as u64);
    assert!(bytes < three_times + messages * 20 * 500, "{bytes} bytes");
}
