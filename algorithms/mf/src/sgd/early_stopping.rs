//! [`EarlyStopping`]: the stage and the best epoch of a run by gradient steps, and the decision when it ends.

use raddle::Status;

use super::learning_rate::LearningRateSchedule;
use super::replica::{EpochPlan, Errors};

/// Number of evaluations without a new best after which a stage ends.
const PATIENCE: u32 = 3;

/// A stage must lower the best error by this share for a longer one to follow: by the second share if it is
/// [`LONG`].
const WORTH: [f64; 2] = [0.001, 0.005];

/// The first stage has no stage before it: it must lower the error by this share in its last quarter for
/// another one to follow. On six public sets, where 40 epochs gain at most 0.0023, the small steps at the end
/// lower the error by at most 0.0041.
const STILL_FALLS: f64 = 0.005;

/// Number of epochs from which a stage is long.
const LONG: u32 = 40;

/// Number of epochs up to which longer stages are tried, whatever earlier ones gained, if the mean of the
/// ratings predicts better than the run so far: factors with few ratings per row begin to fit late.
const TRIED: u32 = 160;

/// The pinned block of a run by gradient steps.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlyStopping {
    stage: u32,
    /// Number of completed epochs in the stage.
    done: u32,
    /// The best root mean squared error on held-out ratings; the next field is the epoch of the run after
    /// which it was measured.
    pub(crate) best: f64,
    pub(crate) best_epoch: u64,
    /// The stage of the best epoch; the next field is the number of its epochs up to then.
    best_stage: u32,
    best_length: u32,
    /// The best error before the stage began.
    before: f64,
    without_progress: u32,
    /// The error after each epoch.
    pub(crate) log: Vec<f64>,
    /// For each cell, the mean squared error at its last visit.
    cells: Vec<f64>,
    /// Plan of the current epoch, and the errors met in it.
    pub(crate) now: EpochPlan,
    pub(crate) errors: Errors,
}

raddle::state!(EarlyStopping {
    stage,
    done,
    best,
    best_epoch,
    best_stage,
    best_length,
    before,
    without_progress,
    log,
    cells,
    now,
    errors
});

/// Decision after an epoch.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AfterEpoch {
    Epoch(EpochPlan),
    /// The run is over: its stopping rule holds, or the given length is completed.
    Done(Status),
}

impl EarlyStopping {
    pub(crate) fn new(cells: usize) -> Self {
        Self {
            stage: 0,
            done: 0,
            best: f64::INFINITY,
            best_epoch: 0,
            best_stage: 0,
            best_length: 0,
            before: f64::INFINITY,
            without_progress: 0,
            log: Vec::new(),
            cells: vec![f64::INFINITY; cells],
            now: EpochPlan::default(),
            errors: Errors::default(),
        }
    }

    /// A run that continues from factors with this error on held-out ratings, if there are any.
    pub(crate) fn going_on(cells: usize, error: Option<f64>) -> Self {
        let best = error.unwrap_or(f64::INFINITY);
        Self { before: best, ..Self::new(cells) }
    }

    /// Returns the error at the start of the stage, if it was known.
    pub(super) fn before(&self) -> Option<f64> {
        Some(self.before).filter(|before| before.is_finite())
    }

    /// Checks that a run with this schedule of steps, over this number of cells, can be in this state.
    pub(crate) fn fits(&self, rates: &LearningRateSchedule, cells: usize) -> bool {
        let is_stage = |stage: u32| (stage as usize) < rates.lengths.len();
        let is_within = self.without_progress <= self.done && self.done <= rates.length(self.stage);
        let is_counted = self.cells.len() == cells && !self.best.is_nan() && !self.before.is_nan();
        [self.stage, self.best_stage, self.now.stage].into_iter().all(is_stage) && is_within && is_counted
    }

    /// Returns the plan of the first epoch.
    pub(crate) fn first(&self, rates: &LearningRateSchedule, scale: f64) -> EpochPlan {
        EpochPlan { stage: 0, keep: false, steps: rates.steps(0, 0, scale) }
    }

    /// Returns the stage length and the number of its epochs after which the run was best.
    pub(crate) fn length(&self) -> (u32, u32) {
        (self.best_stage, self.best_length)
    }

