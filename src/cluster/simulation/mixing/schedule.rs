//! [`Wanderer`]: the schedule of the program, which draws its rounds at random.

use super::super::raddle::random::Stream;
use super::super::raddle::schedule::{
    Assignment, Candidates, Dependencies, EpochStart, Next, Plan, Round, Schedule,
};
use super::super::raddle::state::{Learned, Reader, StateError, Writer};
use super::{DEAL, KEEP, digest, is_roll_call, mix, mix_all};

/// Schedule of rounds of a few tasks on shards and blocks drawn at random, some of them after relating
/// candidates; now and then a whole epoch known in advance.
pub(crate) struct Wanderer {
    shards: u32,
    blocks: u32,
    parallelism: usize,
    /// Hash of all that it has learned.
    memory: u64,
    epoch: u64,
    round: u64,
    /// `true` once the shards have been dealt their data, and once this epoch's first round is issued.
    is_set_up: bool,
    is_called: bool,
}

const ROUNDS: u64 = 70;

impl Wanderer {
    pub(super) fn new(shards: u32, blocks: u32, memory: u64) -> Self {
        let (is_set_up, is_called) = (false, false);
        Self { shards, blocks, parallelism: 4, memory, epoch: 0, round: 0, is_set_up, is_called }
    }

    fn stream(&self) -> Stream {
        Stream::new(&[self.memory, self.epoch, self.round])
    }

    fn call(&mut self) -> Round<u32> {
        self.is_called = true;
        let phase = if std::mem::replace(&mut self.is_set_up, true) { KEEP } else { DEAL };
        Round::to_shards(phase, 0..self.shards)
    }

    fn draw(&self) -> Round<u32> {
        let mut stream = self.stream();
        let mut shards: Vec<u32> = (0..self.shards).collect();
        let mut blocks: Vec<u32> = (0..self.blocks).collect();
        stream.shuffle(&mut shards);
        stream.shuffle(&mut blocks);
        shards.truncate(1 + stream.below(self.parallelism));
        let tasks = shards.into_iter().map(|shard| {
            let block = if stream.below(3) > 0 { blocks.pop() } else { None };
            let variables = (0..stream.below(3)).map(|_| stream.below(100) as u32).collect();
            Assignment { shard, block, variables }
        });
        let tasks = tasks.collect();
        Round::new(stream.below(2) as u32, tasks)
    }
}

impl Schedule<u32> for Wanderer {
    fn identity(&self) -> String {
        "a wanderer".into()
    }
    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<u32> {
        self.memory = mix(self.memory, digest(start));
        (self.epoch, self.is_called) = (start.epoch, false);
        if !self.memory.is_multiple_of(3) {
            self.round = 0;
            return Plan::Stepwise;
        }
        let mut rounds = vec![self.call()];
        rounds.extend((0..ROUNDS).map(|round| {
            self.round = round;
            self.draw()
        }));
        Plan::Known(rounds)
    }

    fn next_round(&mut self) -> Next<u32> {
        if !self.is_called {
            return Next::Round(self.call());
        }
        if self.round == ROUNDS {
            return Next::EndOfEpoch;
        }
        self.round += 1;
        let mut stream = self.stream();
        match stream.below(8) {
            0 => return Next::Drain,
            1 | 2 if self.shards > 0 => {}
            _ => return Next::Round(self.draw()),
        }
        let mut shards: Vec<u32> = (0..self.shards).collect();
        stream.shuffle(&mut shards);
        let owners: Vec<_> = shards.into_iter().take(2).zip([vec![0], vec![1, 2]]).collect();
        Next::Relate(Candidates { phase: stream.below(2) as u32, variables: vec![7, 8, 9], owners })
    }

    fn decide(&mut self, dependencies: &Dependencies) -> Next<u32> {
        let strengths = [dependencies.between(0, 1), dependencies.between(0, 2)];
        self.memory = mix_all(self.memory, strengths.map(|strength| strength.to_bits().into()));
        Next::Round(self.draw())
    }

    fn learn(&mut self, round: &Round<u32>, deltas: &[(u32, f64)]) {
        if is_roll_call(round.phase) {
            return;
        }
        self.memory = mix_all(self.memory, [digest(round), digest(&deltas.to_vec())]);
    }

    fn reduce_parallelism(&mut self) {
        self.parallelism = (self.parallelism / 2).max(1);
    }

    fn save(&self, out: &mut Writer) {
        out.write(&(self.memory, self.parallelism, self.is_set_up));
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        (self.memory, self.parallelism, self.is_set_up) = from.read()?;
        Ok(())
    }

    fn save_state(&self, out: &mut Learned<Writer>) {
        out.write(&(self.memory, self.parallelism));
    }

    fn load_state(&mut self, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        (self.memory, self.parallelism) = from.read()?;
        self.is_set_up = false;
        Ok(())
    }
}
