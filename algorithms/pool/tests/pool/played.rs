//! [`Played`]: simulated jobs with known costs and random faults.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use raddle::random::Stream;
use raddle_pool::pool::{
    Action, Boundary, Event, EventKind, Keep, Phase, Pool, Replay, Request, Runs, Settings,
};

/// A simulated job, with the cost of each epoch.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) request: Request,
    pub(super) costs: Vec<f64>,
    pub(super) status: i32,
}

impl Part {
    pub(super) fn new(name: &str, at: f64, most: u32, costs: Vec<f64>) -> Self {
        let request =
            Request { at, epochs: Some(costs.len() as u64), ..Request::new(name, &["play", name], most) };
        Self { request, costs, status: 0 }
    }
}

#[derive(Debug, Clone)]
enum Doing {
    /// The job runs until this time, then reports this boundary, with this number of workers.
    Works(f64, u64, u32),
    /// The job waits at this boundary.
    Waits(u64),
    /// The job reports this end next: an exit status, or a loss.
    Ends(Option<i32>),
}

/// Processes of simulated jobs. A process starts at the checkpoint of its job.
pub(super) struct Played {
    parts: BTreeMap<String, Part>,
    doing: BTreeMap<String, Doing>,
    /// Jobs whose process has not reported a boundary yet.
    first: BTreeSet<String>,
    /// Epoch of the checkpoint of each job.
    checkpoints: BTreeMap<String, u64>,
    /// Events from outside the jobs, by time, in reverse order.
    pub(super) outside: Vec<(f64, EventKind)>,
    now: f64,
    /// `false` if the next job to report is drawn, whatever the times are.
    is_timed: bool,
    stream: Stream,
    /// Probability that a process is lost in a step.
    pub(super) losses: f64,
    /// Probability that a process is lost before a step and started again, but not by the pool.
    pub(super) returns: f64,
    /// Number of starts of each job.
    pub(super) starts: BTreeMap<String, u32>,
}

impl Played {
    pub(super) fn new(parts: &[Part], is_timed: bool, seed: u64) -> Self {
        Self {
            parts: parts.iter().map(|part| (part.request.name.clone(), part.clone())).collect(),
            doing: BTreeMap::new(),
            first: BTreeSet::new(),
            checkpoints: BTreeMap::new(),
            outside: Vec::new(),
            now: 0.0,
            is_timed,
            stream: Stream::new(&[seed]),
            losses: 0.0,
            returns: 0.0,
            starts: BTreeMap::new(),
        }
    }

    /// Kills all processes.
    pub(super) fn kill(&mut self) {
        self.doing.clear();
    }

    /// Sends a random process back to its checkpoint, unless it was asked to end. Answers have no effect
    /// until it reports a boundary.
    fn come_back(&mut self) {
        let is_there = |job: &str, doing: &Doing| match doing {
            Doing::Works(..) | Doing::Waits(_) => true,
            Doing::Ends(status) => *status == Some(self.parts[job].status),
        };
        let jobs: Vec<&String> =
            self.doing.iter().filter(|(job, doing)| is_there(job, doing)).map(|(job, _)| job).collect();
        if jobs.is_empty() {
            return;
        }
        let job = jobs[self.stream.below(jobs.len())].clone();
        let epoch = self.checkpoints.get(&job).copied().unwrap_or(0);
        self.doing.insert(job.clone(), Doing::Works(self.now, epoch, 1));
        self.first.insert(job);
    }

    /// The boundary at which a job waits; `None` if it ends there, or is still catching up with an earlier
    /// boundary.
    fn waits(&self, job: &str) -> Option<u64> {
        match self.doing.get(job) {
            Some(Doing::Waits(epoch)) => Some(*epoch),
            Some(Doing::Ends(_)) => None,
            Some(Doing::Works(..)) if self.returns > 0.0 => None,
            other => panic!("{job} does not wait: {other:?}"),
        }
    }

    fn cost(&self, job: &str, epoch: u64) -> f64 {
        epoch.checked_sub(1).map_or(0.0, |at| self.parts[job].costs[at as usize])
    }

