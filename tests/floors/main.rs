//! The floors of every crate: imports between its rooms go down, and no file names itself by way of others.
//! And the words of the sources: what comments start with and how long they are, and the names of types.

#![allow(clippy::unwrap_used)]

mod check;
mod documentation;
mod flags;
mod imports;
mod sizes;

use std::fs;
use std::path::{Path, PathBuf};

use self::check::{Allowed, check, check_circles};

fn src(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(of).join("src")
}

/// Sources of the command line, which have no folder `src` of their own.
fn command_line() -> PathBuf {
    src(".").join("cli")
}

#[test]
fn imports_of_the_engine_go_down() {
    let floors: [&[&str]; 11] = [
        &["changes", "parties"],
        &["program"],
        &["schedule", "checkpoint"],
        &["run"],
        &["cluster"],
        &["generation"],
        &["engine"],
        &["operator"],
        &["map", "replay"],
        &["files", "prelude"],
        &["command_line_support"],
    ];
    check(&src("."), "", &floors, &[]);
}

#[test]
fn no_file_of_the_engine_names_itself() {
    // Children that need what is private to their parent, which calls them.
    let allowed: [Allowed; 15] = [
        ("program/context.rs", "program/mod.rs", "what a program's verbs are given is of its types"),
        ("program/merge.rs", "program/mod.rs", "a program merges what its shards answer"),
        ("program/restore.rs", "program/mod.rs", "a verb of a program is given parts of its types"),
        ("program/verbs.rs", "program/mod.rs", "a program lists its verbs, and a verb is asked of a program"),
        (
            "schedule/priority/forming.rs",
            "schedule/priority/mod.rs",
            "the round that the schedule is forming",
        ),
        ("run/hub/check.rs", "run/hub/mod.rs", "the hub's check of what a schedule names"),
        ("run/hub/kept.rs", "run/hub/mod.rs", "the boundary that the hub keeps, and goes back to"),
        (
            "run/place/boundary.rs",
            "run/place/mod.rs",
            "what a place writes, fingerprints and keeps at a boundary",
        ),
        ("run/place/plan.rs", "run/place/mod.rs", "the rounds of a plan that is known, on a place's shards"),
        ("cluster/coordinator/checkpoints.rs", "cluster/coordinator/mod.rs", "the coordinator's checkpoints"),
        ("cluster/coordinator/notes.rs", "cluster/coordinator/mod.rs", "the coordinator's notes"),
        ("generation/dataflow.rs", "generation/mod.rs", "the dataflow that a generation builds"),
        ("generation/slots.rs", "generation/mod.rs", "what a generation's workers take and put back"),
        ("engine/member/restore/mod.rs", "engine/member/mod.rs", "a member's restoration that is under way"),
        ("engine/member/transfers.rs", "engine/member/mod.rs", "what a member hands to others"),
    ];
    check_circles(&src("."), &allowed);
}

#[test]
fn no_file_of_what_the_engine_and_kernels_stand_on_names_itself() {
    let allowed: [Allowed; 1] =
        [("state/shared.rs", "state/mod.rs", "what bytes are written and read beside, and its bytes")];
    check_circles(&src(".").join("base"), &allowed);
}

#[test]
fn imports_of_the_command_line_go_down() {
    let floors: [&[&str]; 8] = [
        &["environment", "exit", "markup", "number"],
        &["parties", "report", "say"],
        &["picture", "run_folder"],
        &["interrupt", "options", "page", "status"],
        &["graph", "screen"],
        &["parts"],
        &["session"],
        &["changes", "launch"],
    ];
    check(&command_line(), "", &floors, &["main"]);
}

#[test]
fn no_file_of_the_command_line_names_itself() {
    let allowed: [Allowed; 0] = [];
    check_circles(&command_line(), &allowed);
}

#[test]
fn imports_of_pictures_go_down() {
    let floors: [&[&str]; 3] = [&["scale", "thin"], &["frame"], &["lines", "map"]];
    let floors = [&floors[..], &[&["bars"]]].concat();
    check(&command_line(), "picture", &floors, &["tests"]);
}

#[test]
fn imports_of_the_page_go_down() {
    let floors: [&[&str]; 4] = [
        &["members", "run", "table"],
        &["about", "curves", "figure"],
        &["comparison", "rounds", "workers"],
        &["html"],
    ];
    check(&command_line(), "page", &floors, &["tests"]);
}

#[test]
fn imports_of_the_status_go_down() {
    let floors: [&[&str]; 3] = [&["curve", "launched"], &["folder_status"], &["watch"]];
    check(&command_line(), "status", &floors, &[]);
}

#[test]
fn imports_of_the_run_folder_go_down() {
    let floors: [&[&str]; 4] =
        [&["begun", "life", "tail"], &["folder", "snapshot"], &["resume"], &["identity"]];
    check(&command_line(), "run_folder", &floors, &[]);
}

