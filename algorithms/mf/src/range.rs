//! Checks of parameters before a fit: their ranges, and whether they suit each other and the data.

use raddle_common::number;
use raddle_datasets::room;

use crate::error::MfError;
use crate::input::problem::Problem;
use crate::params::{Equations, Method, Mf, ScheduleKind};

/// Largest number of shards or blocks that may be asked for; data that need more get them anyway.
const MOST_PARTS: usize = 4096;

/// Largest number of cells (shards times blocks) that may be asked for, as each has memory of its own.
const MOST_CELLS: usize = 1 << 16;

/// Largest number of passes of coordinate descent over a rank.
const MOST_PASSES: usize = 100;

/// Largest number of conjugate gradient steps: a row has no more values.
const MOST_STEPS: usize = 4098;

impl Mf {
    /// Checks that every parameter is in its range, and suits the others and the data.
    pub(crate) fn check(&self, problem: &Problem) -> Result<(), MfError> {
        let refuse = |name, value: String, range| Err(MfError::Parameter { name, value, range });
        if !(1..=4096).contains(&self.rank) {
            return refuse("rank", self.rank.to_string(), "it must be from 1 to 4096");
        }
        for (name, value) in [("reg", self.reg.unwrap_or(0.0)), ("bias-reg", self.bias_reg)] {
            if !(value >= 0.0 && value.is_finite()) {
                return refuse(name, number(value), "it must be a number of 0 or more");
            }
        }
        let positive = [
            ("implicit", self.implicit.unwrap_or(1.0)),
            ("step", self.step.unwrap_or(1.0)),
            ("item-step", self.item_step),
            ("init-scale", self.init_scale),
            ("bias-step", self.bias_step),
            ("target", self.target.unwrap_or(1.0)),
        ];
        for (name, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return refuse(name, number(value), "it must be a number above 0");
            }
        }
        for (name, power) in [("count-power", self.count_power), ("reg-power", self.reg_power)] {
            if let Some(power) = power.filter(|power| !(0.0..=1.0).contains(power)) {
                return refuse(name, number(power), "it must lie between 0 and 1");
            }
        }
        let counts = [
            ("epochs", self.epochs.map_or(1, |epochs| epochs as usize)),
            ("inner", self.inner),
            ("shards", self.shards.unwrap_or(1)),
            ("blocks", self.blocks.unwrap_or(1)),
        ];
        for (name, value) in counts {
            if value == 0 {
                return refuse(name, "0".into(), "there must be at least 1");
            }
        }
        self.check_sizes()?;
        let (rows, what) = (problem.users + problem.items, "the factors of all users and items");
        room::<f32>(rows.saturating_mul(self.rank), what).map_err(MfError::Memory)?;
        if self.schedule == ScheduleKind::Priority && self.method != Method::Sgd {
            return refuse("schedule", "priority".into(), "only --solver sgd has blocks that could go first");
        }
        self.check_implicit()?;
        if problem.less != 0.0 && !self.is_centered() {
            return Err(MfError::Less(problem.less));
        }
        if let Some(target) = self.target.filter(|_| self.method != Method::Sgd && problem.measured.is_none())
        {
            return refuse("target", number(target), "nothing is held out that it could be checked on");
        }
        match &self.init {
            Some(model) if model.rank != self.rank => {
                Err(MfError::Rank { found: model.rank, wanted: self.rank })
            }
            _ => Ok(()),
        }
    }

    /// Checks the sizes by which memory and work grow, whatever the data are.
    fn check_sizes(&self) -> Result<(), MfError> {
        let refuse =
            |name, value: usize, range| Err(MfError::Parameter { name, value: value.to_string(), range });
        for (name, parts) in [("shards", self.shards), ("blocks", self.blocks)] {
            if let Some(parts) = parts.filter(|&parts| parts > MOST_PARTS) {
                return refuse(name, parts, "at most 4096 are supported");
            }
        }
        let (shards, blocks) = (self.shards.unwrap_or(1), self.blocks.or(self.shards).unwrap_or(1));
        if self.method == Method::Sgd && shards * blocks > MOST_CELLS {
            return refuse("shards", shards, "times the blocks it must not exceed 65536");
        }
        if self.inner > MOST_PASSES {
            return refuse("inner", self.inner, "at most 100 passes are supported");
        }
        match self.equations {
            Some(Equations::Gradients(0)) => refuse("cg-steps", 0, "there must be at least 1"),
            Some(Equations::Gradients(steps)) if steps > MOST_STEPS => {
                refuse("cg-steps", steps, "at most 4098 are supported, as many as a row has values")
            }
            _ => Ok(()),
        }
    }

    fn check_implicit(&self) -> Result<(), MfError> {
        let refuse = |name, value: &str, range| Err(MfError::Parameter { name, value: value.into(), range });
        if self.implicit.is_none() {
            return match self.count_alone {
                true => refuse("count-alone", "given", "it is of implicit feedback"),
                false => Ok(()),
            };
        }
        if self.method != Method::Als {
            return refuse("implicit", "given", "only --solver als knows implicit feedback");
        }
        if self.non_negative {
            return refuse("nonnegative", "given", "it is not supported with --implicit");
        }
        if self.target.is_some() {
            return refuse("target", "given", "it is a root mean squared error, which --implicit has not");
        }
        Ok(())
    }
}
