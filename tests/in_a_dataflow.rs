//! A scheduled program as an operator in one's own dataflow.

use std::sync::{Arc, Mutex};

use raddle::schedule::{Cyclic, EpochStart, Next, Plan, Rotation, Round, Schedule};
use raddle::state::{Reader, StateError, Writer};
use raddle::{Engine, EngineError, Operator, Parts, Program, Scheduled, Train, Trained, Visibility};
use timely::dataflow::operators::{Inspect, Probe, ToStream};
use timely::{CommunicationConfig, Config, WorkerConfig};

use crate::launched::free_port;
use crate::programs::toy::Toy;
use crate::programs::{bytes, mf, mixing, ridge, without_a_hang};

fn factorization() -> Engine<mf::Mf> {
    let problem = mf::Problem::small(6);
    let (program, parts) = problem.parts();
    Engine::new(program, problem.schedule(), parts).epochs(5)
}

fn wandering() -> Engine<mixing::Mixing> {
    let visibility = Visibility::EachRound;
    let problem = mixing::Problem { shards: 5, blocks: 4, seed: 2, visibility, objective: true };
    let (program, parts) = problem.parts();
    Engine::new(program, problem.schedule(), parts).staleness(1).epochs(5)
}

/// Records seen by the dataflow around an operator: (epoch of the record, time that it came with), until its
/// frontier ended.
type Seen = Vec<(u64, u64)>;

/// Runs an operator on a dataflow whose channels carry bytes or pointers, as configured here.
fn surround<P: Program>(operator: &Operator<P>, communication: CommunicationConfig) -> Seen {
    let (operator, seen) = (operator.clone(), Arc::new(Mutex::new(Vec::new())));
    let sink = Arc::clone(&seen);
    let config = Config { communication, worker: WorkerConfig::default() };
    let guards = timely::execute(config, move |worker| {
        let sink = Arc::clone(&sink);
        let probe = worker.dataflow::<u64, _, _>(|scope| {
            let records = scope.scheduled(&operator);
            let records =
                records.inspect_time(move |time, record| sink.lock().unwrap().push((record.epoch, *time)));
            records.probe().0
        });
        while !probe.done() {
            worker.step_or_park(None);
        }
    });
    for worker in guards.unwrap().join() {
        worker.unwrap();
    }
    seen.lock().unwrap().clone()
}

