//! Words of the sources: doc comments name their subject, comments fit the page, and types have names of the
//! field.
//!
//! How to mend a place that is listed: read the item with its code and write the sentence that a stranger
//! would need. Start with the thing ("Shards that moved ...") or with what the function does ("Returns ...");
//! wrap comments at [`COLUMNS`], which rustfmt does not; name a type after what it is (`HoldState`).

use std::fs;
use std::path::{Path, PathBuf};

/// Columns of a line of comments: `max_width` of `rustfmt.toml`.
const COLUMNS: usize = 110;

/// First words of a doc comment that point at something else, instead of naming it.
const POINTERS: [&str; 14] = [
    "It", "Its", "Of", "Those", "Where", "What", "They", "Their", "These", "That", "This", "Which", "Whose",
    "Whether",
];

/// Names of types that mean nothing on their own.
const NAMELESS: [&str; 5] = ["Told", "Held", "Way", "One", "What"];

/// The word at the start of a text, without its apostrophe or punctuation.
fn first_word(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
    &text[..end]
}

/// The text of a doc comment's line.
fn documentation(line: &str) -> Option<&str> {
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))
}

/// `true` if a documented item, or one of its sections, starts on this line with a word that names nothing.
fn is_headless(line: &str, before: &str) -> bool {
    let is_first = documentation(before).is_none_or(|text| text.trim_start().starts_with("# "));
    documentation(line).is_some_and(|text| {
        let text = text.trim_start();
        is_first && POINTERS.contains(&first_word(text)) && !text.starts_with("This crate")
    })
}

fn is_long(line: &str, trimmed: &str) -> bool {
    trimmed.starts_with("//") && line.chars().count() > COLUMNS
}

fn is_nameless(line: &str) -> bool {
    let line = line.split_once(')').filter(|_| line.starts_with("pub(")).map_or(line, |(_, rest)| rest);
    let line = line.trim_start().trim_start_matches("pub ");
    ["struct ", "enum ", "union ", "trait ", "type "]
        .iter()
        .any(|kind| line.strip_prefix(kind).is_some_and(|name| NAMELESS.contains(&first_word(name))))
}

/// Every source of the repository, but for build output and hidden folders.
pub(super) fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if entry.file_type().unwrap().is_dir() {
            if name != "target" && !name.starts_with('.') {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

/// Lines of all sources for which `is_bad` returns `true`, given the line, itself trimmed and the one before.
fn places(is_bad: impl Fn(&str, &str, &str) -> bool) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(root, &mut files);
    files.sort();
    assert!(files.len() > 100, "{} sources: were they found?", files.len());
    let mut places = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let mut before = "";
        for (line, number) in text.lines().zip(1..) {
            let trimmed = line.trim();
            if is_bad(line, trimmed, before) {
                places.push(format!("{}:{number}: {trimmed}", file.strip_prefix(root).unwrap().display()));
            }
            before = trimmed;
        }
    }
    places
}

fn none(places: &[String], what: &str) {
    assert!(places.is_empty(), "{} {what}:\n{}", places.len(), places.join("\n"));
}

#[test]
fn what_is_looked_for_is_found() {
    let headless = |before: &str, line: &str| is_headless(line, before);
    assert!(headless("}", "/// Its rows.") && headless("/// # Errors", "/// Those of `new`."));
    assert!(headless("", "//! What is here.") && headless("#[test]", "/// Whether it is."));
    assert!(!headless("/// Rows, and", "/// their order.") && !headless("/// One.", "/// Its rows."));
    assert!(!headless("", "/// Items.") && !headless("", "//! This crate reads."));
    let line = format!("    // {}", "x".repeat(COLUMNS - 7));
    assert!(!is_long(&line, line.trim()));
    let line = line + "x";
    assert!(is_long(&line, line.trim()) && !is_long(&line.replace("//", "=="), "== x"));
    assert!(
        is_nameless("pub(crate) struct Held {")
            && is_nameless("enum Way {")
            && !is_nameless("struct Holder;")
    );
}

#[test]
fn documentation_names_its_subject() {
    none(&places(|_, line, before| is_headless(line, before)), "doc comments without a subject");
}

#[test]
fn comments_fit_the_page() {
    none(&places(|line, trimmed, _| is_long(line, trimmed)), "comments that are too long");
}

#[test]
fn types_have_names_of_their_own() {
    none(&places(|_, line, _| is_nameless(line)), "types whose name says nothing");
}
