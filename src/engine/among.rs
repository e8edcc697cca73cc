//! A run on several processes: the connections and threads of this one's part.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::member::{Member, Outgoing, Step};
use super::parts::Beginning;
use super::{Engine, Outcome};
use crate::base::error::EngineError;
use crate::base::process::{cpu_seconds, peak_memory_bytes};
use crate::base::sync::lock;
use crate::cluster::balance::Balance;
use crate::cluster::net::link::Link;
use crate::cluster::plan::Plan;
use crate::cluster::protocol::{Epoch, Report};
use crate::cluster::{Cluster, Line, Next};
use crate::engine::handover::{Account, Lane, exchange};
use crate::generation::{Links, Observer};
use crate::program::Program;
use crate::run::record::EpochRecord;

impl<P: Program> Engine<P> {
    /// Carries the run out together with other processes.
    pub(super) fn run_among(self, cluster: &Cluster) -> Result<Option<Outcome<P>>, EngineError> {
        self.check()?;
        let line = &cluster.line;
        if !line.takes_a_run() {
            let why =
                "several processes carry out one run together, and this is a second one: start it alone";
            return Err(EngineError::Setting(why.into()));
        }
        let result = run(self, line);
        let last = result.as_ref().err().map_or(Report::Done, failed);
        // A coordinator that is gone needs no telling.
        let _ = line.say(&last);
        match &result {
            Ok(None) => line.leave(),
            Ok(Some(_)) => {}
            Err(why) => line.ender()(why),
        }
        result
    }
}

/// What is said of why this process cannot go on.
fn failed(why: &EngineError) -> Report {
    Report::Failed { why: why.to_string(), of_a_peer: matches!(why, EngineError::Process(_)) }
}

/// Connections with their processes.
type Met = Vec<(u32, Link)>;

fn run<P: Program>(mut engine: Engine<P>, line: &Line) -> Result<Option<Outcome<P>>, EngineError> {
    let costs = engine.costs.clone().unwrap_or_else(|| vec![1; engine.parts.shards.len()]);
    let watch = Arc::new(Mutex::new(Watch { balance: Balance::new(true), plan: None, costs }));
    engine.observer = Some(told::<P>(line, engine.observer, Arc::clone(&watch)));
    let mut member = Member::new(engine, line.index(), Arc::clone(&line.wishes));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    line.say(&Report::Ready { facts: member.facts(cores), address: line.address() })?;
    let (ready, mut has_begun) = (Instant::now(), false);
    loop {
        let briefing = match line.next()? {
            Next::Begin(briefing) => *briefing,
            Next::Keep { epoch, anew } => {
                let (drafted, generation) = (member.keep(epoch, anew)?, line.wishes.running());
                line.say(&Report::Kept { generation, drafted })?;
                continue;
            }
            Next::Write | Next::Leave => return Ok(None),
        };
        let awaited = ready.elapsed().as_secs_f64();
        let plan = briefing.plan.clone();
        let met = line.meet(&plan, briefing.deadline)?;
        let start = Instant::now();
        let goods = member.begin(briefing, Some(account()))?;
        if !std::mem::replace(&mut has_begun, true) {
            let made = start.elapsed().as_secs_f64();
            member.note_beginning(Beginning { awaited, made });
        }
        let left = hand_over(&mut member, line, &plan, &met, goods)?;
        match member.next(Instant::now())? {
            Step::Wait => return Err(EngineError::Process("a process did not hand over".into())),
            Step::Leave => return Ok(None),
            Step::Over(outcome) => {
                // An old generation writes nothing that is read: the coordinator is asked once more.
                line.say(&Report::MayWrite)?;
                return match line.next()? {
                    Next::Write => Ok(Some(*outcome)),
                    _ => Err(EngineError::Process("the run has gone on without this process".into())),
                };
            }
            Step::Run(generation, seat) => {
                lock(&watch).begin(&plan, member.last_worked());
                settled(line, &plan, left, member.last_worked())?;
                let links = (plan.seats.len() > 1).then(|| links(&plan, seat, met));
                let (report, end) = (line.reporter(), line.ender());
                generation.tell_first(Box::new(move |why| {
                    report(&failed(why));
                    end(why);
                }));
                let ended = Arc::clone(&generation);
                line.wishes.set_abort(Some(Box::new(move |why| ended.lose(why))));
                let returned = Arc::clone(&generation).run(links);
                line.wishes.set_abort(None);
                let report = member.ended(&generation, returned?, Instant::now())?;
                line.say(&report)?;
            }
        }
    }
}