#[test]
fn an_operator_leaves_the_same_bytes_as_an_engine() {
    let factorized = bytes(&factorization().run().unwrap().parts);
    let wandered = bytes(&wandering().run().unwrap().parts);
    for communication in [
        CommunicationConfig::Thread,
        CommunicationConfig::Process(3),
        // Channels serialize although the engine was not told so.
        CommunicationConfig::ProcessBinary(2),
    ] {
        let described = format!("{communication:?}");
        let (one, other) = without_a_hang(move || {
            let (one, other) =
                (factorization().into_operator().unwrap(), wandering().into_operator().unwrap());
            let seen = surround(&one, communication.clone());
            assert_eq!(seen.iter().map(|&(epoch, _)| epoch).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
            // A record comes at a time that its frontier has not passed: the epoch it closes, or before.
            assert!(seen.iter().all(|&(epoch, time)| time <= epoch), "{seen:?}");
            surround(&other, communication);
            (bytes(&one.finish().unwrap().parts), bytes(&other.finish().unwrap().parts))
        });
        assert!(one == factorized && other == wandered, "{described}");
    }
}

/// A run on shards of numbers that a stream brings: each is its own sum in the end.
fn summing(mut numbers: Vec<(u32, f64)>) -> Engine<ridge::Ridge> {
    numbers.sort_by_key(|&(number, _)| number);
    let seed = numbers.iter().map(|&(_, value)| value as u64).sum();
    let problem = ridge::Problem::small(seed);
    let (program, parts) = problem.parts();
    Engine::new(program, Cyclic::new(problem.variables(), 7), parts).epochs(4)
}

#[test]
fn a_stream_of_records_is_trained_on_and_ends_with_the_model() {
    let numbers: Vec<(u32, f64)> = (0..6).map(|number| (number, 1.0)).collect();
    let whole = summing(numbers.clone()).run().unwrap();
    for communication in
        [CommunicationConfig::Thread, CommunicationConfig::Process(3), CommunicationConfig::ProcessBinary(2)]
    {
        let (numbers, described) = (numbers.clone(), format!("{communication:?}"));
        let seen = without_a_hang(move || {
            let seen = Arc::new(Mutex::new(Vec::new()));
            let sink = Arc::clone(&seen);
            let config = Config { communication, worker: WorkerConfig::default() };
            let guards = timely::execute(config, move |worker| {
                let (sink, index, peers) = (Arc::clone(&sink), worker.index(), worker.peers());
                // Each worker has some of the numbers.
                let mine: Vec<(u32, f64)> = numbers.iter().skip(index).step_by(peers).copied().collect();
                worker.dataflow::<u64, _, _>(|scope| {
                    let trained = mine.to_stream(scope).train(|numbers| summing(numbers).workers(2));
                    trained.inspect_time(move |time, said| {
                        let said = match said {
                            Trained::Epoch(record) => (record.epoch, None),
                            Trained::Over(outcome) => {
                                let outcome = outcome.as_ref().as_ref().unwrap();
                                (outcome.report.epochs, Some(outcome.digest()))
                            }
                        };
                        assert!(*time <= said.0 && index == 0);
                        sink.lock().unwrap().push(said);
                    });
                });
            });
            guards.unwrap().join().into_iter().for_each(|ended| ended.unwrap());
            seen.lock().unwrap().clone()
        });
        let epochs: Vec<u64> = seen.iter().map(|&(epoch, _)| epoch).collect();
        assert_eq!(epochs, [0, 1, 2, 3, 4, 4], "{described}");
        let models: Vec<&String> = seen.iter().filter_map(|(_, model)| model.as_ref()).collect();
        assert_eq!((models, seen[5].1.is_some()), (vec![&whole.digest()], true), "{described}");
    }
}

#[test]
fn a_run_that_cannot_be_made_from_its_records_ends_the_stream_with_the_reason() {
    let why = without_a_hang(|| {
        let (tell, told) = std::sync::mpsc::channel();
        timely::execute_directly(move |worker| {
            worker.dataflow::<u64, _, _>(|scope| {
                let records = vec![1u64, 2].to_stream(scope);
                let trained =
                    records.train(|records| -> Engine<mf::Mf> { panic!("{} are too few", records.len()) });
                trained.inspect(move |said| {
                    if let Trained::Over(outcome) = said {
                        tell.send(outcome.as_ref().as_ref().err().unwrap().to_string()).unwrap();
                    }
                });
            });
        });
        told.recv().unwrap()
    });
    assert!(why.contains("making the run") && why.contains("2 are too few"), "{why}");
}

#[test]
fn what_an_operator_cannot_do_is_refused() {
    let refuse = |engine: Engine<mf::Mf>| engine.into_operator().err().unwrap().to_string();
    let why = "an operator can neither rescale nor checkpoint: the dataflow around it fixes its workers";
    assert_eq!(refuse(factorization().rescale(&[(1, 2)])), why);
    assert_eq!(refuse(factorization().checkpoint(1, "nowhere")), why);
    let unfinished = factorization().into_operator().unwrap().finish().err().unwrap();
    assert_eq!(unfinished.to_string(), "the dataflow of this operator has not run to its end");
}

/// A schedule that panics in the fourth epoch.
struct FailingSchedule(Rotation);

impl Schedule for FailingSchedule {
    fn identity(&self) -> String {
        "one that fails".into()
    }
    fn begin_epoch(&mut self, start: &EpochStart) -> Plan {
        assert!(start.epoch < 3, "the schedule gives up");
        self.0.begin_epoch(start)
    }
    fn next_round(&mut self) -> Next {
        Next::EndOfEpoch
    }
    fn learn(&mut self, _: &Round, _: &[(u32, f64)]) {}
    fn save(&self, _: &mut Writer) {}
    fn load(&mut self, _: &mut Reader<'_>) -> Result<(), StateError> {
        Ok(())
    }
}

#[test]
fn a_failure_ends_the_operator_and_not_the_dataflow_around_it() {
    for (shard, why) in [(0, "shard 0 gives up"), (3, "shard 3 gives up"), (9, "the schedule gives up")] {
        for communication in [CommunicationConfig::Thread, CommunicationConfig::Process(3)] {
            let failure = without_a_hang(move || {
                let parts = Parts::new(vec![(); 4], ()).blocks(vec![(); 4]);
                let failing = Toy::new(move |task| {
                    assert!(task.epoch == 0 || task.shard != shard, "shard {shard} gives up");
                });
                let engine = Engine::new(failing, FailingSchedule(Rotation::new(4, 4)), parts);
                let operator = engine.into_operator().unwrap();
                surround(&operator, communication);
                operator.finish().err().unwrap()
            });
            assert!(matches!(&failure, EngineError::Worker(text) if text.ends_with(why)), "{failure}");
        }
    }
}

#[test]
fn an_operator_among_several_processes_is_refused_and_its_dataflow_ends() {
    let (first, other) = without_a_hang(|| {
        let addresses: Vec<String> = (0..2).map(|_| format!("127.0.0.1:{}", free_port())).collect();
        // A process is a thread here, with an operator of its own.
        let process = |process: usize| {
            let addresses = addresses.clone();
            std::thread::spawn(move || {
                let operator = factorization().into_operator().unwrap();
                let (threads, report, zerocopy) = (1, false, false);
                let communication =
                    CommunicationConfig::Cluster { threads, process, addresses, report, zerocopy };
                surround(&operator, communication);
                operator.finish().err().unwrap().to_string()
            })
        };
        let (first, other) = (process(0), process(1));
        (first.join().unwrap(), other.join().unwrap())
    });
    assert!(first.contains("several processes") && first.contains("run_on"), "{first}");
    assert!(other.contains("has not run to its end"), "{other}");
}
