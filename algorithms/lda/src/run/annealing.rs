//! [`Course`]: the plan of a run's epochs, which depends only on numbers of epochs and tokens.
//!
//! Topics are started on a part of every shard's documents, and the rest joins step by step: few tokens find
//! the topics at a fraction of the cost. If topics have few tokens each, a part is soon exhausted, so parts
//! double after a few epochs. If they have many, finding the right topics takes longest, so the first part is
//! kept for long. beta starts larger and falls to the user's value, which lets topics move while they form.
//! The last epochs always use the user's priors and all documents, so that the final chain has the model's
//! posterior distribution.

/// A fraction of the documents, with its number of epochs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stage {
    pub(crate) fraction: f64,
    pub(crate) epochs: u64,
}

/// The plan of a run's epochs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Course {
    /// The stages before all documents take part.
    stages: Vec<Stage>,
    /// Initial factor of beta.
    beta_anneal: f64,
    /// Passes over all tokens until the factor is 1.
    anneal_epochs: f64,
    /// `true` if the first epoch draws from the counts of a model instead of uniformly.
    warm: bool,
    /// `true` if all tokens have topics before the first epoch.
    goes_on: bool,
    /// Length of the run in epochs, if given.
    length: Option<u64>,
    /// Number of epochs from one scoring of held-out documents to the next.
    pub(crate) every: u64,
}

/// The plan of one epoch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pass {
    /// `true` if topics are drawn uniformly.
    pub(crate) uniform: bool,
    /// Fraction of the documents whose tokens had topics before the epoch.
    pub(crate) had: f64,
    /// Fraction whose tokens have topics after the epoch.
    pub(crate) has: f64,
    /// Factor of beta.
    pub(crate) beta_factor: f64,
}

/// Fewest tokens per topic in the first stage: of stages that double, and of stages that grow fourfold.
const DOUBLING: f64 = 200.0;
const FOURFOLD: f64 = 400.0;

/// Topics have many tokens if the first of the stages that grow fourfold has more than this for each.
const MANY: f64 = 2_000.0;

/// Returns stages of a number of tokens, each `growth` times the one before, the last 1 / `growth` of all.
/// The first has at least `per_topic` tokens for each topic and enough for a thousand topics, as fewer do not
/// show what a corpus is about.
fn parts(tokens: f64, topics: f64, growth: f64, per_topic: f64) -> Vec<f64> {
    let least = per_topic * topics.max(1_000.0);
    let mut parts: Vec<f64> = std::iter::successors(Some(1.0 / growth), |part| Some(part / growth))
        .take_while(|part| part * tokens >= least)
        .collect();
    parts.reverse();
    parts
}

impl Course {
    /// Makes the plan for these numbers of tokens and topics. `beta_anneal` is the user's, or follows from
    /// the data; so do the stages, unless `progressive` is `false`.
    pub(crate) fn new(
        tokens: u64,
        topics: usize,
        progressive: bool,
        beta_anneal: Option<f64>,
        length: Option<u64>,
    ) -> Self {
        let (tokens, topics) = (tokens as f64, topics as f64);
        let allowed = |parts: Vec<f64>| if progressive { parts } else { Vec::new() };
        let fourfold = allowed(parts(tokens, topics, 4.0, FOURFOLD));
        let many = tokens * fourfold.first().copied().unwrap_or(1.0) / topics > MANY;
        let (parts, epochs): (_, &[u64]) = match many {
            true => (fourfold, &[20, 8]),
            false => (allowed(parts(tokens, topics, 2.0, DOUBLING)), &[5, 4, 2]),
        };
        // Many small stages let topics move enough: annealing would only delay the rest.
        let (factor, anneal_epochs) = match (many, parts.len()) {
            (true, 2..) => (3.0, 4.0),
            (true, _) => (10.0, 20.0),
            (false, 4..) => (1.0, 10.0),
            (false, _) => (3.5, 10.0),
        };
        let epochs = epochs.iter().chain(epochs.last().into_iter().cycle());
        let stages = parts.into_iter().zip(epochs);
        let stages = stages.map(|(fraction, &epochs)| Stage { fraction, epochs }).collect();
        let mut course = Self {
            stages,
            beta_anneal: beta_anneal.unwrap_or(factor),
            anneal_epochs,
            warm: false,
            goes_on: false,
            length,
            every: 5,
        };
        course.fit();
        course
    }

