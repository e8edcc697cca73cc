//! The exact optimum of a tiny instance, by an exhaustive search that shares no code with the policies.

use std::collections::{BTreeSet, HashMap};

use raddle_pool::policy::Job;
use raddle_pool_sim::slots::Instance;

/// Maximum sum of utilities over all schedules of an instance. Work in a slot and work of jobs must be
/// integers.
pub(super) fn optimum(instance: &Instance) -> f64 {
    let arrivals: BTreeSet<u32> = instance.jobs.iter().map(|job| job.arrival as u32).collect();
    // The set of present jobs changes at arrivals only, so the possible work in a slot is found once for each
    // set.
    let actions: HashMap<u32, Vec<Vec<u32>>> = arrivals
        .iter()
        .map(|&slot| {
            let there: Vec<bool> = instance.jobs.iter().map(|job| job.arrival as u32 <= slot).collect();
            (slot, joint(instance, &there))
        })
        .collect();
    let left: Vec<u32> = instance.jobs.iter().map(|job| job.left.unwrap() as u32).collect();
    let mut known = HashMap::new();
    best(instance, &arrivals, &actions, 0, &left, &mut known)
}

/// Maximum sum of utilities from a slot on, by work left.
fn best(
    instance: &Instance,
    arrivals: &BTreeSet<u32>,
    actions: &HashMap<u32, Vec<Vec<u32>>>,
    slot: u32,
    left: &[u32],
    known: &mut HashMap<(u32, Vec<u32>), f64>,
) -> f64 {
    if slot == instance.slots || left.iter().all(|&left| left == 0) {
        return 0.0;
    }
    let key = (slot, left.to_vec());
    if let Some(&value) = known.get(&key) {
        return value;
    }
    let mut value = best(instance, arrivals, actions, slot + 1, left, known);
    if let Some(there) = arrivals.range(..=slot).next_back() {
        let after: BTreeSet<Vec<u32>> = actions[there]
            .iter()
            .map(|work| (0..left.len()).map(|job| left[job].saturating_sub(work[job])).collect())
            .collect();
        for after in after {
            let ended = (0..left.len()).filter(|&job| left[job] > 0 && after[job] == 0);
            let end = f64::from(slot + 1);
            let now: f64 = ended.map(|job| utility(&instance.jobs[job], end)).sum();
            value = value.max(now + best(instance, arrivals, actions, slot + 1, &after, known));
        }
    }
    known.insert(key, value);
    value
}

fn utility(job: &Job, end: f64) -> f64 {
    job.utility.at(job.arrival, end)
}

/// Work of each job in one slot, for all placements on two machines that are not dominated by another.
fn joint(instance: &Instance, there: &[bool]) -> Vec<Vec<u32>> {
    assert_eq!(instance.cluster.nodes.len(), 2);
    let mut found = BTreeSet::new();
    place(
        instance,
        there,
        &mut Vec::new(),
        [instance.cluster.nodes[0], instance.cluster.nodes[1]],
        &mut found,
    );
    let all: Vec<Vec<u32>> = found.into_iter().collect();
    let more = |a: &[u32], b: &[u32]| a != b && (0..a.len()).all(|job| a[job] >= b[job]);
    all.iter().filter(|work| !all.iter().any(|other| more(other, work))).cloned().collect()
}

fn place(
    instance: &Instance,
    there: &[bool],
    work: &mut Vec<u32>,
    free: [[f64; 3]; 2],
    found: &mut BTreeSet<Vec<u32>>,
) {
    let number = work.len();
    let Some(job) = instance.jobs.get(number) else {
        found.insert(work.clone());
        return;
    };
    let mut go_on = |done: u32, free| {
        work.push(done);
        place(instance, there, work, free, found);
        work.pop();
    };
    go_on(0, free);
    if !there[number] {
        return;
    }
    let need = job.left.unwrap() as u32;
    for first in 0..=job.most {
        for second in 0..=job.most - first {
            let workers = first + second;
            if workers == 0 {
                continue;
            }
            let servers = workers.div_ceil(job.demand.workers_per_server);
            for servers_first in 0..=servers {
                let counts = [(first, servers_first), (second, servers - servers_first)];
                let mut left = free;
                for (left, (workers, servers)) in left.iter_mut().zip(counts) {
                    for (r, left) in left.iter_mut().enumerate() {
                        *left -= f64::from(workers) * job.demand.worker[r]
                            + f64::from(servers) * job.demand.server[r];
                    }
                }
                if left.iter().flatten().any(|&left| left < 0.0) {
                    continue;
                }
                let machines = counts.iter().filter(|&&(workers, servers)| workers + servers > 0).count();
                let each = if machines == 1 { 2 } else { 1 };
                go_on((workers * each).min(need), left);
            }
        }
    }
}
