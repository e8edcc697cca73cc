//! Topics as text for the screen, and as tables.

use raddle_cli::{Summary, Table, count};
use raddle_datasets::Corpus;
use raddle_lda::files::Model;
use raddle_lda::{Coherence, TopicWords, coherence};

/// Number of top words that the coherence of a topic is measured on.
const COHERENT: usize = 10;

/// The topics of a model, in descending order of tokens.
pub(crate) struct Listing {
    /// Pairs (topic from 0, its tokens).
    order: Vec<(usize, u64)>,
    /// Coherence, by topic.
    coherence: Option<Vec<Coherence>>,
}

impl Listing {
    /// Sorts the topics, and measures their coherence on a corpus if one is given.
    pub(crate) fn new(counts: &TopicWords, corpus: Option<&Corpus>) -> Self {
        let mut order: Vec<(usize, u64)> =
            (0..counts.topics()).map(|topic| (topic, counts.total(topic))).collect();
        order.sort_by_key(|&(topic, total)| (std::cmp::Reverse(total), topic));
        let coherence = corpus.map(|corpus| {
            let top = |topic| counts.top(topic, COHERENT).into_iter().map(|(word, _)| word).collect();
            coherence(corpus, &(0..counts.topics()).map(top).collect::<Vec<_>>())
        });
        Self { order, coherence }
    }

    /// Returns the means of u_mass and npmi over the topics that have tokens.
    pub(crate) fn mean_coherence(&self) -> Option<Coherence> {
        let all = self.coherence.as_ref()?;
        let filled: Vec<Coherence> =
            self.order.iter().filter(|&&(_, total)| total > 0).map(|&(topic, _)| all[topic]).collect();
        let count = filled.len().max(1) as f64;
        let mean = |of: fn(&Coherence) -> f64| filled.iter().map(of).sum::<f64>() / count;
        Some(Coherence { u_mass: mean(|one| one.u_mass), npmi: mean(|one| one.npmi) })
    }

    /// Formats the first `most` topics, one line each, with `words` top words.
    pub(crate) fn text(&self, counts: &TopicWords, model: &Model, most: usize, words: usize) -> String {
        let mut text = format!(
            "{:>6} {:>7}  {}top words\n",
            "topic",
            "share",
            match self.coherence {
                Some(_) => "  npmi  ",
                None => "",
            }
        );
        let filled = self.order.iter().filter(|&&(_, total)| total > 0);
        for &(topic, total) in filled.clone().take(most) {
            let share = 100.0 * total as f64 / model.tokens.max(1) as f64;
            let npmi =
                self.coherence.as_ref().map_or(String::new(), |all| format!("{:>6.3}  ", all[topic].npmi));
            let top = counts.top(topic, words).into_iter().map(|(word, _)| model.word(word));
            text += &format!("{:>6} {share:>6.2}%  {npmi}{}\n", topic + 1, top.collect::<Vec<_>>().join(" "));
        }
        let filled = filled.count();
        if filled > most {
            text += &format!("{:>6}  and {} more\n", "...", filled - most);
        }
        if filled < self.order.len() {
            text += &format!("{} without a token\n", count((self.order.len() - filled) as u64, "topic"));
        }
        text
    }

    /// Iterates over the topics that have tokens, the largest first.
    pub(crate) fn filled(&self) -> impl Iterator<Item = usize> {
        self.order.iter().filter(|&&(_, total)| total > 0).map(|&(topic, _)| topic)
    }

    /// Returns a table of all topics with their share, alpha, effective number of words and exclusivity.
    pub(crate) fn summary(&self, title: String, counts: &TopicWords, model: &Model, words: usize) -> Summary {
        let columns = [
            "topic",
            "share",
            "tokens",
            "alpha",
            "effective words",
            "exclusivity",
            "u_mass",
            "npmi",
            "top words",
        ];
        let mut table = Table::new("topics", &columns);
        let mut everywhere = vec![0u64; counts.words];
        counts
            .indices
            .iter()
            .zip(&counts.counts)
            .for_each(|(&word, &count)| everywhere[word as usize] += u64::from(count));
        for &(topic, total) in &self.order {
            let top = counts.top(topic, words);
            let coherence = |of: fn(&Coherence) -> f64| match &self.coherence {
                Some(all) => of(&all[topic]).into(),
                None => serde_json::Value::Null,
            };
            let own: f64 =
                top.iter().map(|&(word, count)| f64::from(count) / everywhere[word as usize] as f64).sum();
            let names: Vec<String> = top.iter().map(|&(word, _)| model.word(word)).collect();
            table.row(vec![
                (topic as u64 + 1).into(),
                (total as f64 / model.tokens.max(1) as f64).into(),
                total.into(),
                model.alpha[topic].into(),
                effective(counts, topic, total).into(),
                (own / top.len().max(1) as f64).into(),
                coherence(|one| one.u_mass),
                coherence(|one| one.npmi),
                names.join(" ").into(),
            ]);
        }
        Summary::new(title).table(table)
    }
}

/// Returns 1 / sum p_w^2, the number of equally frequent words that would be as spread out as the topic's.
fn effective(counts: &TopicWords, topic: usize, total: u64) -> f64 {
    let squares: f64 = counts.topic(topic).map(|(_, count)| f64::from(count) * f64::from(count)).sum();
    if squares > 0.0 { total as f64 * total as f64 / squares } else { 0.0 }
}
