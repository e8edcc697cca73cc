//! [`check`]: a test that a program gives the same bits however it is run.
//!
//! The result of a run may depend on data, program, schedule and seed, and on nothing else. The types cannot
//! enforce that; this check tests it.

mod cuts;
mod difference;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::base::error::EngineError;
use crate::base::store::Disk;
use crate::checkpoint;
use crate::engine::transfer::Transfer;
use crate::engine::{Engine, Outcome, relay};
use crate::program::Program;
use crate::run::merging::Merging;
use crate::run::record::Ending;

use self::cuts::compare_cuts;
use self::difference::compare;

/// Runs a program several times, each time in another way, and compares the runs, change by change and part
/// by part: a second time in the same way; with tasks in reverse order; on 2 and 3 workers; with bytes
/// between workers; rescaled; handed over at every boundary from one process to the next, each with its own
/// program and schedule; resumed at the boundary before the first epoch, at the one after it, before and
/// after its conclusion, at one in the middle, and at the last; and with epochs cancelled before, amid and
/// after their tasks. A program that merges partials ([`Merge`](crate::Merge)) merges them where their shards
/// are and, if it says that any grouping gives the same bits, once from left to right: an error names `merge`
/// if that is the cause. The rows of a program whose partials are exact sums ([`Additive`](crate::Additive))
/// are cut otherwise. A program whose rounds may end early ([`Enough`](crate::Enough)) waits for all answers,
/// and several sufficient sets of each round are aggregated: an error names the first that differs.
///
/// `make` builds the same run each time. The run must end: keep it to a few epochs of small data. Its
/// settings of workers, threads, rescales and checkpoints do not matter.
///
/// ```
/// use raddle::prelude::*;
///
/// /// Sums of numbers; answers in the order in which shards happen to be asked are a mistake.
/// struct Sum { asked: std::sync::Mutex<Vec<u32>>, honest: bool }
///
/// impl Program for Sum {
///     raddle::program!(Shard = f64, Replica = f64, Partial = f64; update);
///
///     fn aggregate(&self, at: Aggregate<'_, Self>) -> f64 {
///         let asked = std::mem::take(&mut *self.asked.lock().unwrap());
///         let sum = at.partials.sum();
///         if self.honest { sum } else { sum + f64::from(asked[0]) }
///     }
///     fn commit(&self, change: &f64, sum: &mut f64) { *sum += change; }
///     fn evaluate(&self, _: Evaluate<'_, Self>) -> f64 { 0.0 }
///     fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<f64> {
///         Metric::new("sum", *at.replica, "all numbers").into()
///     }
/// }
///
/// impl Update for Sum {
///     fn update(&self, at: TaskOf<'_, Self>) -> f64 {
///         self.asked.lock().unwrap().push(at.task.shard);
///         *at.shard
///     }
/// }
///
/// let run = |honest| move || {
///     let program = Sum { asked: Default::default(), honest };
///     Engine::new(program, EachShard::new(3), Parts::new(vec![1.0, 2.0, 3.0], 0.0)).epochs(3)
/// };
/// replay::check(run(true))?;
/// let error = replay::check(run(false)).unwrap_err().to_string();
/// assert!(error.contains("tasks in reverse order"), "{error}");
/// assert!(error.contains("epoch 0") && error.contains("round 0"), "{error}");
/// # Ok::<(), raddle::EngineError>(())
/// ```
///
/// # Errors
/// [`EngineError::Replay`] names the first variant, epoch and part that differ; or a run fails.
pub fn check<P: Program>(make: impl Fn() -> Engine<P>) -> Result<(), EngineError> {
    let make = || make().compared();
    let reference = make().run()?;
    let ways: [Variant<P>; 6] = [
        ("run once more", |engine| engine),
        ("with tasks in reverse order", |engine| engine.workers(3).reversed()),
        ("on 2 workers", |engine| engine.workers(2).threads(2)),
        ("on 3 workers", |engine| engine.workers(3).threads(3)),
        ("on 3 workers that exchange bytes", |engine| engine.workers(3).threads(3).serialized(true)),
        ("rescaled after epochs 1, 2, 3 and 5", |engine| {
            engine.threads(3).rescale(&[(1, 2), (2, 3), (3, 1), (5, 3)])
        }),
    ];
    for (how, set) in ways {
        compare(how, &reference, &set(make()).run()?, None).or_else(|why| blame_merge(&make, set, why))?;
    }
    compare_groupings(&make, &reference)?;
    compare_cuts(&make)?;
    compare_handed_over(&make, &reference)?;
    compare_resumed(&make, &reference)?;
    compare_cancelled(&make, &reference)
}

