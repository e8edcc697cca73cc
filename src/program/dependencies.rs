//! [`Dependencies`]: strengths of the dependencies between candidates.

/// Strength of the dependency of each pair of candidates, from 0 (independent) to 1 (equal).
///
/// For the Lasso it is the absolute correlation of two columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependencies {
    count: usize,
    /// Strength of (i, j), j < i, row by row: the strengths of one candidate lie together.
    strengths: Vec<f32>,
}

impl Dependencies {
    /// Makes the dependencies of `count` candidates, all independent.
    pub fn none(count: usize) -> Self {
        Self { count, strengths: vec![0.0; count * count.saturating_sub(1) / 2] }
    }

    /// Makes the dependencies of `candidates` with `strength` for each pair, which is called once a pair.
    pub fn of_pairs(candidates: &[u32], strength: impl Fn(u32, u32) -> f32) -> Self {
        let mut dependencies = Self::none(candidates.len());
        for (row, (&i, at)) in dependencies.rows_mut().zip(candidates.iter().zip(0..)) {
            for (place, &j) in row.iter_mut().zip(&candidates[..at]) {
                *place = strength(i, j);
            }
        }
        dependencies
    }

    /// Sets the strength between the candidates at two different positions.
    pub fn set(&mut self, i: usize, j: usize, strength: f32) {
        let at = self.position(i, j);
        self.strengths[at] = strength;
    }

    /// Returns the strength between the candidates at two positions; 1 for a candidate and itself.
    pub fn between(&self, i: usize, j: usize) -> f32 {
        if i == j { 1.0 } else { self.strengths[self.position(i, j)] }
    }

    /// Returns, for each candidate, the strengths between it and the candidates before it.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let mut rest = &mut self.strengths[..];
        (0..self.count).map(move |row| {
            let (row, behind) = std::mem::take(&mut rest).split_at_mut(row);
            rest = behind;
            row
        })
    }

    /// Returns the number of candidates.
    pub fn count(&self) -> usize {
        self.count
    }

    fn position(&self, i: usize, j: usize) -> usize {
        let (i, j) = (i.max(j), i.min(j));
        debug_assert!(j < i && i < self.count, "a pair of {} candidates", self.count);
        i * (i - 1) / 2 + j
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_its_own_place() {
        let mut dependencies = Dependencies::none(5);
        for i in 0..5 {
            for j in i + 1..5 {
                dependencies.set(i, j, (10 * i + j) as f32);
            }
        }
        for i in 0..5 {
            for j in i + 1..5 {
                assert_eq!(dependencies.between(j, i), (10 * i + j) as f32);
            }
        }
    }
}
