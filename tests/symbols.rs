//! Mathematics calls no function of the system's C library that may differ in its last bits from system to
//! system: what libraries and programs take from elsewhere is listed by `readelf`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use raddle_common::testing::not_empty;

use crate::commands::binary;

/// Functions whose last bit no standard prescribes. Each has a form in single precision, with an `f` at the
/// end.
const FUNCTIONS: [&str; 27] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp",
    "exp10", "exp2", "expm1", "hypot", "lgamma", "log", "log10", "log1p", "log2", "pow", "sin", "sinh",
    "tan", "tgamma",
];

/// Functions among them that a file takes from elsewhere, by its table of all symbols, or of those that are
/// found when it is started.
fn taken(file: &Path, table: &str) -> BTreeSet<String> {
    let listed = Command::new("readelf").args([table, "--wide"]).arg(file).output().unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    // Number, value, size, type, binding, visibility, section, name with its version.
    let undefined = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let undefined = undefined.filter(|words| words.len() >= 8 && words[6] == "UND");
    let names = undefined.filter_map(|words| words[7].split('@').next().map(str::to_owned));
    let is_known = |name: &String| {
        let double = name.strip_suffix('f').unwrap_or(name);
        ["fma", "sincos"].iter().chain(&FUNCTIONS).any(|known| known == name || *known == double)
    };
    names.filter(is_known).collect()
}

/// The libraries of this workspace as they were built last, by name.
fn libraries() -> BTreeMap<String, PathBuf> {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|kind| kind == "rlib"))
        .collect();
    files.sort_by_key(|path| path.metadata().and_then(|about| about.modified()).unwrap());
    let of = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_prefix("lib")?.rsplit_once('-')?.0.to_owned();
        (name.starts_with("raddle") && name != "raddle_tests").then_some((name, path))
    };
    files.into_iter().filter_map(of).collect()
}

#[test]
fn no_library_takes_a_function_of_the_system() {
    let libraries = libraries();
    for name in ["raddle", "raddle_kernels", "raddle_lasso", "raddle_linear", "raddle_lda", "raddle_mf"] {
        assert!(libraries.contains_key(name), "{name} was built");
    }
    for (name, file) in libraries {
        let mut taken = taken(&file, "--syms");
        // The compiler brings it, rounded once: below.
        taken.retain(|function| !["fma", "fmaf"].contains(&function.as_str()));
        assert!(taken.is_empty(), "{name} calls {taken:?} of the system: call those of the crate libm");
    }
}

#[test]
fn no_program_takes_a_function_of_the_system_but_for_its_bar_of_progress() {
    for program in not_empty(["lasso", "linear", "mf", "lda", "pool", "raddle", "raddle-data"]) {
        let mut taken = taken(&binary(program), "--dyn-syms");
        // Estimates the seconds that are left.
        taken.remove("pow");
        assert!(taken.is_empty(), "{program} takes {taken:?} from the system");
    }
}

/// The functions that a library of one function of this body takes from elsewhere.
fn taken_by(body: &str) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("kernel.rs"), folder.path().join("libkernel.rlib"));
    // A small function that is not told so is compiled where it is called, which is another library of ours.
    fs::write(&source, format!("#[inline(never)] pub fn weight(x: f64) -> f64 {{ {body} }}")).unwrap();
    let built = Command::new("rustc").args(["--crate-type=rlib", "-o"]).arg(&library).arg(&source).status();
    assert!(built.unwrap().success());
    taken(&library, "--syms")
}

#[test]
fn a_kernel_that_calls_a_function_of_the_system_is_found() {
    for (body, function) in
        not_empty([("x.exp()", "exp"), ("x.powf(1.5)", "pow"), ("f64::from((x as f32).sin())", "sinf")])
    {
        assert_eq!(taken_by(body), BTreeSet::from([function.to_owned()]), "{body}");
    }
    assert_eq!(taken_by("x.sqrt().floor()"), BTreeSet::new());
}
