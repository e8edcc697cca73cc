//! [`compare_cuts`]: runs over rows that are cut otherwise.

use super::difference::compare;
use crate::base::error::EngineError;
use crate::engine::{Engine, Outcome};
use crate::program::Program;
use crate::run::fingerprints::Component;

/// Compares runs of an additive program over rows that are cut otherwise, but for their shards.
pub(super) fn compare_cuts<P: Program>(make: &dyn Fn() -> Engine<P>) -> Result<(), EngineError> {
    if P::verbs().merge.is_none_or(|verb| verb.recut.is_none()) {
        return Ok(());
    }
    let without_shards = |engine: Engine<P>| -> Result<Outcome<P>, EngineError> {
        let mut outcome = engine.run()?;
        outcome.parts.shards.clear();
        for boundary in &mut outcome.fingerprints {
            boundary.parts.retain(|(part, _)| !matches!(part, Component::Shard(_)));
        }
        Ok(outcome)
    };
    let reference = without_shards(make())?;
    for seed in 0..CUTS {
        let other = without_shards(make().recut(seed)?.workers(2).threads(2))?;
        compare("with rows cut into other shards", &reference, &other, None).map_err(|why| match why {
            EngineError::Replay { how, epoch, part, .. } => {
                EngineError::Replay { how, epoch, part, causes: CUT_OTHERWISE }
            }
            why => why,
        })?;
    }
    Ok(())
}

/// Number of other cuts of the rows of an additive program.
const CUTS: u64 = 3;

const CUT_OTHERWISE: &str = "a rounded sum within a shard; a grid that depends on the shard; \
                             a number of a shard, not of a row";
