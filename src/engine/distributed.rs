//! A run on several processes: this process's loop, with its connections and threads.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::member::{Member, Outgoing, Step};
use super::parts::PreparationSeconds;
use super::{Engine, Outcome};
use crate::base::error::EngineError;
use crate::base::process::{cpu_seconds, machine, peak_memory_bytes};
use crate::base::sync::lock;
use crate::cluster::balance::Balance;
use crate::cluster::net::link::Link;
use crate::cluster::plan::GenerationPlan;
use crate::cluster::protocol::{Epoch, MemberReport};
use crate::cluster::{Cluster, CoordinatorClient, HeldBoundary, Instruction};
use crate::engine::transfer::{ProcessStats, Transfer, TransferChannel, exchange, give, take_one};
use crate::generation::{Connect, Generation, Links, Observer};
use crate::parties::{Keyring, Masks};
use crate::program::Program;
use crate::run::merging::Merging;
use crate::run::record::EpochRecord;

impl<P: Program> Engine<P> {
    /// Carries the run out together with other processes; `None` if this one is not the first at the end.
    pub(super) fn run_distributed(self, cluster: &Cluster) -> Result<Option<Outcome<P>>, EngineError> {
        self.check()?;
        let client = &cluster.client;
        if !client.takes_a_run() {
            let why =
                "several processes carry out one run together, and this is a second one: start it alone";
            return Err(EngineError::Setting(why.into()));
        }
        let result = run(self, client);
        let last = result.as_ref().err().map_or(MemberReport::Done, failed);
        // The coordinator may be gone.
        let _ = client.send(&last);
        match &result {
            Ok(None) => client.leave(),
            Ok(Some(_)) => {}
            Err(why) => client.ender()(why),
        }
        result
    }
}

/// Makes the report of the error for which this process cannot continue.
fn failed(why: &EngineError) -> MemberReport {
    MemberReport::Failed { why: why.to_string(), of_a_peer: matches!(why, EngineError::Process(_)) }
}

/// Connections to peers, with the numbers of the processes.
type PeerLinks = Vec<(u32, Link)>;

/// Runs the part of this process in a distributed run, from its registration to its outcome.
fn run<P: Program>(
    mut engine: Engine<P>,
    client: &CoordinatorClient,
) -> Result<Option<Outcome<P>>, EngineError> {
    let costs = engine.costs.clone().unwrap_or_else(|| vec![1; engine.parts.shards.len()]);
    let monitor = Arc::new(Mutex::new(BalanceMonitor { balance: Balance::new(true), plan: None, costs }));
    let hold = Hold { epochs: engine.settings.epochs, last: None };
    engine.observer = Some(reporting_observer::<P>(client, engine.observer, Arc::clone(&monitor), hold));
    // The coordinator may ask any run to end.
    engine.settings.may_stop = true;
    engine.settings.cancellation.set_has_others();
    let keyring = client.keyring().filter(|_| !engine.opens_sums);
    if keyring.is_some() {
        engine.settings.merging = Merging::Masked;
    }
    let functions = engine.functions;
    let mut member = (functions.member)(engine, client.index(), Arc::clone(&client.requests));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let registration = Box::new(member.registration(cores));
    client.send(&MemberReport::Ready { registration, address: client.address() })?;
    let (ready, mut has_begun) = (Instant::now(), false);
    loop {
        let start = match client.next()? {
            Instruction::Begin(start) => *start,
            Instruction::SubmitParts { epoch, anew } => {
                let (submitted, generation) =
                    ((functions.submit_parts)(&mut member, epoch, anew)?, client.requests.running());
                client.send(&MemberReport::PartsSubmitted { generation, submitted })?;
                continue;
            }
            Instruction::Write | Instruction::Leave => return Ok(None),
        };
        let awaited = ready.elapsed().as_secs_f64();
        let plan = start.plan.clone();
        let peers = client.connect_peers(&plan, start.deadline)?;
        if let Some(keyring) = keyring.filter(|_| !plan.last) {
            member.masks = Some(masks(keyring, &plan, &peers)?);
        }
        let began = Instant::now();
        let transfers = (functions.begin)(&mut member, start, Some(stats()))?;
        let transfers = restore(&mut member, &peers, transfers)?;
        if !std::mem::replace(&mut has_begun, true) {
            let made = began.elapsed().as_secs_f64();
            member.note_preparation(PreparationSeconds { awaited, made });
        }
        let sent_bytes = hand_over(&mut member, client, &plan, &peers, transfers)?;
        let resumed = member.resumed_boundary()?;
        match (functions.next)(&mut member, Instant::now())? {
            Step::Wait => return Err(EngineError::Process("a process did not hand over".into())),
            Step::Leave => return Ok(None),
            Step::Over(outcome) => {
                // A process of an earlier attempt must not write the model: the coordinator decides.
                client.send(&MemberReport::MayWrite)?;
                return match client.next()? {
                    Instruction::Write => Ok(Some(*outcome)),
                    _ => Err(EngineError::Process("the run has continued without this process".into())),
                };
            }
            Step::Run(generation, position) => {
                lock(&monitor).begin(&plan, member.last_worked());
                settled(client, &plan, sent_bytes, member.last_worked())?;
                let connect = (plan.participants.len() > 1).then(|| connect(&plan, position, peers));
                watch(client, plan.number, &generation, resumed)?;
                let returned = (functions.run)(Arc::clone(&generation), connect);
                client.requests.set_abort(None);
                client.send(&(functions.ended)(&mut member, &generation, returned?, Instant::now())?)?;
            }
        }
    }
}

