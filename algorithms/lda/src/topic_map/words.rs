//! [`Words`]: the words by which topics are compared.

use crate::topic_words::TopicWords;

/// Limit on the topics of a [`topic_map`](crate::topic_map()) that are compared by all words.
pub const MOST_BY_ALL_WORDS: usize = 200;

/// Number of words, the most salient ones, by which more topics are compared.
pub const SALIENT_WORDS: usize = 2_000;

/// The words by which topics are compared, ascending; an entry for all other words may follow them.
pub(super) struct Words {
    /// Position of each word; `None` for the other words.
    places: Vec<Option<u32>>,
    /// Number of positions, without the entry for the others.
    pub(super) count: usize,
    /// `true` if there is an entry for other words.
    pub(super) has_others: bool,
}

impl Words {
    /// Selects the words by which these topics are compared.
    pub(super) fn of(counts: &TopicWords, topics: &[usize]) -> Self {
        let mut occurs = vec![false; counts.words];
        let entries = topics.iter().flat_map(|&topic| counts.topic(topic));
        entries.for_each(|(word, _)| occurs[word as usize] = true);
        let all = occurs.iter().filter(|&&occurs| occurs).count();
        let has_others = topics.len() > MOST_BY_ALL_WORDS && all > SALIENT_WORDS;
        if has_others {
            let saliency = saliency(counts, topics);
            let mut order: Vec<u32> = (0..counts.words as u32).collect();
            let by_saliency =
                |a: &u32, b: &u32| saliency[*b as usize].total_cmp(&saliency[*a as usize]).then(a.cmp(b));
            order.select_nth_unstable_by(SALIENT_WORDS, by_saliency);
            occurs.fill(false);
            order[..SALIENT_WORDS].iter().for_each(|&word| occurs[word as usize] = true);
        }
        let mut count = 0;
        let place = |occurs: &bool| {
            occurs.then(|| {
                count += 1;
                count - 1
            })
        };
        let places = occurs.iter().map(place).collect();
        Self { places, count: count as usize, has_others }
    }

    /// Returns the position of a word; `None` for one of the others.
    pub(super) fn place(&self, word: u32) -> Option<usize> {
        self.places[word as usize].map(|place| place as usize)
    }

    /// Returns `true` for words before a position, and for the other words.
    pub(super) fn is_before(&self, word: u32, place: usize) -> bool {
        self.place(word) < Some(place)
    }
}

/// Returns the saliency of each word, times the number of tokens: sum over topics of n_kw ln(p(k|w) / p(k)).
fn saliency(counts: &TopicWords, topics: &[usize]) -> Vec<f64> {
    let mut tokens = vec![0u64; counts.words];
    let mut saliency = vec![0.0; counts.words];
    let logarithms = Logarithms::new();
    let mut all = 0;
    for &topic in topics {
        let total = counts.total(topic);
        all += total;
        let of_topic = logarithms.of(total);
        for (word, count) in counts.topic(topic) {
            tokens[word as usize] += u64::from(count);
            saliency[word as usize] += f64::from(count) * (logarithms.of(count.into()) - of_topic);
        }
    }
    let of_all = logarithms.of(all);
    for (saliency, &count) in saliency.iter_mut().zip(&tokens) {
        *saliency += count as f64 * (of_all - logarithms.of(count));
    }
    saliency
}

/// Logarithms of counts, cached for small ones.
struct Logarithms(Vec<f64>);

impl Logarithms {
    fn new() -> Self {
        Self((0..1024).map(|count| libm::log(f64::from(count.max(1)))).collect())
    }

    /// Returns ln of a count; 0 for 0.
    fn of(&self, count: u64) -> f64 {
        self.0.get(count as usize).copied().unwrap_or_else(|| libm::log(count as f64))
    }
}
