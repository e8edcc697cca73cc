//! A coordinator with a simulated holder and a simulated process, under a seeded scheduler: messages take
//! their time and come twice, holders come and go, the process is killed. The process leaves a boundary when
//! the holder has answered it, or the run is to stop, and never else; with a holder that answers the run
//! comes to its end.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail where a test would")]

use std::collections::{BTreeSet, VecDeque};

use super::super::*;
use super::{config, ended_report, numbered, ready, report};
use crate::cluster::protocol::{AdminRequest, AdminResponse, MemberReport};
use crate::cluster::simulation::Rng;

/// Epochs of the run.
const EPOCHS: u64 = 6;

struct World {
    rng: Rng,
    coordinator: Coordinator,
    now: f64,
    /// Orders on their way to the process, its reports, and what the holders send.
    orders: VecDeque<Order>,
    reports: VecDeque<MemberReport>,
    requests: VecDeque<Event>,
    /// The admin clients that ask to hold the run or hold it, and what is on its way to them.
    clients: BTreeSet<u64>,
    shown: VecDeque<(u64, AdminResponse)>,
    holder: Option<u64>,
    last_client: u64,
    /// Boundaries that the holder has answered, and `true` once the run is to stop.
    answered: BTreeSet<Place>,
    stops: bool,
    /// The process: its place, and whether it waits there, is to end its generation there, or was told to
    /// stop.
    place: Place,
    waits: bool,
    runs: bool,
    ends: bool,
    stopped: bool,
    asked: u64,
    over: bool,
    kills: u64,
}

impl World {
    fn new(seed: u64) -> Self {
        let config = CoordinatorConfig { processes: 1, held: true, may_resume: false, ..config() };
        let mut world = Self {
            rng: Rng::new(seed),
            coordinator: Coordinator::new(config),
            now: 0.0,
            orders: VecDeque::new(),
            reports: VecDeque::new(),
            requests: VecDeque::new(),
            clients: BTreeSet::new(),
            shown: VecDeque::new(),
            holder: None,
            last_client: 0,
            answered: BTreeSet::new(),
            stops: false,
            place: (0, 0),
            waits: false,
            runs: false,
            ends: false,
            stopped: false,
            asked: 0,
            over: false,
            kills: 0,
        };
        world.coordinate(ready(0));
        world
    }

    fn coordinate(&mut self, event: Event) {
        for action in self.coordinator.on(event, self.now) {
            match action {
                Action::Send { order, .. } => self.orders.push_back(order),
                Action::AdminResponse { admin, answer } => self.shown.push_back((admin, answer)),
                Action::Number(number) => self.requests.push_back(numbered(number)),
                Action::Over { code, why, .. } => panic!("over with {code}: {why:?}"),
                _ => {}
            }
        }
    }

    /// The process takes an order.
    fn obey(&mut self, order: Order) {
        match order {
            Order::Begin { start } => {
                assert!(start.held);
                (self.place.0, self.asked) = (start.plan.number, start.plan.asked);
                (self.runs, self.ends, self.over) = (!start.plan.last, false, start.plan.last);
                let is_first = start.plan.previous.is_empty();
                if is_first && self.runs {
                    self.arrive();
                }
            }
            Order::EndGeneration { generation } => self.ends |= generation == self.place.0,
            Order::Stop => self.stopped = true,
            Order::GoOn { generation, epoch } if self.waits && (generation, epoch) == self.place => {
                assert!(self.answered.contains(&self.place) || self.stops, "{:?}", self.place);
                self.waits = false;
                if self.ends || self.stopped {
                    self.end(self.stopped);
                }
            }
            _ => {}
        }
    }

    /// The process comes to the boundary at its place.
    fn arrive(&mut self) {
        let (generation, epoch) = self.place;
        let is_last = epoch == EPOCHS || self.stopped;
        let boundary = HeldBoundary { epoch, generation, is_last, ..HeldBoundary::default() };
        let epoch = Epoch { epoch, held: Some(Box::new(boundary)), ..Epoch::default() };
        let report = MemberReport::Epoch { generation, epoch };
        let copies = 1 + usize::from(self.rng.one_in(4));
        self.reports.extend(std::iter::repeat_n(report, copies));
        self.waits = !is_last;
        if is_last {
            self.end(true);
        }
    }

    fn end(&mut self, over: bool) {
        let (generation, epoch) = self.place;
        let end = GenerationEnd {
            epoch,
            over,
            block_at: Vec::new(),
            checkpoint_need: CheckpointNeed::None,
            change: None,
        };
        self.runs = false;
        self.reports.push_back(ended_report(generation, Some(end)));
    }

    /// A client takes what it was sent, and answers boundaries.
    fn see(&mut self, client: u64, answer: AdminResponse) {
        if !self.clients.contains(&client) {
            return;
        }
        match answer {
            AdminResponse::Holds => {
                assert!(self.holder.replace(client).is_none(), "there are two holders");
            }
            AdminResponse::Refused(_) => drop(self.clients.remove(&client)),
            AdminResponse::Boundary(HeldBoundary { generation, epoch, is_last: false, workers, .. }) => {
                assert_eq!(self.holder, Some(client));
                if (generation, epoch) == self.place {
                    assert_eq!(workers as u64, self.asked);
                }
                self.answered.insert((generation, epoch));
                let workers = 1 + self.rng.below(4) as u32;
                let pauses = self.rng.one_in(30);
                self.stops |= pauses && self.waits && (generation, epoch) == self.place;
                let request = match pauses {
                    true => AdminRequest::Pause { generation, epoch },
                    false => AdminRequest::GoOn { generation, epoch, workers },
                };
                self.requests.push_back(Event::Asked { admin: client, request });
            }
            _ => {}
        }
    }

