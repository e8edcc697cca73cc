//! Tests on tiny instances against the exact optimum.

use raddle_pool_sim::slots::{Spec, World, policy, run};

use super::optimum::optimum;

#[test]
fn pdors_comes_near_the_optimum_of_tiny_instances() {
    let instances = Spec { seed: 9001, seeds: 200, ..Spec::tiny() }.instances();
    let (mut ratios, mut of_drf) = (Vec::new(), Vec::new());
    for instance in &instances {
        let most = optimum(instance);
        let of = |name| {
            let mut policy = policy(name, instance, None).unwrap();
            run(instance, &World::default(), policy.as_mut()).unwrap().value()
        };
        for name in ["pdors", "oasis", "fifo", "drf"] {
            assert!(of(name) <= most * (1.0 + 1e-9), "{name} reaches more than the optimum {most}");
        }
        ratios.push(of("pdors") / most);
        of_drf.push(of("drf") / most);
    }
    ratios.sort_by(f64::total_cmp);
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    println!(
        "mean {mean:.3}, median {:.3}, a tenth below {:.3}, least {:.3}",
        ratios[100], ratios[20], ratios[0]
    );
    assert_eq!(ratios.len(), 200);
    let drf = of_drf.iter().sum::<f64>() / of_drf.len() as f64;
    println!("drf {drf:.3}");
    assert!(mean >= 0.8 && mean >= drf + 0.03, "{mean}, drf {drf}");
}
