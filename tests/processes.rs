//! Runs on several processes leave the bytes of one. Here each process is a thread with connections of its own; the
//! programs' command lines are launched by `tests/launch.rs`.

// Helpers of tests may panic, as tests do.
#![allow(clippy::unwrap_used)]

mod programs;

use std::sync::mpsc;
use std::thread;

use programs::mixing::{Mixing, Problem};
use programs::{bytes, within_a_minute};
use raddle::cluster::{Cluster, CoordinatorSettings, Ended, Invitation, RunStatus, Server, Visitor};
use raddle::{Engine, EngineError, Outcome, Visibility};

fn problem(seed: u64, visibility: Visibility) -> Problem {
    Problem { shards: 9, blocks: 5, seed, visibility, objective: true }
}

fn engine(problem: &Problem) -> Engine<Mixing> {
    let (program, parts) = problem.parts();
    Engine::new(program, problem.schedule(), parts).epochs(12).staleness(2)
}

type Ran = Result<Option<Outcome<Mixing>>, EngineError>;

/// A run under way: its processes are threads.
struct Run {
    invitation: Invitation,
    ended: thread::JoinHandle<Ended>,
    processes: Vec<(thread::JoinHandle<()>, mpsc::Receiver<Ran>)>,
    remote: raddle::cluster::Remote,
}

/// What a run has come to, with the number of the process that has it; how the coordinator says that it ended; errors.
type End = (Option<(usize, Outcome<Mixing>)>, Ended, Vec<EngineError>);

type Make = fn(u32) -> Engine<Mixing>;

impl Run {
    fn begin(processes: u32, workers: u32, make: Make) -> Self {
        let mut run = Self::open(processes, workers);
        (0..processes).for_each(|index| run.start(index, make));
        run
    }

    /// A coordinator that waits for processes.
    fn open(processes: u32, workers: u32) -> Self {
        let mut settings = CoordinatorSettings::new(processes, workers);
        settings.balance = false;
        let server = Server::open(&settings).unwrap();
        let (invitation, remote) = (server.invitation().clone(), server.remote());
        let ended = thread::spawn(move || server.run(|_| ()));
        Self { invitation, ended, processes: Vec::new(), remote }
    }

    fn start(&mut self, index: u32, make: Make) {
        self.start_with(index, move |cluster| make(index).run_on(cluster));
    }

    fn start_with(&mut self, index: u32, run: impl FnOnce(&Cluster) -> Ran + Send + 'static) {
        let (invitation, remote) = (self.invitation.clone(), self.remote.clone());
        let (tell, told) = mpsc::channel();
        let process = thread::spawn(move || {
            let ran = Cluster::join(&invitation, index).and_then(|cluster| run(&cluster));
            let code = i32::from(ran.is_err());
            tell.send(ran).unwrap();
            remote.exited(index, code, "has ended".into());
        });
        self.processes.push((process, told));
    }

    /// What the run has come to, the number of the process that has it, and how the coordinator says that it ended.
    fn end(self) -> End {
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
    within_a_minute(|| {
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
fn a_plan_of_workers_is_followed_by_all_processes() {
    within_a_minute(|| {
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

/// Waits until the coordinator says what is expected.
fn await_status(invitation: &Invitation, expected: impl Fn(&RunStatus) -> bool) {
    let visitor = Visitor::new(invitation.clone());
    while !expected(&visitor.status().unwrap()) {
        thread::yield_now();
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
    within_a_minute(|| {
        let expected = bytes(&long(0).run().unwrap().parts);
        let mut run = Run::open(2, 2);
        let invitation = run.invitation.clone();
        // What happens at boundaries: the observer of the first process waits for it.
        let (joins, joining) = mpsc::channel();
        for index in 0..2 {
            let (invitation, joins) = (invitation.clone(), joins.clone());
            run.start_with(index, move |cluster| {
                let leave = cluster.leaver();
                let visitor = Visitor::new(invitation.clone());
                let engine = long(index).observe(move |record| match record.epoch {
                    5 => {
                        let place = visitor.join().unwrap();
                        joins.send(place.index).unwrap();
                        await_status(&invitation, |status| state_of(status, place.index) == Some("ready"));
                    }
                    50 => visitor.rescale(5).unwrap(),
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
    within_a_minute(|| {
        let make: Make = |index| at_boundary(0).identity(format!("data {}", index / 2));
        let (outcome, ended, errors) = Run::begin(3, 1, make).end();
        assert!(outcome.is_none() && !errors.is_empty());
        assert_eq!(ended.code, 2);
        assert!(ended.why.as_ref().unwrap().contains("on other data"), "{ended:?}");
    });
}

#[test]
fn a_stranger_gets_no_answer() {
    within_a_minute(|| {
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
        let visitor = Visitor::new(Invitation::read(&files[0]).unwrap());
        assert!(visitor.status().unwrap_err().to_string().contains("token"));
        assert!(run.end().0.is_some());
    });
}
