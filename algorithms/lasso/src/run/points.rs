//! [`Points`]: the certified points of a run.

use super::solution::Solution;

/// The certified points, and the progress at the next one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Points {
    /// `true` if the course is a path, whose points are the model.
    pub(crate) is_path: bool,
    pub(crate) position: usize,
    pub(crate) solutions: Vec<Solution>,
}

raddle::state!(Points { is_path, position, solutions });

impl Points {
    /// Records a point and moves on to the next.
    pub(super) fn push(&mut self, solution: Solution) {
        self.solutions.push(solution);
        self.position += 1;
    }

    /// Describes which of `points` points is next, to which the gap belongs; `None` if there is only one.
    pub(super) fn place_in(&self, points: usize) -> Option<String> {
        let next = (self.position + 1).min(points);
        (points > 1).then(|| format!("point {next} of {points}"))
    }
}
