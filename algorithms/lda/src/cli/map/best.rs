//! [`Best`]: the best of many.

/// The best of many that are offered, best first; of equal ones the first that was offered.
#[derive(Debug, Clone)]
pub(super) struct Best<T> {
    most: usize,
    /// Score and what has it.
    found: Vec<(f64, T)>,
}

impl<T> Best<T> {
    /// At most this many.
    pub(super) fn new(most: usize) -> Self {
        Self { most, found: Vec::with_capacity(most) }
    }

    /// Takes it in if it is among the best so far.
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

    /// Them with their scores.
    pub(super) fn found(&self) -> &[(f64, T)] {
        &self.found
    }
}
