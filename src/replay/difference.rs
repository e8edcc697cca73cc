//! [`compare`]: the first part in which two runs differ, and its usual causes.

use crate::base::error::EngineError;
use crate::engine::Outcome;
use crate::program::Program;
use crate::run::fingerprints::{BoundaryFingerprint, Component};

/// Compares another run with this one; the error names the first part that differs. `resumed` is the boundary
/// from which the other run was resumed.
pub(super) fn compare<P: Program>(
    how: &str,
    reference: &Outcome<P>,
    other: &Outcome<P>,
    resumed: Option<u64>,
) -> Result<(), EngineError> {
    let differs =
        |epoch: u64, part: String, causes| Err(EngineError::Replay { how: how.into(), epoch, part, causes });
    for fingerprint in &other.fingerprints {
        let Some(expected) =
            reference.fingerprints.iter().find(|expected| expected.epoch == fingerprint.epoch)
        else {
            return differs(
                fingerprint.epoch.saturating_sub(1),
                "its length: the other one was over".into(),
                LENGTH,
            );
        };
        let begins = resumed.is_some_and(|boundary| fingerprint.epoch == boundary + 1);
        if let Some(part) = difference(expected, fingerprint, begins) {
            // The boundary before the first epoch belongs to it.
            return differs(fingerprint.epoch.saturating_sub(1), name(part), causes(part));
        }
    }
    let (there, here) = (reference.report.epochs, other.report.epochs);
    if here != there {
        return differs(here, format!("its length: it was over after {here} epochs, not {there}"), LENGTH);
    }
    if reference.digest() != other.digest() {
        return differs(here, "what the run leaves behind".into(), causes(Component::Pinned));
    }
    Ok(())
}

/// Returns the first part in which two boundaries differ. Changes come first, in the order of rounds; a run
/// that was resumed at the boundary has none of the epoch before it. If a resumed run `begins`
/// there, changes of additional first rounds, which restore what its checkpoint leaves out, are not compared.
fn difference(
    expected: &BoundaryFingerprint,
    fingerprint: &BoundaryFingerprint,
    begins: bool,
) -> Option<Component> {
    type Parts = Vec<(Component, u64)>;
    let apart = |fingerprint: &BoundaryFingerprint| -> (Parts, Parts) {
        fingerprint.parts.iter().copied().partition(|(part, _)| matches!(part, Component::Change(_)))
    };
    let ((there, others_there), (mut here, others_here)) = (apart(expected), apart(fingerprint));
    if begins && here.len() > there.len() {
        here.drain(..here.len() - there.len());
    }
    if !here.is_empty() {
        let differs = here.iter().zip(&there).find(|((_, here), (_, there))| here != there);
        let longer = here.get(there.len()).or(there.get(here.len())).map(|&(part, _)| part);
        if let Some(part) = differs.map(|((part, _), _)| *part).or(longer) {
            return Some(part);
        }
    }
    let differs = others_here.iter().zip(&others_there).find(|(here, there)| here != there);
    let part = differs.map(|((part, _), _)| *part);
    part.or_else(|| (others_here.len() != others_there.len()).then_some(Component::Conclusion))
}

fn name(part: Component) -> String {
    match part {
        Component::Change(round) => format!("the change of round {round}"),
        Component::Shard(number) => format!("what shard {number} has learned"),
        Component::Block(number) => format!("block {number}"),
        Component::Pinned => "the pinned block".into(),
        Component::Replica(_) => "the replica".into(),
        Component::Conclusion => "what the boundary concludes".into(),
    }
}

const LENGTH: &str = "a conclusion that depends on a clock, a thread or the order of a HashMap";

fn causes(part: Component) -> &'static str {
    match part {
        Component::Change(_) => {
            "an answer that depends on the order of a HashMap; partials that are gathered through a lock, \
             not returned; a random number that is not drawn from `Task::stream`; a clock; a part of a \
             shard, of the pinned block or of the schedule that `save_state` or `load_state` leave out and \
             nothing makes anew, or bring back though shards are made anew"
        }
        Component::Shard(_) | Component::Block(_) => {
            "state that tasks of one round share; a part that `save_state` and `load_state`, or the `State` \
             of a block, leave out; the order of a HashMap that is written as it is walked"
        }
        Component::Replica(_) => {
            "a replica that is changed outside `commit`; a `commit` that does not do the same everywhere"
        }
        Component::Pinned | Component::Conclusion => {
            "the order of a HashMap; state of the program that `aggregate` or `conclude` changes behind the \
             engine's back; a part of the pinned block that `save_pinned` and `load_pinned` leave out and \
             `restore_by_shard` does not make anew"
        }
    }
}
