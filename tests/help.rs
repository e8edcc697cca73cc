//! The help of every program.

use std::collections::BTreeSet;
use std::{env, fs};

use raddle_cli::verbs_of;

use crate::commands::{ends, root, run};

const PROGRAMS: [&str; 4] = ["lasso", "mf", "lda", "linear"];

/// Every verb of every program.
fn verbs() -> impl Iterator<Item = String> {
    PROGRAMS.iter().flat_map(|program| verbs_of(program).iter().map(move |verb| format!("{program} {verb}")))
}

fn help(line: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    ends(folder.path(), line, 0).out
}

/// The long names of the options in a help.
pub(crate) fn options(help: &str) -> Vec<&str> {
    let option = |line: &'_ str| -> Option<std::ops::Range<usize>> {
        let start = line.find("--")?;
        let before = line[..start].trim();
        // Texts beside and below the options may begin with one.
        let is_option = start == 6 && before.is_empty() || (before.len() == 3 && before.starts_with('-'));
        let length = line[start..].find([' ', '=', '[', '<']).unwrap_or(line.len() - start);
        is_option.then_some(start..start + length)
    };
    help.lines().filter_map(|line| option(line).map(|at| &line[at])).collect()
}

/// The help of a program and of each of its verbs, after the lines that ask for it.
fn screens(program: &str) -> String {
    let verbs =
        verbs_of(program).iter().flat_map(|verb| ["-h", "--help"].map(|flag| format!("{verb} {flag}")));
    let lines = ["--help".to_owned()].into_iter().chain(verbs).map(|words| format!("{program} {words}"));
    lines.map(|line| format!("$ {line}\n{}\n", help(&line))).collect()
}

/// `RADDLE_HELP=write cargo test -p raddle-tests --test engine help::` writes the files anew.
#[test]
fn every_help_is_that_of_its_file() {
    for program in PROGRAMS.into_iter().chain(["raddle", "raddle-data", "pool"]) {
        if help(&format!("{program} --version")).contains("parquet") {
            println!("NOT CHECKED: the help of {program} with parquet names one more format");
            continue;
        }
        let (path, now) = (root().join(format!("tests/help/{program}.txt")), screens(program));
        if env::var_os("RADDLE_HELP").is_some() {
            fs::write(&path, &now).unwrap();
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        let differs = now.lines().zip(kept.lines()).find(|(now, kept)| now != kept);
        assert_eq!(differs, None, "{}: a line now, and in the file", path.display());
        assert_eq!(now.len(), kept.len(), "{}: one ends before the other", path.display());
    }
}

#[test]
fn each_program_lists_the_verbs_by_which_others_know_it() {
    for program in PROGRAMS.into_iter().chain(["raddle", "raddle-data", "pool"]) {
        let text = help(&format!("{program} --help"));
        let listed = text.lines().skip_while(|line| *line != "Commands:").skip(1);
        let listed = listed.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
        let listed: BTreeSet<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
        let known: BTreeSet<&str> = verbs_of(program).iter().copied().chain(["help"]).collect();
        assert_eq!(listed, known, "{program}");
    }
}

#[test]
fn the_short_help_fits_the_screen_and_says_how_many_options_there_are() {
    for verb in verbs() {
        let (short, long) = (help(&format!("{verb} -h")), help(&format!("{verb} --help")));
        let widest = short.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(short.lines().count() <= 40 && widest <= 80, "{verb}: {widest} columns:\n{short}");
        let all = options(&long);
        assert!(short.contains(&format!("--help: all {} options", all.len() - 1)), "{verb}:\n{short}");
        let common = options(&short);
        assert!(common.len() >= 2 && common.iter().all(|option| all.contains(option)), "{verb}:\n{short}");
        // An option and its text stand in one line.
        let listed = short.lines().skip_while(|line| *line != "Options:").skip(1);
        let listed = listed.take_while(|line| !line.is_empty());
        assert_eq!(listed.count(), common.len(), "{verb}:\n{short}");
    }
}

#[test]
fn the_long_help_has_each_option_once_and_those_of_the_engine_last() {
    for verb in verbs() {
        let long = help(&format!("{verb} --help"));
        let all = options(&long);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{verb}: {all:?}");
        let sections: Vec<&str> = long.split("\n\n").collect();
        let of_options = sections.iter().filter(|section| section.contains("\n  ") && section.contains("--"));
        let of_options: Vec<usize> = of_options.map(|section| options(section).len()).collect();
        assert_eq!(of_options.iter().sum::<usize>(), all.len(), "{verb}: no blank line between options");
        let place = |name: &str| all.iter().position(|option| *option == name);
        let engine = long.find("Execution:").unwrap_or(long.len());
        for name in ["--candidates", "--mode", "--cache", "--shards", "--schedule"] {
            let at = long.find(&format!("      {name}"));
            assert!(place(name).is_none() || at.is_some_and(|at| at > engine), "{verb} {name}");
        }
        for name in ["--lambda", "--rank", "--topics", "--out", "--tol", "--validation"] {
            assert!(place(name).is_none() || long.find(name).is_some_and(|at| at < engine), "{verb} {name}");
        }
    }
}

#[test]
fn an_option_of_the_engine_is_shown_where_it_has_an_effect_and_refused_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let given = ["--parallelism 2", "--rho 0.5", "--staleness 1", "--guard off", "--explain"];
    let mut tried = 0;
    for verb in verbs() {
        let text = help(&format!("{verb} --help"));
        let shown = options(&text);
        // Verbs that use a model know none of them.
        if !shown.contains(&"--epochs") {
            continue;
        }
        for option in given {
            let name = option.split(' ').next().unwrap();
            let schedule = if verb == "lasso fit" { "--schedule priority" } else { "" };
            let ran = run(folder.path(), &format!("{verb} {schedule} {option} --epochs 1 --quiet"));
            let is_refused = ran.code == Some(2) && ran.err.contains(&format!("{name} has no effect"));
            assert_eq!(is_refused, !shown.contains(&name), "{verb} {option}: {ran:?}");
            assert!(is_refused || ran.code == Some(3), "{verb} {option}: {ran:?}");
            tried += 1;
        }
    }
    assert_eq!(tried, 5 * 10, "the verbs that train");
}

