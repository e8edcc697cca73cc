//! Tests that may compare nothing: an `assert` in a loop over `zip`, which ends with the shorter side, or
//! over `all` of a run's lines, of which there may be none. `raddle_common::testing` has `pairs` and
//! `not_empty` for them.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Every such place of the test code below a folder, as `FILE:LINE`.
pub(crate) fn that_may_be_empty(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    rust_files(root, &mut files);
    assert!(files.len() > 300, "{} files below {}: were they found?", files.len(), root.display());
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(root).unwrap().display().to_string();
        let is_test = name.split('/').any(|part| part == "tests" || part == "tests.rs");
        let begins = if is_test { Some(0) } else { text.find("#[cfg(test)]\nmod tests {") };
        let Some(begins) = begins else { continue };
        let line = |at| text[..begins + at].matches('\n').count() + 1;
        found.extend(places(&text[begins..]).into_iter().map(|at| format!("{name}:{}", line(at))));
    }
    found
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.file_name().unwrap().to_str().unwrap() {
            "target" | "shared" => {}
            name if name.starts_with('.') => {}
            _ if path.is_dir() => rust_files(&path, found),
            name if name.ends_with(".rs") => found.push(path),
            _ => {}
        }
    }
}

/// Places in test code where a comparison may be empty, in bytes.
pub(crate) fn places(text: &str) -> Vec<usize> {
    let code = without_texts(text);
    let mut found = Vec::new();
    for (at, _) in code.match_indices("for ") {
        let Some(head) = head_of(&code, at) else { continue };
        let body = inside(&code, head.end);
        if zips(&code[head]) && code[body].contains("assert") {
            found.push(at);
        }
    }
    for (at, name) in code.match_indices("assert!(") {
        let body = &code[inside(&code, at + name.len() - 1)];
        let Some(all) = body.find(".all(") else { continue };
        let lines = body[..all].contains(".lines()") && !body[..all].contains("not_empty(");
        if zips(&body[..all]) || lines {
            found.push(at);
        }
    }
    found.sort_unstable();
    found
}

/// Head of a loop that begins here: from behind `in` to its body.
fn head_of(code: &str, at: usize) -> Option<Range<usize>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if code[..at].chars().next_back().is_some_and(is_word) {
        return None;
    }
    let start = at + code[at..].find(" in ")? + 4;
    if code[at..start].contains(['{', ';']) {
        return None;
    }
    let mut depth = 0;
    for (here, byte) in (start..).zip(code[start..].bytes()) {
        match byte {
            b'{' if depth == 0 => return Some(start..here),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// From a bracket to the one that closes it.
fn inside(code: &str, at: usize) -> Range<usize> {
    let mut depth = 0;
    for (here, byte) in (at..).zip(code[at..].bytes()) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at..here;
        }
    }
    at..code.len()
}

/// `true` if a side may be shorter than the other: not where one is a range without an end, which only
/// counts.
fn zips(chain: &str) -> bool {
    chain.match_indices(".zip(").any(|(at, zip)| {
        let before = chain[..at].trim_end();
        let other = &chain[at + zip.len()..];
        let counts = |range: &str| range.chars().all(|c| c.is_alphanumeric() || c == '_');
        let left = before.strip_suffix("..)").and_then(|rest| rest.rsplit_once('('));
        let right = other.split_once("..)").map(|(from, _)| from);
        !left.is_some_and(|(_, from)| counts(from)) && !right.is_some_and(counts)
    })
}

/// The code with its comments and texts blanked, byte by byte.
fn without_texts(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => find(bytes, at, b"\n"),
            b'r' if bytes[at..].starts_with(b"r#\"") => find(bytes, at + 3, b"\"#") + 2,
            b'"' => end_of_text(bytes, at + 1),
            b'\'' if bytes[at..].starts_with(b"'\\") => find(bytes, at + 3, b"'") + 1,
            b'\'' if bytes.get(at + 2) == Some(&b'\'') => at + 3,
            _ => {
                at += 1;
                continue;
            }
        };
        let end = end.min(bytes.len());
        code[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end;
    }
    String::from_utf8(code).unwrap()
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> usize {
    let found = bytes[from..].windows(what.len()).position(|window| window == what);
    found.map_or(bytes.len(), |found| from + found)
}

/// Returns the position after the quote that ends a text.
fn end_of_text(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}