    /// Records the error after `epoch` epochs, if measured, and decides what follows; `mean` is the error of
    /// the mean on the same ratings.
    pub(crate) fn next(
        &mut self,
        rates: &LearningRateSchedule,
        scale: f64,
        epoch: u64,
        measured: Option<f64>,
        mean: Option<f64>,
    ) -> AfterEpoch {
        self.done += 1;
        let length = rates.length(self.stage);
        let mut keep = false;
        match measured {
            Some(error) if error < self.best => {
                (self.best, self.best_epoch) = (error, epoch);
                (self.best_stage, self.best_length) = (self.stage, self.done);
                (self.without_progress, keep) = (0, true);
            }
            Some(_) => self.without_progress += 1,
            None => (self.best_epoch, self.best_length) = (epoch, self.done),
        }
        let plan = |stage: u32, done: u32| {
            AfterEpoch::Epoch(EpochPlan { stage, keep, steps: rates.steps(stage, done, scale) })
        };
        let is_behind = measured.is_some() && mean.is_some_and(|mean| self.best >= mean);
        // Errors may rise while steps are large: their effect shows once steps are small; for a run behind
        // the mean, at the end of the stage.
        let is_over = 2 * self.done > length && self.stage == self.best_stage && !is_behind;
        let without_progress = self.without_progress >= PATIENCE && is_over;
        if self.done < length && !without_progress {
            return plan(self.stage, self.done);
        }
        let worth = WORTH[usize::from(length >= LONG)];
        let was_worth = measured.is_some()
            && match self.before() {
                Some(before) => self.best < before * (1.0 - worth),
                None => self.still_falls(),
            };
        // None follows if the run continues from an earlier fit, or if the mean is exact but for rounding.
        let is_tried = is_behind && rates.tail.is_none() && length < TRIED;
        let is_exact = mean.is_some_and(|mean| mean <= 1e-12 * scale);
        if is_exact || !(was_worth || is_tried) || self.stage as usize + 1 >= rates.lengths.len() {
            // A run of a given length is one stage.
            let is_completed = rates.lengths.len() == 1 && !without_progress;
            return AfterEpoch::Done(if is_completed { Status::Completed } else { Status::Converged });
        }
        (self.stage, self.done, self.without_progress, self.before) = (self.stage + 1, 0, 0, self.best);
        plan(self.stage, 0)
    }

    /// `true` if the last quarter of the only stage so far has lowered the best error enough for a longer
    /// one.
    fn still_falls(&self) -> bool {
        let recent = self.done.div_ceil(4) as usize;
        let earlier = &self.log[..self.log.len().saturating_sub(recent)];
        let least = earlier.iter().copied().fold(f64::INFINITY, f64::min);
        self.best < least * (1.0 - STILL_FALLS)
    }

    /// Returns the mean squared error of each cell, as met when it was last trained.
    #[cfg(test)]
    pub(crate) fn cell_errors(&self) -> &[f64] {
        &self.cells
    }

    /// Returns how much the mean squared error of each trained cell fell since it was last trained.
    pub(crate) fn reductions(&mut self, visited: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let mut fell = Vec::new();
        for &(cell, error) in visited {
            let before = std::mem::replace(&mut self.cells[cell as usize], error);
            fell.push((cell, if before.is_finite() { before - error } else { error }));
        }
        fell
    }
}

#[cfg(test)]
mod tests {
    use super::super::learning_rate::Tail;
    use super::*;

    fn rates(lengths: &[u32]) -> LearningRateSchedule {
        LearningRateSchedule {
            lengths: lengths.to_vec(),
            cut: None,
            step: None,
            decay: None,
            bias: 0.3,
            bias_decay: 0.02,
            shares: [1.0, 1.0],
            non_negative: false,
            tail: None,
        }
    }

    /// Returns the number of epochs that run, and the best one.
    fn run(rates: &LearningRateSchedule, errors: impl Fn(u64) -> Option<f64>) -> (u64, u64) {
        against(None, rates, errors)
    }

    /// Tests the stopping rule if the mean has this error.
    fn against(
        mean: Option<f64>,
        rates: &LearningRateSchedule,
        errors: impl Fn(u64) -> Option<f64>,
    ) -> (u64, u64) {
        let mut solver = EarlyStopping::new(1);
        for epoch in 1.. {
            solver.log.extend(errors(epoch));
            if matches!(solver.next(rates, 1.0, epoch, errors(epoch), mean), AfterEpoch::Done(_)) {
                return (epoch, solver.best_epoch);
            }
        }
        unreachable!()
    }

    #[test]
    fn a_run_without_measurement_completes_its_course() {
        assert_eq!(run(&rates(&[7]), |_| None), (7, 7));
        // The last epoch is the best, whatever the error.
        let mut solver = EarlyStopping::new(1);
        for epoch in 1..=3 {
            solver.next(&rates(&[7]), 1.0, epoch, None, None);
            assert_eq!((solver.length(), solver.best_epoch), ((0, epoch as u32), epoch));
        }
    }

    #[test]
    fn what_goes_on_must_first_gain_on_what_it_begins_with() {
        let rates = LearningRateSchedule { tail: Some(Tail { length: 20 }), ..rates(&[2, 2, 2]) };
        let epochs = |before: Option<f64>, errors: [f64; 6]| {
            let mut solver = EarlyStopping::going_on(1, before);
            let mut next = |epoch: usize| {
                let error = before.map(|_| errors[epoch - 1]);
                matches!(solver.next(&rates, 1.0, epoch as u64, error, None), AfterEpoch::Done(_))
            };
            (1..=6).find(|&epoch| next(epoch))
        };
        assert_eq!(epochs(Some(1.0), [1.1, 0.9995, 0.1, 0.1, 0.1, 0.1]), Some(2), "half a thousandth");
        assert_eq!(
            epochs(Some(1.0), [0.9985, 1.1, 0.9985, 0.998, 0.1, 0.1]),
            Some(4),
            "then half a thousandth"
        );
        assert_eq!(epochs(Some(1.0), [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]), Some(6));
        assert_eq!(epochs(None, [0.0; 6]), Some(2), "nothing is measured");
    }

