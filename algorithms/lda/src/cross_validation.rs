//! Cross-validation of the number of topics: the documents of each fold, and the curves from which a rule
//! chooses.

use raddle::random::Stream;
use raddle_common::{Means, Rule};

use crate::data::hold_out::SCORABLE;
use crate::data::source::CorpusSource;
use crate::error::LdaError;

/// Key of the stream that orders the documents.
const FOLDS: u64 = 0x666f_6c64;

/// Returns the documents (ascending) that each of `folds` folds holds out. Each document of two or more words
/// is in one fold; shorter ones cannot be scored, and every fold trains on them.
///
/// # Errors
/// If there are fewer than two folds, or fewer such documents than folds.
pub fn fold_documents<'a>(
    corpus: impl Into<CorpusSource<'a>>,
    folds: usize,
    seed: u64,
) -> Result<Vec<Vec<u32>>, LdaError> {
    let corpus = corpus.into();
    if folds < 2 {
        let range = "there must be at least 2";
        return Err(LdaError::Parameter { name: "folds", value: folds.to_string(), range });
    }
    let scorable = |&document: &u32| corpus.length(document) >= SCORABLE;
    let mut order: Vec<u32> = (0..corpus.documents() as u32).filter(scorable).collect();
    let documents = order.len();
    if folds > documents {
        return Err(LdaError::Folds { folds, documents });
    }
    Stream::new(&[seed, FOLDS]).shuffle(&mut order);
    let fold = |fold: usize| {
        let mut some = order[fold * documents / folds..(fold + 1) * documents / folds].to_vec();
        some.sort_unstable();
        some
    };
    Ok((0..folds).map(fold).collect())
}

/// The measures of a fit with a fold held out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicScore {
    /// Number of documents that the fold holds out.
    pub documents: u64,
    /// Perplexity of these documents at the end of the fit.
    pub perplexity: f64,
    /// Mean npmi of the topics' top words, on all documents.
    pub npmi: f64,
    /// Number of epochs of the fit.
    pub epochs: u64,
    /// Digest of the fit: [`Fit::digest`](crate::Fit::digest).
    pub digest: String,
}

raddle::state!(TopicScore { documents, perplexity, npmi, epochs, digest });

/// Choice of a number of topics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TopicRule {
    /// The number with the lowest perplexity.
    Min,
    /// The smallest number whose perplexity is at most one standard error above the lowest.
    OneSe,
    /// The number with the highest npmi.
    Npmi,
}

impl TopicRule {
    /// The names that `--rule` accepts, and the rules.
    pub const NAMES: [(&str, Self); 3] = [("min", Self::Min), ("1se", Self::OneSe), ("npmi", Self::Npmi)];

    /// Returns the rule's name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, rule)| *rule == self).map_or("", |(name, _)| name)
    }
}

/// Perplexity and npmi of several numbers of topics, as means over folds.
#[derive(Debug, Clone)]
pub struct TopicCurve {
    /// The numbers of topics, ascending.
    pub topics: Vec<usize>,
    /// Perplexity of the documents held out.
    pub perplexity: Means,
    /// npmi of the topics.
    pub npmi: Means,
}

impl TopicCurve {
    /// Makes the curves of these numbers of topics, from the scores of each fold in that order.
    pub fn new(topics: Vec<usize>, folds: &[Vec<TopicScore>]) -> Self {
        let means = |is_larger_better: bool, of: fn(&TopicScore) -> f64| {
            let values: Vec<Vec<f64>> = folds.iter().map(|scores| scores.iter().map(of).collect()).collect();
            let weights = folds.iter().map(|scores| scores.first().map_or(0.0, |one| one.documents as f64));
            Means::new(&weights.zip(values.iter().map(Vec::as_slice)).collect::<Vec<_>>(), is_larger_better)
        };
        Self { topics, perplexity: means(false, |one| one.perplexity), npmi: means(true, |one| one.npmi) }
    }

    /// Returns the position of the number that a rule chooses.
    pub fn position(&self, rule: TopicRule) -> usize {
        match rule {
            TopicRule::Min => self.perplexity.position(Rule::Min),
            TopicRule::OneSe => self.perplexity.position(Rule::OneSe),
            TopicRule::Npmi => self.npmi.position(Rule::Min),
        }
    }

    /// Returns the number of topics that a rule chooses.
    pub fn choose(&self, rule: TopicRule) -> usize {
        self.topics[self.position(rule)]
    }

    /// Returns `true` if the perplexity is lowest before the largest number of topics: beyond a turn, more
    /// topics predict held-out documents worse.
    pub fn turns(&self) -> bool {
        self.position(TopicRule::Min) + 1 < self.topics.len()
    }
}
