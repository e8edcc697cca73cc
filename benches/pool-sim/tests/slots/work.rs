//! Amount of work of a decision, counted in steps.

use std::cell::Cell;
use std::rc::Rc;

use raddle_pool::policy::{Market, PdOrs, Placement, Placer, PlanSettings, Policy as _};
use raddle_pool_sim::policy::placing::Beside;
use raddle_pool_sim::slots::Spec;

/// A placer that counts the nodes that it looks at, three times for each number of workers, and for each
/// placement the sums of the dynamic programme over the units of work.
#[derive(Debug)]
struct Counted {
    least_units: u64,
    steps: Rc<Cell<u64>>,
}

impl Placer for Counted {
    fn placements(&mut self, market: &Market<'_>, workers: &[u32]) -> Vec<Placement> {
        let found = Beside.placements(market, workers);
        let looks = 3 * workers.len() as u64 * market.room.nodes() as u64;
        // A slot at full speed is worth four units or more.
        let slots = market.job.left.unwrap() / f64::from(market.job.most);
        let units = self.least_units.max((4.0 * slots).ceil() as u64);
        self.steps.set(self.steps.get() + looks + units * found.len() as u64);
        found
    }
}

#[test]
fn a_decision_on_a_hundred_machines_and_slots_takes_few_steps() {
    let spec = Spec { nodes: 100, slots: 100, jobs: 200, load: 2.0, ..Spec::default() };
    let instance = &spec.instances()[0];
    let settings = PlanSettings::of_slots(instance.slots);
    let steps = Rc::new(Cell::new(0));
    let placer = Counted { least_units: settings.units.into(), steps: steps.clone() };
    let mut policy = PdOrs::with_placer(settings, placer);
    // All jobs arrive at once in an empty cluster, so that no slot is out of reach. A step is a sum and a
    // comparison.
    let mut most = 0;
    for count in 1..=instance.jobs.len() {
        let mut jobs = instance.jobs[..count].to_vec();
        jobs.iter_mut().for_each(|job| job.arrival = 0.0);
        let before = steps.get();
        policy.decide(0.0, &instance.cluster, &jobs);
        most = most.max(steps.get() - before);
    }
    println!("most steps of a decision: {most}");
    assert!((1..1_000_000).contains(&most), "{most}");
}