#[test]
fn imports_of_files_go_down() {
    let floors: [&[&str]; 5] = [
        &["error", "manifest", "out", "version"],
        &["atomic"],
        &["commit"],
        &["new_model"],
        &["model_folder"],
    ];
    check(&src("."), "files", &floors, &[]);
}

#[test]
fn imports_of_what_models_of_tables_share_go_down() {
    let floors: [&[&str]; 3] = [&["folds"], &["files"], &["cli"]];
    check(&src("algorithms/tabular"), "", &floors, &[]);
    let floors: [&[&str]; 4] = [
        &["class_weights", "listing", "matching", "places", "tables"],
        &["samples"],
        &["curves", "pictures", "training"],
        &["path", "predicting"],
    ];
    check(&src("algorithms/tabular"), "cli", &floors, &[]);
}

#[test]
fn imports_of_lasso_go_down() {
    let floors: [&[&str]; 10] = [
        &["error", "live"],
        &["data", "lambdas"],
        &["penalties"],
        &["loss"],
        &["working_set"],
        &["run"],
        &["model"],
        &["params", "predict"],
        &["files", "range", "fit"],
        &["cross_validation"],
    ];
    check(&src("algorithms/lasso"), "", &floors, &["main", "cli"]);
}

#[test]
fn imports_of_mf_go_down() {
    let floors: [&[&str]; 10] = [
        &["error", "live", "ranking", "restored"],
        &["model", "settings"],
        &["input", "runner"],
        &["fitted", "params"],
        &["initial", "range"],
        &["sgd", "alternating"],
        &["guard", "stand_in"],
        &["fit", "fold_in", "predict", "recommend"],
        &["carry", "files"],
        &["cross_validation"],
    ];
    check(&src("algorithms/mf"), "", &floors, &["main", "cli"]);
}

#[test]
fn imports_of_lda_go_down() {
    let floors: [&[&str]; 9] = [
        &["error", "live", "topic_words"],
        &["topic_map"],
        &["data"],
        &["evaluate"],
        &["infer", "run"],
        &["model"],
        &["params"],
        &["group_shares", "range"],
        &["cross_validation", "files", "fit"],
    ];
    check(&src("algorithms/lda"), "", &floors, &["main", "cli"]);
}

#[test]
fn imports_of_linear_go_down() {
    let floors: [&[&str]; 7] =
        [&["error", "loss"], &["data"], &["certificate"], &["solve"], &["run"], &["model"], &["params"]];
    let floors =
        [&floors[..], &[&["path"], &["cross_validation", "files", "parts", "sums"], &["parties"]]].concat();
    check(&src("algorithms/linear"), "", &floors, &["main", "cli"]);
}

#[test]
fn imports_of_the_parts_of_linear_go_down() {
    let bottom: &[&str] = &["phase", "plan", "search", "sigma", "step"];
    let floors = [bottom, &["cut"], &["schedule"], &["program"], &["delayed"], &["settings"]];
    check(&src("algorithms/linear"), "parts", &floors, &["tests"]);
}

#[test]
fn imports_of_the_sums_of_linear_go_down() {
    let floors: [&[&str]; 4] =
        [&["newton", "point", "shard"], &["adding", "judged"], &["program"], &["settings"]];
    check(&src("algorithms/linear"), "sums", &floors, &[]);
}

#[test]
fn no_file_of_linear_names_itself() {
    let allowed: [Allowed; 0] = [];
    check_circles(&src("algorithms/linear"), &allowed);
}

#[test]
fn imports_of_the_command_line_of_linear_go_down() {
    let floors: [&[&str]; 6] = [
        &["foreign", "grid", "predict", "refused"],
        &["problem"],
        &["cv_options", "fit_options"],
        &["outcome"],
        &["parties"],
        &["cv", "fit", "path"],
    ];
    check(&src("algorithms/linear"), "cli", &floors, &[]);
}

#[test]
fn imports_of_promises_of_the_pool_go_down() {
    let pool = src("algorithms/pool");
    let floors: [&[&str]; 5] = [
        &["settings"],
        &["calendar", "prices", "programme", "unfit", "fill"],
        &["in_slot", "plan"],
        &["planner"],
        &["admission"],
    ];
    check(&pool, "policy/pdors", &floors, &[]);
}

#[test]
fn imports_of_the_pool_go_down() {
    let floors: [&[&str]; 3] = [&["policy"], &["pool"], &["live"]];
    check(&src("algorithms/pool"), "", &floors, &["main", "cli"]);
    let floors: [&[&str]; 7] = [
        &["left", "request", "settings"],
        &["event", "speedup"],
        &["fit", "queue"],
        &["share"],
        &["state"],
        &["decision", "replay", "runs", "transitions"],
        &["counted", "journal", "wall"],
    ];
    check(&src("algorithms/pool"), "pool", &floors, &[]);
    let floors: [&[&str]; 4] = [
        &["cluster"],
        &["job", "room"],
        &["drf", "fifo", "greedy", "pdors", "profile", "random"],
        &["names"],
    ];
    check(&src("algorithms/pool"), "policy", &floors, &[]);
}

