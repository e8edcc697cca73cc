//! Status of a launched run, from its coordinator.

use std::path::Path;

use raddle::cluster::{AdminClient, HeldStatus, Invitation, MemberStatus, RunStatus};
use raddle::command_line_support::INVITATION;

use crate::exit::Error;

/// Returns a client for the coordinator of the run in a folder.
pub(crate) fn admin(run: &Path) -> Result<AdminClient, Error> {
    let file = run.join(INVITATION);
    if !file.is_file() {
        let why = "no launched run is alive there: give the --out folder of one that is";
        return Err(Error::usage(format!("{}: {why}", run.display())));
    }
    Ok(AdminClient::new(Invitation::read(&file)?))
}

/// Renders the status of the run.
pub(super) fn text(status: &RunStatus) -> String {
    let mut text = format!(
        "epoch {} after {:.1} s, generation {}, {} workers",
        status.epoch, status.seconds, status.generation, status.workers
    );
    if let Some((name, value)) = &status.metric {
        text += &format!(", {name} {value:.6e}");
    }
    for member in &status.members {
        let MemberStatus { process, state, workers, shards, peak_memory_bytes, address, machine } = member;
        let memory = peak_memory_bytes >> 20;
        text += &format!(
            "\nprocess {process}  {state}  {workers} workers  {shards} shards  {memory} MB  {address}  {machine}"
        );
    }
    if !status.pauses.is_empty() {
        let pauses: Vec<String> =
            status.pauses.iter().map(|pause| format!("{:.0} ms", pause * 1e3)).collect();
        text += &format!("\npauses: {}", pauses.join(", "));
    }
    if let Some(HeldStatus { waits, has_holder }) = status.held {
        let by = if has_holder { "its holder" } else { "a holder, and has none" };
        text += &if waits { format!("\nheld: it waits for {by}") } else { "\nheld".into() };
    }
    for note in &status.notes {
        text += &format!("\nnote: {note}");
    }
    text
}