/// Returns the masks of a party in a generation: with each other party of it they are made from bytes that
/// bind the connection of the two, so that those of another generation are others.
fn masks(keyring: &Keyring, plan: &GenerationPlan, peers: &PeerLinks) -> Result<Masks, EngineError> {
    let others = peers.iter().filter(|(id, _)| plan.index_of(*id).is_some());
    let bound = others.map(|(id, link)| Some((*id, link.binding()?)));
    let bound = bound.collect::<Option<_>>();
    let bound = bound.ok_or_else(|| EngineError::Setting("a connection of parties is in clear".into()))?;
    Masks::new(keyring, &bound).map_err(|why| EngineError::Setting(why.to_string()))
}

/// Lets a generation and the coordinator end each other; waits where a held run was resumed, if it was.
fn watch<P: Program>(
    client: &CoordinatorClient,
    number: u64,
    generation: &Arc<Generation<P>>,
    resumed: Option<HeldBoundary>,
) -> Result<(), EngineError> {
    let (report, end) = (client.reporter(), client.ender());
    generation.on_first_failure(Box::new(move |why| {
        report(&failed(why));
        end(why);
    }));
    let report = client.reporter();
    generation.on_cancel(Box::new(move || report(&MemberReport::Cancelled { generation: number })));
    let ended = Arc::clone(generation);
    client.requests.set_abort(Some(Box::new(move |why| ended.end_by_peer(why))));
    if let Some(boundary) = resumed {
        let (generation, at) = (boundary.generation, boundary.epoch);
        let epoch = Epoch { epoch: at, held: Some(Box::new(boundary)), ..Epoch::default() };
        client.send(&MemberReport::Epoch { generation, epoch })?;
        client.requests.wait_to_go_on(generation, at);
    }
    Ok(())
}

/// Returns the peak memory and CPU time of this process, as the system counts them, and its machine.
fn stats() -> ProcessStats {
    let (peak_memory, cpu_seconds) = (peak_memory_bytes().unwrap_or(0), cpu_seconds().unwrap_or(0.0));
    ProcessStats { peak_memory, cpu_seconds, machine: machine(), ..ProcessStats::default() }
}

/// Reports that the hand-over is done: `bytes` have left, and the last work ended at `since`.
fn settled(
    client: &CoordinatorClient,
    plan: &GenerationPlan,
    bytes: u64,
    since: Option<Instant>,
) -> Result<(), EngineError> {
    let seconds = since.map_or(0.0, |since| since.elapsed().as_secs_f64());
    let (generation, memory) = (plan.number, peak_memory_bytes().unwrap_or(0));
    client.send(&MemberReport::Settled { generation, bytes, seconds, memory })
}

/// Sends and receives what a restoration by shard needs; returns transfers of another kind, if there is none.
fn restore<P: Program>(
    member: &mut Member<P>,
    peers: &PeerLinks,
    mut transfers: Outgoing<P>,
) -> Result<Outgoing<P>, EngineError> {
    let link = |id: u32| {
        let peer = peers.iter().find(|&&(other, _)| other == id);
        peer.map(|(_, link)| link)
            .ok_or_else(|| EngineError::Process(format!("there is no way to process {id}")))
    };
    let lost =
        |id: u32| move |why| EngineError::Process(format!("restoring with process {id} failed: {why}"));
    // At the end of a restoration the first process has something to send, and is not restoring any more.
    let is_restoration = |one: &Transfer<P>| matches!(one, Transfer::Restored);
    while !member.restores_with().is_empty() || transfers.values().flatten().any(is_restoration) {
        for (to, transfers) in std::mem::take(&mut transfers) {
            give(link(to)?, transfers).map_err(lost(to))?;
        }
        transfers = member.restore_on()?;
        if transfers.is_empty() {
            for id in member.restores_with() {
                let (one, bytes) = take_one(link(id)?).map_err(lost(id))?;
                member.take(id, one, bytes)?;
            }
            transfers = member.restore_on()?;
        }
    }
    Ok(transfers)
}

