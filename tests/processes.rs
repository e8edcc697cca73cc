//! Runs on several processes leave the bytes of one. Here each process is a thread with connections of its
//! own; the programs' command lines are launched by `tests/launch.rs`.

use std::sync::mpsc;
use std::thread;

use raddle::cluster::{AdminClient, Cluster, CoordinatorSettings, Ended, Invitation, RunStatus, Server};
use raddle::schedule::EachShard;
use raddle::{
    Aggregate, Conclude, Engine, EngineError, Evaluate, Metric, Outcome, Parts, Program, TaskOf, Update,
    Verdict, Visibility,
};

use crate::commands::pause;
use crate::programs::mixing::{Mixing, Problem};
use crate::programs::{bytes, without_a_hang};

fn problem(seed: u64, visibility: Visibility) -> Problem {
    Problem { shards: 9, blocks: 5, seed, visibility, objective: true }
}

fn engine(problem: &Problem) -> Engine<Mixing> {
    let (program, parts) = problem.parts();
    Engine::new(program, problem.schedule(), parts).epochs(12).staleness(2)
}

type Ran<P> = Result<Option<Outcome<P>>, EngineError>;

/// A run in progress, whose processes are threads.
pub(crate) struct Run<P: Program> {
    invitation: Invitation,
    ended: thread::JoinHandle<Ended>,
    processes: Vec<(thread::JoinHandle<()>, mpsc::Receiver<Ran<P>>)>,
    remote: raddle::cluster::Remote,
}

/// Outcome of a run, with the number of the process that has it; the coordinator's ending; errors.
type End<P> = (Option<(usize, Outcome<P>)>, Ended, Vec<EngineError>);

type Make<P = Mixing> = fn(u32) -> Engine<P>;

impl<P: Program> Run<P> {
    pub(crate) fn begin(processes: u32, workers: u32, make: Make<P>) -> Self {
        let mut run = Self::open(processes, workers);
        (0..processes).for_each(|index| run.start(index, make));
        run
    }

    /// A coordinator that waits for processes.
    fn open(processes: u32, workers: u32) -> Self {
        let mut settings = CoordinatorSettings::new(processes, workers);
        settings.balance = false;
        let mut server = Server::open(&settings).unwrap();
        let (invitation, remote) = (server.invitation().clone(), server.remote());
        let ended = thread::spawn(move || server.run(|_| ()));
        Self { invitation, ended, processes: Vec::new(), remote }
    }

    fn start(&mut self, index: u32, make: Make<P>) {
        self.start_with(index, move |cluster| make(index).run_on(cluster));
    }

    fn start_with(&mut self, index: u32, run: impl FnOnce(&Cluster) -> Ran<P> + Send + 'static) {
        let (invitation, remote) = (self.invitation.clone(), self.remote.clone());
        let (tell, told) = mpsc::channel();
        let process = thread::spawn(move || {
            let ran = Cluster::join(&invitation, index).and_then(|cluster| run(&cluster));
            let code = i32::from(ran.is_err());
            tell.send(ran).unwrap();
            remote.exited(index, code, false, "has ended".into());
        });
        self.processes.push((process, told));
    }

    /// The run's outcome, the number of the process that has it, and the coordinator's ending.
    pub(crate) fn end(self) -> End<P> {
        let (mut outcome, mut errors) = (None, Vec::new());
        for (index, (process, told)) in self.processes.into_iter().enumerate() {
            match told.recv().unwrap() {
                Ok(Some(one)) => {
                    assert!(outcome.replace((index, one)).is_none(), "one process has the outcome")
                }
                Ok(None) => {}
                Err(why) => errors.push(why),
            }
            process.join().unwrap();
        }
        (outcome, self.ended.join().unwrap(), errors)
    }
}

fn at_boundary(_: u32) -> Engine<Mixing> {
    engine(&problem(3, Visibility::AtBoundary))
}

fn each_round(_: u32) -> Engine<Mixing> {
    engine(&problem(3, Visibility::EachRound))
}

