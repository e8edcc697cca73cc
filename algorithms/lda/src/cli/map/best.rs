//! [`Best`]: the best few of many.

/// The best of the candidates, in descending order; of equal ones the earlier comes first.
#[derive(Debug, Clone)]
pub(super) struct Best<T> {
    most: usize,
    /// Score and candidate.
    found: Vec<(f64, T)>,
}

impl<T> Best<T> {
    /// Limit on their number.
    pub(super) fn new(most: usize) -> Self {
        Self { most, found: Vec::with_capacity(most) }
    }

    /// Adds a candidate if it is among the best so far.
    pub(super) fn offer(&mut self, score: f64, what: T) {
        if self.found.len() == self.most {
            match self.found.last() {
                Some(&(last, _)) if score > last => drop(self.found.pop()),
                _ => return,
            }
        }
        let at = self.found.partition_point(|&(other, _)| other >= score);
        self.found.insert(at, (score, what));
    }

    /// Returns the best with their scores.
    pub(super) fn found(&self) -> &[(f64, T)] {
        &self.found
    }
}