/// Stops the run at boundaries, resumes it, and compares the results.
fn compare_resumed<P: Program>(
    make: &dyn Fn() -> Engine<P>,
    reference: &Outcome<P>,
) -> Result<(), EngineError> {
    let epochs = reference.report.epochs;
    let mut stops = vec![
        (0, Stopped::Before),
        (1, Stopped::Before),
        (1, Stopped::Behind),
        (epochs / 2, Stopped::HandedOver),
    ];
    stops.push((epochs, Stopped::HandedOver));
    stops.retain(|&(boundary, how)| boundary <= epochs && (how != Stopped::HandedOver || boundary > 1));
    stops.dedup();
    for (boundary, how) in stops {
        let file = Scratch::new();
        let written = || make().checkpoint(1, &file.0);
        let after =
            if boundary == 0 { "before the first epoch".into() } else { format!("after {boundary} epochs") };
        let how = match how {
            Stopped::Before => {
                written().epochs(boundary).run()?;
                format!("resumed on 2 workers {after}")
            }
            Stopped::Behind => {
                written().observe_while(move |record| record.epoch < boundary).run()?;
                format!("resumed on 2 workers {after}, with that boundary concluded")
            }
            Stopped::HandedOver => {
                // A process writes checkpoints of a run that it has taken over as any other does.
                relay(&|| written().epochs(boundary), |_| true)?;
                format!("handed over at each boundary, and resumed on 2 workers {after}")
            }
        };
        // A run that was over before has left no checkpoint.
        if file.0.exists() {
            let resumed = make().workers(2).threads(2).resume(&file.0).run()?;
            compare(&how, reference, &resumed, Some(boundary))?;
        }
    }
    Ok(())
}

/// Way in which a run comes to the checkpoint that it is resumed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stopped {
    /// A limit ends the run: the checkpoint is of the boundary before its conclusion.
    Before,
    /// A request while the boundary is shown ends the run: the checkpoint is of the boundary after its
    /// conclusion.
    Behind,
    /// A limit ends the run, which one process has handed over to the next at each boundary.
    HandedOver,
}