#[test]
fn a_mistyped_verb_is_suggested() {
    let folder = tempfile::tempdir().unwrap();
    for (line, verb) in
        [("mf recomend run", "recommend"), ("mf similr run", "similar"), ("lda toppics", "topics")]
    {
        let ran = run(folder.path(), line);
        let is_told = ran.err.contains(&format!("a similar subcommand exists: '{verb}'"));
        assert!(ran.code == Some(2) && is_told, "{line}: {}", ran.err);
    }
}

#[test]
fn short_letters_mean_the_same_in_every_program() {
    for verb in verbs() {
        let long = help(&format!("{verb} --help"));
        for (letter, name) in [("-o", "--out"), ("-q", "--quiet"), ("-y", "--y"), ("-w", "--workers")] {
            let has = options(&long).contains(&name);
            assert_eq!(long.contains(&format!("  {letter}, {name}")), has, "{verb} {name}:\n{long}");
        }
    }
}

#[test]
fn the_version_names_features_vectors_and_sources() {
    for program in PROGRAMS {
        let version = help(&format!("{program} --version"));
        let lines: Vec<&str> = version.lines().collect();
        assert!(
            lines[0].starts_with(&format!("{program} ")) && lines[1].starts_with("features: "),
            "{version}"
        );
        assert!(lines[2].starts_with("vectors: ") && lines[2].contains("portable"), "{version}");
        let sources = lines[3].strip_prefix("sources: ").expect("the digest of the sources");
        assert!(sources.len() == 16 && u64::from_str_radix(sources, 16).is_ok(), "{version}");
        assert_eq!(help(&format!("{program} -V")).trim_end(), lines[0]);
    }
}

#[test]
fn raddle_runs_the_programs_beside_it() {
    let alone = help("raddle");
    for word in
        ["launch", "status", "raddle lasso", "raddle mf", "raddle lda", "raddle linear", "raddle data"]
    {
        assert!(alone.contains(word), "{word}: {alone}");
    }
    for program in PROGRAMS {
        assert_eq!(help(&format!("raddle {program} --version")), help(&format!("{program} --version")));
        let folder = tempfile::tempdir().unwrap();
        let ran = run(folder.path(), &format!("raddle {program} fit nothing.csv"));
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert!(ran.err.starts_with(&format!("{program}: error: ")), "{}", ran.err);
    }
    assert_eq!(help("raddle data --help"), help("raddle-data --help"));
    let folder = tempfile::tempdir().unwrap();
    let ran = run(folder.path(), "raddle data path nothing");
    assert!(ran.code == Some(2) && ran.err.starts_with("raddle-data: error: "), "{}", ran.err);
}
