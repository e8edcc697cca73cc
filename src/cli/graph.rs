//! `raddle graph`: the generations of a run, their processes and the bytes sent between them, as a graph in
//! DOT.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use raddle::cluster::PlacedGeneration;
use raddle::command_line_support::ATTEMPTS;
use raddle::{GenerationMember, GenerationRecord};
use serde::{Deserialize as _, Serialize};
use serde_json::Value;

use super::exit::{Error, ExitStatus};
use super::number::count;
use super::run_folder::snapshot::{RunSnapshot, append};
use super::run_folder::tail::Tail;
use super::say::{say, say_json};
use super::status::coordinator_status;

/// Options of `raddle graph`.
#[derive(Debug, Args)]
pub(crate) struct GraphOptions {
    /// Folder of the run
    run: PathBuf,
    /// Write one line of JSON instead of the graph
    #[arg(long)]
    json: bool,
}

/// Generations of a run over all its attempts, and the sum of the bytes that crossed in the last one.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Graph {
    generations: Vec<PlacedGeneration>,
    /// Bytes of messages in all generations of the last attempt; null while the run is running.
    bytes_on_wire: Option<u64>,
}

/// Writes the graph of a run to stdout.
///
/// # Errors
/// If the folder holds no run, or the run has ended without a report and was not launched.
pub(crate) fn graph(options: &GraphOptions) -> Result<u8, Error> {
    let found = of(&options.run)?;
    if options.json {
        say_json(&found)?
    } else {
        say(&found.dot())?
    }
    Ok(ExitStatus::Done.code())
}

/// Returns the generations that the launchers of a run have placed; none if it was not launched.
///
/// # Errors
/// If the file cannot be read, or a line is not one that a launcher wrote.
fn placed_generations(run: &Path) -> Result<Vec<PlacedGeneration>, Error> {
    let mut placed = Vec::<PlacedGeneration>::new();
    // A last line that is not whole yet is of a generation that begins.
    append(&mut Tail::new(run.join(ATTEMPTS)), &mut placed)?;
    // The last line of a generation counts.
    let by_number: BTreeMap<u64, _> = placed.into_iter().map(|placed| (placed.number, placed)).collect();
    Ok(by_number.into_values().collect())
}

/// Returns the graph of the run in a folder: the last attempt from the coordinator of a launched run that is
/// alive, else from the report; earlier ones, and a run without a report, as its launchers have placed them.
fn of(run: &Path) -> Result<Graph, Error> {
    let mut generations = placed_generations(run)?;
    if let Some(status) = coordinator_status(run)? {
        let member = |member: &raddle::cluster::MemberStatus| GenerationMember {
            process: member.process,
            workers: member.workers as usize,
            shards: member.shards as usize,
            ..GenerationMember::default()
        };
        let (number, members) = (status.generation, status.members.iter().map(member).collect());
        generations.retain(|earlier| earlier.number < number);
        generations.push(PlacedGeneration { number, epoch: None, has_ended: false, members });
        return Ok(Graph { generations, bytes_on_wire: None });
    }
    let snapshot = RunSnapshot::read(run)?;
    let last = match snapshot.field(&["generations"]) {
        Value::Null if !generations.is_empty() => return Ok(Graph { generations, bytes_on_wire: None }),
        Value::Null => {
            let why = "the run has no report yet: raddle status says how it stands";
            return Err(Error::usage(format!("{}: {why}", run.display())));
        }
        last => Vec::<GenerationRecord>::deserialize(last),
    };
    let last = last.map_err(|why| Error::input(format!("{}: {why}", run.join("report.json").display())))?;
    // The report is of the last attempt, or of one that was not launched.
    let before = generations.len().saturating_sub(last.len());
    if generations[before..].iter().map(|placed| placed.epoch).eq(last.iter().map(|last| Some(last.epoch))) {
        generations.truncate(before);
    }
    let first = generations.last().map_or(0, |before| before.number) + 1;
    let placed = |(number, GenerationRecord { epoch, members, .. })| PlacedGeneration {
        number,
        epoch: Some(epoch),
        has_ended: true,
        members,
    };
    generations.extend((first..).zip(last).map(placed));
    Ok(Graph { generations, bytes_on_wire: snapshot.field(&["bytes_on_wire"]).as_u64() })
}