/// Sends and receives the transfers before a generation; returns the number of bytes sent.
fn hand_over<P: Program>(
    member: &mut Member<P>,
    client: &CoordinatorClient,
    plan: &GenerationPlan,
    peers: &PeerLinks,
    mut transfers: Outgoing<P>,
) -> Result<u64, EngineError> {
    let me = client.index();
    let mut channels = Vec::with_capacity(peers.len());
    for (other, link) in peers {
        let gives = plan.was_participant(me) && plan.index_of(*other).is_some();
        let takes = plan.was_participant(*other) && plan.index_of(me).is_some();
        let gives = gives.then(|| transfers.remove(other).unwrap_or_default());
        channels.push(TransferChannel { name: format!("process {other}"), link, gives, takes });
    }
    let (came, sent_bytes) = exchange(channels).map_err(EngineError::Process)?;
    for ((other, _), transfers) in peers.iter().zip(came) {
        for (one, bytes) in transfers {
            member.take(*other, one, bytes)?;
        }
    }
    Ok(sent_bytes)
}

/// Returns the function that makes channels over the connections to the other participants of a generation.
fn connect(plan: &GenerationPlan, position: usize, peers: PeerLinks) -> Connect {
    let mut links: Vec<Option<(String, Link)>> = plan.participants.iter().map(|_| None).collect();
    for (id, link) in peers {
        if let Some(other) = plan.index_of(id) {
            links[other] = Some((format!("process {id}"), link));
        }
    }
    let links = Links { index: position, links };
    Box::new(|threads| links.channels(threads))
}

/// Balance on the first process, to end the current generation if moving shards is worth it.
struct BalanceMonitor {
    balance: Balance,
    plan: Option<GenerationPlan>,
    costs: Vec<u64>,
}

impl BalanceMonitor {
    /// Starts a generation; `since` is when the last work ended.
    fn begin(&mut self, plan: &GenerationPlan, since: Option<Instant>) {
        if let Some(since) = since {
            self.balance.paused(since.elapsed().as_secs_f64());
        }
        self.balance.begin(plan);
        self.plan = Some(plan.clone()).filter(|plan| plan.balance);
    }

    /// Updates the speeds by an epoch; `true` if moving shards is worth a new generation.
    fn is_worth_moving(&mut self, epoch: &Epoch) -> bool {
        let Some(plan) = &self.plan else { return false };
        self.balance.learn(plan, &self.costs, epoch);
        self.balance.is_worth_it(plan, &self.costs)
    }
}

/// Makes an observer that reports every epoch to the coordinator, calls the run's own observer, and ends the
/// generation if moving shards is worth it.
fn reporting_observer<P: Program>(
    client: &CoordinatorClient,
    mut observer: Option<Observer<P>>,
    monitor: Arc<Mutex<BalanceMonitor>>,
    mut hold: Hold,
) -> Observer<P> {
    let (report, requests) = (client.reporter(), Arc::clone(&client.requests));
    Box::new(move |record: &EpochRecord, replica: &P::Replica| {
        let metric = record.metric.as_ref().map(|metric| (metric.name.to_string(), metric.value));
        let generation = requests.running();
        let held = requests.is_held().then(|| Box::new(hold.boundary(record, generation)));
        let waits = held.as_ref().is_some_and(|boundary| !boundary.is_last);
        let (seconds, load) = (record.seconds, record.load.clone());
        let epoch = Epoch { epoch: record.epoch, seconds, metric, load, held };
        if lock(&monitor).is_worth_moving(&epoch) {
            requests.end_at_boundary(generation);
        }
        report(&MemberReport::Epoch { generation, epoch });
        if let Some(observer) = &mut observer {
            observer(record, replica);
        }
        if waits {
            requests.wait_to_go_on(generation, record.epoch);
        }
    })
}

/// Maker of the boundaries of a held run that are reported to its holder.
struct Hold {
    /// Limit of the number of epochs.
    epochs: Option<u64>,
    /// Seconds of the run at the last boundary.
    last: Option<f64>,
}

impl Hold {
    fn boundary(&mut self, record: &EpochRecord, generation: u64) -> HeldBoundary {
        let last = self.last.replace(record.seconds);
        HeldBoundary {
            epoch: record.epoch,
            cost: record.cost,
            seconds: last.map_or(0.0, |last| record.seconds - last),
            workers: record.workers,
            wanted: record.wanted,
            metric: record.metric.as_ref().map(|metric| (metric.name.to_string(), metric.value)),
            target: record.metric.as_ref().and_then(|metric| metric.target),
            objective: record.objective,
            epochs: self.epochs,
            is_last: record.ending.is_some(),
            generation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::plan::Participant;

    #[test]
    fn a_generation_ends_for_a_slow_worker_where_its_plan_allows_it() {
        let costs = vec![1; 8];
        let participants = (0..2).map(|id| Participant { id, address: String::new(), capacity: 1 }).collect();
        let plan = GenerationPlan::new(1, participants, (2, 1), &costs, 0, None, None);
        for balance in [true, false] {
            let mut monitor =
                BalanceMonitor { balance: Balance::new(true), plan: None, costs: costs.clone() };
            monitor.begin(&GenerationPlan { balance, ..plan.clone() }, None);
            let is_worth_moving = (1..=10).any(|epoch| {
                let epoch = Epoch { epoch, seconds: 0.0, metric: None, load: vec![4.0, 20.0], held: None };
                monitor.is_worth_moving(&epoch)
            });
            assert_eq!(is_worth_moving, balance);
        }
    }
}
