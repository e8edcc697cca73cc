//! [`Verdict`]: a program's conclusion at a boundary, with the [`Metric`] that the run is judged by.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

/// A number that a run is judged by; where it has a target, smaller is better.
///
/// ```
/// use raddle::Metric;
/// let rmse = Metric::new("rmse", 0.91, "validation data").target(0.9);
/// assert!(!rmse.is_reached() && rmse.is_missed() && !rmse.certified);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// Name of the metric, such as `rmse`.
    pub name: String,
    /// Value of the metric; not a number (in JSON `null`) as long as nothing has been measured.
    #[serde(deserialize_with = "null_or_number")]
    pub value: f64,
    /// The run is done at or below this value; `None` if no target was given.
    pub target: Option<f64>,
    /// Place of the measurement, such as `validation data`.
    pub on: String,
    /// `true` if the value is a proven bound on the distance to the optimum, such as a duality gap, and not
    /// an estimate.
    pub certified: bool,
}

/// A number as JSON has it, which writes `null` for each that is not finite.
fn null_or_number<'de, D: Deserializer<'de>>(json: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(json)?.unwrap_or(f64::NAN))
}

impl Metric {
    /// An estimate without a target.
    pub fn new(name: &str, value: f64, on: &str) -> Self {
        Self { name: name.into(), value, target: None, on: on.into(), certified: false }
    }

    /// With the value at which the run is done, if there is one.
    pub fn target(self, target: impl Into<Option<f64>>) -> Self {
        Self { target: target.into(), ..self }
    }

    /// As a proven bound, not an estimate.
    pub fn certified(self) -> Self {
        Self { certified: true, ..self }
    }

    /// `true` if there is a target and the value is at or below it.
    pub fn is_reached(&self) -> bool {
        self.target.is_some_and(|target| self.value <= target)
    }

    /// `true` if there is a target and the value is not at or below it.
    pub fn is_missed(&self) -> bool {
        self.target.is_some() && !self.is_reached()
    }
}

/// State of the run at a boundary in the program's judgement, beside its metric.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Status {
    /// The run goes on, unless the metric has reached its target or a limit ends it.
    #[default]
    Continue,
    /// The program's own stopping rule holds: no further epoch would gain enough.
    Converged,
    /// The length that the program gave its run is completed: converged without a target, a limit with one
    /// that is missed.
    Completed,
    /// The run has lost its way and will not find it again.
    Diverged,
}

/// A program's conclusion at a boundary: the metric, the status of the run, and hints for the schedule.
///
/// A metric at or below its target ends the run whatever the status says, and so does one whose value is not
/// finite: the run has then diverged.
#[derive(Debug, Clone)]
pub struct Verdict<C> {
    /// The metric, as measured here or last.
    pub metric: Metric,
    /// `true` if it was measured at this boundary; otherwise the value is that of the last measurement.
    pub measured: bool,
    /// The program's judgement of the run: on, or over.
    pub status: Status,
    /// Position of the run, to be shown: `point 3 of 50`, say. `None` if there is nothing to tell.
    pub position: Option<String>,
    /// The objective, for programs whose rounds may never worsen it; the guard watches it.
    pub objective: Option<f64>,
    /// Importance of variables, as (variable, weight): all of them, or the most important first.
    pub weights: Vec<(u32, f64)>,
    /// Number of `weights` that the program would like the schedule to take; 0 leaves it to the schedule.
    pub batch_hint: usize,
    /// A change to commit before the next round, if the conclusion makes one.
    pub change: Option<C>,
    /// Note to show with the progress at this boundary, such as that a search begins anew.
    pub note: Option<String>,
    /// Further values to show and to trace, by name. Nothing follows from them.
    pub shown: BTreeMap<String, f64>,
}

/// The run goes on unless this metric has reached its target.
impl<C> From<Metric> for Verdict<C> {
    fn from(metric: Metric) -> Self {
        Self::new(metric)
    }
}

impl<C> Verdict<C> {
    /// The run goes on unless this metric has reached its target.
    pub fn new(metric: Metric) -> Self {
        Self {
            metric,
            measured: true,
            status: Status::Continue,
            position: None,
            objective: None,
            weights: Vec::new(),
            batch_hint: 0,
            change: None,
            note: None,
            shown: BTreeMap::new(),
        }
    }

    /// The run goes on: nothing is measured at this boundary.
    pub fn unmeasured(name: &str, on: &str) -> Self {
        Self { measured: false, ..Self::new(Metric::new(name, f64::NAN, on)) }
    }

    /// With a further value to show and to trace.
    pub fn show(mut self, name: &str, value: f64) -> Self {
        self.shown.insert(name.into(), value);
        self
    }

    /// With this status.
    pub fn status(self, status: Status) -> Self {
        Self { status, ..self }
    }
}

// A metric travels in snapshots with the schedule that waits for it.
crate::state!(Metric { name, value, target, on, certified });
crate::state!(
    enum Status {
        Continue,
        Converged,
        Completed,
        Diverged,
    }
);
