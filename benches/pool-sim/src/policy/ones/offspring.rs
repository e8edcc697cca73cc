//! [`offspring`]: new schedules, evolved or drawn.

use raddle::random::Stream;

use super::estimate::Estimates;
use super::operators::{Caps, Individual, crossover, mutate};
use super::options::Options;

/// New schedules from those that were kept: children of crossovers, then as many mutants, with parents drawn
/// from `kept`; or as many random ones.
pub(super) fn offspring(
    options: &Options,
    kept: &[Individual],
    about: &Estimates,
    stream: &mut Stream,
) -> Vec<Individual> {
    let population = options.population;
    if options.random {
        return (0..2 * population).map(|_| random(kept[0].len(), &about.caps, stream)).collect();
    }
    let mut made = Vec::new();
    for _ in 0..population / 2 {
        let (one, other) = (stream.below(kept.len()), stream.below(kept.len()));
        made.extend(crossover(&kept[one], &kept[other], &about.caps, stream));
    }
    for _ in 0..population {
        let mut mutant = kept[stream.below(kept.len())].clone();
        mutate(&mut mutant, |id| about.may_drop(id), stream);
        made.push(mutant);
    }
    made
}

/// A random schedule: jobs in random order, each with a random number of slots up to its size cap.
pub fn random(slots: usize, caps: &Caps, stream: &mut Stream) -> Individual {
    let mut order: Vec<_> = caps.iter().collect();
    stream.shuffle(&mut order);
    let mut individual = Individual::with_capacity(slots);
    for (id, cap) in order {
        let count = stream.below(cap.size as usize + 1).min(slots - individual.len());
        if count >= cap.least as usize {
            individual.resize(individual.len() + count, Some(*id));
        }
    }
    individual.resize(slots, None);
    individual
}
