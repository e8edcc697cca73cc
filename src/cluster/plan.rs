//! [`GenerationPlan`]: a generation as the coordinator announces it: its participants, and the places of
//! workers, shards and blocks.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cluster::placing::{Workers, place_by_speed};
use crate::run::placement::{Layout, even};
use crate::run::record::GenerationMember;

/// A process of a generation, and the address at which peers reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Participant {
    pub(crate) id: u32,
    pub(crate) address: String,
    /// Number of workers that it is there for, at least 1. Where the run has another number in all, each
    /// process has its share of them.
    pub(crate) capacity: u32,
}

crate::state!(Participant { id, address, capacity });

/// The processes and the placement of a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GenerationPlan {
    /// Number of the generation, from 1.
    pub(crate) number: u64,
    /// The participants of the generation before, its first one first: they hand over what this generation
    /// places elsewhere.
    pub(crate) previous: Vec<Participant>,
    /// The processes that run this generation; the hub is on the first.
    pub(crate) participants: Vec<Participant>,
    /// Number of workers that were asked for.
    pub(crate) asked: u64,
    /// Number of threads of each process: timely needs equal numbers.
    pub(crate) threads: u32,
    /// The process of each worker (an index of `participants`), and its thread there.
    pub(crate) process_of: Vec<u32>,
    pub(crate) thread_of: Vec<u32>,
    /// The worker of each shard, and the worker of each block.
    pub(crate) shard_at: Vec<u32>,
    pub(crate) block_at: Vec<u32>,
    /// `true` for the end of a run: nothing runs any more. Everything goes to the only participant, or each
    /// keeps the shards that are pinned to it.
    pub(crate) last: bool,
    /// `true` if shards are pinned to the parties that make them.
    pub(crate) is_pinned: bool,
    /// `true` if shards move to faster workers.
    pub(crate) balance: bool,
}

crate::state!(GenerationPlan {
    number,
    previous,
    participants,
    asked,
    threads,
    process_of,
    thread_of,
    shard_at,
    block_at,
    last,
    is_pinned,
    balance,
});

/// A generation of a run on several processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedGeneration {
    /// Number of the generation, from 1, over all attempts.
    pub number: u64,
    /// Epochs completed when it started; `None` while it runs, in the status of the run.
    pub epoch: Option<u64>,
    /// `true` if it ended at a boundary: only then is known what its processes sent.
    pub has_ended: bool,
    /// Processes of the generation.
    pub members: Vec<GenerationMember>,
}

/// The generation before, and the blocks' places when it ended.
pub(crate) struct Before<'a> {
    pub(crate) plan: &'a GenerationPlan,
    /// The worker of each block, as the hub reports it.
    pub(crate) block_at: &'a [u32],
}

impl GenerationPlan {
    /// The plan of a generation that runs. Shards are placed by counted cost in contiguous ranges, in
    /// proportion to the workers' speeds. Blocks stay in their process where that runs on; the others are
    /// spread evenly.
    pub(crate) fn new(
        number: u64,
        participants: Vec<Participant>,
        (asked, cores): (u64, u32),
        costs: &[u64],
        blocks: u32,
        speeds: Option<&[f64]>,
        before: Option<&Before<'_>>,
    ) -> Self {
        let workers = asked.min(costs.len().max(1) as u64) as u32;
        let Workers { threads, process_of, thread_of } = Workers::of(&shares(workers, &participants), cores);
        let shard_at = match speeds.filter(|speeds| speeds.len() == workers as usize) {
            Some(speeds) => place_by_speed(costs, speeds),
            None if workers as usize == costs.len() => (0..workers).collect(),
            None => even(costs, workers as usize),
        };
        let mut block_at = even(&vec![1; blocks as usize], workers as usize);
        let previous = before.map_or(Vec::new(), |before| before.plan.participants.clone());
        if let Some(before) = before {
            for (block, at) in block_at.iter_mut().enumerate() {
                let worker = before.block_at[block];
                let participant = &previous[before.plan.process_of[worker as usize] as usize];
                if let Some(process) = participants.iter().position(|other| other.id == participant.id) {
                    let stays = |&other: &u32| process_of[other as usize] == process as u32;
                    let kept = Some(worker).filter(|&same| same < workers && stays(&same));
                    *at = kept.or_else(|| (0..workers).find(stays)).unwrap_or(*at);
                }
            }
        }
        Self {
            number,
            previous,
            participants,
            asked,
            threads,
            process_of,
            thread_of,
            shard_at,
            block_at,
            last: false,
            is_pinned: false,
            balance: false,
        }
    }

    /// The plan of a run of parties, each of which makes as many shards, in the order of their numbers from
    /// 1. Shards of a party that is absent are empty, and with the first process.
    pub(crate) fn of_parties(
        number: u64,
        participants: Vec<Participant>,
        cores: u32,
        parties: u32,
        shards: u32,
        previous: &[Participant],
    ) -> Self {
        let each = (shards / parties.max(1)).max(1);
        let shares: Vec<u32> = participants.iter().map(|party| party.capacity.clamp(1, each)).collect();
        let Workers { threads, process_of, thread_of } = Workers::of(&shares, cores);
        let place = |shard: u32| {
            let is_of = |party: &Participant| party.id == shard / each + 1;
            let Some(process) = participants.iter().position(is_of) else { return 0 };
            shares[..process].iter().sum::<u32>() + shard % each * shares[process] / each
        };
        Self {
            number,
            previous: previous.to_vec(),
            asked: process_of.len() as u64,
            threads,
            shard_at: (0..shards).map(place).collect(),
            block_at: Vec::new(),
            participants,
            process_of,
            thread_of,
            last: false,
            is_pinned: true,
            balance: false,
        }
    }

