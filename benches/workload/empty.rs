//! Runs whose tasks do nothing, on one worker: the engine alone, for `counts.sh` to count.
//!
//! `empty rounds`: 100 epochs of 200 empty rounds; `empty tasks`: 100 epochs of a rotation of 16 blocks over
//! 16 shards. Either prints how many of them it was.

#[allow(dead_code, reason = "benches use the rest")]
#[path = "mod.rs"]
mod workload;

use workload::{Idle, Turning};

fn main() -> Result<(), String> {
    let (rounds, epochs) = (200, 100);
    match std::env::args().nth(1).as_deref() {
        Some("rounds") => {
            Idle::run(1, rounds, epochs);
            println!("{} rounds", u64::from(rounds) * epochs);
        }
        Some("tasks") => {
            let rotation = Turning { bytes: 64, workers: 1, epochs, ..Turning::sixteen(0) };
            rotation.run();
            println!("{} tasks", rotation.tasks() * epochs);
        }
        _ => return Err("empty rounds, or empty tasks".into()),
    }
    Ok(())
}
