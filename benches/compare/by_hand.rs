//! The peer of the engine: the same loops, written on threads and channels.

use std::sync::Barrier;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use raddle::placement;

use crate::workload::{Turning, touch};

/// A task: its shard, its block, and the worker to which the block goes next.
type Stop = (usize, usize, usize);

/// A block in transit, with its number.
type Travelling = (usize, Vec<u8>);

/// Each worker's tasks of an epoch, in order, and the worker at which each block starts.
fn stops(turning: &Turning) -> (Vec<Vec<Stop>>, Vec<usize>) {
    let placement = placement::even(&vec![1; turning.shards as usize], turning.workers);
    let rounds = (0..turning.turns).flat_map(|_| turning.schedule().rounds(0)).flat_map(|round| round.tasks);
    let tasks: Vec<(usize, usize)> =
        rounds.filter_map(|task| Some((task.shard as usize, task.block? as usize))).collect();
    let mut next = vec![0; turning.blocks as usize];
    let mut stops = vec![Vec::new(); turning.workers];
    // Backwards, twice: an epoch's last stop leads to the first stop of the next epoch.
    for pass in 0..2 {
        for &(shard, block) in tasks.iter().rev() {
            let worker = placement[shard] as usize;
            let to = std::mem::replace(&mut next[block], worker);
            if pass == 1 {
                stops[worker].push((shard, block, to));
            }
        }
    }
    stops.iter_mut().for_each(|stops| stops.reverse());
    (stops, next)
}

/// Rotates on threads: each owns its shards, runs its tasks in order, and waits at a channel for the blocks
/// it lacks. Returns the seconds of each epoch, and the shards.
pub(crate) fn rotate(turning: &Turning) -> (Vec<f64>, Vec<u64>) {
    let (stops, starts) = stops(turning);
    let (senders, receivers): (Vec<Sender<Travelling>>, Vec<Receiver<Travelling>>) =
        stops.iter().map(|_| channel()).unzip();
    for (block, start) in turning.fresh_blocks().into_iter().enumerate().zip(starts) {
        senders[start].send(block).expect("the receiver is below");
    }
    let barrier = Barrier::new(stops.len());
    std::thread::scope(|scope| {
        let start = |((worker, stops), arrivals)| {
            let (senders, barrier) = (senders.clone(), &barrier);
            scope.spawn(move || Thread { worker, stops, senders, arrivals, barrier }.work(turning))
        };
        let threads: Vec<_> = stops.iter().map(Vec::as_slice).enumerate().zip(receivers).map(start).collect();
        let ended = threads.into_iter().map(|thread| thread.join().expect("a thread ends"));
        // A thread leaves the shards of others at zero.
        ended
            .reduce(|(epochs, mut all), (_, some)| {
                all.iter_mut().zip(some).for_each(|(all, some)| *all += some);
                (epochs, all)
            })
            .expect("there is a thread")
    })
}

struct Thread<'a> {
    worker: usize,
    stops: &'a [Stop],
    senders: Vec<Sender<Travelling>>,
    arrivals: Receiver<Travelling>,
    barrier: &'a Barrier,
}

impl Thread<'_> {
    fn work(self, turning: &Turning) -> (Vec<f64>, Vec<u64>) {
        let mut shards = vec![0; turning.shards as usize];
        let mut here: Vec<Option<Vec<u8>>> = vec![None; turning.blocks as usize];
        let mut epochs = Vec::new();
        self.barrier.wait();
        for _ in 0..turning.epochs {
            let started = Instant::now();
            for &(shard, block, to) in self.stops {
                let mut state = loop {
                    if let Some(state) = here[block].take() {
                        break state;
                    }
                    let (number, state) = self.arrivals.recv().expect("a block is on its way");
                    here[number] = Some(state);
                };
                touch(&mut shards[shard], &mut state, turning.work);
                if to == self.worker {
                    here[block] = Some(state);
                } else {
                    // Only after the last epoch has the receiver ended.
                    let _ = self.senders[to].send((block, state));
                }
            }
            self.barrier.wait();
            epochs.push(started.elapsed().as_secs_f64());
        }
        (epochs, shards)
    }
}

/// Empty rounds on threads: the first asks the others, does its part, and waits for their answers. Returns
/// the seconds of each epoch.
pub(crate) fn empty_rounds(workers: usize, rounds: u32, epochs: u64) -> Vec<f64> {
    std::thread::scope(|scope| {
        let (answer, answers) = channel();
        let others: Vec<Sender<u32>> = (1..workers)
            .map(|_| {
                let ((order, orders), answer) = (channel::<u32>(), answer.clone());
                scope.spawn(move || orders.into_iter().try_for_each(|round| answer.send(round)));
                order
            })
            .collect();
        let epoch = |_| {
            let started = Instant::now();
            for round in 0..rounds {
                others.iter().for_each(|other| other.send(round).expect("the other thread listens"));
                others.iter().for_each(|_| assert_eq!(answers.recv(), Ok(round)));
            }
            started.elapsed().as_secs_f64()
        };
        (0..epochs).map(epoch).collect()
    })
}
