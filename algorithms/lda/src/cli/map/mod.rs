//! The map of a model's topics, with the words and documents of each.

mod best;
mod documents;
mod relevance;
mod short;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use raddle_cli::{Axis, Contents, Member, Picture, PictureKind, count};
use raddle_datasets::Vocabulary;
use raddle_lda::files::Model;
use raddle_lda::{MOST_BY_ALL_WORDS, SALIENT_WORDS, TopicWords, topic_map};

use self::documents::Documents;
use self::relevance::{FEW, MANY, Relevance};
use self::short::{rounded, short};

/// Limit on the topics of a map, which are the largest.
const MOST: usize = 1_000;

/// Returns the map of a model's topics; `None` if no topic has a token. `topics_of` returns the topics of a
/// document, and `names` are the documents' names.
pub(super) fn map(
    model: &Model,
    counts: &TopicWords,
    topics_of: &dyn Fn(usize) -> Vec<(u32, u32)>,
    names: Option<&Vocabulary>,
) -> Option<Picture> {
    let totals: Vec<u64> = (0..counts.topics()).map(|topic| counts.total(topic)).collect();
    let mut topics: Vec<usize> = (0..counts.topics()).filter(|&topic| totals[topic] > 0).collect();
    let filled = topics.len();
    topics.sort_by_key(|&topic| (std::cmp::Reverse(totals[topic]), topic));
    topics.truncate(MOST);
    topics.sort_unstable();
    if topics.is_empty() {
        return None;
    }
    let limits = if topics.len() > MOST_BY_ALL_WORDS { MANY } else { FEW };
    let mut relevance = Relevance::new(counts, limits);
    let documents = Documents::of(model, topics_of, names);
    let shares: Vec<Vec<(u32, f64)>> = topics.iter().map(|&topic| relevance.of(topic)).collect();
    let words: BTreeSet<u32> = shares.iter().flatten().map(|&(word, _)| word).collect();
    let words: Vec<u32> = words.into_iter().collect();
    let number = |word: u32| words.binary_search(&word).unwrap_or_default();
    let member = |topic: usize, [x, y]: [f64; 2], shares: &[(u32, f64)]| Member {
        name: (topic + 1).to_string(),
        x: rounded(x),
        y: rounded(y),
        share: rounded(totals[topic] as f64 / model.tokens.max(1) as f64),
        contains: shares.iter().map(|&(word, share)| (number(word), rounded(share))).collect(),
        examples: documents.of_topic(topic),
    };
    let places = topic_map(counts, &topics).into_iter().zip(&shares);
    let members = topics.iter().zip(places);
    let contents = Contents {
        member: "topic".into(),
        item: "word".into(),
        example: "document".into(),
        items: words.iter().map(|&word| short(&model.word(word))).collect(),
        overall: words.iter().map(|&word| rounded(relevance.overall(word))).collect(),
        members: members.map(|(&topic, (place, shares))| member(topic, place, shares)).collect(),
    };
    let picture = Picture::new("Map of the topics", PictureKind::Map)
        .axes(Axis::linear("first coordinate"), Axis::linear("second coordinate"))
        .note(note(topics.len(), filled, counts));
    Some(Picture { contents, ..picture })
}

/// Returns a sentence on the meaning of the positions, and on topics without one.
fn note(mapped: usize, filled: usize, counts: &TopicWords) -> String {
    let mut note = String::from(
        "Topics with similar words lie close together: principal coordinates of Jensen-Shannon distances",
    );
    if mapped > MOST_BY_ALL_WORDS {
        note += &format!(" over the {SALIENT_WORDS} most salient words");
    }
    if mapped < filled {
        note += &format!("; the {mapped} largest of {filled} topics");
    }
    let empty = counts.topics() - filled;
    if empty > 0 {
        note += &format!("; {} without a token left out", count(empty as u64, "topic"));
    }
    note
}
