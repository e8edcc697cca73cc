//! [`Programme`]: the dynamic programme over slots and units of work.

use crate::policy::cluster::Placement;

/// A possible placement in one slot.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    /// Work done in the slot.
    pub(super) work: f64,
    /// Price of the placement.
    pub(super) cost: f64,
    /// The placement.
    pub(super) placement: Placement,
}

/// Minimum costs of units of work by the end of each slot:
/// `Theta(t, v) = min over choices (cost + Theta(t - 1, v - units))`.
#[derive(Debug)]
pub(super) struct Programme {
    unit: f64,
    /// Minimum cost of each number of units, by the end of the last slot that was added.
    least: Vec<f64>,
    /// Choice of each slot for each number of units; `None` if the slot is left out.
    chosen: Vec<Vec<Option<u16>>>,
    choices: Vec<Vec<Choice>>,
}

impl Programme {
    /// A programme without slots, for `work` divided into `units` units.
    pub(super) fn new(work: f64, units: u32) -> Self {
        let mut least = vec![f64::INFINITY; units as usize + 1];
        least[0] = 0.0;
        Self { unit: work / f64::from(units), least, chosen: Vec::new(), choices: Vec::new() }
    }

    /// Adds the next slot with its choices.
    pub(super) fn add(&mut self, choices: Vec<Choice>) {
        let units = self.least.len() - 1;
        let mut chosen = vec![None; units + 1];
        // Units are rounded down, so that unfinished work is never counted.
        let worth: Vec<usize> =
            choices.iter().map(|choice| (choice.work / self.unit * (1.0 + 1e-9)) as usize).collect();
        // Descending order: the costs that are read are still those of the slot before.
        for all in (1..=units).rev() {
            for (number, choice) in choices.iter().enumerate() {
                let cost = self.least[all.saturating_sub(worth[number])] + choice.cost;
                if worth[number] > 0 && cost < self.least[all] {
                    self.least[all] = cost;
                    chosen[all] = u16::try_from(number).ok();
                }
            }
        }
        self.chosen.push(chosen);
        self.choices.push(choices);
    }

    /// Minimum cost of all the work by the end of the last slot; infinite if it cannot be done.
    pub(super) fn cost(&self) -> f64 {
        self.least[self.least.len() - 1]
    }

    /// Cheapest plan that does all the work in the first `slots` slots, as pairs of a slot, counted from 0,
    /// and a choice. Choices after the work is done are left out.
    pub(super) fn plan(&self, slots: usize, work: f64) -> Vec<(usize, Choice)> {
        let mut plan = Vec::new();
        let mut units = self.least.len() - 1;
        for slot in (0..slots).rev() {
            if let Some(number) = self.chosen[slot][units] {
                let choice = &self.choices[slot][usize::from(number)];
                let worth = (choice.work / self.unit * (1.0 + 1e-9)) as usize;
                units = units.saturating_sub(worth);
                plan.push((slot, choice.clone()));
            }
        }
        plan.reverse();
        let mut done = 0.0;
        plan.retain(|(_, choice)| {
            let needed = done < work;
            done += choice.work;
            needed
        });
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle::random::Stream;

    /// Minimum cost over all ways to take one choice or none in each slot, by whole units.
    fn exhaustive(slots: &[Vec<(usize, f64)>], units: usize) -> f64 {
        let Some((first, rest)) = slots.split_first() else {
            return if units == 0 { 0.0 } else { f64::INFINITY };
        };
        let with = first.iter().map(|&(done, cost)| cost + exhaustive(rest, units.saturating_sub(done)));
        with.fold(exhaustive(rest, units), f64::min)
    }

    #[test]
    fn costs_are_the_least_of_all_plans_and_plans_do_all_the_work() {
        let mut stream = Stream::new(&[1]);
        let mut plans = 0;
        for _ in 0..300 {
            let units = 1 + stream.below(9);
            let slots: Vec<Vec<(usize, f64)>> = (0..1 + stream.below(5))
                .map(|_| (0..stream.below(4)).map(|_| (1 + stream.below(5), stream.unit())).collect())
                .collect();
            // A unit is half a piece of work; a third of a unit more counts nothing.
            let choice = |&(done, cost): &(usize, f64)| Choice {
                work: (done as f64 + 0.3) / 2.0,
                cost,
                placement: Placement::on_one(1),
            };
            let work = units as f64 / 2.0;
            let mut programme = Programme::new(work, units as u32);
            for (at, choices) in slots.iter().enumerate() {
                programme.add(choices.iter().map(choice).collect());
                let least = exhaustive(&slots[..=at], units);
                assert!(programme.cost() == least || (programme.cost() - least).abs() < 1e-12);
                if least.is_finite() {
                    let plan = programme.plan(at + 1, work);
                    assert!(plan.iter().map(|(_, choice)| choice.work).sum::<f64>() >= work);
                    assert!(plan.iter().map(|(_, choice)| choice.cost).sum::<f64>() <= least + 1e-12);
                    plans += 1;
                }
            }
        }
        assert!(plans > 100, "{plans}");
    }
}
