//! [`Points`]: the points of a run's course that are certified.

use super::solution::Solution;

/// The points of the course that are certified, and the one that comes next.
#[derive(Debug, Clone, Default)]
pub(crate) struct Points {
    /// `true` if the course is a path, whose points are the model.
    pub(crate) is_path: bool,
    pub(crate) position: usize,
    pub(crate) solutions: Vec<Solution>,
}

raddle::state!(Points { is_path, position, solutions });

impl Points {
    /// Leaves a point behind.
    pub(super) fn push(&mut self, solution: Solution) {
        self.solutions.push(solution);
        self.position += 1;
    }

    /// Text that says which of so many points comes next: the one that the gap is of. `None` where there is
    /// one point.
    pub(super) fn place_in(&self, points: usize) -> Option<String> {
        let next = (self.position + 1).min(points);
        (points > 1).then(|| format!("point {next} of {points}"))
    }
}
