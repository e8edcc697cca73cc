//! Runs on several processes whose first one leaves, or which are asked to end, at a boundary that is named:
//! the outcome is that of one process. Here processes are threads with connections of their own.

use std::path::Path;
use std::thread;

use raddle::cluster::{Cluster, CoordinatorSettings, Server};
use raddle::{Engine, Outcome, Program, Stop};

/// Function that builds the same run each time.
pub(crate) type Make<'a, P> = &'a (dyn Fn() -> Engine<P> + Sync);

/// Way in which a run is carried out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct How<'a> {
    pub processes: u32,
    /// Workers of each process.
    pub workers: u32,
    /// The boundary at which the first process leaves, if it does.
    pub leaves_at: Option<u64>,
    /// The boundary at which the run is asked to end, if it is.
    pub stops_at: Option<u64>,
    /// Folder of a checkpoint of every boundary.
    pub folder: Option<&'a Path>,
    /// `true` if the run goes on from the last checkpoint in its folder.
    pub resumes: bool,
}

/// A run on one process, without a folder.
pub(crate) const ALONE: How<'static> =
    How { processes: 1, workers: 1, leaves_at: None, stops_at: None, folder: None, resumes: false };

/// Everything of a run that may not depend on how it was carried out: its digest, and the bits of its
/// measures.
#[derive(Debug, PartialEq)]
pub(crate) struct Left {
    pub(crate) digest: String,
    pub(crate) epochs: u64,
    pub(crate) measured: Vec<(u64, u64)>,
}

pub(crate) fn left<P: Program>(outcome: &Outcome<P>) -> Left {
    let measured = outcome.trace.iter().map(|record| (record.epoch, record.value().to_bits())).collect();
    Left { digest: outcome.digest(), epochs: outcome.report.epochs, measured }
}

/// Carries a run out, and gives the number of the process that has the outcome, too.
#[allow(clippy::disallowed_methods, reason = "processes of the run are threads of the test")]
pub(crate) fn carry_out<P: Program>(make: Make<'_, P>, how: How<'_>) -> (usize, Outcome<P>) {
    let mut settings = CoordinatorSettings::new(how.processes, how.workers);
    (settings.balance, settings.folder) = (false, how.folder.map(Path::to_owned));
    let checkpoints = how.folder.map(|folder| folder.join("checkpoint"));
    settings.resume = checkpoints.clone().filter(|_| how.resumes);
    let mut server = Server::open(&settings).unwrap();
    let (invitation, remote) = (server.invitation().clone(), server.remote());
    thread::scope(|scope| {
        let processes: Vec<_> = (0..how.processes)
            .map(|index| {
                let (invitation, remote) = (invitation.clone(), remote.clone());
                let (checkpoints, ends) = (checkpoints.clone(), remote.clone());
                scope.spawn(move || {
                    let ran = Cluster::join(&invitation, index).and_then(|cluster| {
                        let mut engine = make().identity("data 1");
                        if let Some(folder) = checkpoints {
                            engine = engine.checkpoint(1, folder);
                        }
                        let (leave, parts) = (cluster.leaver(), cluster.is_ending());
                        let stop = Stop::default();
                        let engine = engine.stop(stop.clone());
                        let engine = engine.observe(move |record| {
                            if how.stops_at == Some(record.epoch) {
                                ends.stop();
                                while !stop.is_requested() {
                                    thread::yield_now();
                                }
                            }
                            if index == 0 && how.leaves_at == Some(record.epoch) {
                                leave();
                                // The coordinator knows of it when it requests that the generation end here.
                                while !parts() {
                                    thread::yield_now();
                                }
                            }
                        });
                        engine.run_on(&cluster)
                    });
                    remote.exited(index, i32::from(ran.is_err()), false, "has ended".into());
                    ran
                })
            })
            .collect();
        let ended = server.run(|_| ());
        let mut outcome = None;
        for (index, process) in processes.into_iter().enumerate() {
            if let Some(one) = process.join().unwrap().unwrap_or_else(|why| panic!("{how:?}: {why}")) {
                assert!(outcome.replace((index, one)).is_none(), "one process has the outcome");
            }
        }
        assert_eq!((ended.code, &ended.why), (0, &None), "{how:?}");
        outcome.unwrap()
    })
}

/// Lets the first process leave: once by default, with a boundary and numbers of processes and workers that
/// differ from line to line; where `RADDLE_LEAVES` is set, at each of that many boundaries on 2x1, 3x1 and
/// 2x2, with and without checkpoints. Returns how often.
pub(crate) fn check<P: Program>(what: &str, line: u64, make: Make<'_, P>) -> u64 {
    let (_, alone) = carry_out(make, ALONE);
    let (epochs, alone) = (alone.report.epochs, left(&alone));
    // A run on one process drops no training data.
    let whole = make().run().unwrap().digest();
    assert!(epochs > 1, "{what}: at the only boundary nobody leaves");
    let layouts = [(2, 1), (3, 1), (2, 2)];
    let most = std::env::var("RADDLE_LEAVES").ok().map(|text| text.parse::<u64>().unwrap());
    let cases: Vec<((u32, u32), u64, bool)> = match most {
        None => vec![(layouts[line as usize % 3], 1 + line % (epochs - 1).min(3), true)],
        Some(most) => (1..epochs.min(most + 1))
            .flat_map(|at| layouts.map(|layout| [(layout, at, false), (layout, at, true)]))
            .flatten()
            .collect(),
    };
    for &((processes, workers), at, keeps) in &cases {
        let folder = tempfile::tempdir().unwrap();
        let kept = Some(folder.path()).filter(|_| keeps);
        let how = How { processes, workers, leaves_at: Some(at), folder: kept, ..ALONE };
        let (first, outcome) = carry_out(make, how);
        let context = format!("{what}: {processes} processes of {workers}, at boundary {at}, kept {keeps}");
        assert!(first != 0, "{context}: the first is still the first");
        let generations = &outcome.report.generations;
        let without = generations.iter().find(|one| one.processes < processes as usize);
        assert_eq!(without.map(|one| one.epoch), Some(at), "{context}: {generations:?}");
        assert_eq!(left(&outcome), alone, "{context}");
        if keeps {
            // As far as one epoch behind the boundary; the rest on one process, from the checkpoint.
            let folder = tempfile::tempdir().unwrap();
            let short = || make().epochs(at + 1);
            carry_out(&short, How { folder: Some(folder.path()), ..how });
            let checkpoints = folder.path().join("checkpoint");
            let resumed = make().identity("data 1").resume(&checkpoints).run().unwrap();
            assert_eq!(resumed.digest(), whole, "{context}, resumed");
        }
    }
    cases.len() as u64
}
