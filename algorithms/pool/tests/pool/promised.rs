//! Promises of `pdors` by counted cost, on the synthetic mix of the simulator: jobs slow down as Amdahl's law
//! says, and their speeds are off by up to 30 %.

use raddle::random::Stream;
use raddle_pool::policy::{Profile, Promise, Utility};
use raddle_pool::pool::{Carried, End, Fit, Phase, Request, Settings, by_count};
use raddle_pool_sim::{Spec, Submitted};

use super::played::{Kill, Part, Played, new, replayed};

/// Jobs of the mix, each with its profile, whose speeds are `trust` times the mean of the true ones. An epoch
/// costs the seconds that it takes one worker.
fn mix(seed: u64, workers: u32, trust: f64) -> Vec<Part> {
    let spec = format!("synth:jobs:n=30,hours=4,seed={seed}");
    let workload = Spec::parse(&spec).unwrap().workloads(1.0).unwrap().remove(0);
    let mut stream = Stream::new(&[seed, 30]);
    let mut part = |submitted: &Submitted| {
        let job = submitted.model.view();
        let epochs = job.left.unwrap();
        let most = job.most.min(workers);
        let speed = |workers: u32| (workers, trust * job.speed.rate(workers, 1));
        let profile = Profile::new(submitted.name.clone(), epochs, (1..=most).map(speed).collect());
        let off = 0.7 + 0.6 * stream.unit();
        let cost = 1.0 / (off * job.speed.rate(1, 1));
        let mut part = Part::new(&submitted.name, submitted.arrival, most, vec![cost; epochs as usize]);
        let (value, deadline) = match job.utility {
            Utility::Deadline { value, by } => (value, Some(by - submitted.arrival)),
            Utility::Constant(value) => (value, None),
            Utility::Sigmoid { .. } => unreachable!(),
        };
        part.request =
            Request { value: Some(value), deadline, epochs: None, profile: Some(profile), ..part.request };
        part
    };
    workload.jobs.iter().map(&mut part).collect()
}

/// Numbers of admitted, late and refused jobs.
fn counts(trust: f64) -> (usize, usize, usize) {
    let workers = 4;
    let (mut admitted, mut late, mut refused) = (0, 0, 0);
    for seed in 1..=2 {
        let parts = mix(seed, workers, trust);
        let mut settings = Settings { alive: 64, ..Settings::new(workers, "pdors").counted() };
        // A slot holds several epochs, and leaves time to wait for their ends.
        (settings.policy.slot, settings.policy.rescale) = (600.0, 120.0);
        let mut replay = replayed(&settings, &[]);
        let mut runs = Played::new(&parts, false, 1);
        let news = new(&replay.pool, &parts);
        assert_eq!(by_count(&mut replay, news, &mut runs, &mut Kill::default()), Ok(Carried::Over));
        let by = |fit: &Fit| match fit.promise {
            Some(Promise::By(by)) => Some(by),
            _ => None,
        };
        for fit in replay.pool.fits() {
            match (by(fit), &fit.phase) {
                (Some(by), Phase::Over(End::Done { .. })) => {
                    admitted += 1;
                    late += usize::from(fit.ended.unwrap() > by);
                }
                (None, Phase::Over(End::Refused { why })) => {
                    refused += 1;
                    assert!(why.contains("could be promised") || why.contains("worth its price"), "{why}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
    println!("trust {trust}: {admitted} admitted, {late} late, {refused} refused");
    (admitted, late, refused)
}

/// At least 40 are admitted, and 95 % of them end in time.
fn holds((admitted, late, _): (usize, usize, usize)) -> bool {
    admitted >= 40 && 20 * late <= admitted
}

#[test]
fn who_is_admitted_ends_in_time_unless_twice_the_speed_is_trusted() {
    assert!(holds(counts(1.0)));
    assert!(!holds(counts(2.0)));
}
