//! The dynamic programme over slots and units of work.

use crate::policy::cluster::Placement;

/// A placement that may be had in one slot.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    /// Work done there.
    pub(super) work: f64,
    /// Its price.
    pub(super) cost: f64,
    /// The placement.
    pub(super) placement: Placement,
}

/// Least costs of units of work by the end of each slot: `Theta(t, v) = min over choices (cost + Theta(t - 1, v - units))`.
#[derive(Debug)]
pub(super) struct Programme {
    unit: f64,
    /// Least cost of each number of units by the end of the last slot that was added.
    least: Vec<f64>,
    /// By slot, the choice of each number of units; none where the slot is left out.
    chosen: Vec<Vec<Option<u16>>>,
    choices: Vec<Vec<Choice>>,
}

impl Programme {
    /// A programme without slots for so much work, in so many units.
    pub(super) fn new(work: f64, units: u32) -> Self {
        let mut least = vec![f64::INFINITY; units as usize + 1];
        least[0] = 0.0;
        Self { unit: work / f64::from(units), least, chosen: Vec::new(), choices: Vec::new() }
    }

    /// Adds the next slot with what may be had in it, and returns the number of steps.
    pub(super) fn add(&mut self, choices: Vec<Choice>) -> u64 {
        let units = self.least.len() - 1;
        let mut chosen = vec![None; units + 1];
        // Whole units, so that rounding never counts work that is not done.
        let worth: Vec<usize> =
            choices.iter().map(|choice| (choice.work / self.unit * (1.0 + 1e-9)) as usize).collect();
        // From above: what is read belongs to the slot before.
        for all in (1..=units).rev() {
            for (number, choice) in choices.iter().enumerate() {
                let cost = self.least[all.saturating_sub(worth[number])] + choice.cost;
                if worth[number] > 0 && cost < self.least[all] {
                    self.least[all] = cost;
                    chosen[all] = u16::try_from(number).ok();
                }
            }
        }
        let steps = (units * choices.len()) as u64;
        self.chosen.push(chosen);
        self.choices.push(choices);
        steps
    }

    /// Least cost of all the work by the end of the last slot; infinite if it cannot be done.
    pub(super) fn cost(&self) -> f64 {
        self.least[self.least.len() - 1]
    }

    /// The cheapest plan that does all the work in the first `slots` slots: slots, counted from 0, and choices. Choices after
    /// those that are enough are left out.
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