    /// The holder, or a client that asked to be, is gone.
    fn lose_client(&mut self) {
        if let Some(client) = self.clients.pop_first() {
            self.holder.take_if(|holder| *holder == client);
            self.requests.push_back(Event::AdminGone { admin: client });
        }
    }

    /// The process is killed, and another attempt begins after the last generation.
    fn kill(&mut self) {
        self.kills += 1;
        let holder = self.coordinator.held.holder;
        let (after, config) = (self.place.0.max(1), self.coordinator.config().clone());
        self.coordinator = Coordinator::new(CoordinatorConfig { holder, after, ..config });
        self.orders.clear();
        self.reports.clear();
        self.requests.retain(|event| matches!(event, Event::Asked { .. } | Event::AdminGone { .. }));
        (self.waits, self.runs, self.ends, self.stopped) = (false, false, false, false);
        self.coordinate(ready(0));
    }

    fn step(&mut self) {
        self.now += 0.01;
        match self.rng.below(12) {
            0..3 => {
                if let Some(order) = self.orders.pop_front() {
                    self.obey(order);
                }
            }
            3..6 => {
                if let Some(one) = self.reports.pop_front() {
                    self.coordinate(report(0, one));
                }
            }
            6..8 => {
                if let Some(event) = self.requests.pop_front() {
                    self.coordinate(event);
                }
            }
            8..10 => {
                if let Some((client, answer)) = self.shown.pop_front() {
                    self.see(client, answer);
                }
            }
            10 if self.runs && !self.waits => {
                self.place.1 += 1;
                self.arrive();
            }
            10 => self.coordinate(report(0, MemberReport::Alive { memory: 1 })),
            _ => match self.rng.below(40) {
                0 => self.lose_client(),
                1 if self.kills < 3 && !self.stops => self.kill(),
                2 if self.rng.one_in(4) => {
                    self.stops = true;
                    self.coordinate(Event::Stop);
                }
                _ if self.clients.len() < 2 => {
                    self.last_client += 1;
                    self.clients.insert(self.last_client);
                    let request = AdminRequest::Hold;
                    self.requests.push_back(Event::Asked { admin: self.last_client, request });
                }
                _ => {}
            },
        }
    }
}

#[test]
fn a_held_run_goes_on_by_its_holders_word_alone_and_comes_to_its_end() {
    let (mut stopped, mut killed, mut taken_over) = (0, 0, 0);
    for seed in 0..300 {
        let mut world = World::new(seed);
        let mut steps = 0;
        while !world.over {
            world.step();
            steps += 1;
            assert!(steps < 50_000, "seed {seed}: it does not end, at {:?}", world.place);
        }
        assert!(world.place.1 == EPOCHS || world.stops, "seed {seed}");
        stopped += u64::from(world.stops);
        killed += world.kills;
        taken_over += u64::from(world.holder.is_some_and(|holder| holder > 1));
    }
    assert!(stopped > 50 && killed > 50 && taken_over > 50, "{stopped}, {killed}, {taken_over}");
}

#[test]
fn nobody_holds_a_run_that_is_not_held_or_answers_for_another() {
    let answer = |coordinator: &mut Coordinator, admin, request| {
        let actions = coordinator.on(Event::Asked { admin, request }, 0.0);
        actions.into_iter().find_map(|action| match action {
            Action::AdminResponse { answer: AdminResponse::Refused(why), .. } => Some(why),
            _ => None,
        })
    };
    let mut free = Coordinator::new(config());
    assert!(answer(&mut free, 1, AdminRequest::Hold).unwrap().contains("raddle launch --held"));
    let mut held = Coordinator::new(CoordinatorConfig { processes: 1, held: true, ..config() });
    assert_eq!(answer(&mut held, 1, AdminRequest::Hold), None);
    assert!(answer(&mut held, 2, AdminRequest::Hold).unwrap().contains("another holder"));
    let go_on = AdminRequest::GoOn { generation: 1, epoch: 0, workers: 2 };
    assert!(answer(&mut held, 2, go_on).unwrap().contains("only the holder"));
    assert!(answer(&mut held, 2, AdminRequest::Rescale { workers: 2 }).unwrap().contains("its holder"));
    assert!(
        answer(&mut held, 2, AdminRequest::Join { workers: None, rank: None })
            .unwrap()
            .contains("nobody joins")
    );
    held.on(Event::AdminGone { admin: 2 }, 0.0);
    assert!(answer(&mut held, 2, AdminRequest::Hold).unwrap().contains("another holder"));
    held.on(Event::AdminGone { admin: 1 }, 0.0);
    assert_eq!(answer(&mut held, 2, AdminRequest::Hold), None);
}
