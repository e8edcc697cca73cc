//! The page as HTML: what was run, then its curves, its rounds, its workers, and what the program found.

use super::curves::{self, Over};
use super::figure::figures;
use super::run::Run;
use super::table::table;
use super::{about, comparison, rounds, workers};
use crate::markup::escaped;
use crate::report::picture::Picture;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The page of some runs.
pub(super) fn page(runs: &[Run], title: Option<&str>) -> String {
    let titles: Vec<String> = runs.iter().map(Run::title).collect();
    let common = titles.first().filter(|first| titles.iter().all(|title| title == *first)).cloned();
    let otherwise = common.unwrap_or_else(|| format!("{} runs", runs.len()));
    let title = escaped(title.unwrap_or(&otherwise));
    // The page may hold names of anybody's data: nothing but its own style and script acts, and nothing is
    // asked for.
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
        let body = body(run);
        text += &match runs.len() {
            1 => format!("<section>{body}</section>\n"),
            _ => format!(
                "<section><details class=\"run\"><summary><h2>{}: {}</h2></summary>{body}</details></section>\n",
                escaped(&run.name),
                escaped(&run.title())
            ),
        };
    }
    text + &format!("</main><script>{SCRIPT}</script></body></html>\n")
}

/// All of one run.
fn body(run: &Run) -> String {
    [
        about::facts(run),
        figures(&certificates(run)),
        results(run),
        workers::html(run),
        rounds::html(run),
        about::parameters(run),
        about::said(run),
    ]
    .concat()
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

/// Tables and pictures of the program.
fn results(run: &Run) -> String {
    let Some(summary) = &run.snapshot.summary else { return String::new() };
    let mut text = String::from("<h3>Results</h3>");
    text += &figures(&summary.pictures);
    for shown in &summary.tables {
        text += &table(&shown.title, &shown.columns, &shown.rows);
    }
    text
}
