//! Without changes nothing of differential dataflow is started.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails where a test would")]

#[allow(dead_code, reason = "one test uses a part")]
mod common;

use common::{How, fit, problem, ways};
use raddle_datasets::{Duplicates, RatingsOptions, read_any_ratings};
use raddle_mf::LiveRatings;

#[test]
fn a_fit_without_changes_begins_no_view() {
    ways().iter().for_each(|(_, mf)| drop(fit(mf, &problem(), How::workers(2))));
    assert_eq!(raddle::changes::begun(), 0);
    // Views are counted where they are started.
    let base = read_any_ratings("synth:ratings:users=9,items=6,n=20", &RatingsOptions::default()).unwrap();
    drop(LiveRatings::new(&base, Duplicates::Last, 0));
    assert_eq!(raddle::changes::begun(), 1);
}