    /// The job that reports next.
    fn next_job(&mut self, until: Option<f64>) -> Option<String> {
        let ready = |doing: &Doing| !matches!(doing, Doing::Waits(_));
        let jobs: Vec<(&String, f64)> = self
            .doing
            .iter()
            .filter(|(_, doing)| ready(doing))
            .map(|(job, doing)| (job, if let Doing::Works(until, ..) = doing { *until } else { self.now }))
            .collect();
        if jobs.is_empty() {
            return None;
        }
        if !self.is_timed {
            return Some(jobs[self.stream.below(jobs.len())].0.clone());
        }
        let (job, at) = jobs.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        let job = (at <= until.unwrap_or(f64::INFINITY)).then(|| job.clone())?;
        self.now = self.now.max(at);
        Some(job)
    }

    fn tells(&mut self, job: String) -> EventKind {
        let lost = self.stream.unit() < self.losses;
        match self.doing[&job].clone() {
            Doing::Works(..) if lost => {
                self.doing.remove(&job);
                EventKind::Lost { job }
            }
            Doing::Works(_, epoch, workers) => {
                let is_last = epoch as usize == self.parts[&job].costs.len();
                let next =
                    if is_last { Doing::Ends(Some(self.parts[&job].status)) } else { Doing::Waits(epoch) };
                self.doing.insert(job.clone(), next);
                let is_first = self.first.remove(&job);
                let cost = if is_first { 0.0 } else { self.cost(&job, epoch) };
                EventKind::Boundary(Boundary {
                    job,
                    epoch,
                    cost,
                    seconds: cost / f64::from(workers),
                    workers,
                    metric: Some(1.0 / (1.0 + epoch as f64)),
                    target: None,
                    epochs: None,
                    wanted: None,
                    is_last,
                })
            }
            Doing::Ends(status) => {
                self.doing.remove(&job);
                match status {
                    Some(status) => EventKind::Ended { job, status, cost: 0.0, said: "the last line".into() },
                    None => EventKind::Lost { job },
                }
            }
            Doing::Waits(_) => unreachable!(),
        }
    }
}

impl Runs for Played {
    fn start(&mut self, job: &Request, workers: u32) {
        let epoch = self.checkpoints.get(&job.name).copied().unwrap_or(0);
        let before = self.doing.insert(job.name.clone(), Doing::Works(self.now, epoch, workers));
        assert!(before.is_none(), "{} has a process", job.name);
        self.first.insert(job.name.clone());
        *self.starts.entry(job.name.clone()).or_default() += 1;
    }

    fn go_on(&mut self, job: &str, workers: u32) {
        let Some(epoch) = self.waits(job) else { return };
        // Checkpoints are written every other epoch.
        if epoch % 2 == 0 {
            self.checkpoints.insert(job.into(), epoch);
        }
        let until = self.now + self.cost(job, epoch + 1) / f64::from(workers);
        self.doing.insert(job.into(), Doing::Works(until, epoch + 1, workers));
    }

    fn pause(&mut self, job: &str) {
        let Some(epoch) = self.waits(job) else { return };
        self.checkpoints.insert(job.into(), epoch);
        self.doing.insert(job.into(), Doing::Ends(Some(130)));
    }

    fn cancel(&mut self, job: &str) {
        let end = if self.stream.unit() < 0.5 { Some(130) } else { None };
        assert!(self.doing.insert(job.into(), Doing::Ends(end)).is_some(), "{job} has no process");
    }

    fn now(&self) -> f64 {
        self.now
    }

    fn next(&mut self, until: Option<f64>) -> Event {
        let outside = self.outside.last().map(|(at, _)| *at);
        let limit = until.into_iter().chain(outside).min_by(f64::total_cmp);
        if self.returns > 0.0 && self.stream.unit() < self.returns {
            self.come_back();
        }
        if !self.is_timed && outside.is_some() && self.stream.unit() < 0.3 {
            let (_, what) = self.outside.pop().unwrap();
            return Event { at: self.now, what };
        }
        if let Some(job) = self.next_job(limit) {
            return Event { what: self.tells(job), at: self.now };
        }
        match (outside, until) {
            (Some(at), until) if until.is_none_or(|until| at <= until) => {
                self.now = self.now.max(at);
                Event { at: self.now, what: self.outside.pop().unwrap().1 }
            }
            (_, Some(until)) => {
                self.now = self.now.max(until);
                Event { at: self.now, what: EventKind::Time }
            }
            (_, None) => panic!("nothing will ever happen"),
        }
    }
}

/// Stored lines, in order.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kept {
    Event(Event),
    Told(EventKind),
}

