//! Sizes of the sources: lines of code of each package against its budget, and what is too long to be read
//! at a sitting or says too little where it is called.
//!
//! A line counts where it has code: no blank, no comment, none of an item for tests. Who raises a budget says
//! in the commit what that buys and what it replaces; who removes code lowers it. Sources are as rustfmt
//! leaves them: an item ends at the first line that closes it at its own indentation.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::documentation::sources;

/// Lines of a function, from its name to its last brace.
const FUNCTION: usize = 70;
/// Lines of a file.
const FILE: usize = 350;
/// Lines that a count may be below its budget before the budget is lowered: these, and a part of the count.
const SLACK: usize = 25;

/// Lines of a package's product and of its tests; arguments of functions that are `bool`, and those that are
/// tuples.
const BUDGETS: &str = include_str!("budgets.tsv");

/// Lines of code, by what they are for.
#[derive(Default, Clone, Copy)]
struct Size {
    product: usize,
    tests: usize,
}

/// Counts of all packages, and what is too long in them.
#[derive(Default)]
struct Measured {
    packages: BTreeMap<String, Size>,
    booleans: usize,
    tuples: usize,
    /// Files and functions that are too long, with their lines.
    too_long: Vec<(String, usize)>,
}

/// The number of the line that ends the item which begins on line `first`.
fn end(lines: &[&str], first: usize) -> usize {
    let indent = &lines[first][..lines[first].len() - lines[first].trim_start().len()];
    let closes = |line: &&str| {
        line.strip_prefix(indent).is_some_and(|line| {
            line.starts_with(['}', ']', ')']) && line.ends_with(['}', ';', ']', ')'])
                || !line.starts_with([' ', '#', '/']) && line.ends_with([';', '}'])
        })
    };
    lines[first..].iter().position(closes).map_or(lines.len() - 1, |after| first + after)
}

/// For each line, `true` if it is of an item for tests.
fn for_tests(lines: &[&str]) -> Vec<bool> {
    let mut is_test = vec![false; lines.len()];
    for first in 0..lines.len() {
        if lines[first].trim_start() == "#[cfg(test)]" {
            is_test[first..=end(lines, first)].fill(true);
        }
    }
    is_test
}

/// The name of the function whose signature begins on this line.
fn function(line: &str) -> Option<&str> {
    let mut words = line.trim_start().split(' ');
    let is_before = |word: &&str| {
        ["pub", "const", "async", "unsafe"].contains(word) || word.starts_with("pub(") || *word == "super)"
    };
    (words.by_ref().find(|word| !is_before(word)) == Some("fn"))
        .then(|| words.next())??
        .split(['(', '<'])
        .next()
}

/// Counts the arguments of a signature that are `bool`, and those that are tuples: neither `()` nor a type in
/// parentheses, as in `&(dyn Any + Send)`, is one.
fn arguments(lines: &[&str]) -> (usize, usize) {
    let signature = lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
    let signature = signature.split(" -> ").next().unwrap().replace(": &", ": ");
    let count = |what: &str| signature.matches(what).count();
    let others: usize = [": ()", ": (dyn ", ": (impl "].into_iter().map(count).sum();
    (count(": bool"), count(": (") - others)
}

/// The folder of the package that a file is of: the nearest one above it with a manifest.
fn package(root: &Path, file: &Path) -> String {
    let folder = file.ancestors().skip(1).find(|folder| folder.join("Cargo.toml").is_file()).unwrap();
    let inside = folder.strip_prefix(root).unwrap().to_str().unwrap();
    if inside.is_empty() { "raddle".to_owned() } else { inside.to_owned() }
}

/// `true` for files that are no product: tests and what they share, benchmarks and examples.
fn is_beside(inside: &Path) -> bool {
    let is_named = |name: &str| inside.components().any(|part| part.as_os_str() == name);
    let is_bench = inside.starts_with("benches") && !inside.starts_with("benches/pool-sim");
    is_bench || ["tests", "tests.rs", "testing", "examples"].into_iter().any(is_named)
}

/// `true` if the file that declares this one, or one of the folders that it is in, does so for tests alone.
fn is_module_for_tests(file: &Path) -> bool {
    let (folder, name) = (file.parent().unwrap(), file.file_stem().unwrap().to_str().unwrap());
    if name == "mod" {
        return is_module_for_tests(folder);
    }
    let above = [folder.join("mod.rs"), folder.join("lib.rs"), folder.with_extension("rs")];
    let mut above = above.iter().filter_map(|file| fs::read_to_string(file).ok());
    above.any(|text| {
        let before = |declaration: &str| text.contains(&format!("#[cfg(test)]\n{declaration} {name};"));
        before("mod") || before("pub(crate) mod")
    }) || folder.join("mod.rs").exists() && is_module_for_tests(folder)
}

