//! Runs that are stopped at each of their first boundaries and killed between them, one after the other, and
//! each time go on from what the one before has left: no checkpoint is refused, and the outcome is that of a
//! run that nobody stopped.

use std::fs;
use std::panic::resume_unwind;
use std::path::Path;

use raddle::{Engine, Outcome, Program, Stop, has_checkpoint};

use super::leaving::{ALONE, How, Left, Make, carry_out, left};

/// Way in which a run comes to an end before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// A limit, known before the boundary is evaluated: the checkpoint is of the boundary before its
    /// conclusion.
    Limit,
    /// A request that comes as the boundary is shown: the checkpoint is of the boundary behind its
    /// conclusion.
    Request,
    /// The process dies as the boundary is shown: its parts are written, and nothing says that they are a
    /// checkpoint.
    Death,
}

/// Number of boundaries that `RADDLE_STOPPED` asks for, and `true` if it asks.
fn boundaries() -> (u64, bool) {
    let asked = std::env::var("RADDLE_STOPPED").ok().map(|text| text.parse().unwrap());
    (asked.unwrap_or(8), asked.is_some())
}

/// Epochs of a run that has enough boundaries to be stopped at.
pub(crate) fn epochs() -> u64 {
    boundaries().0 + 2
}

/// Stops a run at boundaries, one after the other, and lets it go on each time, on another number of workers,
/// and at last to its end. By default that is once before its first epoch, once at one of the next seven
/// boundaries, which its name draws, and for a third of the names on two processes, too; at one of the
/// boundaries it dies before. With `RADDLE_STOPPED=20` it is at each of the first 20 boundaries, by a limit
/// and by a request, with a death before; each goes on to the end on 1, 2 and 3 workers and on two processes.
/// Returns how often it was stopped.
pub(crate) fn check<P: Program>(what: &str, make: Make<'_, P>) -> u64 {
    let name = what.bytes().fold(7, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    let whole = left(&make().run().unwrap());
    let (most, is_long) = boundaries();
    let all = most.min(whole.epochs);
    let some = [0, 1 + name % 7].into_iter().filter(|&boundary| boundary < all);
    let at: Vec<u64> = if is_long { (0..all).collect() } else { some.collect() };
    let mut chain = Chain { what, make, whole, spread: None, workers: name % 3, stops: 0 };
    for turn in 0..if is_long { 2 } else { 1 } {
        let folder = tempfile::tempdir().unwrap();
        for &boundary in &at {
            let draw = boundary + name + turn;
            if is_long || draw.is_multiple_of(2) {
                chain.stop(folder.path(), boundary, Fault::Death);
            }
            let how = if (draw / 2).is_multiple_of(2) { Fault::Limit } else { Fault::Request };
            chain.stop(folder.path(), boundary, how);
            if is_long {
                chain.finish(folder.path(), boundary, how);
            }
            if is_long || name.is_multiple_of(3) && at.last() == Some(&boundary) {
                chain.spread_out(boundary, how);
            }
        }
        chain.finish(folder.path(), all, Fault::Limit);
    }
    chain.stops
}

/// Runs of which each goes on from the one before.
struct Chain<'a, P: Program> {
    what: &'a str,
    make: Make<'a, P>,
    /// Model and report of a run that nobody stopped.
    whole: Left,
    /// Model and report of a run on several processes.
    spread: Option<Left>,
    /// Workers of the last run, by their remainder.
    workers: u64,
    stops: u64,
}

