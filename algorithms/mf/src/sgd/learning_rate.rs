//! [`LearningRateSchedule`]: the length of a run of gradient steps, and the size of its steps.
//!
//! A stage of T epochs has steps that fall by a half cosine (Loshchilov and Hutter, "SGDR", 2017) from the
//! first to a fiftieth of it; small steps and a strong decay suit long stages. A run of unknown length has
//! one stage if the validation error has settled at its end; else longer stages follow, each from new
//! factors, while the error falls by enough to be worth them.

use raddle_kernels::factors::Steps;

/// Lengths of the stages of a run of unknown length that measures on held-out ratings.
const STAGES: [u32; 6] = [14, 40, 80, 160, 320, 640];

/// Length of the stage before these of a run that has a target: few epochs reach most of the way.
const FIRST: u32 = 7;

/// Length of the only stage of a run of unknown length without held-out ratings: nothing would show that a
/// longer one fits noise.
const UNMEASURED: u32 = 10;

/// Ratio of a stage's last step to its first.
const LAST: f64 = 0.02;

/// The stages of a run, and the settings of their steps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LearningRateSchedule {
    /// Number of epochs of each stage.
    pub(crate) lengths: Vec<u32>,
    /// Number of epochs after which the first stage ends, if that is before its length.
    pub(crate) cut: Option<u32>,
    /// The first step, in standard deviations of the ratings. Default: by the length.
    pub(crate) step: Option<f64>,
    /// The regularisation, in ratings. Default: by the length.
    pub(crate) decay: Option<f64>,
    /// The step of biases, as a share of that of factors; 0 without biases.
    pub(crate) bias: f64,
    /// The regularisation of biases, in ratings.
    pub(crate) bias_decay: f64,
    /// Factors of the steps of users and of items.
    pub(crate) shares: [f64; 2],
    pub(crate) non_negative: bool,
    /// The end of a stage to repeat, if the run continues from factors that were trained before.
    pub(crate) tail: Option<Tail>,
}

/// The way in which a run continues: each stage is the end of a stage of `length` epochs, and starts with the
/// factors of the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tail {
    /// Number of epochs of the stage whose steps and decay are used.
    pub(crate) length: u32,
}

/// Lengths of the stages of a run that continues while validation gains: together at most a quarter of a long
/// run.
const TAILS: [u32; 4] = [2, 2, 2, 2];

/// Point of the half cosine at which such a stage starts. On public ratings twenty versions of a hundredth
/// each then do as well as fits from scratch, or better; from 0.8 on they lose a little with each version, as
/// steps that large undo the work of the smallest ones.
const FROM: f64 = 0.9;

impl LearningRateSchedule {
    /// Returns these stages for a run that ends at a target: one of unknown length begins with a short stage.
    pub(crate) fn to_target(stages: Vec<u32>) -> Vec<u32> {
        if stages == STAGES { [vec![FIRST], stages].concat() } else { stages }
    }

    /// Returns the stages for a run of `epochs` epochs, or of unknown length.
    pub(crate) fn stages(epochs: Option<u64>, is_measured: bool) -> Vec<u32> {
        match epochs {
            Some(epochs) => vec![u32::try_from(epochs).unwrap_or(u32::MAX)],
            None if is_measured => STAGES.to_vec(),
            None => vec![UNMEASURED],
        }
    }

    /// Returns the stages for a run that continues from an earlier fit: at most `epochs` together.
    pub(crate) fn tails(epochs: Option<u64>) -> Vec<u32> {
        let mut left = epochs.unwrap_or(u64::MAX);
        let shorten = |length: u32| {
            let length = left.min(u64::from(length));
            left -= length;
            length as u32
        };
        TAILS.into_iter().map(shorten).filter(|&length| length > 0).collect()
    }

    /// Returns the number of epochs of a stage that are run.
    pub(crate) fn length(&self, stage: u32) -> u32 {
        let length = self.lengths.get(stage as usize).copied().unwrap_or(0);
        length.min(self.cut.unwrap_or(u32::MAX))
    }

    /// Returns the steps of epoch `epoch` of stage `stage`, both from 0, if ratings are divided by `scale`.
    pub(crate) fn steps(&self, stage: u32, epoch: u32, scale: f64) -> Steps {
        let length = self.lengths.get(stage as usize).copied().unwrap_or(1).max(1);
        let turn = std::f64::consts::PI * f64::from(epoch.min(length)) / f64::from(length);
        let (length, turn) = match self.tail {
            Some(tail) => (tail.length.max(1), FROM * std::f64::consts::PI + (1.0 - FROM) * turn),
            None => (length, turn),
        };
        let first = self.step.unwrap_or_else(|| default_step(length));
        let factor = first * (LAST + (1.0 - LAST) * 0.5 * (1.0 + libm::cos(turn)));
        Steps {
            factor: factor as f32,
            decay: self.decay.map_or_else(|| default_decay(length), |decay| decay / scale) as f32,
            bias: (self.bias * factor) as f32,
            bias_decay: (self.bias_decay / scale) as f32,
            shares: (self.shares[0] as f32, self.shares[1] as f32),
            non_negative: self.non_negative,
        }
    }
}

/// Returns the first step of a stage of this number of epochs.
fn default_step(length: u32) -> f64 {
    (0.09 * libm::pow(5.0 / f64::from(length), 0.55)).clamp(0.02, 0.1)
}

/// Returns the decay for a stage of this number of epochs: longer training fits noise unless the decay is
/// stronger.
pub(crate) fn default_decay(length: u32) -> f64 {
    (0.027 * libm::pow(f64::from(length) / 5.0, 0.4)).clamp(0.02, 0.045)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_fall_from_the_first_to_a_fiftieth() {
        let rates = LearningRateSchedule {
            lengths: LearningRateSchedule::stages(Some(8), true),
            cut: None,
            step: Some(0.1),
            decay: None,
            bias: 0.3,
            bias_decay: 0.02,
            shares: [1.0, 1.0],
            non_negative: false,
            tail: None,
        };
        let steps: Vec<f32> = (0..=8).map(|epoch| rates.steps(0, epoch, 1.0).factor).collect();
        assert!((steps[0] - 0.1).abs() < 1e-7 && (steps[8] - 0.002).abs() < 1e-7, "{steps:?}");
        assert!(steps.is_sorted_by(|a, b| a > b));
    }

    #[test]
    fn a_run_that_goes_on_is_as_long_as_it_may_be_together() {
        for (epochs, stages) in
            [(None, &[2, 2, 2, 2][..]), (Some(1), &[1]), (Some(3), &[2, 1]), (Some(99), &[2; 4])]
        {
            assert_eq!(LearningRateSchedule::tails(epochs), stages);
        }
    }

    #[test]
    fn a_run_of_unknown_length_begins_short_if_it_has_a_target() {
        let stages = |epochs, is_measured| LearningRateSchedule::stages(epochs, is_measured);
        let [usual, short] = [stages(None, true), LearningRateSchedule::to_target(stages(None, true))];
        assert_eq!((short[0] < usual[0], &short[1..]), (true, &usual[..]));
        for given in [stages(Some(14), true), stages(None, false)] {
            assert_eq!(LearningRateSchedule::to_target(given.clone()), given);
        }
    }

    #[test]
    fn long_stages_have_smaller_steps_and_more_decay() {
        assert!(default_step(20) < default_step(5) && default_decay(20) > default_decay(5));
    }
}
