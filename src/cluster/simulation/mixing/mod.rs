//! A program without mathematics that uses every feature: each verb mixes all values that it may see into all
//! that it may change, by a hash that does not commute. One commit too early, one partial out of order, one
//! block too many, and all bytes differ. Its schedule draws rounds at random from a hash of all that it has
//! learned.
//!
//! Shards, pinned block and schedule have two forms. A checkpoint leaves out the data of the shards, their
//! hash in the pinned block, and the schedule's flag that the data have been dealt: where shards are made
//! anew the data must be dealt again, and where they are not it would do harm.

mod schedule;

use self::schedule::Wanderer;
use super::raddle::random::splitmix64;
use super::raddle::schedule::Dependencies;
use super::raddle::state::{Learned, Reader, State, StateError, Writer, to_bytes};
use super::raddle::{
    Aggregate, BlockTaskOf, Conclude, Evaluate, Fold, Metric, Partials, Parts, Program, Relate,
    RestoreByShard, Restoring, Task, TaskOf, Update, UpdateBlock, Verdict, Visibility,
};

pub(crate) struct Mixing {
    pub(crate) visibility: Visibility,
    /// `true` if there is an objective; it worsens now and then.
    pub(crate) objective: bool,
}

pub(crate) struct Memory {
    /// The shard's data, which a checkpoint leaves out.
    data: u64,
    /// Value made of the data in the round that deals them; 0 before.
    dealt: u64,
    learned: Vec<u64>,
}

super::raddle::state!(Memory { data, dealt, learned });

pub(crate) struct Pinned {
    seen: u64,
    /// Hash of all shards' data, which a checkpoint leaves out.
    data: u64,
}

super::raddle::state!(Pinned { seen, data });

/// Each epoch begins with a round to all shards that only deals out the data, or does nothing.
const DEAL: u32 = u32::MAX;
const KEEP: u32 = u32::MAX - 1;

fn is_roll_call(phase: u32) -> bool {
    phase >= KEEP
}

fn mix(value: u64, with: u64) -> u64 {
    splitmix64(value.wrapping_mul(3) ^ splitmix64(with))
}

fn mix_all(value: u64, with: impl IntoIterator<Item = u64>) -> u64 {
    with.into_iter().fold(value, mix)
}

/// A change, of a few words or of many: short values cross in another way than long ones do.
fn change_of(seen: u64) -> Vec<u64> {
    std::iter::successors(Some(seen), |&word| Some(splitmix64(word))).take(1 + (seen % 40) as usize).collect()
}

/// A digest of any value's bytes.
fn digest<T: State>(value: &T) -> u64 {
    mix_all(0, to_bytes(value).into_iter().map(u64::from))
}

impl Memory {
    /// Mixes a value, with one of its own, into the learned state.
    fn learn(&mut self, own: u64, what: u64) -> u64 {
        let seen = mix_all(mix(own, what), self.learned.iter().copied());
        for value in &mut self.learned {
            *value = mix(*value, seen);
        }
        seen
    }
}

impl Program for Mixing {
    super::raddle::program!(
        Shard = Memory, Block = Vec<u64>, Pinned = Pinned, Replica = u64, Partial = u64,
        Change = Vec<u64>, Phase = u32;
        update, update_block, relate, fold, restore_by_shard
    );

    fn visibility(&self) -> Visibility {
        self.visibility
    }

    /// The round's phase depends on the whole pinned block at that time.
    fn prepare(&self, phase: &mut u32, pinned: &Pinned) {
        if !is_roll_call(*phase) {
            *phase = mix((*phase).into(), mix(pinned.seen, pinned.data)) as u32 >> 1;
        }
    }

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Vec<u64> {
        let Aggregate { round, pinned, partials } = at;
        if is_roll_call(round.phase) {
            return Vec::new();
        }
        pinned.seen = mix_all(pinned.seen, [pinned.data, digest(round), digest(&partials.into_pairs())]);
        change_of(pinned.seen)
    }

    fn commit(&self, change: &Vec<u64>, replica: &mut u64) {
        *replica = mix_all(*replica, change.iter().copied());
    }

    fn commit_shard(&self, change: &Vec<u64>, number: u32, shard: &mut Memory) {
        for &word in change {
            shard.learned[0] = mix_all(shard.learned[0], [word, number.into()]);
        }
    }

