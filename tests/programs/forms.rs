//! A program of which every part has two forms, and any of them may be confused: then it crosses to another
//! process in the form of a checkpoint, or is kept in a checkpoint as if nothing were made anew.

use raddle::schedule::{EpochStart, Plan, Round};
use raddle::state::{Learned, Reader, State, StateError, Writer};
use raddle::{
    Aggregate, Conclude, Evaluate, Metric, Parts, Program, RestoreByShard, Restoring, Schedule, TaskOf,
    Update, Verdict,
};

/// Form that is confused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Confused {
    Nothing,
    Shard,
    Pinned,
    Replica,
    /// The schedule is handed over as if shards were made again.
    Schedule,
    /// A checkpoint says that shards are set up which are not.
    KeptSchedule,
    /// A checkpoint leaves out a value that is not made again.
    KeptPinned,
    /// A shard is restored by reading its learned state as if it had learned nothing since.
    Kept,
}

/// Numbers that are learned, and one that is made of data. Its bytes leave that out where they are confused.
#[derive(Debug, Clone)]
pub(crate) struct Two {
    learned: u64,
    made: u64,
    is_confused: bool,
}

impl State for Two {
    fn save(&self, out: &mut Writer) {
        out.write(&(self.learned, self.is_confused));
        if !self.is_confused {
            out.write(&self.made);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, StateError> {
        let (learned, is_confused) = from.read()?;
        let made = if is_confused { 0 } else { from.read()? };
        Ok(Self { learned, made, is_confused })
    }
}

pub(crate) struct Forms(Confused);

/// Every shard sets itself up from its number, once; then all add their numbers up.
const SET_UP: u8 = 0;
const ADD: u8 = 1;

impl Program for Forms {
    raddle::program!(Shard = Two, Pinned = Two, Replica = Two, Partial = u64, Phase = u8; update, restore_by_shard);

    fn aggregate(&self, at: Aggregate<'_, Self>) -> u64 {
        let Aggregate { round, pinned, partials } = at;
        if round.phase == SET_UP {
            return 0;
        }
        let sum: u64 = partials.sum();
        pinned.learned += sum + pinned.made;
        pinned.learned
    }

    fn commit(&self, change: &u64, replica: &mut Two) {
        if *change > 0 {
            replica.learned += change % 1000 + replica.made;
        }
    }

    fn evaluate(&self, _: Evaluate<'_, Self>) -> u64 {
        0
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<u64> {
        Verdict::new(Metric::new("sum", at.replica.learned as f64, "all shards"))
    }

    fn save_state(&self, shard: &Two, out: &mut Learned<Writer>) {
        out.write(&shard.learned);
    }

    fn load_state(&self, shard: &mut Two, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        let learned: u64 = from.read()?;
        shard.learned = if self.0 == Confused::Kept { learned.max(shard.learned) } else { learned };
        Ok(())
    }

    fn save_pinned(&self, pinned: &Two, out: &mut Learned<Writer>) {
        out.write(&pinned.learned);
    }

    fn load_pinned(&self, pinned: &mut Two, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        (pinned.learned, pinned.made) = (from.read()?, 0);
        Ok(())
    }
}

impl RestoreByShard for Forms {
    type Question = ();
    type Answer = ();

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<()>, StateError> {
        if self.0 != Confused::KeptPinned {
            run.pinned.made = u64::from(run.boundary.shards);
        }
        Ok(None)
    }

    fn answer(&self, (): &(), _: u32, _: &mut Two, _: &Two) -> Result<(), StateError> {
        Ok(())
    }
}

impl Update for Forms {
    fn update(&self, at: TaskOf<'_, Self>) -> u64 {
        let TaskOf { task, shard, replica } = at;
        if task.phase == SET_UP {
            // Twice would be too much.
            shard.made += u64::from(task.shard) + 1;
            return 0;
        }
        shard.learned += shard.made;
        shard.learned + replica.learned % 10
    }
}

/// A schedule that sets the shards up, if they have been made again, and then gives each one a task.
pub(crate) struct InTurn {
    shards: u32,
    is_set_up: bool,
    confused: Confused,
}

impl Schedule<u8> for InTurn {
    fn identity(&self) -> String {
        format!("{} shards in turn", self.shards)
    }

    fn begin_epoch(&mut self, _: &EpochStart) -> Plan<u8> {
        let set_up = (!std::mem::replace(&mut self.is_set_up, true)).then_some(SET_UP);
        let round = |phase| Round::to_shards(phase, 0..self.shards);
        Plan::Known(set_up.into_iter().chain([ADD]).map(round).collect())
    }

    fn save(&self, out: &mut Writer) {
        out.write(&(self.is_set_up && self.confused != Confused::Schedule));
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.is_set_up = from.read()?;
        Ok(())
    }

    fn save_state(&self, out: &mut Learned<Writer>) {
        out.write(&(self.is_set_up && self.confused == Confused::KeptSchedule));
    }

    fn load_state(&mut self, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        self.is_set_up = from.read()?;
        Ok(())
    }
}

/// A run of a few shards in which something is confused.
pub(crate) fn engine(confused: Confused) -> raddle::Engine<Forms> {
    let shards = 4;
    let two = |learned, made, of| Two { learned, made, is_confused: confused == of };
    let parts = Parts {
        shards: (0..shards).map(|number| two(u64::from(number), 0, Confused::Shard)).collect(),
        blocks: Vec::new(),
        pinned: two(0, u64::from(shards), Confused::Pinned),
        replica: two(0, 7, Confused::Replica),
    };
    let schedule = InTurn { shards, is_set_up: false, confused };
    raddle::Engine::new(Forms(confused), schedule, parts).epochs(5)
}