#[test]
fn imports_of_the_simulator_of_the_pool_go_down() {
    let simulator = src("benches/pool-sim");
    let floors: [&[&str]; 4] = [
        &["error", "model", "outcome", "policy"],
        &["profile", "published", "run"],
        &["slots", "spec"],
        &["cli"],
    ];
    check(&simulator, "", &floors, &["main"]);
    let floors: [&[&str]; 4] = [&["rows"], &["application"], &["job"], &["tables"]];
    check(&simulator, "published", &floors, &[]);
    let floors: [&[&str]; 3] = [&["instance", "spec"], &["run"], &["generate", "report"]];
    check(&simulator, "slots", &floors, &[]);
    let floors: [&[&str]; 2] = [&["las", "ones", "optimus", "placing"], &["names"]];
    check(&simulator, "policy", &floors, &[]);
    let floors: [&[&str]; 2] = [&["operators"], &["arrange", "caps", "estimate", "slots"]];
    check(&simulator, "policy/ones", &floors, &[]);
    let floors: [&[&str]; 2] = [&["options", "tables"], &["ticks"]];
    check(&simulator, "cli", &floors, &[]);
    check_circles(&simulator, &[]);
}

#[test]
fn imports_of_the_command_line_of_the_pool_go_down() {
    let floors: [&[&str]; 4] = [
        &["duration", "folder", "foreign", "job_line", "pool_tables"],
        &["jobs", "pool_summary"],
        &["pool_options"],
        &["profile", "run", "status", "visit"],
    ];
    check(&src("algorithms/pool"), "cli", &floors, &[]);
}

#[test]
fn no_file_of_the_pool_names_itself() {
    let allowed: [Allowed; 0] = [];
    check_circles(&src("algorithms/pool"), &allowed);
}

#[test]
fn no_file_of_lasso_names_itself() {
    let allowed: [Allowed; 2] = [
        ("data/classes.rs", "data/design.rs", "a matrix may be another one, its columns once for each class"),
        (
            "loss/free.rs",
            "loss/rows.rs",
            "free columns are orthonormal in the weights of the rows that hold them",
        ),
    ];
    check_circles(&src("algorithms/lasso"), &allowed);
}

#[test]
fn imports_of_the_command_line_of_lasso_go_down() {
    let floors: [&[&str]; 9] = [
        &["foreign", "grid", "pictures", "rows"],
        &["features"],
        &["refused", "terms"],
        &["problem"],
        &["held_out"],
        &["fit_options"],
        &["outcome"],
        &["versions"],
        &["fit", "path", "cv", "predict"],
    ];
    check(&src("algorithms/lasso"), "cli", &floors, &[]);
}

#[test]
fn no_file_of_mf_names_itself() {
    let allowed: [Allowed; 0] = [];
    check_circles(&src("algorithms/mf"), &allowed);
}

#[test]
fn imports_of_the_command_line_of_mf_go_down() {
    let floors: [&[&str]; 10] = [
        &["filters", "foreign", "hold_out", "ids", "pictures"],
        &["rated_pairs", "runner"],
        &["data"],
        &["options"],
        &["fit_options", "usage"],
        &["choice", "lists", "split", "test_measures"],
        &["baseline_comparison"],
        &["report_data"],
        &["versions"],
        &["fit", "cv", "fold_in", "predict", "recommend", "similar"],
    ];
    check(&src("algorithms/mf"), "cli", &floors, &[]);
}

#[test]
fn no_file_of_lda_names_itself() {
    let allowed: [Allowed; 0] = [];
    check_circles(&src("algorithms/lda"), &allowed);
}

#[test]
fn imports_of_the_command_line_of_lda_go_down() {
    let floors: [&[&str]; 7] = [
        &["curve", "foreign", "groups", "left_out", "map", "priors", "pyldavis", "words"],
        &["data"],
        &["describe", "initial_model"],
        &["fit_options", "outcome"],
        &["by", "finished", "infer"],
        &["versions"],
        &["cv", "fit", "topics"],
    ];
    check(&src("algorithms/lda"), "cli", &floors, &[]);
}

#[test]
fn imports_of_datasets_go_down() {
    let floors: [&[&str]; 8] = [
        &["counter", "error", "metadata", "names", "records"],
        &["bytes"],
        &["arrays", "field"],
        &["dialect"],
        &["table"],
        &["corpus", "ratings"],
        &["registry"],
        &["named"],
    ];
    check(&src("datasets"), "", &floors, &[]);
}

