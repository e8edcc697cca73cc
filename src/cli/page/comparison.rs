//! Several runs side by side: their curves in one picture, and a table of what differs.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::curves::{self, Over};
use super::figure::figures_of_runs;
use super::run::Run;
use super::table::table;
use crate::markup::escaped;
use crate::report::picture::Picture;

/// Letters of a digest that are shown.
const DIGEST: usize = 12;

/// The runs compared: curves of those that have a metric in common, and a table for each program.
pub(super) fn html(runs: &[Run]) -> String {
    let all: Vec<&Run> = runs.iter().collect();
    let metrics: BTreeSet<&str> = runs.iter().filter_map(Run::metric).collect();
    let mut pictures: Vec<Picture> = Vec::new();
    for over in [Over::Seconds, Over::Updates] {
        pictures.extend(metrics.iter().filter_map(|name| curves::metric(&all, name, over)));
    }
    pictures.extend([Over::Seconds, Over::Updates].iter().filter_map(|&over| curves::objective(&all, over)));
    let mut text = format!("<section><h2>Runs compared</h2>{}", figures_of_runs(&pictures));
    let mut programs: BTreeMap<&str, Vec<&Run>> = BTreeMap::new();
    for run in runs {
        programs.entry(run.program()).or_default().push(run);
    }
    for (program, runs) in programs {
        text += &compared(program, &runs);
    }
    text + "</section>"
}

/// Table of the runs of one program, and which of their models are the same.
fn compared(program: &str, runs: &[&Run]) -> String {
    let differing = differing_parameters(runs);
    let mut columns: Vec<String> =
        ["run", "ending", "metric", "value", "certified", "fit, seconds", "epochs", "updates", "model"]
            .map(str::to_owned)
            .into();
    columns.extend(differing.iter().map(|name| format!("--{}", name.replace('_', "-"))));
    let rows = runs.iter().map(|run| {
        let digest = run
            .field(&["model_digest"])
            .as_str()
            .map(|digest| digest.chars().take(DIGEST).collect::<String>());
        let mut row: Vec<Value> = vec![
            run.name.as_str().into(),
            run.field(&["ending"]).as_str().unwrap_or("not ended").into(),
            run.field(&["metric", "name"]).clone(),
            run.field(&["metric", "value"]).clone(),
            run.field(&["metric", "certified"]).clone(),
            run.field(&["seconds", "fit"]).clone(),
            run.field(&["epochs"]).clone(),
            run.field(&["updates"]).clone(),
            digest.into(),
        ];
        row.extend(differing.iter().map(|name| run.field(&["parameters"])[name].clone()));
        row
    });
    let rows: Vec<Vec<Value>> = rows.collect();
    table(&format!("Runs of {program}"), &columns, &rows) + &same_models(runs)
}

/// Names of the parameters that are not the same in all runs that have a report.
fn differing_parameters(runs: &[&Run]) -> Vec<String> {
    let given: Vec<_> = runs.iter().filter_map(|run| run.field(&["parameters"]).as_object()).collect();
    let names: BTreeSet<&String> = given.iter().flat_map(|parameters| parameters.keys()).collect();
    let differs = |name: &&&String| given.windows(2).any(|pair| pair[0].get(**name) != pair[1].get(**name));
    // Folders always differ and say nothing.
    names.iter().filter(differs).filter(|name| name.as_str() != "out").map(|name| (**name).clone()).collect()
}

/// Sentences on which models are the same, bit for bit.
fn same_models(runs: &[&Run]) -> String {
    let mut models: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for run in runs {
        if let Some(digest) = run.field(&["model_digest"]).as_str().filter(|digest| !digest.is_empty()) {
            models.entry(digest).or_default().push(&run.name);
        }
    }
    let same: Vec<String> = models
        .iter()
        .filter(|(_, names)| names.len() > 1)
        .map(|(digest, names)| {
            let digest: String = digest.chars().take(DIGEST).collect();
            format!(
                r#"<p class="same">The same model, bit for bit: {} (<code>{digest}</code>).</p>"#,
                escaped(&names.join(", "))
            )
        })
        .collect();
    match (same.is_empty(), models.len() > 1) {
        (true, true) => r#"<p class="same">No two of these models are the same.</p>"#.into(),
        _ => same.concat(),
    }
}
