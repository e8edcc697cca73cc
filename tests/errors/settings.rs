//! Settings that make no sense, and schedules that do not suit a run, are refused before anything runs.

use raddle::schedule::{
    Automatic, Cyclic, EachShard, Priority, PrioritySettings, Rotation, Schedule, Shuffled, Variables,
};
use raddle::{Engine, EngineError, Parts, Visibility};

use super::{Sums, cyclic, engine, parts, sums, variables};

fn refusal(engine: Engine<Sums>) -> String {
    match engine.run() {
        Err(EngineError::Setting(why)) => why,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it ran"),
    }
}

#[test]
fn settings_that_make_no_sense_are_refused_before_anything_runs() {
    let run = || engine("", cyclic());
    let unnamed = Engine::new(sums("", 0, Visibility::EachRound), cyclic(), parts(""));
    for (engine, expected) in [
        (run().workers(0), "a run needs at least 1 worker"),
        (run().threads(0), "a run needs at least 1 thread"),
        (run().rescale(&[(1, 2), (3, 0)]), "a run needs at least 1 worker"),
        (run().checkpoint(0, "nowhere"), "a checkpoint every 0 epochs makes no sense: give 1 or more"),
        (run().costs(vec![1; 2]), "2 costs are given for 3 shards: give one for each"),
        (run().time_limit(f64::NAN), "a time limit of NaN seconds makes no sense: give 0 or more"),
        (run().time_limit(-1.0), "a time limit of -1 seconds makes no sense: give 0 or more"),
        (
            unnamed.checkpoint(1, "nowhere"),
            "checkpoints need an identity: give `Engine::identity` a text that is the same exactly when data \
             and parameters are",
        ),
    ] {
        assert_eq!(refusal(engine), expected);
    }
}

#[test]
fn a_schedule_that_does_not_suit_the_run_is_refused_before_anything_runs() {
    let ranges = |starts: &[u32]| Cyclic::new(Variables::in_ranges(vec![1; 12], starts.to_vec()), 4);
    let settings = |parallelism| PrioritySettings { parallelism, ..PrioritySettings::new(1, 1) };
    let choices: Vec<Box<dyn Schedule>> = vec![Box::new(cyclic()), Box::new(Cyclic::new(variables(), 0))];
    let none = Parts { shards: Vec::new(), ..parts("") };
    let no_shard = Engine::new(sums("", 0, Visibility::EachRound), EachShard::new(0), none);
    for (engine, expected) in [
        (engine("", Cyclic::new(variables(), 0)), "a parallelism of 0"),
        (engine("", Shuffled::new(variables(), 0, 1)), "a parallelism of 0"),
        (engine("", Priority::new(variables(), settings(0))), "a parallelism of 0"),
        (engine("", Automatic::new(variables(), choices)), "a parallelism of 0"),
        (engine("", Rotation::new(4, 2)), "the schedule was made for 4 shards, but there are 3"),
        (engine("", Rotation::new(3, 1)), "the schedule was made for 1 blocks, but there are 2"),
        (engine("", EachShard::new(2)), "the schedule was made for 2 shards, but there are 3"),
        (engine("", ranges(&[0, 6, 12])), "the variables belong to 2 shards, but there are 3"),
        (engine("", ranges(&[0, 4, 8, 10, 12])), "the variables belong to 4 shards, but there are 3"),
        (engine("", ranges(&[1, 4, 8, 12])), "must begin with 0, not fall, and end with 12: [1, 4, 8, 12]"),
        (engine("", ranges(&[0, 8, 4, 12])), "must begin with 0, not fall, and end with 12"),
        (engine("", ranges(&[0, 4, 8, 13])), "must begin with 0, not fall, and end with 12"),
        (engine("", ranges(&[])), "must begin with 0, not fall, and end with 12"),
        (
            engine("", Cyclic::new(Variables::anywhere(vec![1; 12], 4), 4)),
            "the variables belong to 4 shards, but there are 3",
        ),
        (no_shard, "a run needs at least 1 shard"),
    ] {
        let why = refusal(engine);
        assert!(why.contains(expected), "{why}");
    }
}
