//! The page as HTML: what was run, then its curves, its rounds, its workers, and what the program found.

use std::fmt::Write as _;

use serde_json::Value;

use super::curves::{self, Over};
use super::figure::Figure;
use super::run::Run;
use super::table::table;
use super::{comparison, rounds};
use crate::cli::markup::escaped;
use crate::cli::report::picture::Picture;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Most notes of the trace that are shown.
const NOTES: usize = 5;

/// The page of some runs.
pub(super) fn page(runs: &[Run], title: Option<&str>) -> String {
    let titles: Vec<String> = runs.iter().map(Run::title).collect();
    let common = titles.first().filter(|first| titles.iter().all(|title| title == *first)).cloned();
    let otherwise = common.unwrap_or_else(|| format!("{} runs", runs.len()));
    let title = escaped(title.unwrap_or(&otherwise));
    // The page may hold names of anybody's data: nothing but its own style and script acts, and nothing is asked for.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\">\
         <title>{title}</title><style>{STYLE}</style></head>\n<body><main><h1>{title}</h1>\n"
    );
    if runs.len() > 1 {
        text += &comparison::html(runs);
    }
    for run in runs {
        text += &section(run, runs.len() > 1);
    }
    text + &format!("</main><script>{SCRIPT}</script></body></html>\n")
}

/// All of one run. Among several it is folded.
fn section(run: &Run, among_others: bool) -> String {
    let body = [
        about(run),
        figures(&certificates(run)),
        results(run),
        workers(run),
        rounds::html(run),
        parameters(run),
        said(run),
    ]
    .concat();
    match among_others {
        true => format!(
            "<section><details class=\"run\"><summary><h2>{}: {}</h2></summary>{body}</details></section>\n",
            escaped(&run.name),
            escaped(&run.title())
        ),
        false => format!("<section>{body}</section>\n"),
    }
}

fn figures(pictures: &[Picture]) -> String {
    let figures = pictures.iter().map(|picture| Figure { picture, of_runs: false }.html());
    format!("<div class=\"figures\">{}</div>\n", figures.collect::<String>())
}

fn certificates(run: &Run) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for over in [Over::Seconds, Over::Updates] {
        pictures.extend(run.metric().and_then(|name| curves::metric(&[run], name, over)));
    }
    pictures
        .extend([Over::Seconds, Over::Updates].iter().filter_map(|&over| curves::objective(&[run], over)));
    pictures.extend(curves::shown(run));
    pictures
}

/// Facts of the run, a line each.
fn about(run: &Run) -> String {
    let mut facts: Vec<(&str, String)> = Vec::new();
    let text = |path: &[&str]| match run.field(path) {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let version = text(&["version"]).or(run.view.begun.as_ref().map(|begun| begun.version.clone()));
    let verb = run.view.begun.as_ref().map_or("", |begun| &begun.verb);
    facts.push(("program", format!("{} {} {verb}", run.program(), version.unwrap_or_default())));
    facts.push(("folder", run.view.path.display().to_string()));
    if let Some(path) = text(&["data", "path"]) {
        let sizes = run.field(&["data", "sizes"]).as_object();
        let sizes = sizes.into_iter().flatten().map(|(name, size)| format!("{size} {name}"));
        facts.push(("data", std::iter::once(path).chain(sizes).collect::<Vec<_>>().join(", ")));
    }
    let said = run.view.begun.as_ref().and_then(|begun| Some(begun.ended.as_ref()?.said.trim()));
    let lines: Vec<&str> = said.unwrap_or("the run has no model yet").lines().collect();
    if let (Some(first), Some(last)) = (lines.first(), lines.last()) {
        let ends = if lines.len() > 1 { format!("{first}; {last}") } else { (*first).to_owned() };
        facts.push(("result", ends));
    }
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
    facts.extend(run.view.notes.iter().map(|note| ("note", note.clone())));
    let noted = run.view.trace.iter().filter_map(|epoch| Some((epoch.epoch, epoch.note.as_ref()?)));
    let noted: Vec<String> = noted.map(|(epoch, note)| format!("epoch {epoch}: {note}")).collect();
    let more = noted.len().saturating_sub(NOTES);
    facts.extend(noted.into_iter().take(NOTES).map(|note| ("note", note)));
    facts.extend((more > 0).then(|| ("note", format!("and {more} more in trace.jsonl"))));
    let rows = facts.iter().map(|(name, text)| format!("<dt>{name}</dt><dd>{}</dd>", escaped(text)));
    format!("<dl class=\"facts\">{}</dl>\n", rows.collect::<String>())
}

/// Tables and pictures of the program.
fn results(run: &Run) -> String {
    let Some(summary) = &run.view.summary else { return String::new() };
    let mut text = String::from("<h3>Results</h3>");
    text += &figures(&summary.pictures);
    for shown in &summary.tables {
        text += &table(&shown.title, &shown.columns, &shown.rows);
    }
    text
}

/// Generations of workers, processes, load, and where the seconds went.
fn workers(run: &Run) -> String {
    let pictures: Vec<Picture> = [curves::load(run), curves::parts(run)].into_iter().flatten().collect();
    let mut text = String::from("<h3>Workers and time</h3>");
    text += &figures(&pictures);
    let listed = [
        (
            "generations",
            "Generations of workers",
            &["epoch", "workers", "processes", "pause", "shards_moved", "bytes_moved"][..],
        ),
        ("members", "Processes", &["process", "peak_memory_bytes", "cpu_seconds"]),
    ];
    for (field, title, columns) in listed {
        let rows = run.field(&[field]).as_array().into_iter().flatten();
        let rows: Vec<Vec<Value>> =
            rows.map(|row| columns.iter().map(|name| row[*name].clone()).collect()).collect();
        if !rows.is_empty() {
            let names: Vec<String> = columns.iter().map(|name| name.replace('_', " ")).collect();
            text += &table(title, &names, &rows);
        }
    }
    let profile = run.field(&["profile"]).as_object().into_iter().flatten();
    let rows: Vec<Vec<Value>> = profile
        .map(|(workers, of)| {
            vec![
                workers.parse::<u64>().map_or(Value::Null, Value::from),
                of["seconds_per_epoch"].clone(),
                of["progress"].clone(),
            ]
        })
        .collect();
    if !rows.is_empty() {
        let names = ["workers", "seconds an epoch", "decades of the metric an epoch"].map(str::to_owned);
        text += &table("Costs and gains by workers", &names, &rows);
    }
    text
}

/// Every option of the run, folded.
fn parameters(run: &Run) -> String {
    let Some(parameters) = run.field(&["parameters"]).as_object() else { return String::new() };
    let given = run.view.begun.as_ref().map(|begun| &begun.options);
    let is_given = |name: &str| given.is_some_and(|given| given.contains_key(&name.replace('_', "-")));
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
fn said(run: &Run) -> String {
    let said =
        run.view.begun.as_ref().and_then(|begun| Some(begun.ended.as_ref()?.said.trim())).unwrap_or_default();
    let lines: Vec<String> = said.lines().map(escaped).collect();
    match lines.len() {
        0 | 1 => String::new(),
        _ => format!(
            "<details><summary>Said at its end</summary><pre class=\"table\">{}</pre></details>",
            lines.join("\n")
        ),
    }
}
