//! The floors of this crate.

#[path = "../../../tests/floors/mod.rs"]
mod floors;

#[test]
fn imports_go_down_only() {
    // Kernels draw topics in rows: here they stand on `counts`, which holds these.
    let floors: [&[&str]; 9] = [
        &["counts", "error", "live", "topic_words"],
        &["kernels"],
        &["data"],
        &["evaluate"],
        &["infer", "run"],
        &["model"],
        &["params"],
        &["range"],
        &["fit"],
    ];
    let src = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    floors::check(src.as_ref(), &floors, &["main", "cli", "tests"]);
}
