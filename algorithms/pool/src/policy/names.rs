//! Policies by name.

use super::{Drf, Fifo, Greedy, Knowledge, PdOrs, PlanSettings, Policy, Random};

/// Names of the policies that users can choose. `random` is not among them: it exists for tests.
pub const NAMES: [&str; 4] = ["greedy", "drf", "fifo", "pdors"];

/// Names of policies in the literature, with their names here.
const OTHERS: [(&str, &str); 2] = [("tiresias", "las"), ("oasis", "pdors")];

/// Policies that were in the pool, and ended the same jobs later than `greedy` everywhere.
const FORMER: [&str; 4] = ["las", "tiresias", "optimus", "ones"];

/// Settings of all policies, apart from the name.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Seed of policies that draw random numbers.
    pub seed: u64,
    /// Knowledge of the work left, for `greedy`.
    pub knowledge: Knowledge,
    /// Settings of `pdors`.
    pub plan: PlanSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 1, knowledge: Knowledge::Known, plan: PlanSettings::default() }
    }
}

/// Error of a name that no policy has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("policy `{name}` does not exist{} Choose from {}", near(name, known), known.join(", "))]
pub struct Unknown {
    /// The unknown name.
    pub name: String,
    /// Names of the existing policies.
    pub known: &'static [&'static str],
}

/// Creates the policy of a name.
///
/// # Errors
/// No policy has this name. The message suggests what to use instead.
pub fn policy(name: &str, settings: &Settings) -> Result<Box<dyn Policy>, Unknown> {
    match name {
        "greedy" => Ok(Box::new(Greedy::new(settings.knowledge))),
        "fifo" => Ok(Box::new(Fifo::default())),
        "drf" => Ok(Box::new(Drf)),
        "pdors" => Ok(Box::new(PdOrs::new(settings.plan.clone()))),
        "random" => Ok(Box::new(Random::new(settings.seed))),
        _ => Err(Unknown { name: name.into(), known: &NAMES }),
    }
}

/// Suggestion of the most similar name, if one is similar enough.
fn near(name: &str, known: &[&str]) -> String {
    let lower = name.to_lowercase();
    if FORMER.contains(&&*lower) && !known.contains(&"las") {
        return " here: use `greedy`, which ends the same jobs sooner; the simulator, raddle-pool-sim, \
                compares them."
            .into();
    }
    let other = OTHERS.iter().find(|(other, _)| *other == lower).map(|(_, known)| *known);
    let nearest = known.iter().map(|known| (changes(&lower, known), *known)).min();
    let nearest =
        nearest.filter(|(changes, known)| *changes <= known.len().div_ceil(2)).map(|(_, known)| known);
    other.or(nearest).map_or_else(|| ".".into(), |known| format!(": did you mean `{known}`?"))
}

/// Levenshtein distance of two words: the number of letters to insert, delete or replace.
fn changes(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (at, letter) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}
