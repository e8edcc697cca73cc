//! Workers of a run: its generations, its processes, their load, and where the seconds went.

use serde_json::Value;

use super::curves;
use super::figure::figures;
use super::run::Run;
use super::table::table;
use crate::report::picture::Picture;

/// Generations of workers, processes, load, and where the seconds went.
pub(super) fn html(run: &Run) -> String {
    let pictures: Vec<Picture> = [curves::load(run), curves::parts(run)].into_iter().flatten().collect();
    let mut text = String::from("<h3>Workers and time</h3>");
    text += &figures(&pictures);
    let listed = [
        (
            "generations",
            "Generations of workers",
            &["epoch", "workers", "processes", "pause", "shards_moved", "bytes_moved"][..],
        ),
        ("members", "Processes", &["process", "machine", "peak_memory_bytes", "cpu_seconds"]),
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
