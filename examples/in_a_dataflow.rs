//! How do I run a program inside a timely dataflow of my own? As an operator whose stream tells of its
//! epochs.
//!
//! `cargo run --example in_a_dataflow`

use halving::Halving;
use raddle::schedule::EachShard;
use raddle::{Engine, Parts, Scheduled};
use timely::dataflow::operators::vec::{Filter, Map};
use timely::dataflow::operators::{Exchange, Inspect};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let run = || {
        let parts = Parts::new(vec![1.0, 50.0, 3.0, 8.0], ());
        Engine::new(Halving, EachShard::new(4), parts)
    };
    let operator = run().into_operator()?;
    let shared = operator.clone();
    // The workers are the dataflow's; the program's records are a stream like any other.
    let workers = timely::execute(timely::Config::process(2), move |worker| {
        let number = worker.index();
        worker.dataflow::<u64, _, _>(|scope| {
            scope
                .scheduled(&shared)
                .map(|record| (record.epoch, record.value()))
                .filter(|(epoch, _)| epoch % 2 == 0)
                .exchange(|&(epoch, _)| epoch / 2)
                .inspect(move |(epoch, sum)| {
                    println!("worker {number}: after epoch {epoch} the sum is {sum}")
                });
        });
    })?;
    drop(workers); // Joins them.
    let outcome = operator.finish()?;
    println!(
        "{:?} after {} epochs: {:?}",
        outcome.report.ending, outcome.report.epochs, outcome.parts.shards
    );
    Ok(raddle::replay::check(run)?)
}