impl Graph {
    /// Renders the graph in DOT: a box for each generation with a node for each process, an edge to the wire
    /// of the generation for what a process sent, and an edge from the generation before for what was handed
    /// over.
    fn dot(&self) -> String {
        let mut text = String::from("digraph run {\n  rankdir=LR;\n  node [shape=box];\n");
        for PlacedGeneration { number, epoch, has_ended, members } in &self.generations {
            let from = epoch.map_or_else(String::new, |epoch| format!(", from epoch {epoch}"));
            let is_last = self.generations.last().is_some_and(|last| last.number == *number);
            let from = if *has_ended || is_last { from } else { from + ", lost" };
            text += &format!("  subgraph cluster_{number} {{\n    label=\"generation {number}{from}\";\n");
            for &GenerationMember { process, workers, shards, blocks, .. } in members {
                let parts = [(workers, "worker"), (shards, "shard"), (blocks, "block")];
                let parts = parts.into_iter().filter(|&(there, _)| there > 0);
                let parts: Vec<String> = parts.map(|(there, what)| count(there as u64, what)).collect();
                let parts = parts.join(", ");
                text += &format!("    g{number}_p{process} [label=\"process {process}\\n{parts}\"];\n");
            }
            let senders = || members.iter().filter(|member| member.messages_sent > 0);
            if senders().next().is_some() {
                text += &format!("    g{number}_wire [shape=point, xlabel=\"between processes\"];\n");
            }
            text += "  }\n";
            for &GenerationMember { process, messages_sent, bytes_sent, .. } in senders() {
                let sent = [count(messages_sent, "message"), count(bytes_sent, "byte")].join(", ");
                text += &format!("  g{number}_p{process} -> g{number}_wire [label=\"{sent}\"];\n");
            }
        }
        for pair in self.generations.windows(2) {
            let [PlacedGeneration { number, members, .. }, after] = pair else { continue };
            let Some(from) = members.first().map(|first| format!("g{number}_p{}", first.process)) else {
                continue;
            };
            for member in after.members.iter().filter(|member| member.bytes_received > 0) {
                let (to, bytes) =
                    (format!("g{}_p{}", after.number, member.process), count(member.bytes_received, "byte"));
                text +=
                    &format!("  {from} -> {to} [style=dashed, ltail=cluster_{number}, label=\"{bytes}\"];\n");
            }
        }
        text + "}"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_has_a_node_for_each_process_of_each_generation_and_edges_for_what_crossed() {
        let member = |process, messages_sent, bytes_received| GenerationMember {
            process,
            workers: 2,
            shards: 1,
            blocks: 0,
            messages_sent,
            bytes_sent: 10 * messages_sent,
            bytes_received,
        };
        let placed = |number, epoch, members| PlacedGeneration {
            number,
            epoch: Some(epoch),
            has_ended: true,
            members,
        };
        let generations = vec![
            placed(1, 0, vec![member(0, 3, 0), member(1, 1, 0)]),
            placed(2, 4, vec![member(1, 0, 77)]),
            PlacedGeneration { has_ended: false, ..placed(3, 9, vec![member(1, 0, 0)]) },
            placed(4, 8, vec![member(1, 0, 0)]),
        ];
        let dot = Graph { generations, bytes_on_wire: Some(40) }.dot();
        for line in [
            "g1_p0 [label=\"process 0\\n2 workers, 1 shard\"];",
            "g1_p0 -> g1_wire [label=\"3 messages, 30 bytes\"];",
            "g1_p1 -> g1_wire [label=\"1 message, 10 bytes\"];",
            "g1_p0 -> g2_p1 [style=dashed, ltail=cluster_1, label=\"77 bytes\"];",
            "label=\"generation 2, from epoch 4\";",
            "label=\"generation 3, from epoch 9, lost\";",
        ] {
            assert!(dot.lines().any(|there| there.trim() == line), "{line}:\n{dot}");
        }
        assert!(!dot.contains("g2_wire"), "{dot}");
        assert_eq!(dot.matches('{').count(), dot.matches('}').count());
    }
}
