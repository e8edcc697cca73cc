//! [`Course`]: weight and regularisation of implicit feedback, chosen while a run goes on.
//!
//! Settings are tried one after the other and judged by the lists for held-out clicks: all of a grid at
//! first, then the better ones for more epochs and by more lists (successive halving, Jamieson and Talwalkar
//! 2016), then what lies next to the best. Each trial starts where the fit itself will start: one that went
//! on from the factors that it came to would be judged by what has converged, while the fit ends when its
//! lists are best, which may be after five epochs. Only the scores decide, so the choice is the same on any
//! number of workers.

use raddle::state::StateError;

use crate::params::Choice;
use crate::restored::ensure;
use crate::settings::Trial;

/// Weight of a count, and regularisation, of implicit feedback.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Setting {
    pub(crate) weight: f64,
    pub(crate) reg: f64,
}

raddle::state!(Setting { weight, reg });

/// The factors from which an epoch starts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) enum Start {
    /// The present factors.
    #[default]
    Own,
    /// The factors from which the run started.
    Anew,
    /// The factors from which the run started, which are not kept any longer.
    Last,
}

raddle::state!(
    enum Start {
        Own,
        Anew,
        Last,
    }
);

/// The next epoch.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Turn {
    pub(crate) setting: Setting,
    pub(crate) start: Start,
    /// Largest number of users whose lists are measured after it.
    pub(crate) users: u64,
}

raddle::state!(Turn { setting, start, users });

/// Largest number of users for whom lists are made, unless settings are compared: a list costs as much as
/// solving hundreds of rows.
pub(super) const USERS: u64 = 2000;

/// Weights of a count to choose among.
const WEIGHTS: [f64; 5] = [0.5, 2.0, 8.0, 32.0, 128.0];

/// Regularisations to choose among, each times the middle count of a row and the weight to the power
/// [`RIDGE`]: the best ones of a weight lie near there, by measurements on five public sets. A decade more
/// leaves no factors.
const REGS: [f64; 2] = [0.03, 0.3];
const RIDGE: f64 = 0.6;

/// A stage's choice of candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Stage {
    /// The whole grid.
    Grid,
    /// So many of the best settings of the stage before.
    Best(usize),
    /// The best two settings; and those next to the best.
    Next,
}

/// A weight next to another is larger or smaller by this factor, as those to choose among are 4 apart, and
/// its regularisation is to match. One next to another is by the second factor, a quarter of a decade.
const NEXT_WEIGHT: f64 = 2.0;
const NEXT_REG: f64 = 1.78;

/// A stage: the settings that are tried, the number of epochs of each, and of users by whose lists it is then
/// judged. The fewer settings are left, the less they differ.
#[derive(Debug, Clone, Copy)]
struct Plan {
    stage: Stage,
    epochs: u64,
    users: u64,
}

const STAGES: [Plan; 3] = [
    Plan { stage: Stage::Grid, epochs: 2, users: 1000 },
    Plan { stage: Stage::Best(4), epochs: 3, users: 2000 },
    Plan { stage: Stage::Next, epochs: 6, users: 5000 },
];

/// The state of a choice.
#[derive(Debug, Clone, Default)]
pub(crate) struct Course {
    grid: Vec<Setting>,
    /// The candidates of this stage; at its end, the choice.
    candidates: Vec<Setting>,
    stage: u64,
    /// Position of the candidate that is tried, and the number of epochs that it has had.
    at: u64,
    epochs: u64,
    trials: Vec<Trial>,
}

raddle::state!(Course { grid, candidates, stage, at, epochs, trials });

impl Course {
    /// Starts a choice of weight and regularisation, of which one may be given, for so many ratings of users
    /// and items. `power` is that by which the regularisation grows with a row's count: the penalties of the
    /// middle row do not depend on it.
    pub(crate) fn new(choice: &Choice, ratings: usize, rows: [usize; 2], power: f64) -> Self {
        let (ratings, pairs) = (ratings as f64, rows[0] as f64 * rows[1] as f64);
        let regs = |weight: f64, levels: &[f64]| -> Vec<f64> {
            let unit = ratings / pairs.sqrt() * libm::pow(weight, RIDGE);
            let count = (ratings / pairs + 1.0 / weight) * pairs.sqrt();
            levels.iter().map(|level| level * unit / libm::pow(count, power)).collect()
        };
        let of = |&weight: &f64| {
            let regs = choice.reg.map_or_else(|| regs(weight, &REGS), |reg| vec![reg]);
            regs.into_iter().map(move |reg| Setting { weight, reg })
        };
        let grid = choice.weight.as_ref().map_or(&WEIGHTS[..], std::slice::from_ref).iter().flat_map(of);
        let grid: Vec<Setting> = grid.collect();
        Self { candidates: grid.clone(), grid, ..Self::default() }
    }