    /// The plan of a run's end: everything goes to the first process, or shards stay where they are.
    pub(crate) fn end(number: u64, before: &Self) -> Self {
        if before.is_pinned {
            let previous = before.participants.clone();
            return Self { number, previous, last: true, balance: false, ..before.clone() };
        }
        let (shards, blocks) = (before.shard_at.len(), before.block_at.len());
        Self {
            number,
            previous: before.participants.clone(),
            participants: before.participants[..1].to_vec(),
            asked: before.asked,
            threads: 1,
            process_of: vec![0],
            thread_of: vec![0],
            shard_at: vec![0; shards],
            block_at: vec![0; blocks],
            last: true,
            is_pinned: false,
            balance: false,
        }
    }

    /// Index of a process among the participants.
    pub(crate) fn index_of(&self, id: u32) -> Option<usize> {
        self.participants.iter().position(|participant| participant.id == id)
    }

    /// `true` for a participant of the generation before.
    pub(crate) fn was_participant(&self, id: u32) -> bool {
        self.previous.iter().any(|participant| participant.id == id)
    }

    /// `true` if two processes need a connection: they run the generation together, or one hands over to the
    /// other.
    pub(crate) fn links(&self, one: u32, other: u32) -> bool {
        let (runs, hands_over) = (|id| self.index_of(id).is_some(), |id| self.was_participant(id));
        let run = runs(one) && runs(other) && !self.last;
        one != other && (run || hands_over(one) && runs(other) || runs(one) && hands_over(other))
    }

    /// The participants of this generation and of the one before, each once.
    pub(crate) fn everyone(&self) -> Vec<&Participant> {
        let leaving = self.previous.iter().filter(|participant| self.index_of(participant.id).is_none());
        self.participants.iter().chain(leaving).collect()
    }

    /// Returns the processes of the generation, the first one first, with nothing sent yet.
    pub(crate) fn members(&self) -> Vec<GenerationMember> {
        let count =
            |all: &mut dyn Iterator<Item = u32>, process: u32| all.filter(|&at| at == process).count();
        let member = |(process, participant): (u32, &Participant)| GenerationMember {
            process: participant.id,
            workers: count(&mut self.process_of.iter().copied(), process),
            shards: count(&mut (0..self.shard_at.len() as u32).map(|of| self.shard_process(of)), process),
            blocks: count(&mut (0..self.block_at.len() as u32).map(|of| self.block_process(of)), process),
            ..GenerationMember::default()
        };
        (0..).zip(&self.participants).map(member).collect()
    }

    /// Index of the participant that is to hold a shard.
    pub(crate) fn shard_process(&self, shard: u32) -> u32 {
        self.process_of[self.shard_at[shard as usize] as usize]
    }

    /// Index of the participant that is to hold a block.
    pub(crate) fn block_process(&self, block: u32) -> u32 {
        self.process_of[self.block_at[block as usize] as usize]
    }

    /// `true` if all lengths and indices are consistent with so many shards and blocks.
    pub(crate) fn is_sound(&self, shards: usize, blocks: usize) -> bool {
        let workers = self.process_of.len() as u32;
        let below = |values: &[u32], end: u32| values.iter().all(|&value| value < end);
        self.shard_at.len() == shards
            && self.block_at.len() == blocks
            && !self.participants.is_empty()
            && workers > 0
            && self.thread_of.len() == workers as usize
            && self.threads > 0
            && self.asked > 0
            && self.process_of.first() == Some(&0)
            && self.thread_of.first() == Some(&0)
            && self.process_of.is_sorted()
            && below(&self.process_of, self.participants.len() as u32)
            && below(&self.thread_of, self.threads)
            && below(&self.shard_at, workers)
            && below(&self.block_at, workers)
    }

    /// The layout of threads and placement as the participant of this index uses it.
    pub(crate) fn layout(&self, participant: usize) -> Layout {
        let threads = self.threads as usize;
        let thread = |(&process, &thread): (&u32, &u32)| process * self.threads + thread;
        let here: Range<usize> = participant * threads..(participant + 1) * threads;
        Layout {
            asked: usize::try_from(self.asked).unwrap_or(usize::MAX),
            workers: self.process_of.len(),
            threads: threads * self.participants.len(),
            here,
            thread_of: Arc::new(self.process_of.iter().zip(&self.thread_of).map(thread).collect()),
            shard_at: Arc::new(self.shard_at.clone()),
            block_at: self.block_at.clone(),
        }
    }
}

/// The workers of each process in proportion to its capacity, by largest remainders: of equal ones the first.
/// The first process has one at least, as the hub is there.
fn shares(workers: u32, participants: &[Participant]) -> Vec<u32> {
    let all: u64 = participants.iter().map(|participant| u64::from(participant.capacity)).sum();
    let parts = participants.iter().map(|participant| u64::from(workers) * u64::from(participant.capacity));
    let (mut shares, rests): (Vec<u32>, Vec<u64>) =
        parts.map(|part| ((part / all.max(1)) as u32, part % all.max(1))).unzip();
    let mut order: Vec<usize> = (0..rests.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(rests[at]));
    let left = workers.saturating_sub(shares.iter().sum());
    order.into_iter().cycle().take(left as usize).for_each(|at| shares[at] += 1);
    if shares.first() == Some(&0)
        && let Some(most) = (0..shares.len()).rev().max_by_key(|&at| shares[at])
    {
        (shares[0], shares[most]) = (1, shares[most] - 1);
    }
    shares
}

#[cfg(test)]
mod tests;
