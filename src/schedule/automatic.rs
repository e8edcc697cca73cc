//! [`Automatic`]: chooses among schedules by progress per counted cost.

use super::{Counts, Dependencies, EpochStart, Next, Plan, Round, RoundLog, Schedule, Variables};
use crate::base::state::{Learned, Reader, StateError, Writer};
use crate::program::verbs::Verb;

/// Runs, each epoch, the schedule that made the most progress per counted cost when it last ran.
///
/// Progress is the logarithm of the metric's fall over an epoch; cost is the counted cost of the variables
/// that its rounds named, or the number of tasks if rounds name none. Each schedule first runs for one epoch,
/// in the order given. From then on the schedule with the best last rate runs, so one that stalls gives way;
/// one whose epoch was rolled back counts as having gained nothing. No clock is read.
pub struct Automatic<F = ()> {
    variables: Variables,
    choices: Vec<Box<dyn Schedule<F>>>,
    /// Progress per cost of each choice when it last ran; `None` if it has not run yet.
    rates: Vec<Option<f64>>,
    current: usize,
    /// The choice whose epoch was started last. After a rollback it may differ from the current one of the
    /// restored boundary.
    ran: usize,
    cost: u64,
    /// The metric when the current epoch started.
    before: Option<f64>,
}

impl<F> std::fmt::Debug for Automatic<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Automatic").field("rates", &self.rates).field("current", &self.current).finish()
    }
}

impl<F> Automatic<F> {
    /// Makes a schedule that chooses among `choices`, at least one; an empty list ends every epoch at once.
    pub fn new(variables: Variables, choices: Vec<Box<dyn Schedule<F>>>) -> Self {
        let rates = vec![None; choices.len()];
        Self { variables, choices, rates, current: 0, ran: 0, cost: 0, before: None }
    }

    /// Returns the position of the choice that runs now.
    pub fn current(&self) -> usize {
        self.current
    }

    fn charge(&mut self, next: Next<F>) -> Next<F> {
        if let Next::Round(round) = &next {
            self.cost += cost(&self.variables, round);
        }
        next
    }
}

fn cost<F>(variables: &Variables, round: &Round<F>) -> u64 {
    let named: u64 = round.tasks.iter().flat_map(|task| &task.variables).map(|&j| variables.cost(j)).sum();
    if named > 0 { named } else { round.tasks.len() as u64 }
}

impl<F: 'static> Schedule<F> for Automatic<F> {
    fn identity(&self) -> String {
        let choices: Vec<String> = self.choices.iter().map(|choice| choice.identity()).collect();
        format!("automatic of [{}], {}", choices.join("; "), self.variables.identity())
    }

    fn variables(&self) -> Option<&Variables> {
        Some(&self.variables)
    }

    fn check(&self, shards: usize, blocks: usize) -> Result<(), String> {
        self.choices.iter().try_for_each(|choice| choice.check(shards, blocks))
    }

    fn requires(&self) -> Vec<Verb> {
        self.choices.iter().flat_map(|choice| choice.requires()).collect()
    }

    fn cost(&self, epoch: u64, phase: &F, cost: u64) -> u64 {
        self.choices.get(self.current).map_or(cost, |choice| choice.cost(epoch, phase, cost))
    }

    fn begin_epoch(&mut self, start: &EpochStart) -> Plan<F> {
        let now = start.metric.value;
        if let Some(before) = self.before {
            // A logarithm that is compiled in gives the same choice on every machine.
            let progress = libm::log(before) - libm::log(now);
            let rate = progress / self.cost.max(1) as f64;
            self.rates[self.current] = Some(if rate.is_finite() { rate } else { f64::NEG_INFINITY });
        }
        let best = |&(_, rate): &(usize, &Option<f64>)| rate.unwrap_or(f64::INFINITY);
        // `max_by` would keep the last of equals; untried choices run in the order given.
        let chosen = self.rates.iter().enumerate().reduce(|a, b| if best(&b) > best(&a) { b } else { a });
        self.current = chosen.map_or(0, |(choice, _)| choice);
        self.ran = self.current;
        (self.before, self.cost) = (Some(now), 0);
        let Some(schedule) = self.choices.get_mut(self.current) else { return Plan::Known(Vec::new()) };
        let plan = schedule.begin_epoch(start);
        if let Plan::Known(rounds) = &plan {
            self.cost = rounds.iter().map(|round| cost(&self.variables, round)).sum();
        }
        plan
    }

    fn next_round(&mut self) -> Next<F> {
        let next = self.choices.get_mut(self.current).map_or(Next::EndOfEpoch, |choice| choice.next_round());
        self.charge(next)
    }

    fn decide(&mut self, dependencies: &Dependencies) -> Next<F> {
        let next =
            self.choices.get_mut(self.current).map_or(Next::EndOfEpoch, |choice| choice.decide(dependencies));
        self.charge(next)
    }

    fn learn(&mut self, round: &Round<F>, deltas: &[(u32, f64)]) {
        if let Some(choice) = self.choices.get_mut(self.current) {
            choice.learn(round, deltas);
        }
    }

    fn reduce_parallelism(&mut self) {
        let Some(choice) = self.choices.get_mut(self.ran) else { return };
        choice.reduce_parallelism();
        // The choice has cost an epoch and gained nothing; its earlier gain no longer applies.
        self.rates[self.ran] = Some(0.0);
        self.before = self.before.filter(|_| self.ran != self.current);
    }

    fn counts(&self) -> Counts {
        self.choices.iter().fold(Counts::default(), |sum, choice| {
            let counts = choice.counts();
            Counts {
                candidates: sum.candidates + counts.candidates,
                rejected: sum.rejected + counts.rejected,
            }
        })
    }

    fn take_log(&mut self) -> Vec<RoundLog> {
        self.choices.iter_mut().flat_map(|choice| choice.take_log()).collect()
    }

    fn save(&self, out: &mut Writer) {
        out.write(&self.standing());
        self.choices.iter().for_each(|choice| choice.save(out));
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), StateError> {
        self.take_up(from.read()?)?;
        self.choices.iter_mut().try_for_each(|choice| choice.load(from))
    }

    fn save_state(&self, out: &mut Learned<Writer>) {
        out.write(&self.standing());
        self.choices.iter().for_each(|choice| choice.save_state(out));
    }

    fn load_state(&mut self, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        self.take_up(from.read()?)?;
        self.choices.iter_mut().try_for_each(|choice| choice.load_state(from))
    }
}

