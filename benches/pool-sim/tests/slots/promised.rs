//! Promises on one node, where speeds are known to within a tenth and changes of workers take time.

use std::sync::{Arc, LazyLock};

use raddle::random::Stream;
use raddle_pool::policy::{Cluster, Job, PdOrs, PlanSettings, Speed, Utility};
use raddle_pool_sim::Outcome;
use raddle_pool_sim::slots::{Instance, World, run};

/// Speed by Amdahl's law, with a serial share of the work.
#[derive(Debug)]
struct Partly(f64);

impl Speed for Partly {
    fn rate(&self, workers: u32, _nodes: u32) -> f64 {
        1.0 / (self.0 + (1.0 - self.0) / f64::from(workers))
    }
}

/// Short and long fits on 8 workers for an hour, many with deadlines that cannot be kept.
fn mix(seed: u64) -> (Instance, World) {
    let mut stream = Stream::new(&[seed, 41]);
    let mut draw = |from: f64, to: f64| from + (to - from) * stream.unit();
    let mut arrivals: Vec<f64> = (0..60).map(|_| draw(0.0, 300.0).floor() * 10.0).collect();
    arrivals.sort_by(f64::total_cmp);
    let jobs: Vec<Job> = (0..)
        .zip(&arrivals)
        .map(|(id, &arrival)| {
            let work = libm::exp(draw(libm::log(30.0), libm::log(1500.0)));
            let (value, by) = (draw(1.0, 10.0), arrival + work * draw(0.2, 4.0) + 60.0);
            let speed = Arc::new(Partly(draw(0.0, 0.2)));
            Job { speed, ..super::job(id, arrival, 8, work, Utility::Deadline { value, by }) }
        })
        .collect();
    let factors = jobs.iter().map(|_| draw(0.9, 1.1)).collect();
    (
        Instance { cluster: Cluster::of_slots(1, 8), slot: 10.0, slots: 2000, jobs },
        World { factors, rescale: 1.0 },
    )
}

fn outcomes(settings: &PlanSettings) -> Vec<Outcome> {
    (0..10)
        .map(|seed| {
            let (instance, world) = mix(seed);
            run(&instance, &world, &mut PdOrs::new(settings.clone())).unwrap()
        })
        .collect()
}

/// Outcomes if admitted jobs get idle workers; `PLANNED` has those without. Several tests compare with them.
static FILLED: LazyLock<Vec<Outcome>> =
    LazyLock::new(|| outcomes(&PlanSettings { fill: true, ..PlanSettings::default() }));
static PLANNED: LazyLock<Vec<Outcome>> =
    LazyLock::new(|| outcomes(&PlanSettings { fill: false, ..PlanSettings::default() }));

fn sums(outcomes: &[Outcome]) -> (usize, usize, f64) {
    let sum = |of: fn(&Outcome) -> usize| outcomes.iter().map(of).sum();
    (sum(Outcome::admitted), sum(Outcome::late), outcomes.iter().map(Outcome::value).sum())
}

#[test]
fn promises_hold_where_speeds_are_known_to_a_tenth() {
    let (admitted, late, utility) = sums(&FILLED);
    println!("{admitted} of 600 admitted, {late} late, utility {utility:.0}");
    assert!(admitted >= 200, "{admitted}");
    assert!(late * 20 <= admitted, "{late} of {admitted}");
    // Without a margin more jobs are late.
    let bare = PlanSettings { margin: 0.0, rescale: 0.0, fill: false, ..PlanSettings::default() };
    let (bare_admitted, bare_late, bare_utility) = sums(&outcomes(&bare));
    println!("without slack: {bare_admitted} admitted, {bare_late} late, utility {bare_utility:.0}");
    assert!(bare_late * 20 > bare_admitted, "{bare_late} of {bare_admitted}");
}

#[test]
fn every_promise_holds_within_the_margin_without_help_from_idle_workers() {
    let (admitted, late, _) = sums(&PLANNED);
    assert!(admitted >= 200, "{admitted}");
    assert_eq!(late, 0);
}

#[test]
fn idle_workers_bring_ends_forward() {
    let mean = |outcomes: &[Outcome]| outcomes.iter().map(Outcome::mean).sum::<f64>();
    let (with, without) = (mean(&FILLED), mean(&PLANNED));
    assert!(with < 0.9 * without, "{with} {without}");
}

#[test]
fn a_job_that_is_far_slower_than_known_is_planned_anew_and_ends() {
    let (mut instance, _) = mix(1);
    instance.jobs.truncate(20);
    instance.jobs.iter_mut().for_each(|job| job.utility = Utility::Constant(5.0));
    let world = World { factors: vec![0.4; 20], rescale: 1.0 };
    let mut policy = PdOrs::new(PlanSettings { fill: false, ..PlanSettings::default() });
    let outcome = run(&instance, &world, &mut policy).unwrap();
    assert!(outcome.admitted() >= 10 && outcome.ended() == outcome.admitted(), "{outcome:?}");
    assert!(outcome.late() > 0);
}

#[test]
fn a_job_of_one_worker_may_take_nearly_all_slots_ahead() {
    let long = super::job(0, 0.0, 1, 2200.0, Utility::Constant(1.0));
    let instance = Instance { cluster: Cluster::of_slots(1, 2), slot: 10.0, slots: 400, jobs: vec![long] };
    let outcome = run(&instance, &World::default(), &mut PdOrs::new(PlanSettings::default())).unwrap();
    assert_eq!((outcome.admitted(), outcome.ended(), outcome.late()), (1, 1, 0));
}