#[test]
fn any_number_of_processes_leaves_the_bytes_of_one() {
    without_a_hang(|| {
        for make in [at_boundary as Make, each_round] {
            let expected = bytes(&make(0).run().unwrap().parts);
            for (processes, workers) in [(1, 1), (2, 1), (2, 2), (3, 1), (3, 4)] {
                let (outcome, ended, errors) = Run::begin(processes, workers, make).end();
                assert!(errors.is_empty(), "{errors:?}");
                let (first, outcome) = outcome.unwrap();
                assert_eq!((first, ended.code, &ended.why), (0, 0, &None));
                assert!(bytes(&outcome.parts) == expected, "{processes} processes of {workers} workers");
                assert_eq!(outcome.report.generations[0].processes, processes as usize);
            }
        }
    });
}

#[test]
fn more_processes_than_one_sends_to_leave_the_bytes_of_one() {
    without_a_hang(|| {
        for visibility in [Visibility::AtBoundary, Visibility::EachRound] {
            let make = move || engine(&Problem { shards: 22, ..problem(5, visibility) }).epochs(4);
            let expected = bytes(&make().run().unwrap().parts);
            let mut run = Run::open(11, 2);
            (0..11).for_each(|index| run.start_with(index, move |cluster| make().run_on(cluster)));
            let (outcome, _, errors) = run.end();
            assert!(errors.is_empty(), "{errors:?}");
            let (_, outcome) = outcome.unwrap();
            assert!(bytes(&outcome.parts) == expected, "{visibility:?}");
            let generation = &outcome.report.generations[0];
            assert_eq!((generation.processes, generation.workers), (11, 22));
        }
    });
}

#[test]
fn a_plan_of_workers_is_followed_by_all_processes() {
    without_a_hang(|| {
        let make: Make = |_| at_boundary(0).rescale(&[(2, 5), (4, 1), (5, 2), (9, 3)]);
        let expected = bytes(&at_boundary(0).run().unwrap().parts);
        let (outcome, _, errors) = Run::begin(3, 1, make).end();
        assert!(errors.is_empty(), "{errors:?}");
        let (_, outcome) = outcome.unwrap();
        assert!(bytes(&outcome.parts) == expected);
        let generations: Vec<_> = outcome
            .report
            .generations
            .iter()
            .map(|generation| (generation.epoch, generation.workers))
            .collect();
        assert_eq!(generations, [(0, 3), (2, 5), (4, 1), (5, 2), (9, 3)]);
        assert_eq!(
            outcome.trace.iter().map(|record| record.epoch).collect::<Vec<_>>(),
            (0..13).collect::<Vec<_>>()
        );
    });
}

/// Waits until the coordinator's status is as expected.
fn await_status(invitation: &Invitation, expected: impl Fn(&RunStatus) -> bool) {
    let admin = AdminClient::new(invitation.clone());
    while !expected(&admin.status().unwrap()) {
        pause();
    }
}

/// The state in which the coordinator sees a process.
fn state_of(status: &RunStatus, process: u32) -> Option<&str> {
    status.members.iter().find(|member| member.process == process).map(|member| member.state.as_str())
}

#[test]
fn processes_that_join_and_leave_and_a_rescale_change_nothing() {
    fn long(_: u32) -> Engine<Mixing> {
        at_boundary(0).epochs(400)
    }
    without_a_hang(|| {
        let expected = bytes(&long(0).run().unwrap().parts);
        let mut run = Run::open(2, 2);
        let invitation = run.invitation.clone();
        // Faults at boundaries: the observer of the first process waits for them.
        let (joins, joining) = mpsc::channel();
        for index in 0..2 {
            let (invitation, joins) = (invitation.clone(), joins.clone());
            run.start_with(index, move |cluster| {
                let leave = cluster.leaver();
                let admin = AdminClient::new(invitation.clone());
                let engine = long(index).observe(move |record| match record.epoch {
                    5 => {
                        let place = admin.join(None, None).unwrap();
                        joins.send(place.index).unwrap();
                        await_status(&invitation, |status| state_of(status, place.index) == Some("ready"));
                    }
                    50 => admin.rescale(5).unwrap(),
                    100 if index == 0 => leave(),
                    _ => {}
                });
                engine.run_on(cluster)
            });
        }
        let index = joining.recv().unwrap();
        run.start(index, long);
        let (outcome, ended, errors) = run.end();
        assert!(errors.is_empty(), "{errors:?}");
        let (first, outcome) = outcome.unwrap();
        assert_eq!((ended.who, ended.code), (first as u32, 0));
        assert!(bytes(&outcome.parts) == expected);
        let epochs: Vec<u64> = outcome.trace.iter().map(|record| record.epoch).collect();
        assert_eq!(epochs, (0..=400).collect::<Vec<_>>());
        let processes: Vec<usize> = outcome.report.generations.iter().map(|one| one.processes).collect();
        assert!(processes.contains(&3) && processes.last() == Some(&2), "{processes:?}");
        assert_eq!(first, 1, "the first process has left, and the next one of the launcher's is the first");
        assert_eq!(outcome.report.generations.last().unwrap().workers, 5);
    });
}