/// Rates, the current choice, its cost, and the metric before it.
type Standing = (Vec<Option<f64>>, usize, u64, Option<f64>);

impl<F> Automatic<F> {
    /// Returns the schedule's own state, without its choices.
    fn standing(&self) -> Standing {
        (self.rates.clone(), self.current, self.cost, self.before)
    }

    fn take_up(&mut self, standing: Standing) -> Result<(), StateError> {
        (self.rates, self.current, self.cost, self.before) = standing;
        if self.rates.len() != self.choices.len() || self.current >= self.choices.len().max(1) {
            return Err(StateError::new("a choice among as many schedules"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::verdict::Metric;
    use crate::schedule::Cyclic;

    #[test]
    fn each_choice_is_tried_once_then_the_best_rate_runs_until_it_stalls() {
        let variables = Variables::in_ranges(vec![1; 4], vec![0, 4]);
        let choices = (0..3).map(|_| Box::new(Cyclic::new(variables.clone(), 2)) as Box<dyn Schedule>);
        let mut automatic = Automatic::new(variables.clone(), choices.collect());
        // The factor by which each choice lowers the metric, in the order in which the epochs run.
        let (mut value, mut ran) = (1.0, Vec::new());
        for (epoch, factor) in [0.9, 0.5, 0.8, 0.5, 0.99, 0.8, 1.0].into_iter().enumerate() {
            let metric = Metric::new("gap", value, "nothing");
            let start =
                EpochStart { epoch: epoch as u64, metric, objective: None, weights: vec![], batch_hint: 0 };
            automatic.begin_epoch(&start);
            while let Next::Round(round) = automatic.next_round() {
                automatic.learn(&round, &[]);
            }
            ran.push(automatic.current());
            value *= factor;
        }
        assert_eq!(ran, [0, 1, 2, 1, 1, 2, 2]);
    }

    #[test]
    fn a_choice_that_was_rolled_back_shrinks_and_gives_way() {
        let variables = Variables::in_ranges(vec![1; 8], vec![0, 8]);
        let choices =
            [2, 8].map(|width| Box::new(Cyclic::new(variables.clone(), width)) as Box<dyn Schedule>);
        let mut automatic = Automatic::new(variables.clone(), choices.into());
        let start = |epoch, value| {
            let metric = Metric::new("gap", value, "nothing");
            EpochStart { epoch, metric, objective: None, weights: vec![], batch_hint: 0 }
        };
        automatic.begin_epoch(&start(0, 1.0));
        let mut boundary = Writer::default();
        automatic.save(&mut boundary);
        automatic.begin_epoch(&start(1, 0.9));
        assert_eq!(automatic.current(), 1);
        automatic.load(&mut Reader::new(&boundary.into_bytes())).unwrap();
        automatic.reduce_parallelism();
        automatic.begin_epoch(&start(2, 0.9));
        assert_eq!(automatic.current(), 0);
        // The first stalls: the second is back, with half its width.
        automatic.begin_epoch(&start(3, 0.95));
        let Next::Round(round) = automatic.next_round() else { panic!("a round is due") };
        assert_eq!((automatic.current(), round.variables()), (1, 4));
    }

    #[test]
    fn a_state_of_other_choices_is_refused() {
        let variables = Variables::in_ranges(vec![1; 8], vec![0, 8]);
        let of = |count: usize| {
            let choice = |_| Box::new(Cyclic::new(variables.clone(), 2)) as Box<dyn Schedule>;
            Automatic::new(variables.clone(), (0..count).map(choice).collect())
        };
        // Rates of so many choices, and the current one, for two choices.
        for (rates, current, fits) in
            [(2, 0, true), (2, 1, true), (2, 2, false), (1, 0, false), (3, 1, false), (3, 2, false)]
        {
            let taken = of(2).take_up((vec![None; rates], current, 0, None));
            assert_eq!(taken.is_ok(), fits, "{rates} rates, choice {current}");
        }
    }
}