impl<P: Program> Chain<'_, P> {
    /// A run that goes on from what is in the folder, on another number of workers than the one before.
    fn engine(&mut self, checkpoints: &Path) -> Engine<P> {
        self.workers += 1;
        let engine = (self.make)().identity("data 1").workers(1 + self.workers as usize % 3);
        if has_checkpoint(checkpoints) { engine.resume(checkpoints) } else { engine }
    }

    /// Lets a run come to a boundary and end there.
    fn stop(&mut self, folder: &Path, boundary: u64, fault: Fault) {
        let checkpoints = folder.join("checkpoint");
        let before = last_checkpoint(&checkpoints);
        let engine = self.engine(&checkpoints).checkpoint(1, &checkpoints);
        let context = format!("{}, {fault:?} at boundary {boundary}", self.what);
        let ran = match fault {
            Fault::Limit => engine.epochs(boundary).run(),
            Fault::Request => {
                let stop = Stop::default();
                let engine = engine.stop(stop.clone());
                engine
                    .observe(move |record| {
                        if record.epoch == boundary {
                            stop.request()
                        }
                    })
                    .run()
            }
            Fault::Death => engine
                .observe(move |record| {
                    if record.epoch == boundary {
                        resume_unwind(Box::new("killed"))
                    }
                })
                .run(),
        };
        self.stops += 1;
        match (ran, fault) {
            (Ok(ran), Fault::Limit | Fault::Request) => {
                assert_eq!(ran.report.epochs, boundary, "{context}");
                assert_eq!(last_checkpoint(&checkpoints), Some(boundary), "{context}");
                self.compare(&ran, &context);
            }
            (Err(why), Fault::Death) => {
                assert!(why.to_string().contains("observer"), "{context}: {why}");
                // Those of the boundaries that it has passed.
                let passed = boundary.checked_sub(1).filter(|&last| last > 0);
                assert_eq!(last_checkpoint(&checkpoints), before.max(passed), "{context}");
            }
            (Err(why), _) => panic!("{context}: {why}"),
            (Ok(_), Fault::Death) => panic!("{context}: it lives on"),
        }
    }

    /// Compares what a run has measured, as far as it came.
    fn compare(&self, ran: &Outcome<P>, context: &str) {
        for measured in left(ran).measured {
            assert!(self.whole.measured.contains(&measured), "{context}: {measured:?}");
        }
    }

    /// Goes on to the end, and leaves the checkpoints as they are.
    fn finish(&mut self, folder: &Path, boundary: u64, fault: Fault) {
        let checkpoints = folder.join("checkpoint");
        let times = if boundaries().1 { 3 } else { 1 };
        for _ in 0..times {
            let context = format!("{}, gone on from boundary {boundary}, {fault:?}", self.what);
            let ran = self.engine(&checkpoints).run().unwrap_or_else(|why| panic!("{context}: {why}"));
            let Left { digest, epochs, .. } = left(&ran);
            assert_eq!((digest, epochs), (self.whole.digest.clone(), self.whole.epochs), "{context}");
            self.compare(&ran, &context);
        }
        if boundaries().1 && has_checkpoint(&checkpoints) {
            self.goes_on_spread(folder, boundary, fault);
        }
    }

    /// Goes on from the checkpoint in a folder on two processes.
    fn goes_on_spread(&mut self, folder: &Path, boundary: u64, fault: Fault) {
        let copy = tempfile::tempdir().unwrap();
        copy_all(folder, copy.path());
        let make = self.make;
        let whole = self.spread.get_or_insert_with(|| left(&carry_out(make, ALONE).1));
        let how = How { processes: 2, folder: Some(copy.path()), resumes: true, ..ALONE };
        let (_, ran) = carry_out(make, how);
        let context = format!("{}, gone on from boundary {boundary} on 2 processes, {fault:?}", self.what);
        let Left { digest, epochs, .. } = left(&ran);
        assert_eq!((&digest, epochs), (&whole.digest, whole.epochs), "{context}");
    }

    /// Ends a run of two processes at a boundary, by a request of its coordinator or by a limit, and goes on
    /// with it on one and on two.
    fn spread_out(&mut self, boundary: u64, fault: Fault) {
        let folder = tempfile::tempdir().unwrap();
        let make = self.make;
        let limited = || make().epochs(boundary);
        let how = How { processes: 2, folder: Some(folder.path()), ..ALONE };
        let (_, ran) = match fault {
            Fault::Limit => carry_out(&limited, how),
            _ => carry_out(make, How { stops_at: Some(boundary), ..how }),
        };
        self.stops += 1;
        let context = format!("{}, {fault:?} at boundary {boundary} on 2 processes", self.what);
        assert_eq!(ran.report.epochs, boundary, "{context}");
        assert_eq!(last_checkpoint(&folder.path().join("checkpoint")), Some(boundary), "{context}");
        self.finish(folder.path(), boundary, fault);
        if !boundaries().1 {
            self.goes_on_spread(folder.path(), boundary, fault);
        }
    }
}

/// Copies a folder and what is in it.
fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = (entry.as_ref().unwrap().path(), to.join(entry.as_ref().unwrap().file_name()));
        if path.is_dir() {
            copy_all(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

/// Epoch of the last checkpoint in a folder, of which there may be none.
fn last_checkpoint(folder: &Path) -> Option<u64> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    let whole = entries.filter(|path| path.join("manifest").exists());
    whole.map(|path| path.file_stem().unwrap().to_str().unwrap().parse().unwrap()).max()
}