#[test]
fn other_data_are_refused_before_the_run_begins() {
    without_a_hang(|| {
        let make: Make = |index| at_boundary(0).identity(format!("data {}", index / 2));
        let (outcome, ended, errors) = Run::begin(3, 1, make).end();
        assert!(outcome.is_none() && !errors.is_empty());
        assert_eq!(ended.code, 2);
        assert!(ended.why.as_ref().unwrap().contains("on other data"), "{ended:?}");
    });
}

#[test]
fn a_stranger_gets_no_answer() {
    without_a_hang(|| {
        let run = Run::begin(1, 1, at_boundary);
        let other = Server::open(&CoordinatorSettings::new(1, 1)).unwrap();
        // The token of another run at the address of this one.
        let folder = tempfile::tempdir().unwrap();
        let files = [folder.path().join("one"), folder.path().join("other")];
        run.invitation.write(&files[0]).unwrap();
        other.invitation().write(&files[1]).unwrap();
        let texts = files.each_ref().map(|file| std::fs::read_to_string(file).unwrap());
        let line = |text: &str, at: usize| text.lines().nth(at).unwrap().to_owned();
        let mixed = [line(&texts[0], 0), line(&texts[0], 1), line(&texts[1], 2)].join("\n");
        std::fs::write(&files[0], mixed).unwrap();
        let admin = AdminClient::new(Invitation::read(&files[0]).unwrap());
        assert!(admin.status().unwrap_err().to_string().contains("token"));
        assert!(run.end().0.is_some());
    });
}

/// A run in this folder that loses a process at the boundary after each of these epochs: the bytes that it
/// ends with, and the boundary at which each attempt began.
fn lose(folder: &std::path::Path, epochs: &[u64]) -> (Vec<u8>, Vec<u64>) {
    let mut settings = CoordinatorSettings::new(3, 1);
    (settings.balance, settings.folder) = (false, Some(folder.to_owned()));
    let mut server = Server::open(&settings).unwrap();
    let mut began = Vec::new();
    for &at in epochs.iter().chain([&u64::MAX]) {
        let (invitation, remote) = (server.invitation().clone(), server.remote());
        // The run stays at the boundary until the loss is noticed.
        let (notice, noticed) = mpsc::channel::<()>();
        let mut noticed = Some(noticed);
        let processes: Vec<_> = (0..3)
            .map(|index| {
                let (invitation, remote, noticed) = (invitation.clone(), remote.clone(), noticed.take());
                let checkpoints = folder.join("checkpoint");
                thread::spawn(move || {
                    let cluster = Cluster::join(&invitation, index).unwrap();
                    let (told, (begin, begun)) = (remote.clone(), mpsc::channel());
                    let engine = at_boundary(index).identity("data 1").checkpoint(2, checkpoints);
                    let engine = engine.observe(move |record| {
                        begin.send(record.epoch).unwrap();
                        if record.epoch == at {
                            told.exited(2, 137, true, "was killed by signal 9".into());
                            // It is noticed when no sender is left.
                            let _ = noticed.as_ref().map(mpsc::Receiver::recv);
                        }
                    });
                    let ran = engine.run_on(&cluster);
                    let code = i32::from(ran.is_err());
                    // Its last messages are read before its end is reported.
                    drop(cluster);
                    remote.exited(index, code, false, "has ended".into());
                    (ran, begun.try_recv().ok())
                })
            })
            .collect();
        let ended = server.run(|_| ());
        assert_eq!(ended.lost, at != u64::MAX, "{ended:?}");
        if ended.lost {
            server.again().unwrap();
        }
        drop(notice);
        let mut outcome = None;
        for process in processes {
            let (ran, first) = process.join().unwrap();
            began.extend(first);
            if let Ok(Some(one)) = ran {
                assert!(outcome.replace(one).is_none(), "one process has the outcome");
            }
        }
        assert_eq!(outcome.is_some(), at == u64::MAX);
        if let Some(outcome) = outcome {
            return (bytes(&outcome.parts), began);
        }
    }
    unreachable!("the last attempt loses nobody")
}

