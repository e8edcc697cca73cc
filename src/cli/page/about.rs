//! Facts of a run: what was run, on what data, and what came of it.

use std::fmt::Write as _;

use serde_json::Value;

use super::run::Run;
use super::table::table;
use crate::markup::escaped;
use crate::run_folder::begun::RecordedEnd;

/// Most notes of the trace that are shown.
const NOTES: usize = 5;

/// Facts of the run, a line each.
pub(super) fn facts(run: &Run) -> String {
    let mut facts: Vec<(&str, String)> = Vec::new();
    let text = |path: &[&str]| match run.field(path) {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let begun = &run.snapshot.begun;
    let version = text(&["version"]).unwrap_or_else(|| begun.version.clone());
    facts.push(("program", format!("{} {version} {}", run.program(), begun.verb)));
    facts.push(("folder", run.snapshot.path.display().to_string()));
    if let Some(path) = text(&["data", "path"]) {
        let sizes = run.field(&["data", "sizes"]).as_object();
        let sizes = sizes.into_iter().flatten().map(|(name, size)| format!("{size} {name}"));
        facts.push(("data", std::iter::once(path).chain(sizes).collect::<Vec<_>>().join(", ")));
    }
    let result = run.snapshot.ended().and_then(RecordedEnd::conclusion).unwrap_or("the run has no model yet");
    facts.push(("result", result.to_owned()));
    let counts = ["epochs", "rounds", "updates", "workers", "processes", "shards", "seed"];
    let counts: Vec<String> =
        counts.iter().filter_map(|name| Some(format!("{name} {}", text(&[name])?))).collect();
    facts.push(("run", counts.join(", ")));
    facts.extend(text(&["model_digest"]).map(|digest| ("model digest", digest)));
    let list = |name: &'static str| -> Vec<(&str, String)> {
        let texts = run.field(&[name]).as_array().into_iter().flatten().filter_map(Value::as_str);
        texts.map(|text| (name.trim_end_matches('s'), text.to_owned())).collect()
    };
    facts.extend(list("notes"));
    facts.extend(list("warnings"));
    facts.extend(run.snapshot.notes.iter().map(|note| ("note", note.clone())));
    let noted = run.snapshot.trace.iter().filter_map(|epoch| Some((epoch.epoch, epoch.note.as_ref()?)));
    let noted: Vec<String> = noted.map(|(epoch, note)| format!("epoch {epoch}: {note}")).collect();
    let more = noted.len().saturating_sub(NOTES);
    facts.extend(noted.into_iter().take(NOTES).map(|note| ("note", note)));
    facts.extend((more > 0).then(|| ("note", format!("and {more} more in trace.jsonl"))));
    let rows = facts.iter().map(|(name, text)| format!("<dt>{name}</dt><dd>{}</dd>", escaped(text)));
    format!("<dl class=\"facts\">{}</dl>\n", rows.collect::<String>())
}

/// Every option of the run, folded.
pub(super) fn parameters(run: &Run) -> String {
    let Some(parameters) = run.field(&["parameters"]).as_object() else { return String::new() };
    let is_given = |name: &str| run.snapshot.begun.options.contains_key(&name.replace('_', "-"));
    let rows: Vec<Vec<Value>> = parameters
        .iter()
        .map(|(name, value)| vec![name.as_str().into(), value.clone(), is_given(name).into()])
        .collect();
    let mut text = String::new();
    let names = ["option", "value", "given"].map(str::to_owned);
    let _ = write!(text, "<details><summary>All options</summary>{}</details>", table("", &names, &rows));
    text
}

/// The text that the run said at its end, folded.
pub(super) fn said(run: &Run) -> String {
    let said = run.snapshot.ended().map_or("", |ended| ended.said.trim());
    let lines: Vec<String> = said.lines().map(escaped).collect();
    match lines.len() {
        0 | 1 => String::new(),
        _ => format!(
            "<details><summary>Said at its end</summary><pre class=\"table\">{}</pre></details>",
            lines.join("\n")
        ),
    }
}