    /// Returns the setting of the next epoch.
    pub(crate) fn setting(&self) -> Setting {
        self.candidates.get(self.at as usize).or(self.candidates.last()).copied().unwrap_or_default()
    }

    /// Returns what the first epoch does.
    pub(crate) fn first(&self) -> Turn {
        self.turn(Start::Own)
    }

    /// Returns what the next epoch does.
    fn turn(&self, start: Start) -> Turn {
        let users = match STAGES.get(self.stage as usize) {
            None => USERS,
            // Lists are made once a setting has had all its epochs.
            Some(plan) if self.epochs + 1 == plan.epochs => plan.users,
            Some(_) => 0,
        };
        Turn { setting: self.setting(), start, users }
    }

    /// Returns the setting of the last epoch, if so many were after the choice.
    pub(crate) fn last(&self, after: u64) -> Setting {
        match self.trials.last() {
            Some(&Trial { weight, reg, .. }) if self.epochs == 0 && after == 0 => Setting { weight, reg },
            _ => self.setting(),
        }
    }

    /// `true` once the choice is made.
    pub(crate) fn is_over(&self) -> bool {
        self.stage as usize >= STAGES.len()
    }

    /// Returns what was tried, in order.
    pub(crate) fn into_trials(self) -> Vec<Trial> {
        self.trials
    }

    /// Records the measure after an epoch with [`setting`](Self::setting), which counts once the setting has
    /// had all its epochs; returns what the next one does.
    pub(crate) fn record(&mut self, ndcg: f64) -> Turn {
        let setting = self.setting();
        let epochs = STAGES.get(self.stage as usize).map_or(0, |plan| plan.epochs);
        self.epochs += 1;
        if self.epochs < epochs {
            return self.turn(Start::Own);
        }
        self.trials.push(Trial { stage: self.stage, weight: setting.weight, reg: setting.reg, epochs, ndcg });
        (self.epochs, self.at) = (0, self.at + 1);
        if self.at as usize >= self.candidates.len() {
            (self.candidates, self.stage, self.at) = (self.next_candidates(), self.stage + 1, 0);
        }
        self.turn(if self.is_over() { Start::Last } else { Start::Anew })
    }

    /// Returns the settings of this stage, the best first; the first of equals comes first.
    fn ranked(&self) -> Vec<Setting> {
        let mut ranked: Vec<&Trial> = self.trials.iter().filter(|trial| trial.stage == self.stage).collect();
        ranked.sort_by(|a, b| b.ndcg.total_cmp(&a.ndcg));
        ranked.into_iter().map(|&Trial { weight, reg, .. }| Setting { weight, reg }).collect()
    }

    /// Returns the candidates of the next stage, or the choice.
    fn next_candidates(&self) -> Vec<Setting> {
        let mut ranked = self.ranked();
        match STAGES.get(self.stage as usize + 1).map(|plan| plan.stage) {
            Some(Stage::Best(count)) => ranked.truncate(count),
            Some(Stage::Next) => {
                ranked.truncate(2);
                ranked.extend(ranked.first().map_or(Vec::new(), |&best| self.near(best)));
            }
            Some(Stage::Grid) | None => ranked.truncate(1),
        }
        ranked
    }

    /// Returns the settings next to one; a weight or regularisation that is given stays.
    fn near(&self, of: Setting) -> Vec<Setting> {
        let is_free = |value: fn(&Setting) -> f64| self.grid.iter().any(|other| value(other) != value(&of));
        let (free_weight, free_reg) = (is_free(|setting| setting.weight), is_free(|setting| setting.reg));
        let mut near = Vec::new();
        if free_reg {
            near.extend([1.0 / NEXT_REG, NEXT_REG].map(|by| Setting { reg: of.reg * by, ..of }));
        }
        if free_weight {
            let to_match = |by: f64| if free_reg { libm::pow(by, RIDGE) } else { 1.0 };
            near.extend(
                [1.0 / NEXT_WEIGHT, NEXT_WEIGHT]
                    .map(|by| Setting { weight: of.weight * by, reg: of.reg * to_match(by) }),
            );
        }
        near
    }