    /// Makes the plan of a run that starts from a model.
    pub(crate) fn warm(length: Option<u64>) -> Self {
        let (beta_anneal, anneal_epochs) = (1.0, 1.0);
        Self { stages: Vec::new(), beta_anneal, anneal_epochs, warm: true, goes_on: false, length, every: 5 }
    }

    /// Makes the plan of a run whose tokens have topics.
    pub(crate) fn going_on(length: Option<u64>) -> Self {
        Self { goes_on: true, ..Self::warm(length) }
    }

    /// Shortens stages and annealing to half of a short run.
    fn fit(&mut self) {
        let Some(length) = self.length else { return };
        let start: u64 = self.stages.iter().map(|stage| stage.epochs).sum();
        if 2 * start > length {
            for stage in &mut self.stages {
                stage.epochs = stage.epochs * length / (2 * start);
            }
            self.stages.retain(|stage| stage.epochs > 0);
        }
        let start: u64 = self.stages.iter().map(|stage| stage.epochs).sum();
        let whole = length.saturating_sub(start + 1) as f64;
        self.anneal_epochs = self.anneal_epochs.min(self.in_stages(u64::MAX) + whole / 2.0);
    }

    /// Returns the plan of an epoch, from 0.
    pub(crate) fn pass(&self, epoch: u64) -> Pass {
        let beta_factor = self.beta_factor(epoch);
        if self.goes_on {
            return Pass { uniform: false, had: 1.0, has: 1.0, beta_factor };
        }
        if epoch == 0 {
            let has = self.stages.first().map_or(1.0, |stage| stage.fraction);
            return Pass { uniform: !self.warm, had: 0.0, has, beta_factor };
        }
        let (mut end, mut had) = (1, self.stages.first().map_or(1.0, |stage| stage.fraction));
        for stage in &self.stages {
            if epoch < end + stage.epochs {
                let had = if epoch == end { had } else { stage.fraction };
                return Pass { uniform: false, had, has: stage.fraction, beta_factor };
            }
            (end, had) = (end + stage.epochs, stage.fraction);
        }
        Pass { uniform: false, had: if epoch == end { had } else { 1.0 }, has: 1.0, beta_factor }
    }

    /// Returns `true` if held-out documents are scored at the boundary after an epoch.
    pub(crate) fn scores(&self, epoch: u64) -> bool {
        (epoch + 1).is_multiple_of(self.every) || self.length == Some(epoch + 1)
    }

    /// Returns the epochs (from 1) in which the same documents take part as in `epoch`: the epoch before the
    /// first of them, and the last, which is `None` once all documents take part.
    pub(crate) fn part_of(&self, epoch: u64) -> (u64, Option<u64>) {
        // The epoch that draws the first topics belongs to the first stage.
        let (mut begin, mut end) = (0, 1);
        for stage in &self.stages {
            end += stage.epochs;
            if epoch <= end {
                return (begin, Some(end));
            }
            begin = end;
        }
        (begin, None)
    }

    /// Returns `true` if the priors are optimised at the boundary after an epoch: once all documents take
    /// part.
    pub(crate) fn optimises(&self, epoch: u64) -> bool {
        self.pass(epoch).had >= 1.0
    }

    /// Returns the first epoch with all documents and the user's priors.
    pub(crate) fn settled(&self) -> u64 {
        let start: u64 = 1 + self.stages.iter().map(|stage| stage.epochs).sum::<u64>();
        let passes = (self.anneal_epochs - self.in_stages(u64::MAX)).max(0.0).ceil() as u64;
        if self.beta_anneal == 1.0 { start } else { start + passes }
    }

    /// Returns the length of the run, if given.
    pub(crate) fn length(&self) -> Option<u64> {
        self.length
    }

