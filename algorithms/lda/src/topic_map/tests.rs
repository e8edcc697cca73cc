//! Places of topics compared with divergences by definition, and eigenvectors with a plain power iteration.

use raddle_common::testing::pairs;

use super::*;

type Entry = (u32, u32, u32);

fn counts(topics: usize, words: usize, mut entries: Vec<Entry>) -> TopicWords {
    entries.sort_unstable();
    TopicWords::from_counts((topics, words), entries.into_iter(), (Vec::new(), 0.01))
}

/// Returns a number without a pattern.
fn mixed(number: u64) -> u64 {
    let bits = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (bits ^ (bits >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33
}

/// Makes topics of three kinds and different sizes: each kind has its own words, and all share some.
fn made(topics: u32, words: u32, each: u64) -> TopicWords {
    let kinds = [(0, 1), (1, 2), (1, 3)];
    let entries = (0..topics).flat_map(|topic| {
        let (first, last) = kinds[topic as usize % 3];
        let range = u64::from(words) * (last - first + 1) / 4;
        let from = u64::from(words) * first / 4;
        (0..each).map(move |at| {
            let draw = mixed(u64::from(topic) * each + at);
            // Low numbers of the range are more frequent.
            let word = from + (draw % range) * (mixed(draw) % range) / range;
            (word as u32, topic)
        })
    });
    let mut of_pair = std::collections::BTreeMap::new();
    entries.for_each(|pair| *of_pair.entry(pair).or_insert(0) += 1);
    counts(
        topics as usize,
        words as usize,
        of_pair.into_iter().map(|((word, topic), count)| (word, topic, count)).collect(),
    )
}

/// Returns JS of two distributions by definition.
fn js(p: &[f64], q: &[f64]) -> f64 {
    let entropy = |p: &[f64]| -> f64 { p.iter().filter(|&&p| p > 0.0).map(|p| -p * p.ln()).sum() };
    let mean: Vec<f64> = p.iter().zip(q).map(|(p, q)| (p + q) / 2.0).collect();
    entropy(&mean) - (entropy(p) + entropy(q)) / 2.0
}

/// Returns the shares of all words in each topic, dense.
fn dense(counts: &TopicWords) -> Vec<Vec<f64>> {
    let row = |topic| {
        let mut row = vec![0.0; counts.words];
        let total = counts.total(topic) as f64;
        counts.topic(topic).for_each(|(word, count)| row[word as usize] = f64::from(count) / total);
        row
    };
    (0..counts.topics()).map(row).collect()
}

/// Returns coordinates by definition, from the divergences of each pair.
fn placed(js: &dyn Fn(usize, usize) -> f64, n: usize) -> Vec<[f64; 2]> {
    let s = |a, b| if a == b { 0.0 } else { js(a, b) };
    let row = |a| (0..n).map(|b| s(a, b)).sum::<f64>() / n as f64;
    let rows: Vec<f64> = (0..n).map(row).collect();
    let all = rows.iter().sum::<f64>() / n as f64;
    let mut matrix: Vec<Vec<f64>> =
        (0..n).map(|a| (0..n).map(|b| -0.5 * (s(a, b) - rows[a] - rows[b] + all)).collect()).collect();
    let mut places = vec![[0.0; 2]; n];
    for axis in 0..2 {
        let mut vector: Vec<f64> = (0..n).map(|at| 1.0 + (at as f64).sin()).collect();
        let mut value = 0.0;
        for _ in 0..1_000 {
            let image: Vec<f64> =
                matrix.iter().map(|row| row.iter().zip(&vector).map(|(a, b)| a * b).sum()).collect();
            value = image.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
            vector = image.iter().map(|entry| entry / value).collect();
        }
        let longest = vector.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
        for (place, entry) in places.iter_mut().zip(&vector) {
            place[axis] = value.sqrt() * entry * longest.signum();
        }
        for (row, a) in matrix.iter_mut().zip(&vector) {
            row.iter_mut().zip(&vector).for_each(|(entry, b)| *entry -= value * a * b);
        }
    }
    places
}

fn all(counts: &TopicWords) -> Vec<[f64; 2]> {
    topic_map(counts, &(0..counts.topics()).collect::<Vec<_>>())
}

fn assert_near(found: &[[f64; 2]], expected: &[[f64; 2]], most: f64) {
    for (found, expected) in pairs(found, expected) {
        let apart = (found[0] - expected[0]).hypot(found[1] - expected[1]);
        assert!(apart < most, "{found:?} {expected:?}");
    }
}

#[test]
fn few_topics_lie_where_the_definition_has_them() {
    for (topics, words, each) in [(9, 40, 60), (30, 300, 500), (90, 500, 200)] {
        let counts = made(topics, words, each);
        let p = dense(&counts);
        assert_near(&all(&counts), &placed(&|a, b| js(&p[a], &p[b]), topics as usize), 2e-4);
        // A subset, in another order.
        let some = [5, 0, 8, 3, 1];
        let expected = placed(&|a, b| js(&p[some[a]], &p[some[b]]), some.len());
        assert_near(&topic_map(&counts, &some), &expected, 2e-4);
    }
}

#[test]
fn divergences_are_those_of_64_bits() {
    let counts = made(20, 200, 400);
    let (p, topics) = (dense(&counts), (0..20).collect::<Vec<_>>());
    let found = divergences(&counts, &topics, &Words::of(&counts, &topics));
    for (at, found) in found.iter().enumerate() {
        let expected = js(&p[at / 20], &p[at % 20]);
        assert!((found - expected).abs() < 1e-6, "{at}: {found} {expected}");
    }
}

#[test]
fn many_topics_are_compared_by_the_most_salient_words_and_one_for_all_others() {
    let topics = MOST_BY_ALL_WORDS + 10;
    let counts = made(topics as u32, SALIENT_WORDS as u32 + 700, 90);
    let p = dense(&counts);
    let totals: Vec<f64> = (0..topics).map(|topic| counts.total(topic) as f64).collect();
    let all_tokens: f64 = totals.iter().sum();
    let saliency = |word: usize| {
        let of_word: Vec<f64> = (0..topics).map(|topic| p[topic][word] * totals[topic]).collect();
        let tokens: f64 = of_word.iter().sum();
        let terms = of_word.iter().zip(&totals).filter(|(count, _)| **count > 0.5);
        let terms = terms.map(|(count, total)| {
            let given = count / tokens;
            given * (given / (total / all_tokens)).ln()
        });
        if tokens > 0.5 { tokens / all_tokens * terms.sum::<f64>() } else { 0.0 }
    };
    let mut order: Vec<(f64, usize)> = (0..counts.words).map(|word| (saliency(word), word)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    // Rounding decides which of equally salient words are used.
    let numbers: Vec<usize> = (0..topics).collect();
    let words = Words::of(&counts, &numbers);
    let (taken, others): (Vec<usize>, Vec<usize>) =
        (0..counts.words).partition(|&word| words.place(word as u32).is_some());
    assert!(taken.len() == SALIENT_WORDS && words.count == SALIENT_WORDS && words.has_others);
    assert!(taken.iter().all(|&word| saliency(word) > order[SALIENT_WORDS - 1].0 - 1e-12));
    let compared = |row: &Vec<f64>| {
        let mut compared: Vec<f64> = taken.iter().map(|&word| row[word]).collect();
        compared.push(others.iter().map(|&word| row[word]).sum());
        compared
    };
    let p: Vec<Vec<f64>> = p.iter().map(compared).collect();
    let found = divergences(&counts, &numbers, &words);
    let off = (0..found.len()).map(|at| (found[at] - js(&p[at / topics], &p[at % topics])).abs());
    assert!(found.len() == topics * topics && off.fold(0.0, f64::max) < 1e-6);
    assert_near(&all(&counts), &placed(&|a, b| js(&p[a], &p[b]), topics), 2e-4);
}

#[test]
fn few_and_equal_and_empty_topics_have_places() {
    assert!(topic_map(&counts(2, 3, Vec::new()), &[]).is_empty());
    assert_eq!(all(&counts(1, 3, vec![(0, 0, 2), (2, 0, 1)])), [[0.0; 2]]);
    // Topics with nothing in common are sqrt(ln 2) apart, one on each side.
    let half = 2f64.ln().sqrt() / 2.0;
    assert_near(&all(&counts(2, 2, vec![(0, 0, 3), (1, 1, 5)])), &[[half, 0.0], [-half, 0.0]], 1e-6);
    // The same shares with other sizes.
    let same =
        counts(4, 2, (0..4).flat_map(|topic| [(0, topic, topic + 1), (1, topic, 3 * topic + 3)]).collect());
    assert_eq!(all(&same), [[0.0; 2]; 4]);
    // An empty topic is as far from each other topic as topics without common words, and from another empty
    // topic, too.
    let mut entries: Vec<Entry> = vec![(0, 0, 3), (1, 1, 5)];
    let places = all(&counts(4, 3, entries.clone()));
    entries.extend([(2, 2, 1), (3, 3, 1)]);
    assert_eq!(places, all(&counts(4, 4, entries)));
    assert!(places.iter().flatten().all(|place| place.is_finite()));
    // Topics without any word.
    let none = all(&counts(3, 2, Vec::new()));
    assert!(none.len() == 3 && none.iter().flatten().all(|place| place.is_finite()));
}

#[test]
fn whatever_their_order_topics_have_their_distances() {
    let counts = made(25, 90, 150);
    let order: Vec<usize> = (0..25).rev().collect();
    let (places, reversed) = (all(&counts), topic_map(&counts, &order));
    let apart = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let mut compared = 0;
    for a in 0..25 {
        for b in 0..a {
            let (one, other) = (apart(places[a], places[b]), apart(reversed[24 - a], reversed[24 - b]));
            assert!((one - other).abs() < 1e-5, "{a} {b}: {one} {other}");
            compared += 1;
        }
    }
    assert_eq!(compared, 300);
}
