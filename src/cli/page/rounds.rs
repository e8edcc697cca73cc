//! Rounds of a run: candidates, rejections, and with `--explain` each round.

use serde_json::Value;

use super::curves;
use super::figure::figures;
use super::run::Run;
use super::table::table;
use crate::number::number;

/// Most rounds that are listed.
const MOST: usize = 200;

/// The rounds of a run, if it has something to say of them.
pub(super) fn html(run: &Run) -> String {
    let picture = curves::candidates(run);
    let rounds = explained(run);
    if picture.is_none() && rounds.is_empty() {
        return String::new();
    }
    let mut text = String::from("<h3>Rounds</h3>");
    text += &figures(picture.as_slice());
    text + &rounds
}

/// Table of the rounds of `explain.jsonl`: the last ones, where there are many.
fn explained(run: &Run) -> String {
    let rounds: Vec<Vec<Value>> = run
        .snapshot
        .explained
        .iter()
        .flat_map(|epoch| {
            epoch["rounds"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|round| row(&epoch["epoch"], round))
                .collect::<Vec<_>>()
        })
        .collect();
    if rounds.is_empty() {
        return String::new();
    }
    let left_out = rounds.len().saturating_sub(MOST);
    let columns =
        ["epoch", "round", "candidates", "handed out", "rejected: by what (strength)"].map(str::to_owned);
    let title = match left_out {
        0 => "Rounds explained".to_owned(),
        _ => format!("The last {MOST} of {} rounds explained", rounds.len()),
    };
    table(&title, &columns, &rounds[left_out..])
}

fn row(epoch: &Value, round: &Value) -> Vec<Value> {
    let list = |name: &str| round[name].as_array().map_or(&[][..], Vec::as_slice);
    let rejected = list("rejected").iter().map(|rejection| {
        let strength = rejection["strength"].as_f64().unwrap_or(f64::NAN);
        format!("{}: {} ({})", rejection["variable"], rejection["by"], number(strength))
    });
    let survivors = list("survivors").iter().map(Value::to_string);
    vec![
        epoch.clone(),
        round["round"].clone(),
        list("candidates").len().into(),
        some(survivors, 12).into(),
        some(rejected, 6).into(),
    ]
}

/// The first texts of a list, and how many more there are.
fn some(texts: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = texts.len().saturating_sub(most);
    let first = texts.take(most).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}
