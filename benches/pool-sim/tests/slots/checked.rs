//! Random instances under PD-ORS, whose allocations are summed up independently.

use std::sync::Arc;

use raddle::random::Stream;
use raddle_common::testing::not_empty;
use raddle_pool::policy::{
    Allocation, Cluster, Demand, Job, PdOrs, Placer, PlanSettings, Policy, Promise, Utility,
};
use raddle_pool_sim::policy::pdors;
use raddle_pool_sim::slots::{Instance, Rates, World, run};

/// A policy that records its decisions.
struct Recorded<P: Placer> {
    policy: PdOrs<P>,
    decisions: Vec<(f64, Allocation)>,
}

impl<P: Placer> Policy for Recorded<P> {
    fn name(&self) -> &'static str {
        self.policy.name()
    }
    fn decide(&mut self, now: f64, cluster: &Cluster, jobs: &[Job]) -> Allocation {
        let allocation = self.policy.decide(now, cluster, jobs);
        self.decisions.push((now, allocation.clone()));
        allocation
    }
}

/// An instance of unequal machines, jobs with and without servers, and demands that are often 0.
fn random(seed: u64) -> Instance {
    let mut stream = Stream::new(&[seed, 40]);
    let mut whole = |from: usize, to: usize| (from + stream.below(to - from + 1)) as u32;
    let nodes: Vec<[f64; 3]> =
        (0..whole(1, 6)).map(|_| [whole(0, 8), whole(4, 40), whole(8, 128)].map(f64::from)).collect();
    let slots = whole(3, 20);
    let mut arrivals: Vec<u32> = (0..whole(1, 15)).map(|_| whole(0, slots as usize - 1)).collect();
    arrivals.sort_unstable();
    let job = |(id, arrival): (u32, u32)| {
        let demand = Demand {
            worker: [whole(0, 3), whole(1, 6), whole(0, 12)].map(f64::from),
            server: [0, whole(0, 4), whole(1, 9)].map(f64::from),
            workers_per_server: whole(0, 4),
        };
        let value = f64::from(whole(1, 100));
        let utility = match whole(0, 2) {
            0 => Utility::Constant(value),
            1 => Utility::Deadline { value, by: f64::from(arrival + whole(1, 15)) },
            _ => Utility::Sigmoid {
                value,
                steepness: f64::from(whole(0, 60)) / 10.0,
                middle: f64::from(whole(1, 9)),
            },
        };
        let most = whole(1, 12);
        let work = f64::from(whole(1, 400)) / 21.0;
        Job {
            least: whole(1, most.min(3) as usize),
            demand,
            speed: Arc::new(Rates { inside: 1.0, across: f64::from(whole(1, 9)) / 10.0 }),
            ..super::job(id, f64::from(arrival), most, work, utility)
        }
    };
    let jobs = (0..).zip(arrivals).map(job).collect();
    Instance { cluster: Cluster { nodes }, slot: 1.0, slots, jobs }
}

/// Sums up the amounts that each decision takes and the work of each job, and returns the number of admitted
/// jobs.
fn check(instance: &Instance, decisions: &[(f64, Allocation)]) -> usize {
    let count = instance.jobs.len();
    let (mut trained, mut ends, mut promised) = (vec![0.0; count], vec![None; count], vec![None; count]);
    for (now, allocation) in not_empty(decisions) {
        for (id, promise) in &allocation.promises {
            assert!(promised[id.0 as usize].is_none(), "two answers for one job");
            promised[id.0 as usize] = Some(*promise);
        }
        let mut taken = vec![[0.0; 3]; instance.cluster.nodes.len()];
        for (id, placement) in &allocation.placements {
            let job = &instance.jobs[id.0 as usize];
            assert!(job.arrival <= *now);
            assert!(
                matches!(promised[id.0 as usize], Some(Promise::By(_))),
                "a job runs that was not admitted"
            );
            let (mut workers, mut servers) = (0, 0);
            for share in &placement.shares {
                workers += share.workers;
                servers += share.servers;
                for (r, taken) in taken[share.node as usize].iter_mut().enumerate() {
                    *taken += f64::from(share.workers) * job.demand.worker[r];
                    *taken += f64::from(share.servers) * job.demand.server[r];
                }
            }
            assert!((job.least..=job.most).contains(&workers), "{workers}");
            let per = job.demand.workers_per_server;
            assert!(per == 0 || servers * per >= workers, "{workers} workers, {servers} servers");
            let number = id.0 as usize;
            trained[number] += job.speed.rate(workers, placement.shares.len() as u32);
            if trained[number] >= job.left.unwrap() * (1.0 - 1e-9) && ends[number].is_none() {
                ends[number] = Some(now + 1.0);
            }
        }
        for (node, taken) in taken.iter().enumerate() {
            let most = instance.cluster.nodes[node];
            assert!(
                (0..3).all(|r| taken[r] <= most[r] + 1e-9),
                "node {node} at {now}: {taken:?} of {most:?}"
            );
        }
    }
    let mut admitted = 0;
    for job in not_empty(&instance.jobs) {
        let number = job.id.0 as usize;
        match promised[number].unwrap() {
            Promise::By(by) => {
                admitted += 1;
                assert!(ends[number].is_some_and(|end| end <= by + 1e-9), "{:?} after {by}", ends[number]);
                assert!(job.utility.at(job.arrival, by) > 0.0);
            }
            Promise::Refused(_) => assert!(ends[number].is_none()),
        }
    }
    admitted
}

#[test]
fn random_instances_keep_capacities_and_promises() {
    let (mut admitted, mut all) = (0, 0);
    for seed in 0..1000 {
        let instance = random(seed);
        let policy = pdors(PlanSettings::of_slots(instance.slots));
        let mut recorded = Recorded { policy, decisions: Vec::new() };
        let outcome = run(&instance, &World::default(), &mut recorded).unwrap();
        let found = check(&instance, &recorded.decisions);
        assert_eq!((outcome.admitted(), outcome.late()), (found, 0), "seed {seed}");
        admitted += found;
        all += instance.jobs.len();
    }
    // Some jobs are admitted and some refused, so that both answers were checked.
    assert!(admitted * 4 > all && admitted < all, "{admitted} of {all}");
}

/// Decisions of a policy on an instance.
fn decisions<P: Placer>(instance: &Instance, policy: PdOrs<P>) -> Vec<(f64, Allocation)> {
    let mut recorded = Recorded { policy, decisions: Vec::new() };
    run(instance, &World::default(), &mut recorded).unwrap();
    recorded.decisions
}

#[test]
fn the_policy_of_the_pool_keeps_capacities_and_promises() {
    let (mut admitted, mut all) = (0, 0);
    for seed in 0..1000 {
        let instance = random(seed);
        let policy = PdOrs::new(PlanSettings::of_slots(instance.slots));
        admitted += check(&instance, &decisions(&instance, policy));
        all += instance.jobs.len();
    }
    assert!(admitted * 5 > all && admitted < all, "{admitted} of {all}");
}

#[test]
fn on_one_machine_the_simulator_decides_as_the_pool_does() {
    let mut placed = 0;
    for seed in 0..300 {
        let mut instance = random(seed);
        instance.cluster.nodes.truncate(1);
        let settings = || PlanSettings::of_slots(instance.slots);
        let here = decisions(&instance, pdors(settings()));
        assert_eq!(here, decisions(&instance, PdOrs::new(settings())), "seed {seed}");
        placed += here.iter().map(|(_, allocation)| allocation.placements.len()).sum::<usize>();
    }
    assert!(placed > 300, "{placed}");
}