/// Storage in memory, which checks the pool after each event, and is killed after a number of lines.
#[derive(Debug, Default)]
pub(super) struct Kill {
    pub(super) kept: Vec<Kept>,
    pub(super) after: Option<usize>,
    pub(super) actions: Vec<Action>,
}

impl Kill {
    fn line(&mut self, line: Kept) -> Result<(), ()> {
        if self.after == Some(self.kept.len()) {
            return Err(());
        }
        self.kept.push(line);
        Ok(())
    }
}

impl Keep for Kill {
    type Error = ();

    fn event(&mut self, event: &Event) -> Result<(), ()> {
        self.line(Kept::Event(event.clone()))
    }

    fn told(&mut self, what: &EventKind) -> Result<(), ()> {
        self.line(Kept::Told(what.clone()))
    }

    fn shown(&mut self, pool: &Pool, event: &Event, actions: &[Action]) {
        let held: u32 = pool.fits().iter().map(|fit| fit.workers()).sum();
        assert!(held <= pool.settings().workers, "{held} workers are held after {event:?}");
        let alive = pool.fits().iter().filter(|fit| fit.is_alive()).count();
        assert!(alive <= pool.settings().alive as usize, "{alive} jobs are alive after {event:?}");
        for fit in pool.fits() {
            if let Phase::Running { workers } = fit.phase {
                assert!((fit.request.least..=fit.request.most).contains(&workers), "{fit:?}");
            }
        }
        self.actions.extend(actions.iter().cloned());
    }
}

/// The pool, restored from stored lines.
pub(super) fn replayed(settings: &Settings, kept: &[Kept]) -> Replay {
    let mut replay = Replay::new(settings.clone()).unwrap();
    for line in kept {
        match line {
            Kept::Event(event) => replay.event(event),
            Kept::Told(what) => replay.told(what.clone()),
        }
    }
    replay
}

/// Jobs that were not submitted to a pool yet.
pub(super) fn new(pool: &Pool, parts: &[Part]) -> Vec<Request> {
    let requests = parts.iter().map(|part| part.request.clone());
    requests.filter(|request| pool.fit(&request.name).is_none()).collect()
}

/// As many random pools as `RADDLE_POOL_CASES` says, or 200. A test may refuse most of those that are drawn.
pub(super) fn config() -> ProptestConfig {
    let cases = std::env::var("RADDLE_POOL_CASES").map_or(200, |cases| cases.parse().unwrap());
    ProptestConfig { max_global_rejects: 16 * cases, ..ProptestConfig::with_cases(cases) }
}

/// Jobs of all kinds; each may come after an earlier one.
pub(super) fn parts() -> impl Strategy<Value = Vec<Part>> {
    let costs = prop::collection::vec(1.0..60.0f64, 1..7);
    let part = (costs, 0.0..40.0f64, 1..=6u32, any::<prop::sample::Index>(), 0..10u32);
    prop::collection::vec(part, 1..7).prop_map(|drawn| {
        let part = |(at, (costs, arrival, most, before, kind)): (
            usize,
            (Vec<f64>, f64, u32, prop::sample::Index, u32),
        )| {
            let mut part = Part::new(&format!("job{at}"), arrival.floor(), most, costs);
            part.request.least = if kind == 0 { most } else { 1 };
            part.status = if kind == 1 { 1 } else { 0 };
            if kind == 2 && at > 0 {
                part.request.after = vec![format!("job{}", before.index(at))];
            }
            if kind >= 7 {
                part.request.epochs = None;
            }
            part
        };
        drawn.into_iter().enumerate().map(part).collect()
    })
}

/// Settings of all kinds, for jobs of at most six workers.
pub(super) fn settings() -> impl Strategy<Value = Settings> {
    let names = ["fifo", "drf", "greedy", "random"];
    (6..=9u32, 1..=6u32, prop::sample::select(names.to_vec()), 0..1000u64).prop_map(
        |(workers, alive, name, seed)| {
            let mut settings = Settings { alive, ..Settings::new(workers, name) };
            settings.policy.seed = seed;
            settings
        },
    )
}

/// Ends and times of all jobs, as text.
pub(super) fn figures(pool: &Pool) -> Vec<String> {
    let of = |fit: &raddle_pool::pool::Fit| {
        format!(
            "{} {:?} {:?} {:?} {:?} {} {}",
            fit.name(),
            fit.phase,
            fit.arrived,
            fit.began,
            fit.ended,
            fit.service,
            fit.epoch
        )
    };
    pool.fits().iter().map(of).collect()
}
