//! The pages of the guide (`examples/guide`): their commands, run in a row in one folder a page, print what
//! is shown; their Rust is that of the example; their links lead somewhere, in the repository and in the
//! book.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use raddle_common::testing::not_empty;

use crate::commands::root;
use crate::readme::blocks;
#[cfg(unix)]
use crate::{commands::binary, readme::without_seconds};

const PAGES: [&str; 5] =
    ["1-first-fit.md", "2-own-data.md", "3-choosing.md", "4-long-runs.md", "5-own-program.md"];

fn page(name: &str) -> String {
    fs::read_to_string(root().join("examples/guide").join(name)).unwrap()
}

/// A block of commands: how it ends, and what is shown below it.
struct Step<'a> {
    commands: &'a str,
    status: i32,
    shown: Option<&'a str>,
}

/// The blocks of commands of a page. `<!-- ends with N -->` stands above one whose status is not 0; a block
/// of text that follows it is what it shows.
fn steps(page: &str) -> Vec<Step<'_>> {
    let parts: Vec<&str> = page.split("```").collect();
    assert!(parts.len() % 2 == 1, "a block is not closed");
    // Prose and blocks take turns.
    let blocks: Vec<(&str, &str)> = parts.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
    let of = |at: usize, language: &str| blocks.get(at)?.1.strip_prefix(language)?.strip_prefix('\n');
    let step = |at: usize| {
        let above = blocks[at].0.trim_end().lines().next_back().unwrap_or_default();
        let status = above.strip_prefix("<!-- ends with ").and_then(|rest| rest.strip_suffix(" -->"));
        let status = status.map_or(0, |number| number.parse().unwrap());
        Some(Step { commands: of(at, "sh")?, status, shown: of(at + 1, "text") })
    };
    (0..blocks.len()).filter_map(step).collect()
}

/// `true` if lines are those that a page shows, where `...` stands for any number of them.
fn is_shown(shown: &[String], said: &[String]) -> bool {
    match shown.split_first() {
        None => said.is_empty(),
        Some((line, rest)) if line == "..." => {
            (0..=said.len()).any(|left_out| is_shown(rest, &said[left_out..]))
        }
        Some((line, rest)) => said.first() == Some(line) && is_shown(rest, &said[1..]),
    }
}

#[cfg(unix)]
fn lines(text: &str) -> Vec<String> {
    text.lines().map(|line| without_seconds(line.trim_end())).collect()
}

/// A folder in which the programs have their names.
#[cfg(unix)]
fn programs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let link =
        |name: &str, path: PathBuf| std::os::unix::fs::symlink(path, folder.path().join(name)).unwrap();
    for name in ["lasso", "mf", "lda", "linear", "raddle"] {
        link(name, binary(name));
    }
    link("rod", binary("examples/rod"));
    folder
}

#[cfg(unix)]
fn works(name: &str) {
    let (programs, folder, page) = (programs(), tempfile::tempdir().unwrap(), page(name));
    let before = env::var_os("PATH").unwrap_or_default();
    let path = [programs.path().to_owned()].into_iter().chain(env::split_paths(&before));
    let path = env::join_paths(path).unwrap();
    let mut compared = 0;
    for Step { commands, status, shown } in steps(&page) {
        let mut shell = Command::new("sh");
        let shell = shell.args(["-e", "-c", commands]).current_dir(folder.path()).env("PATH", &path);
        let output = shell.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (out, err) = (text(output.stdout), text(output.stderr));
        assert_eq!(output.status.code(), Some(status), "{name}: {commands}{out}{err}");
        if let Some(shown) = shown {
            // Bad usage is said on stderr.
            let said = if status == 2 { &err } else { &out };
            assert!(is_shown(&lines(shown), &lines(said)), "{name} shows\n{shown}\n{commands}prints\n{said}");
            compared += 1;
        }
    }
    assert!(compared >= 4, "{name}: {compared} outputs were compared");
}

#[cfg(unix)]
#[test]
fn the_first_fit_prints_what_the_page_shows() {
    works(PAGES[0]);
}

