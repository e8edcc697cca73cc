//! Amount of work of a decision, counted in steps.

use raddle_pool::policy::{PlanSettings, Policy as _};
use raddle_pool_sim::policy::pdors;
use raddle_pool_sim::slots::Spec;

#[test]
fn a_decision_on_a_hundred_machines_and_slots_takes_few_steps() {
    let spec = Spec { nodes: 100, slots: 100, jobs: 200, load: 2.0, ..Spec::default() };
    let instance = &spec.instances().unwrap()[0];
    let mut policy = pdors(PlanSettings::of_slots(instance.slots));
    // All jobs arrive at once in an empty cluster, so that no slot is out of reach. A step is a sum and a
    // comparison.
    let mut most = 0;
    for count in 1..=instance.jobs.len() {
        let mut jobs = instance.jobs[..count].to_vec();
        jobs.iter_mut().for_each(|job| job.arrival = 0.0);
        let before = policy.steps();
        policy.decide(0.0, &instance.cluster, &jobs);
        most = most.max(policy.steps() - before);
    }
    println!("most steps of a decision: {most}");
    assert!((1..1_000_000).contains(&most), "{most}");
}
