//! The map of made models: its size, its words and its documents.

use std::collections::BTreeSet;

use raddle_cli::Summary;
use raddle_common::testing::pairs;

use super::*;

/// Numbers without a pattern.
fn mixed(number: u64) -> u64 {
    (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40
}

fn model(counts: &TopicWords, documents: usize, vocabulary: Option<Vec<String>>) -> Model {
    let about = serde_json::json!({
        "topics": counts.topics(), "words": counts.words, "documents": documents,
        "tokens": counts.counts.iter().map(|&count| u64::from(count)).sum::<u64>(),
        "alpha": null, "beta": counts.beta, "word_priors": [], "ending": "converged", "evaluated_epoch": null,
        "validation_perplexity": null, "test_perplexity": null, "vocabulary": vocabulary, "tokenizer": null,
    });
    let about: Model = serde_json::from_value(about).unwrap();
    Model { alpha: vec![0.1; counts.topics()], ..about }
}

/// Topics of this many tokens, some words more frequent than others.
fn made(topics: u32, words: u64, each: u64) -> TopicWords {
    let mut counts = std::collections::BTreeMap::new();
    for topic in 0..topics {
        for at in 0..each {
            let draw = mixed(u64::from(topic) * each + at);
            let word = (draw % words) * (mixed(draw) % words) / words;
            *counts.entry((word as u32, topic)).or_insert(0) += 1;
        }
    }
    let entries: Vec<(u32, u32, u32)> =
        counts.into_iter().map(|((word, topic), n)| (word, topic, n)).collect();
    TopicWords::from_counts((topics as usize, words as usize), entries.into_iter(), (Vec::new(), 0.01))
}

#[test]
fn a_thousand_topics_take_less_than_two_megabytes() {
    let counts = made(1_000, 60_000, 500);
    let words = (0..60_000).map(|word| format!("word{word}")).collect();
    let mut names = Vocabulary::default();
    (0..5_000).for_each(|document| names.push(&format!("comp.sys.hardware.forum/archive/{document}")));
    let model = model(&counts, 5_000, Some(words));
    let topics_of =
        |document: usize| (0..40).map(|at| ((document as u32 * 7 + at * 25) % 1_000, at + 1)).collect();
    let picture = map(&model, &counts, &topics_of, Some(&names)).unwrap();
    assert_eq!(picture.contents.members.len(), 1_000);
    assert!(picture.contents.members.iter().all(|member| member.examples.len() == 5));
    let mut file = Vec::new();
    Summary::new("a").picture(picture).write(&mut file).unwrap();
    println!("a map of 1,000 topics: {} bytes", file.len());
    assert!(file.len() < 2_000_000, "{}", file.len());
}

#[test]
fn a_topic_has_the_words_that_are_most_relevant_at_each_weight() {
    let counts = made(6, 400, 900);
    let model = model(&counts, 0, None);
    let picture = map(&model, &counts, &|_| Vec::new(), None).unwrap();
    let contents = &picture.contents;
    let tokens = f64::from(counts.counts.iter().sum::<u32>());
    let overall = |word: u32| {
        (0..6)
            .flat_map(|topic| counts.topic(topic))
            .filter(|entry| entry.0 == word)
            .map(|entry| f64::from(entry.1))
            .sum::<f64>()
            / tokens
    };
    let mut compared = 0;
    for (topic, member) in pairs(0..6, &contents.members) {
        let norm = counts.total(topic) as f64 + 400.0 * 0.01;
        let shares: Vec<(u32, f64)> =
            counts.topic(topic).map(|(word, count)| (word, (f64::from(count) + 0.01) / norm)).collect();
        let has: BTreeSet<String> =
            member.contains.iter().map(|&(item, _)| contents.items[item].clone()).collect();
        assert!(has.len() == member.contains.len() && (11..=60).contains(&has.len()), "{}", has.len());
        let mut least = usize::MAX;
        for tenth in 0..=10 {
            let weight = f64::from(tenth) / 10.0;
            let relevance =
                |&(word, p): &(u32, f64)| weight * p.ln() + (1.0 - weight) * (p / overall(word)).ln();
            let mut order: Vec<(f64, u32)> = shares.iter().map(|of| (relevance(of), of.0)).collect();
            order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            least = least.min(order.iter().take_while(|of| has.contains(&model.word(of.1))).count());
            compared += 1;
        }
        assert!(least >= 60 / 11, "{least}");
        for &(item, share) in &member.contains {
            let word = contents.items[item].strip_prefix("word ").unwrap().parse::<u32>().unwrap() - 1;
            let exact = shares.iter().find(|of| of.0 == word).unwrap().1;
            assert!(
                (share / exact - 1.0).abs() < 1e-3
                    && (contents.overall[item] / overall(word) - 1.0).abs() < 1e-3
            );
        }
    }
    assert_eq!(compared, 66);
}

#[test]
fn documents_do_not_win_by_being_short() {
    let counts = made(2, 50, 100);
    let rows = [vec![(0, 1)], vec![(0, 90), (1, 10)], vec![(1, 1)], vec![], vec![(0, 4)]];
    let model = model(&counts, rows.len(), None);
    let topics_of = |document: usize| rows[document].clone();
    let picture = map(&model, &counts, &topics_of, None).unwrap();
    let [first, second] = &picture.contents.members[..] else { panic!("two topics") };
    // 4.1 / 4.2, 1.1 / 1.2, 90.1 / 100.2.
    let named = |name: &str, share| (name.to_owned(), share);
    assert_eq!(first.examples, [named("5", 0.9762), named("1", 0.9167), named("2", 0.8992)]);
    assert_eq!(second.examples, [named("3", 0.9167), named("2", 0.1008)]);
}

#[test]
fn topics_without_a_token_are_left_out_and_said() {
    let counts = TopicWords::from_counts((4, 3), [(0, 1, 3), (1, 3, 1)].into_iter(), (Vec::new(), 0.01));
    let model = model(&counts, 0, Some(vec!["a".repeat(100), "b".into(), "c".into()]));
    let picture = map(&model, &counts, &|_| Vec::new(), None).unwrap();
    let members: Vec<&str> = picture.contents.members.iter().map(|member| &*member.name).collect();
    assert_eq!(members, ["2", "4"]);
    assert_eq!(picture.contents.items, [format!("{}...", "a".repeat(60)), "b".into()]);
    assert!(picture.note.ends_with("; 2 topics without a token left out"), "{}", picture.note);
    let none = TopicWords::from_counts((2, 3), [].into_iter(), (Vec::new(), 0.01));
    assert!(map(&self::model(&none, 0, None), &none, &|_| Vec::new(), None).is_none());
}
