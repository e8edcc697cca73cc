//! How do I write my own schedule? A state machine that is asked for rounds and learns their deltas.
//!
//! `cargo run --example own_schedule`

use halving::Halving;
use raddle::schedule::{EpochStart, Next, Plan, Round, Schedule};
use raddle::state::{Reader, StateError, Writer};

/// Asks the shard that moved most, and now and then the next one in turn.
struct Greedy {
    last_move: Vec<f64>,
    round: usize,
}

impl Schedule for Greedy {
    /// A checkpoint of a run under another schedule is refused.
    fn identity(&self) -> String {
        format!("greedy over {} shards", self.last_move.len())
    }

    fn begin_epoch(&mut self, _: &EpochStart) -> Plan {
        self.round = 0;
        Plan::Stepwise
    }

    fn next_round(&mut self) -> Next {
        if self.round == 6 {
            return Next::EndOfEpoch;
        }
        self.round += 1;
        let moved = self.last_move.iter().copied().enumerate();
        let most = moved.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(shard, _)| shard);
        let shard = if self.round.is_multiple_of(3) { self.round % self.last_move.len() } else { most };
        Next::Round(Round::to_shards((), [shard as u32]))
    }

    fn learn(&mut self, _: &Round, deltas: &[(u32, f64)]) {
        for &(shard, distance) in deltas {
            self.last_move[shard as usize] = distance;
        }
    }

    /// The state at a boundary, so that a rescaled or resumed run goes on as if nothing had happened.
    fn save(&self, out: &mut Writer) {
        out.write(&self.last_move);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.last_move = from.read()?;
        Ok(())
    }
}

fn main() -> Result<(), raddle::EngineError> {
    let run = || {
        let schedule = Greedy { last_move: vec![f64::INFINITY; 4], round: 0 };
        let parts = raddle::Parts::new(vec![1.0, 50.0, 3.0, 8.0], ());
        raddle::Engine::new(Halving, schedule, parts)
    };
    let tell = |record: &raddle::EpochRecord| println!("after epoch {}: {:.4}", record.epoch, record.value());
    let outcome = run().workers(2).observe(tell).run()?;
    println!("left over: {:?}", outcome.parts.shards);
    // A schedule that forgot to save something would be found.
    raddle::replay::check(run)
}
