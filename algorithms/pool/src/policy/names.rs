//! Policies by their names.

use super::las::{self, Las};
use super::ones::Ones;
use super::optimus::Optimus;
use super::{Drf, Fifo, PdOrs, PlanSettings, Policy, Random};

/// Names of the policies that jobs are given to. `random`, which is there to be tested with, is none of them.
pub const NAMES: [&str; 6] = ["fifo", "drf", "las", "optimus", "ones", "pdors"];

/// Names by which policies are known elsewhere, and those that they have here.
const OTHERS: [(&str, &str); 2] = [("tiresias", "las"), ("oasis", "pdors")];

/// Settings of policies, beside their names.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Seed of policies that draw.
    pub seed: u64,
    /// Service after which `las` puts a job behind, in workers times seconds.
    pub threshold: f64,
    /// Settings of `pdors`.
    pub plan: PlanSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seed: 1, threshold: las::THRESHOLD, plan: PlanSettings::default() }
    }
}

/// A name that no policy has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("policy `{name}` does not exist{} Choose from {}", near(name, known), known.join(", "))]
pub struct Unknown {
    /// The name.
    pub name: String,
    /// Names that there are.
    pub known: &'static [&'static str],
}

/// The policy of this name.
///
/// # Errors
/// No policy has the name; the text says the nearest that there is.
pub fn policy(name: &str, settings: &Settings) -> Result<Box<dyn Policy>, Unknown> {
    match name {
        "fifo" => Ok(Box::new(Fifo::default())),
        "drf" => Ok(Box::new(Drf)),
        "pdors" => Ok(Box::new(PdOrs::new(settings.plan.clone()))),
        "las" => Ok(Box::new(Las::new(settings.threshold))),
        "optimus" => Ok(Box::new(Optimus)),
        "ones" => Ok(Box::new(Ones::new(settings.seed))),
        "random" => Ok(Box::new(Random::new(settings.seed))),
        _ => Err(Unknown { name: name.into(), known: &NAMES }),
    }
}

/// Words that name the nearest policy, if one is near.
fn near(name: &str, known: &[&str]) -> String {
    let lower = name.to_lowercase();
    let other = OTHERS.iter().find(|(other, _)| *other == lower).map(|(_, known)| *known);
    let nearest = known.iter().map(|known| (changes(&lower, known), *known)).min();
    let nearest =
        nearest.filter(|(changes, known)| *changes <= known.len().div_ceil(2)).map(|(_, known)| known);
    other.or(nearest).map_or_else(|| ".".into(), |known| format!(": did you mean `{known}`?"))
}

/// Letters that are put in, left out or replaced to come from one word to the other (Levenshtein).
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