    /// Checks that a run can be in this state.
    pub(crate) fn check(&self) -> Result<(), StateError> {
        let is_at = self.is_over() || (self.at as usize) < self.candidates.len();
        ensure(is_at && !self.candidates.is_empty(), "the choice of weight and regularisation")
    }
}

#[cfg(test)]
mod tests {
    use raddle_common::testing::pairs;

    use super::*;

    const NOTHING: Choice = Choice { weight: None, reg: None };

    fn started(choice: Choice, power: f64) -> Course {
        Course::new(&choice, 3, [4, 3], power)
    }

    /// Runs a choice by these scores; every trial, and then the fit, starts anew, and ends with its lists.
    fn chosen(choice: Choice, score: impl Fn(Setting) -> f64) -> Course {
        let mut course = started(choice, 0.0);
        let mut turn = course.first();
        while !course.is_over() {
            course.check().unwrap();
            let (setting, trials) = (course.setting(), course.trials.len());
            let next = course.record(if turn.users > 0 { score(setting) } else { f64::NAN });
            assert_eq!((next.setting, course.last(0)), (course.setting(), setting));
            let has_ended = course.trials.len() > trials;
            assert_eq!((turn.users > 0, next.start != Start::Own), (has_ended, has_ended));
            assert_eq!(next.start == Start::Last, course.is_over());
            turn = next;
        }
        assert_eq!((course.last(1), turn.users), (course.setting(), USERS));
        assert!(course.trials.iter().all(|trial| !trial.ndcg.is_nan()));
        course
    }

    /// The distances from a top: in factors of 2 along the ridge, and of 10 across.
    fn distance(Setting { weight, reg }: Setting, top: Setting) -> (f64, f64) {
        let along = (weight / top.weight).log2();
        (along.abs(), ((reg / top.reg).log10() - RIDGE * along * 2.0_f64.log10()).abs())
    }

    #[test]
    fn the_choice_is_next_to_the_top_of_a_hill_and_costs_a_few_fits() {
        for weight in [0.3, 0.7, 1.7, 3.0, 9.0, 30.0, 64.0, 200.0] {
            for level in [0.02, 0.05, 0.1, 0.2, 0.5] {
                let top = Setting { weight, reg: level * 3.0 / 12.0_f64.sqrt() * weight.powf(RIDGE) };
                let height = |setting| {
                    let (along, across) = distance(setting, top);
                    -(along / 2.0).powi(2) - across.powi(2)
                };
                let course = chosen(NOTHING, height);
                let (along, across) = distance(course.setting(), top);
                assert!(along <= 1.0 && across <= 0.5, "{:?} for {top:?}", course.setting());
                let trials = course.into_trials();
                let epochs: u64 = trials.iter().map(|trial| trial.epochs).sum();
                assert_eq!((trials.len(), epochs), (20, 68));
            }
        }
    }

    #[test]
    fn what_is_given_stays_and_the_rest_is_chosen() {
        let top = Setting { weight: 15.0, reg: 1.0 };
        let by_reg = |setting: Setting| -(setting.reg / top.reg).log10().abs();
        let course = chosen(Choice { weight: Some(7.0), reg: None }, by_reg);
        assert!(course.trials.iter().all(|trial| trial.weight == 7.0));
        assert!(by_reg(course.setting()) > -0.3, "{:?}", course.setting());
        let by_weight = |setting: Setting| -(setting.weight / top.weight).log2().abs();
        let course = chosen(Choice { weight: None, reg: Some(33.0) }, by_weight);
        assert!(course.trials.iter().all(|trial| trial.reg == 33.0));
        assert!(by_weight(course.setting()) > -0.6, "{:?}", course.setting());
    }

    #[test]
    fn the_penalties_that_are_tried_do_not_depend_on_the_power() {
        let [plain, half] = [0.0, 0.5].map(|power| started(NOTHING, power).grid);
        for (plain, half) in pairs(&plain, &half) {
            // Three clicks of twelve pairs, and absent ones that count 1 / W.
            let count = (0.25 + 1.0 / plain.weight) * 12.0_f64.sqrt();
            assert!((half.reg * count.sqrt() / plain.reg - 1.0).abs() < 1e-12);
        }
        assert_eq!(plain.len(), 10);
    }
}