#[test]
fn a_loss_costs_the_epochs_since_the_last_checkpoint_and_nothing_else() {
    without_a_hang(|| {
        let whole = at_boundary(0).run().unwrap();
        let expected = bytes(&whole.parts);
        let folder = tempfile::tempdir().unwrap();
        let (left, began) = lose(folder.path(), &[1, 3, 7]);
        assert!(left == expected);
        // The boundary of a checkpoint is concluded anew, unless the guard went back there; the first loss
        // came before there was one. No loss is at a boundary of a checkpoint: whether that one was made in
        // time would be a matter of threads.
        let first = |epoch: u64| epoch + u64::from(whole.trace[epoch as usize].rolled_back);
        assert_eq!(began, [0, 0, first(2), first(6)]);
        let number = std::fs::read_to_string(folder.path().join("generation.json")).unwrap();
        assert!(number.contains("generation"), "{number}");
    });
}

/// A program whose update of shard 2 panics in epoch 3.
struct Trapped;

impl Program for Trapped {
    raddle::program!(Shard = f64, Replica = f64, Partial = f64; update);

    fn aggregate(&self, at: Aggregate<'_, Self>) -> f64 {
        at.partials.sum()
    }

    fn commit(&self, change: &f64, sum: &mut f64) {
        *sum += change;
    }

    fn evaluate(&self, _: Evaluate<'_, Self>) -> f64 {
        0.0
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<f64> {
        Verdict::new(Metric::new("sum", *at.replica, "all numbers"))
    }
}

impl Update for Trapped {
    fn update(&self, at: TaskOf<'_, Self>) -> f64 {
        assert!(at.task.epoch < 3 || at.task.shard != 2, "the trap in epoch {}", at.task.epoch);
        *at.shard
    }
}

#[test]
fn a_panic_in_a_verb_ends_the_run_and_names_the_process() {
    without_a_hang(|| {
        let mut run = Run::<Trapped>::open(3, 1);
        let began = std::time::Instant::now();
        for index in 0..3 {
            run.start_with(index, |cluster| {
                let parts = Parts::new(vec![1.0; 3], 0.0);
                let engine = Engine::new(Trapped, EachShard::new(3), parts).epochs(10);
                engine.run_on(cluster)
            });
        }
        let (_, ended, errors) = run.end();
        assert_eq!((ended.who, ended.code, ended.lost), (2, 1, false), "{ended:?}");
        let why = ended.why.unwrap();
        assert!(why.contains("process 2 failed") && why.contains("the trap in epoch 3"), "{why}");
        assert!(!errors.is_empty() && began.elapsed().as_secs() < 5);
    });
}

#[test]
fn a_folder_that_not_all_processes_reach_is_refused() {
    without_a_hang(|| {
        let (here, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut settings = CoordinatorSettings::new(2, 1);
        settings.folder = Some(here.path().to_owned());
        let mut server = Server::open(&settings).unwrap();
        let processes: Vec<thread::JoinHandle<()>> = [(0, &here), (1, &elsewhere)]
            .map(|(index, folder)| {
                let (invitation, folder) = (server.invitation().clone(), folder.path().join("checkpoint"));
                thread::spawn(move || {
                    // The run may be refused before the other process has come.
                    let Ok(cluster) = Cluster::join(&invitation, index) else { return };
                    at_boundary(index)
                        .identity("data 1")
                        .checkpoint(2, folder)
                        .run_on(&cluster)
                        .map(drop)
                        .ok();
                })
            })
            .into();
        let ended = server.run(|_| ());
        assert_eq!((ended.code, ended.lost), (2, false), "{ended:?}");
        assert!(ended.why.unwrap().contains("does not reach the folder of the run"));
        drop(server);
        for process in processes {
            process.join().unwrap();
        }
    });
}