#[test]
fn no_file_of_datasets_names_itself() {
    let allowed: [Allowed; 0] = [];
    check_circles(&src("datasets"), &allowed);
}

#[test]
fn imports_of_the_program_of_datasets_go_down() {
    let floors: [&[&str]; 4] = [
        &["digest", "provenance", "transport"],
        &["catalogue", "convert", "place"],
        &["part"],
        &["download"],
    ];
    check(&src("datasets/program"), "", &floors, &["main", "cli"]);
    let floors: [&[&str]; 4] = [
        &["foreign", "interrupted", "path"],
        &["list", "verify", "generate", "network"],
        &["ask"],
        &["obtain"],
    ];
    let floors = [&floors[..], &[&["fetch"]]].concat();
    check(&src("datasets/program"), "cli", &floors, &[]);
}

#[test]
fn no_file_of_the_program_of_datasets_names_itself() {
    let allowed: [Allowed; 0] = [];
    check_circles(&src("datasets/program"), &allowed);
}

#[test]
fn no_file_of_what_the_algorithms_share_names_itself() {
    let allowed: [Allowed; 0] = [];
    check_circles(&src("algorithms/common"), &allowed);
    check_circles(&src("algorithms/kernels"), &allowed);
    check_circles(&src("algorithms/tabular"), &allowed);
}

#[test]
fn imports_of_kernels_go_down() {
    let floors: [&[&str]; 4] =
        [&["lanewise"], &["f32x16", "f64x8", "fused"], &["algebra", "factors", "topics"], &["sweeps"]];
    check(&src("algorithms/kernels"), "", &floors, &[]);
}

/// Imports of every form, through names that are handed on, to the file that defines the name.
#[test]
fn climbs_and_circles_are_found_whatever_the_form_of_the_import() {
    let files = |use_of_upper: &str| {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("lib.rs", "mod base;\nmod upper;\npub use upper::Shown;\n");
        write(
            "base.rs",
            &format!(
                "{use_of_upper}\npub struct Base;\n#[cfg(test)]\nmod tests {{ use crate::upper::Shown; }}"
            ),
        );
        write("upper/mod.rs", "mod shown;\npub(crate) use shown::Shown;\n");
        write("upper/shown.rs", "use crate::base::Base;\npub struct Shown(Base);");
        folder
    };
    let run = |folder: &Path| {
        let rooms = [&["base"][..], &["upper"]];
        [
            std::panic::catch_unwind(|| check(folder, "", &rooms, &[])).err(),
            std::panic::catch_unwind(|| check_circles(folder, &[])).err(),
        ]
        .map(|panic| panic.map(|panic| panic.downcast_ref::<String>().unwrap().clone()))
    };
    // Of tests alone: no import.
    assert_eq!(run(files("").path()), [None, None]);
    for import in [
        "use crate::upper::Shown;",
        "use crate::{upper::{Shown as Other}};",
        "use super::upper::*;\ntype T = Shown;",
        "use crate::Shown;",
        "type T = crate::upper::Shown;",
        "fn f() { println!(\"{}\", crate::upper::Shown::X) }",
    ] {
        let [climb, circle] = run(files(import).path());
        let (climb, circle) = (climb.expect(import), circle.expect(import));
        assert!(climb.contains("base.rs names upper/shown.rs"), "{import}: {climb}");
        assert!(
            circle
                .contains("1 circles of files:\nbase.rs names upper/shown.rs\nupper/shown.rs names base.rs"),
            "{import}: {circle}"
        );
    }
}

/// Files of a program stand beside those of the library, and the name `super` in a module inside a file is
/// that file.
#[test]
fn files_of_a_program_are_read_too() {
    let circle = |of_second: &str| {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("cli")).unwrap();
        for (path, text) in [
            ("lib.rs", "mod base;"),
            ("base.rs", "pub struct Base;"),
            ("main.rs", "mod cli;\nfn main() { cli::run() }"),
            ("cli/mod.rs", "mod first;\nmod second;\npub(crate) fn run() { first::run() }"),
            ("cli/first.rs", "use super::second::Second;\npub(crate) fn run() {}"),
            ("cli/second.rs", of_second),
        ] {
            fs::write(folder.path().join(path), text).unwrap();
        }
        let panic = std::panic::catch_unwind(|| check_circles(folder.path(), &[])).err();
        panic.map(|panic| panic.downcast_ref::<String>().unwrap().clone())
    };
    assert_eq!(circle("pub struct Second;\nmod inner { fn f() -> super::Second { super::Second } }"), None);
    let found = circle("pub struct Second(super::first::First);").unwrap();
    assert!(
        found.contains(
            "1 circles of files:\ncli/first.rs names cli/second.rs\ncli/second.rs names cli/first.rs"
        ),
        "{found}"
    );
}