impl Measured {
    fn of_all() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        sources(root, &mut files);
        let mut measured = Self::default();
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let size = measured.packages.entry(package(root, &file)).or_default();
            let inside = file.strip_prefix(root).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            let is_beside = is_beside(inside) || is_module_for_tests(&file);
            let is_test = for_tests(&lines);
            for (line, is_test) in lines.iter().map(|line| line.trim()).zip(&is_test) {
                if !line.is_empty() && !line.starts_with("//") {
                    *if is_beside || *is_test { &mut size.tests } else { &mut size.product } += 1;
                }
            }
            if !is_beside {
                measured.read(&inside.display().to_string(), &lines, &is_test);
            }
        }
        measured
    }

    fn read(&mut self, file: &str, lines: &[&str], is_test: &[bool]) {
        if lines.len() > FILE {
            self.too_long.push((file.to_owned(), lines.len()));
        }
        for first in (0..lines.len()).filter(|&line| !is_test[line]) {
            let Some(name) = function(lines[first]) else { continue };
            let last = end(lines, first);
            if last + 1 - first > FUNCTION {
                self.too_long.push((format!("{file}: {name}"), last + 1 - first));
            }
            let body = lines[first..=last].iter().position(|line| line.ends_with(['{', ';'])).unwrap_or(0);
            let (booleans, tuples) = arguments(&lines[first..=first + body]);
            self.booleans += booleans;
            self.tuples += tuples;
        }
    }
}

/// Returns what is wrong with a count: above its budget, or so far below that the budget says nothing.
fn against(what: &str, count: usize, budget: usize) -> Option<String> {
    if count > budget {
        Some(format!("{what}: {count}, and the budget is {budget}: remove what it replaces"))
    } else if count + count / SLACK + SLACK < budget {
        Some(format!("{what}: {count}, and the budget is {budget}: lower it"))
    } else {
        None
    }
}

#[test]
fn every_package_keeps_to_its_budget() {
    let measured = Measured::of_all();
    let mut budgets: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for line in BUDGETS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [name, first, second] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        budgets.insert(name, [first, second].map(|count| count.parse().unwrap()));
    }
    let mut wrong = Vec::new();
    let [booleans, tuples] = budgets.remove("arguments").unwrap();
    wrong.extend(against("arguments that are booleans", measured.booleans, booleans));
    wrong.extend(against("arguments that are tuples", measured.tuples, tuples));
    for (package, size) in &measured.packages {
        let Some([product, tests]) = budgets.remove(&**package) else {
            wrong.push(format!("{package} has no budget: {}, tests {}", size.product, size.tests));
            continue;
        };
        wrong.extend(against(package, size.product, product));
        wrong.extend(against(&format!("{package}, tests"), size.tests, tests));
    }
    wrong.extend(budgets.keys().map(|name| format!("{name} is no package")));
    assert!(wrong.is_empty(), "tests/floors/budgets.tsv:\n{}", wrong.join("\n"));
}

#[test]
fn functions_and_files_can_be_read_at_a_sitting() {
    let found = Measured::of_all().too_long;
    assert!(found.is_empty(), "more than {FUNCTION} or {FILE} lines: {found:#?}");
}

#[test]
fn items_are_counted_to_their_ends() {
    let text = "\
pub(crate) fn first(
    is: bool,
    (a, b): (f64, &[u8]),
) -> (f64, bool) {
    if is {
    }
}
#[cfg(test)]
mod tests;
impl X {
    #[cfg(test)]
    fn second(all: &bool) {
        a;
    }
    fn third(&self);
}";
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((function(lines[0]), end(&lines, 0)), (Some("first"), 6));
    assert_eq!(arguments(&lines[..4]), (1, 1));
    let none =
        ["fn f((): (), _: &mut (), to: &mut (impl Write + Seek), all: &(dyn Any + Send), at: &(u8, u8))"];
    assert_eq!(arguments(&none), (0, 1));
    assert_eq!((function(lines[4]), function(lines[11])), (None, Some("second")));
    assert_eq!((function(lines[14]), end(&lines, 14)), (Some("third"), 14));
    let is_test = for_tests(&lines);
    assert_eq!((0..lines.len()).filter(|&line| is_test[line]).collect::<Vec<_>>(), [7, 8, 10, 11, 12, 13]);
    assert!(
        against("x", 10, 9).is_some() && against("x", 10, 11).is_none() && against("x", 10, 50).is_some()
    );
}
