//! The hidden verb `generate`: man pages and completions, as a release has them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use raddle::cli::verbs_of;
use raddle_common::testing::{names, not_empty};

use crate::commands::ends;
use crate::help::options;

const PROGRAMS: [&str; 7] = ["raddle", "lasso", "mf", "lda", "linear", "pool", "raddle-data"];

/// A shell, its file of a program, and the words that only parse a file; the last has none everywhere.
const SHELLS: [(&str, &str, &str, &[&str]); 4] = [
    ("bash", "", ".bash", &["bash", "-n"]),
    ("zsh", "_", "", &["zsh", "-n"]),
    ("fish", "", ".fish", &["fish", "-n"]),
    ("powershell", "_", ".ps1", &[]),
];

/// Runs a tool on a file, unless the machine does not have it; it may say nothing on stderr.
fn accepts(tool: &[&str], file: &Path) {
    let Some((name, words)) = tool.split_first() else { return };
    let ran =
        Command::new(name).args(words).arg(file).env("MANWIDTH", "80").env("LC_ALL", "C.UTF-8").output();
    match ran {
        Err(_) => println!("NOT CHECKED: {name} is not here for {}", file.display()),
        Ok(ran) => {
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success() && said.is_empty(), "{name} {}: {said}", file.display());
        }
    }
}

/// Long options of a verb, or of the program itself.
fn known(line: &str) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let help = ends(folder.path(), &format!("{line} --help"), 0).out;
    options(&help).into_iter().map(str::to_owned).collect()
}

#[test]
fn a_page_for_the_program_and_for_each_verb_names_all_its_options() {
    let folder = tempfile::tempdir().unwrap();
    for program in PROGRAMS {
        ends(folder.path(), &format!("{program} generate man {program}/man"), 0);
        let pages = folder.path().join(program).join("man");
        let verbs = not_empty(verbs_of(program))
            .map(|verb| (format!("{program} {verb}"), format!("{program}-{verb}")));
        let all: Vec<(String, String)> = verbs.chain([(program.to_owned(), program.to_owned())]).collect();
        let expected: BTreeSet<String> = all.iter().map(|(_, page)| format!("{page}.1")).collect();
        assert_eq!(names(&pages).into_iter().collect::<BTreeSet<_>>(), expected);
        for (line, page) in not_empty(all) {
            let page = pages.join(format!("{page}.1"));
            let text = fs::read_to_string(&page).unwrap().replace('\\', "");
            for option in not_empty(known(&line)) {
                assert!(text.contains(&option), "{}: {option}", page.display());
            }
            assert!(text.contains(&line), "{}: the words of a line", page.display());
            // Pages are the same on every machine.
            assert!(!text.contains("vectors:"), "{}", page.display());
            accepts(&["man", "--warnings", "-l"], &page);
        }
    }
}

#[test]
fn completions_know_every_verb_and_option_and_the_shells_accept_them() {
    let folder = tempfile::tempdir().unwrap();
    for program in PROGRAMS {
        for (shell, before, behind, tool) in SHELLS {
            ends(folder.path(), &format!("{program} generate {shell} {shell}"), 0);
            let file = folder.path().join(shell).join(format!("{before}{program}{behind}"));
            let text = fs::read_to_string(&file).unwrap();
            for verb in not_empty(verbs_of(program)) {
                assert!(text.contains(verb), "{}: {verb}", file.display());
                for option in known(&format!("{program} {verb}")) {
                    let name = option.trim_start_matches('-');
                    assert!(text.contains(name), "{}: {verb} {option}", file.display());
                }
            }
            accepts(tool, &file);
        }
    }
}

/// Words that bash offers for the last word of a line.
fn offered(file: &Path, function: &str, line: &str) -> Option<BTreeSet<String>> {
    let words: Vec<&str> = line.split(' ').collect();
    let (last, before) = (words.len() - 1, words[words.len() - 2]);
    let quoted = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let script = format!(
        "source '{}'; COMP_WORDS=({quoted}); COMP_CWORD={last}; {function} '{}' '{}' '{before}'; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        file.display(),
        words[0],
        words[last]
    );
    let ran = Command::new("bash").args(["--norc", "-c", &script]).output().ok()?;
    let said = String::from_utf8(ran.stdout).unwrap();
    Some(said.lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_verbs_and_options() {
    let folder = tempfile::tempdir().unwrap();
    ends(folder.path(), "lasso generate bash .", 0);
    let file = folder.path().join("lasso.bash");
    let Some(verbs) = offered(&file, "_lasso", "lasso pre") else {
        println!("NOT CHECKED: bash is not here");
        return;
    };
    assert_eq!(verbs, BTreeSet::from(["predict".to_owned()]));
    let options = offered(&file, "_lasso", "lasso fit --test").unwrap();
    assert_eq!(options, BTreeSet::from(["--test".to_owned()]));
}

#[test]
fn what_cannot_be_written_is_said_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for program in PROGRAMS {
        let refused = ends(folder.path(), &format!("{program} generate man file/pages"), 1);
        assert!(refused.err.contains("file/pages: cannot write"), "{}", refused.err);
        let lines = ["generate man", "generate man a b", "generate", "generate tcsh ."];
        // The last two are of its own verb of this name.
        let lines = if program == "raddle-data" { &lines[..2] } else { &lines };
        for line in lines {
            let refused = ends(folder.path(), &format!("{program} {line}"), 2);
            assert!(refused.err.contains("generate man|bash|fish|powershell|zsh DIR"), "{}", refused.err);
        }
    }
    assert_eq!(names(folder.path()), ["file"]);
}
