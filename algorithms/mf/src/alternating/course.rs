//! [`Course`]: weight and regularisation of implicit feedback, chosen while a run goes on.
//!
//! Settings are tried one after the other and judged by the lists for held-out clicks: all of a grid at
//! first, then the better ones for more epochs, each from the factors that it came to (successive halving,
//! Jamieson and Talwalkar 2016), then what lies next to the best. Only the scores decide, so the choice is
//! the same on any number of workers.

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

/// A setting to be tried.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Candidate {
    setting: Setting,
    /// The trial from whose factors it starts; `None` for those that are there.
    from: Option<u64>,
}

raddle::state!(Candidate { setting, from });

/// The next epoch: its setting, and if that is another one, the factors that are stored and loaded.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turn {
    pub(crate) setting: Setting,
    /// The trial that has ended.
    pub(crate) ended: Option<u64>,
    /// The trial from whose factors the epoch starts, unless it starts from those that are there.
    pub(crate) from: Option<u64>,
    /// Trials whose factors are needed later.
    pub(crate) kept: Vec<u64>,
}

raddle::state!(Turn { setting, ended, from, kept });

/// Weights of a count to choose among.
const WEIGHTS: [f64; 4] = [1.0, 4.0, 16.0, 64.0];

/// Regularisations to choose among, each times the middle count of a row and the weight to the power
/// [`RIDGE`]: the best ones of a weight lie near there, by measurements on five public sets.
const REGS: [f64; 3] = [0.03, 0.3, 3.0];
const RIDGE: f64 = 0.6;

/// A stage's choice of candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Stage {
    /// One setting, from whose factors all others start.
    WarmUp,
    /// The whole grid.
    Grid,
    /// So many of the best settings of the stage before.
    Best(usize),
    /// The best setting; those whose regularisation is larger or smaller by the second factor; and those
    /// whose weight is by the first one, with a regularisation to match.
    Next(f64, f64),
}

/// The stages, each with the number of epochs of a setting.
const STAGES: [(Stage, u64); 6] = [
    (Stage::WarmUp, 3),
    (Stage::Grid, 1),
    (Stage::Best(4), 2),
    (Stage::Best(2), 3),
    (Stage::Next(2.0, 1.78), 2),
    (Stage::Next(1.41, 1.33), 2),
];