    fn deltas(&self, change: &Vec<u64>, tell: &mut dyn FnMut(u32, f64)) {
        for &word in change.iter().take(1) {
            tell((word % 100) as u32, (word >> 40) as f64);
        }
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> u64 {
        let Evaluate { boundary, number, shard, replica } = at;
        shard.learn(shard.data, mix_all(number.into(), [*replica, boundary.epoch, boundary.shards.into()]))
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Vec<u64>> {
        let Conclude { boundary, pinned, replica, partials: shares } = at;
        let all =
            [pinned.data, boundary.epoch, boundary.shards.into(), *replica, digest(&shares.into_pairs())];
        pinned.seen = mix_all(pinned.seen, all);
        let seen = pinned.seen;
        let metric = Metric::new("none", (seen >> 40) as f64, "nothing");
        Verdict {
            objective: self.objective.then_some(2.0 * (seen % 3) as f64 - boundary.epoch as f64),
            weights: (0..5).map(|variable| (variable, (mix(seen, variable.into()) >> 50) as f64)).collect(),
            batch_hint: (seen % 7) as usize,
            change: seen.is_multiple_of(2).then(|| change_of(seen)),
            ..Verdict::new(metric)
        }
    }

    fn save_state(&self, shard: &Memory, out: &mut Learned<Writer>) {
        out.write(&shard.learned);
    }

    fn load_state(&self, shard: &mut Memory, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        shard.learned = from.read()?;
        Ok(())
    }

    fn save_pinned(&self, pinned: &Pinned, out: &mut Learned<Writer>) {
        out.write(&pinned.seen);
    }

    fn load_pinned(&self, pinned: &mut Pinned, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        *pinned = Pinned { seen: from.read()?, data: 0 };
        Ok(())
    }
}

/// In two questions, so that answers and questions cross both ways.
impl RestoreByShard for Mixing {
    type Question = u64;
    type Answer = u64;

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<u64>, StateError> {
        let mut blocks = run.blocks.into_iter().map(|(_, echo)| echo);
        match run.question {
            None => Ok(Some(0)),
            Some(0) => {
                run.pinned.data = mix_all(0, run.shards);
                Ok(Some(run.pinned.data))
            }
            Some(data) if run.shards.iter().all(|&echo| echo == data) && blocks.all(|echo| echo == data) => {
                Ok(None)
            }
            Some(_) => Err(StateError::new("an echo of the data")),
        }
    }

    fn answer(&self, question: &u64, _: u32, shard: &mut Memory, _: &u64) -> Result<u64, StateError> {
        Ok(if *question == 0 { shard.data } else { *question })
    }

    fn answer_of_block(
        &self,
        question: &u64,
        _: u32,
        _: &mut Vec<u64>,
        _: &u64,
    ) -> Result<Option<u64>, StateError> {
        Ok((*question != 0).then_some(*question))
    }
}

fn all_data(shards: &[Memory]) -> u64 {
    mix_all(0, shards.iter().map(|shard| shard.data))
}

impl Update for Mixing {
    fn update(&self, at: TaskOf<'_, Self>) -> u64 {
        let TaskOf { task, shard, replica } = at;
        if is_roll_call(task.phase) {
            // A rollback may take the schedule back to before the data were dealt, while shards stay as they
            // are: then a second deal must change nothing.
            if task.phase == DEAL && !(self.objective && shard.dealt != 0) {
                shard.dealt = mix(shard.dealt, shard.data);
            }
            return 0;
        }
        shard.learn(shard.dealt, mix(digest(task), *replica))
    }
}

impl UpdateBlock for Mixing {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) -> u64 {
        let BlockTaskOf { task, shard, block, replica, .. } = at;
        let seen = shard.learn(shard.dealt, mix_all(mix(digest(task), *replica), block.iter().copied()));
        block.iter_mut().for_each(|value| *value = mix(*value, seen));
        seen
    }
}

impl Relate for Mixing {
    fn gather(&self, task: &Task<u32>, shard: &Memory) -> u64 {
        mix_all(mix(digest(task), shard.dealt), shard.learned.iter().copied())
    }

    fn relate(&self, phase: &u32, candidates: &[u32], pieces: Partials<u64>) -> Dependencies {
        let seen = mix(digest(&pieces.into_pairs()), (*phase).into());
        let mut dependencies = Dependencies::none(candidates.len());
        for (j, &candidate) in candidates.iter().enumerate().skip(1) {
            dependencies.set(0, j, (mix(seen, candidate.into()) % 100) as f32);
        }
        dependencies
    }
}

impl Fold for Mixing {
    fn fold(&self, so_far: &mut u64, next: u64) {
        *so_far = mix(*so_far, next);
    }
}

pub(crate) struct Problem {
    pub(crate) shards: u32,
    pub(crate) blocks: u32,
    pub(crate) seed: u64,
    pub(crate) visibility: Visibility,
    pub(crate) objective: bool,
}

impl Problem {
    pub(crate) fn parts(&self) -> (Mixing, Parts<Mixing>) {
        let shard =
            |number: u32| Memory { data: mix(self.seed, number.into()), dealt: 0, learned: vec![1; 3] };
        let shards: Vec<Memory> = (0..self.shards).map(shard).collect();
        let parts = Parts {
            // Blocks of many lengths, one of them empty.
            blocks: (0..self.blocks).map(|block| vec![block.into(); block as usize]).collect(),
            pinned: Pinned { seen: self.seed, data: all_data(&shards) },
            shards,
            replica: self.seed,
        };
        (Mixing { visibility: self.visibility, objective: self.objective }, parts)
    }

    pub(crate) fn schedule(&self) -> Wanderer {
        Wanderer::new(self.shards, self.blocks, self.seed)
    }
}
