//! Checks of settings and schedule before a run.

use super::Engine;
use crate::base::error::EngineError;
use crate::checkpoint::CheckpointEvery;
use crate::program::verbs::Verb;
use crate::program::{Program, Visibility};

impl<P: Program> Engine<P> {
    /// Checks the settings and the schedule; the error names the first one that makes no sense.
    pub(super) fn check(&self) -> Result<(), EngineError> {
        let refuse = |why: String| Err(EngineError::Setting(why));
        if self.settings.workers == 0 || self.settings.rescale.iter().any(|&(_, workers)| workers == 0) {
            return refuse("a run needs at least 1 worker".into());
        }
        if self.settings.threads == Some(0) {
            return refuse("a run needs at least 1 thread".into());
        }
        if matches!(self.checkpoint, Some((CheckpointEvery::Epochs(0), _))) {
            return refuse("a checkpoint every 0 epochs makes no sense: give 1 or more".into());
        }
        if let Some(limit) = self.settings.time_limit.filter(|limit| limit.is_nan() || *limit < 0.0) {
            return refuse(format!("a time limit of {limit} seconds makes no sense: give 0 or more"));
        }
        let (shards, blocks) = (self.parts.shards.len(), self.parts.blocks.len());
        if shards == 0 {
            return refuse("a run needs at least 1 shard".into());
        }
        if let Some(costs) = self.costs.as_ref().filter(|costs| costs.len() != shards) {
            let costs = costs.len();
            return refuse(format!("{costs} costs are given for {shards} shards: give one for each"));
        }
        if self.identity.is_none() && (self.checkpoint.is_some() || self.resume.is_some()) {
            let why = "checkpoints need an identity: give `Engine::identity` a text that is the same exactly \
                       when data and parameters are";
            return refuse(why.into());
        }
        self.schedule.check(shards, blocks).map_err(EngineError::Setting)?;
        if P::verbs().merge.is_some() && P::verbs().enough.is_some() {
            let why = "the program has `merge` and `enough`: leave one of them out, as merged partials do not \
                       say which shards have answered";
            return refuse(why.into());
        }
        let (verbs, each_round) = (P::verbs(), self.program.visibility() == Visibility::EachRound);
        let mut asked =
            self.schedule.requires().into_iter().filter(|&verb| !(each_round && verb == Verb::Fold));
        asked.try_for_each(|verb| verbs.check(verb)).map_err(EngineError::Setting)
    }
}
