//! The page that explains the files of a run, and the fields of a file that it names.

use std::collections::BTreeSet;

use serde_json::Value;

pub(crate) fn fields(file: &str) -> BTreeSet<String> {
    let page = include_str!("../REPORT.md");
    let section = page.split(&format!("## {file}\n")).nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" |"));
    // A row may be of several fields.
    rows.flat_map(|(names, _)| names.split(['`', ',', ' ']).filter(|name| !name.is_empty()))
        .map(str::to_owned)
        .collect()
}

pub(crate) fn collect(path: &str, value: &Value, page: &BTreeSet<String>, seen: &mut BTreeSet<String>) {
    let inside = |mark: &str| page.iter().any(|field| field.starts_with(&format!("{path}{mark}")));
    if page.contains(path) {
        seen.insert(path.into());
    }
    match value {
        Value::Object(members) if path.is_empty() || inside(".") => {
            for (name, value) in members {
                let name = if inside(".*") { "*" } else { name };
                let dot = if path.is_empty() { "" } else { "." };
                collect(&format!("{path}{dot}{name}"), value, page, seen);
            }
        }
        Value::Array(elements) if inside("[]") => {
            elements.iter().for_each(|value| collect(&format!("{path}[]"), value, page, seen));
        }
        _ => drop(seen.insert(path.into())),
    }
}
