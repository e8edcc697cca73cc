//! Checks of the numbers that a schedule or a program names, so that a mistake is reported at its source.

use super::Hub;
use crate::program::Program;
use crate::program::verbs::{Verb, Verbs};
use crate::run::placement::Layout;
use crate::schedule::{Assignment, Candidates, Dependencies, Round, Variables};

/// The variables that rounds may name, each at most once a round and at its owner.
struct Named {
    variables: Variables,
    /// For each variable, the last round that named it; counted over the generation.
    seen: Vec<u64>,
    round: u64,
}

impl Named {
    fn new(variables: &Variables) -> Self {
        Self { variables: variables.clone(), seen: vec![0; variables.len()], round: 0 }
    }

    fn require(&self, whose: &str, variable: u32) -> Result<(), String> {
        let count = self.seen.len();
        if (variable as usize) < count {
            return Ok(());
        }
        Err(format!("{whose} variable {variable}, but there are {count}, counted from 0"))
    }

    fn check<F>(&mut self, round: &Round<F>) -> Result<(), String> {
        self.round += 1;
        for task in &round.tasks {
            for &variable in &task.variables {
                self.require("the schedule names", variable)?;
                if std::mem::replace(&mut self.seen[variable as usize], self.round) == self.round {
                    return Err(format!("the schedule names variable {variable} twice in one round"));
                }
                if let Some(owner) = self.variables.only_owner(variable).filter(|&owner| owner != task.shard)
                {
                    let shard = task.shard;
                    return Err(format!(
                        "the schedule hands variable {variable} to shard {shard}, but shard {owner} owns it"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Returns the error for a number that does not exist.
fn unknown(whose: &str, what: &str, number: u32, count: u32) -> String {
    format!("{whose} {what} {number}, but there are {count}, counted from 0")
}

/// Shards, blocks and variables that rounds may name, each at most once a round.
pub(super) struct NameCheck {
    /// Variables, where the schedule declares them.
    named: Option<Named>,
    /// For each shard and each block, the number of the round that named it last.
    shards: Vec<u64>,
    blocks: Vec<u64>,
    round: u64,
}

impl NameCheck {
    pub(super) fn new(variables: Option<&Variables>, layout: &Layout) -> Self {
        let (shards, blocks) = (vec![0; layout.shard_at.len()], vec![0; layout.block_at.len()]);
        Self { named: variables.map(Named::new), shards, blocks, round: 0 }
    }

    fn check<P: Program>(&mut self, verbs: &Verbs<P>, round: &Round<P::Phase>) -> Result<(), String> {
        let (shards, blocks) = (self.shards.len() as u32, self.blocks.len() as u32);
        self.round += 1;
        for &Assignment { shard, block, .. } in &round.tasks {
            if shard >= shards {
                return Err(unknown("the schedule names", "shard", shard, shards));
            }
            let twice = |what, number| Err(format!("the schedule names {what} {number} twice in one round"));
            if std::mem::replace(&mut self.shards[shard as usize], self.round) == self.round {
                return twice("shard", shard);
            }
            let Some(block) = block else {
                verbs.check(Verb::Update)?;
                continue;
            };
            verbs.check(Verb::UpdateBlock)?;
            if block >= blocks {
                return Err(unknown("the schedule names", "block", block, blocks));
            }
            if std::mem::replace(&mut self.blocks[block as usize], self.round) == self.round {
                return twice("block", block);
            }
        }
        self.named.as_mut().map_or(Ok(()), |named| named.check(round))
    }
}

impl<P: Program> Hub<P> {
    /// Checks that a round names shards, blocks and variables that exist, each at most once.
    pub(super) fn check(&mut self, round: &Round<P::Phase>) -> Result<(), String> {
        self.names.check(&self.verbs, round)
    }

    /// Checks that the next round is not to be committed later than the run's staleness allows.
    pub(super) fn check_lag(&self, round: &Round<P::Phase>) -> Result<(), String> {
        let most = self.settings.staleness;
        let Some(lag) = round.lag.filter(|&lag| lag as usize > most) else { return Ok(()) };
        let (number, epoch) = (self.issued, self.state.progress.epoch);
        Err(format!(
            "the schedule gives round {number} of epoch {epoch} a lag of {lag}, but the run's staleness is \
             {most}: raise the one or lower the other"
        ))
    }

    /// Checks that partials can be merged, if a shard has more than one task in a plan that is handed out
    /// whole.
    pub(super) fn check_folds(&self, rounds: &[Round<P::Phase>]) -> Result<(), String> {
        let mut asked = vec![false; self.placement.len()];
        let mut tasks = rounds.iter().flat_map(|round| &round.tasks);
        match tasks.any(|task| std::mem::replace(&mut asked[task.shard as usize], true)) {
            true => self.verbs.check(Verb::Fold),
            false => Ok(()),
        }
    }

    pub(super) fn check_candidates(&self, candidates: &Candidates<P::Phase>) -> Result<(), String> {
        let (shards, count) = (self.placement.len() as u32, candidates.variables.len() as u32);
        for (shard, positions) in &candidates.owners {
            if *shard >= shards {
                return Err(unknown("the schedule relates variables of", "shard", *shard, shards));
            }
            if let Some(position) = positions.iter().find(|&&position| position >= count) {
                return Err(format!(
                    "the schedule relates candidate {position}, but names {count}, counted from 0"
                ));
            }
        }
        self.verbs.check(Verb::Relate)
    }

    /// Checks that a program reports only variables that exist to the schedule.
    pub(super) fn check_given(&self, whose: &str, given: &[(u32, f64)]) -> Result<(), String> {
        let Some(named) = &self.names.named else { return Ok(()) };
        given.iter().try_for_each(|&(variable, _)| named.require(whose, variable))
    }
}

/// Checks that a round of a plan that is handed out whole has no lag.
pub(super) fn check_no_lag<F>(round: &Round<F>, number: usize) -> Result<(), String> {
    let Some(lag) = round.lag else { return Ok(()) };
    Err(format!(
        "the schedule gives round {number} a lag of {lag}, which has no use: the plan is known, and its \
         changes become visible at the boundary"
    ))
}

/// Checks that a program relates exactly the candidates that it was asked about.
pub(super) fn check_related(asked: usize, dependencies: &Dependencies) -> Result<(), String> {
    let count = dependencies.count();
    if count == asked {
        return Ok(());
    }
    Err(format!("`relate` was asked what ties {asked} candidates together and describes {count}"))
}
