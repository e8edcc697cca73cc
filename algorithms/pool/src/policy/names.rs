//! Policies by their names.

use super::las::{self, Las};
use super::ones::{Ones, Options, Score};
use super::optimus::Optimus;
use super::{Drf, Fifo, Oasis, PdOrs, PlanSettings, Policy, Random};

/// Names of the policies.
pub const NAMES: [&str; 8] = ["fifo", "drf", "las", "optimus", "ones", "oasis", "pdors", "random"];

/// Names of papers whose policies have another name here.
const PAPERS: [(&str, &str); 1] = [("tiresias", "las")];

/// What policies are made of, beside their names.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Seed of policies that draw.
    pub seed: u64,
    /// Service after which `las` puts a job behind, in workers times seconds.
    pub threshold: f64,
    /// Options of `ones`.
    pub ones: Options,
    /// Settings of `oasis` and `pdors`, but for the seed.
    pub plan: PlanSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 1,
            threshold: las::THRESHOLD,
            ones: Options::of(Score::All),
            plan: PlanSettings::default(),
        }
    }
}

/// A name that no policy has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("policy `{name}` does not exist{} Choose from {}", near(name), NAMES.join(", "))]
pub struct Unknown {
    /// The name.
    pub name: String,
}

/// The policy of this name.
///
/// # Errors
/// No policy has the name; the text says the nearest that there is.
pub fn policy(name: &str, settings: &Settings) -> Result<Box<dyn Policy>, Unknown> {
    let plan = || PlanSettings { seed: settings.seed, ..settings.plan.clone() };
    match name {
        "fifo" => Ok(Box::new(Fifo::default())),
        "drf" => Ok(Box::new(Drf)),
        "oasis" => Ok(Box::new(Oasis::new(plan()))),
        "pdors" => Ok(Box::new(PdOrs::new(plan()))),
        "las" => Ok(Box::new(Las::new(settings.threshold))),
        "optimus" => Ok(Box::new(Optimus)),
        "ones" => Ok(Box::new(Ones::new(settings.ones, settings.seed))),
        "random" => Ok(Box::new(Random::new(settings.seed))),
        _ => Err(Unknown { name: name.into() }),
    }
}

/// Words that name the nearest policy, if one is near.
fn near(name: &str) -> String {
    let lower = name.to_lowercase();
    let by_paper = PAPERS.iter().find(|(paper, _)| *paper == lower).map(|(_, known)| *known);
    let nearest = NAMES.iter().map(|known| (changes(&lower, known), *known)).min();
    let nearest =
        nearest.filter(|(changes, known)| *changes <= known.len().div_ceil(2)).map(|(_, known)| known);
    by_paper.or(nearest).map_or_else(|| ".".into(), |known| format!(": did you mean `{known}`?"))
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
