//! Can a user be forgotten while ratings stream in?
//!
//! `cargo run --example forget`

use raddle_datasets::{Duplicates, RatingsOptions, read_any_ratings};
use raddle_mf::{
    Carried, InProcess, LiveRatings, Mf, MfError, Problem, Query, RatingChange, Recommender, Seen,
};

/// The ratings as they are now, with a share of them to validate on: pairs stay on their side of the split.
fn problem(live: &LiveRatings) -> Result<Problem, MfError> {
    let ratings = live.ratings();
    Problem::new(ratings.users.len(), ratings.items.len(), ratings.triples)?.validate_on_share(0.05, 42)
}

/// The model's recommendations to a user, less the items that the user has rated.
fn recommend(fit: &raddle_mf::Fit, live: &LiveRatings, user: u32) -> String {
    let seen = Seen::new(&live.ratings().triples, fit.model.users());
    let best = Recommender::new(&fit.model).one(user, &Query::best(3).without_seen(&seen));
    best.iter().map(|(item, score)| format!("{item} ({score:.2})")).collect::<Vec<_>>().join(", ")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let base =
        read_any_ratings("synth:ratings:users=300,items=120,n=9000,rank=3", &RatingsOptions::default())?;
    let mut live = LiveRatings::new(&base, Duplicates::Last, 1);
    let mf = Mf::params().rank(8);
    let (mut fit, mut carried) = mf.fit_to_carry(&problem(&live)?, &mut InProcess)?;
    println!("base: {} epochs, rmse {:.4}", fit.report.epochs, fit.report.metric.value);

    // Anna is new, likes every tenth item, and then asks to be forgotten.
    let anna = |item: u32| RatingChange::Insert { user: "anna".into(), item: item.to_string(), value: 3.0 };
    let comes: Vec<RatingChange> = (0..12).map(|at| anna(10 * at)).collect();
    let asks = vec![RatingChange::Forget { user: "anna".into() }];
    for (version, changes) in (1..).zip([comes, asks]) {
        let taken = live.apply(&changes).map_err(|refused| refused.why)?;
        let from: &Carried = carried.as_ref().ok_or("the fit before ended before its first epoch")?;
        (fit, carried) = mf.go_on(&problem(&live)?, from, &taken.delta, &mut InProcess)?;
        println!(
            "version {version}: {} in, {} out; {} epochs",
            taken.inserted, taken.retracted, fit.report.epochs
        );
        let row = 300; // behind the users of the base
        let is_known = fit.model.user(row).iter().any(|&value| value != 0.0);
        println!("  Anna's row is {}", if is_known { "learned" } else { "zero" });
        println!("  recommended to her: {}", recommend(&fit, &live, row));
    }
    // Her row is gone, and items are no longer trained on her; what they once learned from her fades with
    // further epochs. A fit from scratch is the exact way.
    let cold = mf.fit(&problem(&live)?)?;
    println!("from scratch: {} epochs, rmse {:.4}", cold.report.epochs, cold.report.metric.value);
    Ok(())
}