    /// Returns the factor of beta: it falls geometrically from `beta_anneal` to 1 with the passes done.
    fn beta_factor(&self, epoch: u64) -> f64 {
        let start: u64 = self.stages.iter().map(|stage| stage.epochs).sum();
        let whole = epoch.saturating_sub(1 + start) as f64;
        let done = self.in_stages(epoch.saturating_sub(1)) + whole;
        match done < self.anneal_epochs {
            true => libm::pow(self.beta_anneal, 1.0 - done / self.anneal_epochs),
            false => 1.0,
        }
    }

    /// Returns the passes over all tokens that this many first epochs of the stages amount to.
    fn in_stages(&self, epochs: u64) -> f64 {
        let mut left = epochs;
        let part = |stage: &Stage| {
            let some = left.min(stage.epochs);
            left -= some;
            some as f64 * stage.fraction
        };
        self.stages.iter().map(part).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stages(course: &Course) -> Vec<(f64, u64)> {
        course.stages.iter().map(|stage| (stage.fraction, stage.epochs)).collect()
    }

    #[test]
    fn parts_follow_from_tokens_and_topics() {
        let of = |tokens, topics| stages(&Course::new(tokens, topics, true, None, None));
        assert_eq!(of(2_000_000, 1000), [(0.125, 5), (0.25, 4), (0.5, 2)]);
        assert_eq!(of(9_200_000, 1000), [(0.03125, 5), (0.0625, 4), (0.125, 2), (0.25, 2), (0.5, 2)]);
        assert_eq!(of(2_000_000, 100), [(0.25, 20)]);
        assert_eq!(of(9_200_000, 100), [(0.0625, 20), (0.25, 8)]);
        assert_eq!(of(390_000, 100), []);
        assert_eq!(stages(&Course::new(9_200_000, 1000, false, None, None)), []);
    }

    #[test]
    fn every_part_joins_once_and_the_end_is_the_users() {
        for length in [None, Some(1), Some(2), Some(5), Some(12), Some(40)] {
            let course = Course::new(9_200_000, 1000, true, None, length);
            let epochs = length.unwrap_or(60);
            let mut had = 0.0;
            for epoch in 0..epochs {
                let pass = course.pass(epoch);
                assert!(pass.had == had && pass.has >= had, "{length:?}, epoch {epoch}: {pass:?}");
                assert_eq!(pass.uniform, epoch == 0);
                had = pass.has;
            }
            let last = course.pass(epochs - 1);
            assert_eq!(last.has, 1.0, "{length:?}");
            assert!(last.beta_factor == 1.0 || epochs < 5, "{length:?}: {last:?}");
            assert!(course.settled() <= epochs.max(5) && course.scores(epochs - 1) | length.is_none());
        }
    }

    #[test]
    fn the_same_documents_take_part_throughout_a_part() {
        for (tokens, topics) in [(390_000, 100), (2_000_000, 100), (2_000_000, 1000), (9_200_000, 1000)] {
            let course = Course::new(tokens, topics, true, None, None);
            // Epochs count from 1 here, and from 0 in the plan.
            let has = |epoch: u64| course.pass(epoch - 1).has;
            for epoch in 1..60 {
                let (begin, end) = course.part_of(epoch);
                assert!(begin < epoch && has(begin + 1) == has(epoch), "{tokens}, {topics}: {epoch}");
                assert!(begin == 0 || has(begin) < has(epoch), "{tokens}, {topics}: {epoch}");
                match end {
                    Some(end) => assert!(epoch <= end && has(end) == has(epoch) && has(end) < has(end + 1)),
                    None => assert_eq!(has(epoch), 1.0),
                }
            }
        }
    }

    #[test]
    fn beta_falls_to_the_users_and_can_be_turned_off() {
        let course = Course::new(390_000, 100, true, None, None);
        let heats: Vec<f64> = (0..40).map(|epoch| course.pass(epoch).beta_factor).collect();
        assert!(heats.is_sorted_by(|a, b| a >= b) && heats[0] > 1.0 && heats[39] == 1.0, "{heats:?}");
        let off = Course::new(390_000, 100, true, Some(1.0), None);
        assert!((0..40).all(|epoch| off.pass(epoch).beta_factor == 1.0) && off.settled() == 1);
    }
}
