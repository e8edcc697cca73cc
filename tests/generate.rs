//! The verb `generate`: man pages and completions of every program, in any build.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use raddle_cli::verbs_of;
use raddle_common::testing::{names, not_empty};

use crate::commands::{binary, ends};
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

/// Name of the page of a line, which is a program or a program and its verb.
fn page(line: &str) -> String {
    format!("{}.1", line.replace(' ', "-"))
}

/// A program, and it with each of its verbs.
fn lines(program: &str) -> impl Iterator<Item = String> {
    let verbs = verbs_of(program).iter().map(move |verb| format!("{program} {verb}"));
    [program.to_owned()].into_iter().chain(verbs)
}

#[test]
fn a_page_for_each_program_and_for_each_verb_names_all_its_options() {
    let folder = tempfile::tempdir().unwrap();
    let said = ends(folder.path(), "raddle generate man all", 0).out;
    assert!(
        said.starts_with("man pages of raddle, lasso, mf, lda, linear, pool, raddle-data are in all"),
        "{said}"
    );
    let all = folder.path().join("all");
    let expected: BTreeSet<String> = PROGRAMS.into_iter().flat_map(lines).map(|line| page(&line)).collect();
    assert_eq!(names(&all).into_iter().collect::<BTreeSet<_>>(), expected);
    for line in not_empty(PROGRAMS.into_iter().flat_map(lines)) {
        let page = all.join(page(&line));
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

#[test]
fn each_program_writes_its_own_as_raddle_has_them_written() {
    let folder = tempfile::tempdir().unwrap();
    for kind in ["man", "fish"] {
        ends(folder.path(), &format!("raddle generate {kind} all"), 0);
        for program in &PROGRAMS[1..] {
            ends(folder.path(), &format!("{program} generate {kind} {program}/{kind}"), 0);
            let own = folder.path().join(program).join(kind);
            for name in not_empty(names(&own)) {
                let all = fs::read(folder.path().join("all").join(&name)).unwrap();
                assert!(all == fs::read(own.join(&name)).unwrap(), "{program}: {name}");
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn a_program_that_is_not_next_to_raddle_is_left_out_and_said() {
    let folder = tempfile::tempdir().unwrap();
    for program in ["raddle", "lasso"] {
        fs::copy(binary(program), folder.path().join(program)).unwrap();
    }
    let raddle = folder.path().join("raddle");
    let ran =
        Command::new(raddle).args(["generate", "zsh", "all"]).current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    let expected = "completions for zsh of raddle, lasso are in all; not next to raddle: mf, lda, linear, \
                    pool, raddle-data\n";
    assert_eq!(said, expected);
    assert_eq!(names(&folder.path().join("all")), ["_lasso", "_raddle"]);
}

#[test]
fn completions_know_every_verb_and_option_and_the_shells_accept_them() {
    let folder = tempfile::tempdir().unwrap();
    for (shell, before, behind, tool) in SHELLS {
        ends(folder.path(), &format!("raddle generate {shell} {shell}"), 0);
        for program in PROGRAMS {
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
            let said = refused.err.replace(['<', '>'], "");
            assert!(said.contains("generate man|bash|fish|powershell|zsh DIR"), "{said}");
        }
    }
    assert_eq!(names(folder.path()), ["file"]);
}