/// The state of a choice.
#[derive(Debug, Clone, Default)]
pub(crate) struct Course {
    grid: Vec<Setting>,
    /// The candidates of this stage; at its end, the choice.
    candidates: Vec<Candidate>,
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
        // A small regularisation leaves factors that all others can start from.
        let weight = choice.weight.unwrap_or(WEIGHTS[1]);
        let reg = choice.reg.unwrap_or_else(|| regs(weight, &REGS[..2]).iter().sum::<f64>() / 3.0);
        let candidates = vec![Candidate { setting: Setting { weight, reg }, from: None }];
        Self { grid: grid.collect(), candidates, ..Self::default() }
    }

    fn candidate(&self) -> Candidate {
        self.candidates.get(self.at as usize).or(self.candidates.last()).copied().unwrap_or_default()
    }

    /// Returns the setting of the next epoch.
    pub(crate) fn setting(&self) -> Setting {
        self.candidate().setting
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

    /// Records the measure after an epoch with [`setting`](Self::setting); returns what the next one does.
    pub(crate) fn record(&mut self, ndcg: f64) -> Turn {
        let setting = self.setting();
        let epochs = STAGES.get(self.stage as usize).map_or(0, |&(_, epochs)| epochs);
        self.epochs += 1;
        if self.epochs < epochs {
            return Turn { setting, ..Turn::default() };
        }
        let ended = self.trials.len() as u64;
        self.trials.push(Trial { stage: self.stage, weight: setting.weight, reg: setting.reg, epochs, ndcg });
        (self.epochs, self.at) = (0, self.at + 1);
        if self.at as usize >= self.candidates.len() {
            (self.candidates, self.stage, self.at) = (self.next_candidates(), self.stage + 1, 0);
        }
        let Candidate { setting, from } = self.candidate();
        Turn { setting, ended: Some(ended), from, kept: self.kept() }
    }

    /// Returns the numbers of the trials of this stage, the best first; the first of equals comes first.
    fn ranked(&self) -> Vec<u64> {
        let of_stage = (0..).zip(&self.trials).filter(|(_, trial)| trial.stage == self.stage);
        let mut ranked: Vec<(u64, &Trial)> = of_stage.collect();
        ranked.sort_by(|a, b| b.1.ndcg.total_cmp(&a.1.ndcg));
        ranked.into_iter().map(|(number, _)| number).collect()
    }

    /// Returns the trials whose factors are needed: by what is to be tried, or by the next stage.
    fn kept(&self) -> Vec<u64> {
        let most = match STAGES.get(self.stage as usize + 1) {
            Some(&(Stage::Best(count), _)) => count,
            _ => 1,
        };
        let waiting = self.candidates.iter().skip(self.at as usize).filter_map(|candidate| candidate.from);
        waiting.chain(self.ranked().into_iter().take(most)).collect()
    }

    /// Returns the candidates of the next stage, or the choice.
    fn next_candidates(&self) -> Vec<Candidate> {
        let setting = |number: u64| {
            let Trial { weight, reg, .. } = self.trials.get(number as usize).copied().unwrap_or_default();
            Setting { weight, reg }
        };
        let ranked = self.ranked().into_iter();
        let of = |number: u64| Candidate { setting: setting(number), from: Some(number) };
        match STAGES.get(self.stage as usize + 1).map(|&(stage, _)| stage) {
            Some(Stage::Best(count)) => ranked.take(count).map(of).collect(),
            Some(Stage::Grid) => {
                let from = ranked.last();
                self.grid.iter().map(|&setting| Candidate { setting, from }).collect()
            }
            Some(Stage::Next(weight, reg)) => {
                let near = |from: u64| {
                    let near = self.near(setting(from), weight, reg).into_iter();
                    near.map(move |setting| Candidate { setting, from: Some(from) })
                };
                ranked.take(1).flat_map(near).collect()
            }
            Some(Stage::WarmUp) | None => ranked.take(1).map(of).collect(),
        }
    }

    /// Returns a setting, and those on its sides; a weight or regularisation that is given stays.
    fn near(&self, of: Setting, weight: f64, reg: f64) -> Vec<Setting> {
        let is_free = |value: fn(&Setting) -> f64| self.grid.iter().any(|other| value(other) != value(&of));
        let (free_weight, free_reg) = (is_free(|setting| setting.weight), is_free(|setting| setting.reg));
        let mut near = vec![of];
        if free_reg {
            near.extend([1.0 / reg, reg].map(|by| Setting { reg: of.reg * by, ..of }));
        }
        if free_weight {
            let to_match = |by: f64| if free_reg { libm::pow(by, RIDGE) } else { 1.0 };
            near.extend(
                [1.0 / weight, weight]
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

    /// Runs a choice by these scores, with factors that are named by their trial.
    fn chosen(choice: Choice, score: impl Fn(Setting) -> f64) -> Course {
        let mut course = started(choice, 0.0);
        let mut stored: Vec<u64> = Vec::new();
        while !course.is_over() {
            course.check().unwrap();
            let setting = course.setting();
            let turn = course.record(score(setting));
            assert_eq!((turn.setting, course.last(0)), (course.setting(), setting));
            stored.extend(turn.ended);
            assert!(turn.from.is_none_or(|from| stored.contains(&from)), "{turn:?} of {stored:?}");
            stored.retain(|number| turn.ended.is_none() || turn.kept.contains(number));
            assert!(stored.len() <= 5, "{stored:?}");
        }
        assert_eq!(course.last(1), course.setting());
        course
    }

    /// The distances from a top: in factors of 2 along the ridge, and of 10 across.
    fn distance(Setting { weight, reg }: Setting, top: Setting) -> (f64, f64) {
        let along = (weight / top.weight).log2();
        (along.abs(), ((reg / top.reg).log10() - RIDGE * along * 2.0_f64.log10()).abs())
    }

    #[test]
    fn the_choice_is_next_to_the_top_of_a_hill_and_costs_a_few_fits() {
        for weight in [1.0, 1.7, 3.0, 9.0, 30.0, 64.0] {
            for level in [0.03, 0.1, 0.4, 1.0, 3.0] {
                let top = Setting { weight, reg: level * 3.0 / 12.0_f64.sqrt() * weight.powf(RIDGE) };
                let height = |setting| {
                    let (along, across) = distance(setting, top);
                    -(along / 2.0).powi(2) - across.powi(2)
                };
                let course = chosen(NOTHING, height);
                let (along, across) = distance(course.setting(), top);
                assert!(along <= 0.75 && across <= 0.4, "{:?} for {top:?}", course.setting());
                let trials = course.into_trials();
                let epochs: u64 = trials.iter().map(|trial| trial.epochs).sum();
                assert_eq!((trials.len(), epochs), (29, 49));
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
        assert_eq!(plain.len(), 12);
    }
}