/// A variant of a run: its name, and the settings of an engine.
type Variant<P> = (&'static str, fn(Engine<P>) -> Engine<P>);

/// Names `merge` as the cause of a difference between two runs, if there is no difference when both merge all
/// partials at the hub.
fn blame_merge<P: Program>(
    make: &dyn Fn() -> Engine<P>,
    set: fn(Engine<P>) -> Engine<P>,
    why: EngineError,
) -> Result<(), EngineError> {
    let EngineError::Replay { how, epoch, part, causes } = why else { return Err(why) };
    let at_hub = |set: fn(Engine<P>) -> Engine<P>| set(make().merging(Merging::AtHub)).run();
    if P::verbs().merge.is_some() && compare(&how, &at_hub(|engine| engine)?, &at_hub(set)?, None).is_ok() {
        return Err(EngineError::Replay { how, epoch, part, causes: MERGED_ELSEWHERE });
    }
    Err(EngineError::Replay { how, epoch, part, causes })
}

/// Compares with a run that merges from left to right, if the program says that any grouping gives the same
/// bits.
fn compare_groupings<P: Program>(
    make: &dyn Fn() -> Engine<P>,
    reference: &Outcome<P>,
) -> Result<(), EngineError> {
    if !make().merges_in_any_grouping() {
        return Ok(());
    }
    let in_a_row = make().merging(Merging::InARow).run()?;
    match compare("with partials merged from left to right", reference, &in_a_row, None) {
        Err(EngineError::Replay { how, epoch, part, .. }) => {
            Err(EngineError::Replay { how, epoch, part, causes: MERGED_IN_A_ROW })
        }
        other => other,
    }
}

const MERGED_ELSEWHERE: &str = "a `merge` that reads or changes state of the program; a part of a merged \
                                partial that its `State` leaves out";

const MERGED_IN_A_ROW: &str = "a `merge` that is not associative, such as a mean of means; where it only \
                               rounds sums of floating-point numbers, `is_associative` says so with `false`";

/// A value that crosses when the first process leaves: its name, its transfer, and the reasons that it may
/// not be whole.
type Crossing<P> = (&'static str, fn(&Transfer<P>) -> bool, &'static str);

fn crossings<P: Program>() -> [Crossing<P>; 5] {
    [
        (
            "the schedule",
            |goods| matches!(goods, Transfer::Hub(_)),
            "a part of the schedule that `save` or `load` leave out, as if shards were made anew: what a \
             checkpoint alone may leave out, `Schedule::save_state` and `load_state` do; state of the \
             program itself, which no process hands on",
        ),
        (
            "the pinned block",
            |goods| matches!(goods, Transfer::Pinned(_)),
            "a part of the pinned block that its `State` leaves out: what a checkpoint alone may leave out, \
             `save_pinned` and `load_pinned` do",
        ),
        (
            "a shard",
            |goods| matches!(goods, Transfer::Shard(..)),
            "a part of a shard that its `State` leaves out: what a checkpoint alone may leave out, \
             `save_state` and `load_state` do",
        ),
        (
            "a block",
            |goods| matches!(goods, Transfer::Block(..)),
            "a part of a block that its `State` leaves out",
        ),
        (
            "the replica",
            |goods| matches!(goods, Transfer::Replica(_)),
            "a part of the replica that its `State` leaves out",
        ),
    ]
}

/// Hands the run over at every boundary. If that changes the result, finds the value that does not cross
/// whole.
fn compare_handed_over<P: Program>(
    make: &dyn Fn() -> Engine<P>,
    reference: &Outcome<P>,
) -> Result<(), EngineError> {
    let hand_over = |how: &str, crosses: fn(&Transfer<P>) -> bool| {
        let told = |why| match why {
            EngineError::Worker(why) => EngineError::Worker(format!("{how}: {why}")),
            why => why,
        };
        compare(how, reference, &relay(make, crosses).map_err(told)?, None)
    };
    let Err(all) = hand_over("handed over to another process at each boundary", |_| true) else {
        return Ok(());
    };
    for (what, crosses, causes) in crossings() {
        let how =
            format!("handed over to another process at each boundary, of which only {what} crosses as bytes");
        match hand_over(&how, crosses) {
            Ok(()) => {}
            Err(EngineError::Replay { how, epoch, part, .. }) => {
                return Err(EngineError::Replay { how, epoch, part, causes });
            }
            Err(EngineError::Worker(why)) => {
                return Err(EngineError::Worker(format!("{why}; usual causes: {causes}")));
            }
            Err(why) => return Err(why),
        }
    }
    Err(all)
}

/// Cancels epochs before, amid and after their tasks: the run must end in the state of the boundary before,
/// and a run that is resumed from it must continue as if nothing had happened.
fn compare_cancelled<P: Program>(
    make: &dyn Fn() -> Engine<P>,
    reference: &Outcome<P>,
) -> Result<(), EngineError> {
    let epochs = reference.report.epochs;
    // Each task checks once before it starts, and at its own cancellation points.
    let tasks = reference.report.tasks / epochs.max(1);
    let (middle, last) = (epochs / 2, epochs.saturating_sub(1));
    for (epoch, looks, workers) in
        [(0, 0, 1), (0, tasks / 2, 2), (middle, tasks / 2 + 1, 2), (last, tasks, 1)]
    {
        let file = Scratch::new();
        let engine = make().workers(workers).threads(workers).checkpoint(u64::MAX, &file.0);
        let cancelled = engine.cancelled(epoch, looks).run()?;
        if cancelled.report.ending != Ending::Interrupted {
            // It was over before, or had no more tasks.
            continue;
        }
        let differs = |how: String, part: &str| {
            let part = format!("what is left: {part}");
            Err(EngineError::Replay { how, epoch, part, causes: CANCELLED })
        };
        let how = format!("with epoch {epoch} cancelled on {workers} workers");
        let before = make().epochs(epoch).run()?;
        if cancelled.report.epochs != epoch {
            return differs(how, &format!("the boundary after {} epochs", cancelled.report.epochs));
        }
        if let Some(part) = before.first_difference(&cancelled) {
            return differs(how, &part);
        }
        let resumed = make().workers(2).threads(2).resume(&file.0).run()?;
        compare(&format!("{how}, and resumed on 2"), reference, &resumed, Some(epoch))?;
    }
    Ok(())
}

const CANCELLED: &str = "a part of a shard, of the pinned block or of the schedule that `load_state`, \
                         `load_pinned` or `load` do not bring back where an epoch has gone on from it: they \
                         read into a shard, a block and a schedule that have changed since; or a \
                         `save_pinned` that does not write again what `load_pinned` read";

/// A folder of checkpoints that is removed when this value is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let (process, number) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Self(std::env::temp_dir().join(format!("raddle-replay-{process}-{number}")))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that was never written is not there.
        let _ = checkpoint::remove(&self.0, &Disk);
    }
}
