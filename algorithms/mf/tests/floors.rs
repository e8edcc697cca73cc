//! The floors of this crate.

#[path = "../../../tests/floors/mod.rs"]
mod floors;

#[test]
fn imports_go_down_only() {
    let floors: [&[&str]; 10] = [
        &["error", "kernels", "live", "ranking", "restored"],
        &["model"],
        &["input", "runner"],
        &["fitted", "params"],
        &["initial", "range"],
        &["sgd", "alternating"],
        &["guard", "stand_in"],
        &["fit", "fold_in", "predict", "recommend"],
        &["carry"],
        &["cross_validation"],
    ];
    let src = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    floors::check(src.as_ref(), &floors, &["main", "cli"]);
}