    #[test]
    fn only_what_a_run_can_have_come_to_is_taken_back() {
        let rates = rates(&[2, 4]);
        let mut come = EarlyStopping::new(6);
        for (epoch, error) in (1..).zip([0.9, 1.0, 1.0, 0.8]) {
            assert!(come.fits(&rates, 6), "before epoch {epoch}");
            assert!(matches!(come.next(&rates, 1.0, epoch, Some(error), None), AfterEpoch::Epoch(_)));
        }
        assert!(come.fits(&rates, 6));
        assert!(!come.fits(&rates, 5) && !come.fits(&rates, 7), "of another grid");
        type Forge = fn(&mut EarlyStopping);
        let forged: [(&str, Forge); 8] = [
            ("a best error that is no number", |run| run.best = f64::NAN),
            ("an error before the stage that is no number", |run| run.before = f64::NAN),
            ("a stage beyond the last", |run| run.stage = 2),
            ("a best stage beyond the last", |run| run.best_stage = 2),
            ("a stage under way beyond the last", |run| run.now.stage = 2),
            ("more epochs than the stage has", |run| run.done = 5),
            ("more epochs in vain than there were", |run| run.without_progress = run.done + 1),
            ("a cell less", |run| run.cells.truncate(5)),
        ];
        for (what, forge) in forged {
            let mut run = come.clone();
            forge(&mut run);
            assert!(!run.fits(&rates, 6), "{what}");
        }
    }

    #[test]
    fn a_stage_that_no_longer_gains_is_the_last() {
        assert_eq!(run(&rates(&[2, 4, 8]), |epoch| Some(1.0 / epoch as f64)), (14, 14));
        assert_eq!(run(&rates(&[2, 4, 8]), |epoch| Some(if epoch == 2 { 0.5 } else { 0.6 })), (6, 2));
    }

    #[test]
    fn a_run_behind_the_mean_tries_a_long_stage_before_it_gives_up() {
        let rates = rates(&LearningRateSchedule::stages(None, true));
        let flat = |_| Some(1.1);
        assert_eq!([run(&rates, flat), against(Some(1.0), &rates, flat)], [(8, 1), (294, 1)]);
        // The error falls late, but then it keeps falling.
        let late = |epoch: u64| Some(if epoch <= 75 { 1.1 } else { 80.0 / epoch as f64 });
        assert_eq!(against(Some(1.0), &rates, late), (1254, 1254));
        let exact = against(Some(0.0), &rates, late);
        assert_eq!((run(&rates, late).0, exact), (8, (14, 1)), "nothing is better than the mean");
    }

    #[test]
    fn a_long_stage_must_gain_more_for_a_longer_one_to_follow() {
        let rates = rates(&LearningRateSchedule::stages(None, true));
        // Each stage lowers the error by this share, and the end of the first by a hundredth.
        let falls = |share: f64| {
            move |epoch: u64| {
                let stage = [14, 54, 134, 294, 614].into_iter().filter(|&end| end < epoch).count() as i32;
                let first = if epoch > 10 { 1.0 } else { 1.01 };
                Some(first * (1.0 - share).powi(stage) * (1.0 - 1e-7 * epoch as f64))
            }
        };
        assert_eq!(run(&rates, falls(0.0005)).0, 54);
        assert_eq!(run(&rates, falls(0.003)).0, 54);
        assert_eq!(run(&rates, falls(0.01)).0, 1254);
    }

    #[test]
    fn a_first_stage_whose_error_has_settled_is_the_only_one() {
        let rates = rates(&LearningRateSchedule::stages(None, true));
        let settles = |epoch: u64| Some(1.0 + 0.5f64.powi(epoch as i32));
        assert_eq!(run(&rates, settles), (14, 14));
        assert_eq!(run(&rates, |epoch| settles(epoch.min(9))), (12, 9));
        // The error falls by a thousandth per epoch, and by two.
        let falls = |share: f64| move |epoch: u64| Some((1.0 - share).powi(epoch.min(14) as i32));
        assert_eq!(run(&rates, falls(0.001)).0, 14);
        assert_eq!(run(&rates, falls(0.002)).0, 54);
    }

    #[test]
    fn errors_that_rise_for_three_epochs_end_a_stage_in_its_second_half() {
        assert_eq!(run(&rates(&[20]), |epoch| Some((epoch as f64 - 9.0).abs())), (12, 9));
        assert_eq!(run(&rates(&[20]), |epoch| Some((epoch as f64 - 2.0).abs())), (11, 2));
    }
}
