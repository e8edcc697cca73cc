//! [`group_shares`]: the mean shares of topics in groups of documents, with intervals.
//!
//! The topic shares of a document are not known but estimated from its words: they have a Dirichlet
//! distribution. Each replicate of the bootstrap draws the documents of each group with replacement, and the
//! shares of each drawn document from its Dirichlet, so that both uncertainties are in the intervals (as in
//! the method of composition of R's `stm`; Roberts, Stewart and Tingley, "stm: an R package for structural
//! topic models", 2019).

use std::sync::Arc;

use raddle::random::Stream;

use crate::error::LdaError;
use crate::infer::Inference;
use raddle_datasets::Corpus;
use raddle_kernels::topics::dirichlet::draw;

/// Replicates of the bootstrap.
const REPLICATES: u64 = 400;

/// Key of the streams of the bootstrap.
const BOOTSTRAP: u64 = 0x626f_6f74;

/// Share of the replicates beyond each end of an interval.
const TAIL: f64 = 0.025;

/// An estimate with its interval of 95 %.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The share of a topic in a group of documents.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GroupShare {
    /// Mean share in the documents of the group.
    pub share: Interval,
    /// Share in the group, less the mean share in all other documents.
    pub difference: Interval,
}

/// Documents in groups, with the Dirichlet distribution of each document's topic shares.
struct Grouped {
    topics: usize,
    /// Documents of each group.
    members: Vec<Vec<u32>>,
    /// Mean shares of each document.
    thetas: Vec<f32>,
    /// Sum of the Dirichlet's parameters of each document: its tokens plus the sum of alpha.
    sums: Vec<f64>,
}

/// Returns the shares of each group's topics. `members` has the documents of each group, at least two groups
/// with at least a document each; a document is in one group or in none. The result is the same for any
/// number of workers.
///
/// # Errors
/// If the corpus has more words than the model, or a run fails.
pub fn group_shares(
    model: &Arc<Inference>,
    corpus: &Arc<Corpus>,
    members: Vec<Vec<u32>>,
    seed: u64,
    workers: usize,
) -> Result<Vec<Vec<GroupShare>>, LdaError> {
    let thetas = model.thetas(corpus, 0..corpus.documents(), workers)?;
    let all = model.alpha_sum();
    let sums = (0..corpus.documents()).map(|document| corpus.length(document) as f64 + all).collect();
    let grouped = Arc::new(Grouped { topics: model.topics(), members, thetas, sums });
    let estimate = grouped.means(|group, sum| {
        for &document in &grouped.members[group] {
            sum.iter_mut().zip(grouped.theta(document)).for_each(|(sum, &share)| *sum += f64::from(share));
        }
    });
    let drawn = Arc::clone(&grouped);
    let replicates = raddle::map((0..REPLICATES).collect(), workers, move |&number: &u64| {
        drawn.replicate(&mut Stream::new(&[seed, BOOTSTRAP, number]))
    })?;
    let estimates = grouped.shares(&estimate);
    let replicates: Vec<Vec<[f64; 2]>> = replicates.iter().map(|means| grouped.shares(means)).collect();
    let share = |cell: usize| {
        let interval = |which: usize| {
            let mut values: Vec<f64> = replicates.iter().map(|cells| cells[cell][which]).collect();
            values.sort_by(f64::total_cmp);
            let [low, high] = [TAIL, 1.0 - TAIL].map(|share| quantile(&values, share));
            Interval { estimate: estimates[cell][which], low, high }
        };
        GroupShare { share: interval(0), difference: interval(1) }
    };
    let cells: Vec<GroupShare> = (0..estimates.len()).map(share).collect();
    Ok(cells.chunks(grouped.topics).map(<[_]>::to_vec).collect())
}

/// Returns the quantile of sorted values, interpolated.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, above) = (at.floor() as usize, at.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * at.fract()
}

impl Grouped {
    fn theta(&self, document: u32) -> &[f32] {
        &self.thetas[document as usize * self.topics..][..self.topics]
    }

    /// Returns the mean of each topic in each group, from sums that `add` fills.
    fn means(&self, mut add: impl FnMut(usize, &mut [f64])) -> Vec<f64> {
        let mut means = vec![0.0; self.members.len() * self.topics];
        for (group, sum) in means.chunks_mut(self.topics).enumerate() {
            add(group, sum);
            sum.iter_mut().for_each(|sum| *sum /= self.members[group].len() as f64);
        }
        means
    }

    /// Draws the documents of each group, and the shares of each of them; returns the means.
    fn replicate(&self, stream: &mut Stream) -> Vec<f64> {
        let mut shares = vec![0.0; self.topics];
        self.means(|group, sum| {
            let members = &self.members[group];
            for _ in members {
                let document = members[stream.below(members.len())];
                draw(stream, self.theta(document), self.sums[document as usize], &mut shares);
                sum.iter_mut().zip(&shares).for_each(|(sum, share)| *sum += share);
            }
        })
    }

    /// Returns, of each mean, itself and what it is above the mean of the other groups' documents.
    fn shares(&self, means: &[f64]) -> Vec<[f64; 2]> {
        let sizes: Vec<f64> = self.members.iter().map(|members| members.len() as f64).collect();
        let all: f64 = sizes.iter().sum();
        let mut sums = vec![0.0; self.topics];
        for (group, means) in means.chunks(self.topics).enumerate() {
            sums.iter_mut().zip(means).for_each(|(sum, mean)| *sum += mean * sizes[group]);
        }
        let of = |(cell, &mean): (usize, &f64)| {
            let (group, topic) = (cell / self.topics, cell % self.topics);
            [mean, mean - (sums[topic] - mean * sizes[group]) / (all - sizes[group])]
        };
        means.iter().enumerate().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use raddle_common::testing::pairs;

    use super::*;

    #[test]
    fn differences_are_from_the_mean_of_all_other_documents() {
        let members = vec![vec![0, 1], vec![2], vec![3]];
        let thetas = vec![0.5, 0.5, 0.7, 0.3, 0.2, 0.8, 0.0, 1.0];
        let grouped = Grouped { topics: 2, members, thetas, sums: vec![10.0; 4] };
        let found = grouped.shares(&[0.6, 0.4, 0.2, 0.8, 0.0, 1.0]);
        let expected = [
            [0.6, 0.5],
            [0.4, -0.5],
            [0.2, 0.2 - 0.4],
            [0.8, 0.8 - 0.6],
            [0.0, -1.4 / 3.0],
            [1.0, 1.4 / 3.0],
        ];
        for (found, expected) in pairs(found.iter().flatten(), expected.as_flattened()) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}