#[cfg(unix)]
#[test]
fn own_data_print_what_the_page_shows() {
    works(PAGES[1]);
}

#[cfg(unix)]
#[test]
fn choosing_prints_what_the_page_shows() {
    works(PAGES[2]);
}

#[cfg(unix)]
#[test]
fn a_run_that_is_killed_and_spread_prints_what_the_page_shows() {
    works(PAGES[3]);
}

#[cfg(unix)]
#[test]
fn an_own_program_prints_what_the_page_shows() {
    works(PAGES[4]);
}

#[test]
fn lines_left_out_are_found() {
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let said = lines("a b c d");
    for shown in ["a b c d", "... d", "a ...", "a ... d", "... b ... c ...", "a b ... c d"] {
        assert!(is_shown(&lines(shown), &said), "{shown}");
    }
    for shown in ["a b c", "b c d", "a ... c", "... e ...", "a c ... d", "... c ... b ..."] {
        assert!(!is_shown(&lines(shown), &said), "{shown}");
    }
    let page = "x\n```sh\na\n```\ny\n```text\nb\n```\n<!-- ends with 2 -->\n```sh\nc\n```\n";
    let steps = steps(page);
    let found: Vec<_> = steps.iter().map(|step| (step.commands, step.status, step.shown)).collect();
    assert_eq!(found, [("a\n", 0, Some("b\n")), ("c\n", 2, None)]);
}

#[test]
fn the_rust_of_the_pages_is_that_of_the_example() {
    let example = fs::read_to_string(root().join("examples/rod.rs")).unwrap();
    let pages = PAGES.map(page);
    let parts: Vec<&str> = pages.iter().flat_map(|page| blocks(page, "rust")).collect();
    assert!(parts.len() >= 5, "{} parts", parts.len());
    for part in parts {
        assert!(example.contains(part), "examples/rod.rs has another form of\n{part}");
    }
}

/// The relative links of a page, without their anchors.
fn links(page: &str) -> Vec<&str> {
    let prose = page.split("```").step_by(2);
    let links = prose.flat_map(|text| text.split("](").skip(1)).filter_map(|rest| rest.split(')').next());
    let paths = links.filter(|link| !link.contains("://")).map(|link| link.split('#').next().unwrap());
    paths.filter(|path| !path.is_empty()).collect()
}

#[test]
fn links_of_the_guide_lead_to_files() {
    for name in PAGES.iter().chain(&["SUMMARY.md"]) {
        for link in not_empty(links(&page(name))) {
            assert!(root().join("examples/guide").join(link).exists(), "{name}: {link}");
        }
    }
}

/// Every page below a folder, relative to the repository.
fn pages_below(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            pages_below(&path, found);
        } else if name.ends_with(".md") && name != "SUMMARY.md" {
            found.push(path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
        }
    }
}

#[cfg(unix)]
#[test]
fn the_book_has_every_page_and_its_links_between_pages_hold() {
    let folder = tempfile::tempdir().unwrap();
    let script = Command::new(root().join("examples/guide/book.sh")).arg(folder.path()).output().unwrap();
    assert!(script.status.success(), "{}", String::from_utf8_lossy(&script.stderr));
    assert!(folder.path().join("book.toml").is_file());
    let pages = folder.path().join("pages");
    let summary = fs::read_to_string(pages.join("SUMMARY.md")).unwrap();
    let mut listed: Vec<&str> = links(&summary);
    listed.sort_unstable();
    let mut written = Vec::new();
    for at in ["algorithms", "benches", "datasets", "examples", "src", "tests"] {
        pages_below(&root().join(at), &mut written);
    }
    let top = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "STYLE.md"];
    written.extend(top.map(str::to_owned));
    written.sort_unstable();
    assert_eq!(listed, written, "SUMMARY.md, and the pages of the repository");
    for name in listed {
        let text = fs::read_to_string(pages.join(name)).unwrap();
        let at = pages.join(name).parent().unwrap().to_owned();
        for link in links(&text).iter().filter(|link| link.ends_with(".md")) {
            assert!(at.join(link).is_file(), "{name}: {link}");
        }
    }
}