/// What the system says of this process.
fn account() -> Account {
    let (peak_memory, cpu_seconds) = (peak_memory_bytes().unwrap_or(0), cpu_seconds().unwrap_or(0.0));
    Account { peak_memory, cpu_seconds, ..Account::default() }
}

/// The hand-over is done.
fn settled(line: &Line, plan: &Plan, bytes: u64, since: Option<Instant>) -> Result<(), EngineError> {
    let seconds = since.map_or(0.0, |since| since.elapsed().as_secs_f64());
    let (generation, memory) = (plan.number, peak_memory_bytes().unwrap_or(0));
    line.say(&Report::Settled { generation, bytes, seconds, memory })
}

/// Gives away what moves, and takes what comes; returns the bytes that left.
fn hand_over<P: Program>(
    member: &mut Member<P>,
    line: &Line,
    plan: &Plan,
    met: &Met,
    mut goods: Outgoing<P>,
) -> Result<u64, EngineError> {
    let me = line.index();
    let mut lanes = Vec::with_capacity(met.len());
    for (other, link) in met {
        let gives = plan.is_giver(me) && plan.seat_of(*other).is_some();
        let takes = plan.is_giver(*other) && plan.seat_of(me).is_some();
        let gives = gives.then(|| goods.remove(other).unwrap_or_default());
        lanes.push(Lane { name: format!("process {other}"), link, gives, takes });
    }
    let (came, left) = exchange(lanes).map_err(EngineError::Process)?;
    for ((other, _), goods) in met.iter().zip(came) {
        for (one, bytes) in goods {
            member.take(*other, one, bytes)?;
        }
    }
    Ok(left)
}

/// The connections to the processes of a generation, by their seats.
fn links(plan: &Plan, seat: usize, met: Met) -> Links {
    let mut links: Vec<Option<(String, Link)>> = plan.seats.iter().map(|_| None).collect();
    for (id, link) in met {
        if let Some(other) = plan.seat_of(id) {
            links[other] = Some((format!("process {id}"), link));
        }
    }
    Links { index: seat, links }
}

/// Whether it pays to end the generation under way, so that shards move.
struct Watch {
    balance: Balance,
    plan: Option<Plan>,
    costs: Vec<u64>,
}

impl Watch {
    /// A generation begins.
    fn begin(&mut self, plan: &Plan, since: Option<Instant>) {
        if let Some(since) = since {
            self.balance.paused(since.elapsed().as_secs_f64());
        }
        self.balance.begin(plan);
        self.plan = Some(plan.clone()).filter(|plan| plan.balance);
    }

    /// An epoch is over.
    fn is_worth_a_cut(&mut self, epoch: &Epoch) -> bool {
        let Some(plan) = &self.plan else { return false };
        self.balance.learn(plan, &self.costs, epoch);
        self.balance.is_worth_it(plan, &self.costs)
    }
}

/// An observer that tells the coordinator of every epoch, too, and ends a generation whose shards had better move.
fn told<P: Program>(line: &Line, mut observer: Option<Observer<P>>, watch: Arc<Mutex<Watch>>) -> Observer<P> {
    let (report, wishes) = (line.reporter(), Arc::clone(&line.wishes));
    Box::new(move |record: &EpochRecord, replica: &P::Replica| {
        let metric = record.metric.as_ref().map(|metric| (metric.name.to_string(), metric.value));
        let epoch = Epoch { epoch: record.epoch, seconds: record.seconds, metric, load: record.load.clone() };
        let generation = wishes.running();
        if lock(&watch).is_worth_a_cut(&epoch) {
            wishes.ask_for_a_cut(generation);
        }
        report(&Report::Epoch { generation, epoch });
        if let Some(observer) = &mut observer {
            observer(record, replica);
        }
    })
}
