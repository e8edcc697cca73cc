//! Cost of parts: rounds to a relative gap of 1e-2 on the set of CoCoA's code.

use super::*;

/// Returns the median rounds over seeds, which draw the cut and the orders within it. A part is one shard,
/// whose rows are visited in an order that is drawn again in each epoch, as in the published figures.
fn rounds(table: &Table, lambda: f64, parts: u32, sigma: Sigma, seeds: u64) -> f64 {
    let of = |seed| {
        let settings = InParts::new(hinge(lambda, seed), PartPlan::constant(parts)).sigma(sigma).shards(1);
        fitted(&shuffled(table, seed), &settings).report.epochs as f64
    };
    median((0..seeds).map(of).collect())
}

/// Parts, and the rounds that another program took: sigma' = K, adaptive.
type Known = (u32, f64, f64);

/// Medians of an independent program, by lambda.
const EXPECTED: [(f64, [Known; 6]); 2] = [
    (
        1e-3,
        [(1, 5.0, 4.0), (2, 7.0, 7.0), (4, 12.0, 9.0), (8, 22.0, 13.0), (16, 41.0, 18.0), (64, 158.0, 24.0)],
    ),
    (
        1e-4,
        [
            (1, 14.0, 14.0),
            (2, 58.0, 25.0),
            (4, 81.0, 55.0),
            (8, 136.0, 88.0),
            (16, 256.0, 113.0),
            (64, 1018.0, 152.0),
        ],
    ),
];

/// More parts need more rounds, and the more so the larger sigma' is; the best step along the sum of the
/// changes, with an adaptive sigma', removes most of that.
#[test]
fn parts_cost_what_they_are_known_to_cost() {
    let Some(table) = cocoa() else { return };
    let seeds = long().unwrap_or(1);
    let mut compared = 0;
    for (lambda, expected) in EXPECTED {
        let mut found = Vec::new();
        for (parts, known, tried) in expected {
            // The short form leaves out what takes long.
            if long().is_none() && (lambda < 1e-3 || parts == 64) && parts != 4 {
                continue;
            }
            let own = rounds(&table, lambda, parts, Sigma::Parts, seeds);
            let adaptive = rounds(&table, lambda, parts, Sigma::Adaptive, seeds);
            println!("lambda {lambda}, {parts} parts: {own} ({known}), adaptive {adaptive} ({tried})");
            found.push((parts, own, adaptive, known));
        }
        let of = |parts| found.iter().find(|of| of.0 == parts).copied();
        for &(parts, own, adaptive, known) in &found {
            if parts >= 4 {
                let much = if long().is_some() { 0.15 } else { 0.3 };
                assert!((own - known).abs() <= (much * known).max(2.0), "{lambda} {parts}: {own}, {known}");
                compared += 1;
            }
            if parts == 16 {
                assert!(adaptive <= 0.6 * own, "{lambda}: {adaptive} of {own}");
            }
        }
        if let (Some(four), Some(many)) = (of(4), of(64)) {
            assert!(many.2 <= 0.25 * many.1, "{lambda}: {} of {}", many.2, many.1);
            assert!(lambda < 1e-3 || many.1 >= 10.0 * four.1, "{} and {}", many.1, four.1);
        }
    }
    assert!(compared >= 2);
}

/// The dual never falls, whatever the loss, the number of parts and sigma'.
#[test]
fn the_dual_never_falls() {
    let problem = clouds(400);
    let mut compared = 0;
    for loss in [Loss::Hinge, Loss::SquaredHinge, Loss::Logistic] {
        for sigma in [Sigma::Adaptive, Sigma::Parts, Sigma::Fixed(0.1)] {
            for (parts, seed) in [(1, 1), (4, 2), (32, 3)] {
                let linear = Linear::params().loss(loss).c(1.0).seed(seed);
                let settings = InParts::new(linear, PartPlan::constant(parts)).sigma(sigma).shards(1);
                let fit = settings.fit_with(&problem, |engine| engine.epochs(40)).unwrap();
                let duals: Vec<f64> = fit.trace.iter().map(|record| record.shown["dual"]).collect();
                for two in duals.windows(2) {
                    assert!(two[1] >= two[0] - 1e-12 * two[0].abs(), "{loss:?} {sigma} {parts}: {duals:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared >= 200, "{compared}");
}

#[test]
fn the_dual_never_falls_on_public_sets() {
    let sets = [("cocoa-demo", 1e-3), ("colon", 1e-2), ("w8a", 1e-3), ("farmads", 1e-2), ("imdb2", 1e-4)];
    for (name, lambda) in &sets[..if long().is_some() { 5 } else { 2 }] {
        let Some(mut table) = registry::real(name) else { return };
        // Ratings of films: good ones beside bad ones.
        if *name == "imdb2" {
            table.y.iter_mut().for_each(|rating| *rating = f64::from(u8::from(*rating > 5.0)));
        }
        let (mut boundaries, mut sigmas) = (0, std::collections::BTreeSet::new());
        for seed in 0..10 {
            let settings = InParts::new(hinge(*lambda, seed).tolerance(1e-9), PartPlan::constant(8));
            let fit = settings.fit_with(&shuffled(&table, seed), |engine| engine.epochs(40)).unwrap();
            let duals: Vec<f64> = fit.trace.iter().map(|record| record.shown["dual"]).collect();
            assert!(duals.len() > 2);
            assert!(duals.windows(2).all(|two| two[1] >= two[0] - 1e-12 * two[0].abs()), "{name}: {duals:?}");
            boundaries += duals.len() - 1;
            sigmas.extend(fit.trace[1..].iter().map(|record| record.shown["sigma"].to_bits()));
        }
        assert!(sigmas.len() > 1, "{name}: the factor follows nothing");
        println!("{name}: the dual never fell in {boundaries} epochs of 10 seeds, {} factors", sigmas.len());
    }
}
