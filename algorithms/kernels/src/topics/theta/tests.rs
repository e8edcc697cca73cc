//! Mixtures of topics are those of the formula, with the same bits in every form.

use raddle_base::random::Stream;
use raddle_base::simd_level::SimdLevel;
use raddle_common::testing::pairs;

use super::*;

/// Computes theta by the formula alone, over all words and topics.
fn naive(words: &[WordRow<'_>], given: &TopicModel<'_>, rounds: usize) -> Vec<f64> {
    let topics = given.alpha.len();
    let phi: Vec<Vec<f64>> = words
        .iter()
        .map(|(_, row)| {
            let mut counts = vec![given.beta; topics];
            row.iter().for_each(|&(topic, times)| counts[topic as usize] += f64::from(times));
            counts.iter().zip(given.inverse).map(|(count, inverse)| count * inverse).collect()
        })
        .collect();
    let mut theta = vec![1.0 / topics as f64; topics];
    for _ in 0..rounds {
        let mut next = given.alpha.to_vec();
        for ((count, _), phi) in words.iter().zip(&phi) {
            let probability: f64 = theta.iter().zip(phi).map(|(theta, phi)| theta * phi).sum();
            for ((next, theta), phi) in next.iter_mut().zip(&theta).zip(phi) {
                *next += count * theta * phi / probability;
            }
        }
        let sum: f64 = next.iter().sum();
        theta = next.iter().map(|next| next / sum).collect();
    }
    theta
}

#[test]
fn rounds_are_those_of_the_formula_with_the_same_bits_in_all_forms() {
    let mut random = Stream::new(&[39, 5]);
    for topics in [1, 5, 8, 60, 203] {
        let (inverse, alpha): (Vec<f64>, Vec<f64>) =
            (0..topics).map(|topic| (1.0 / f64::from(3 + topic), 0.1 + f64::from(topic % 7))).unzip();
        let given = TopicModel { inverse: &inverse, alpha: &alpha, beta: 0.01 };
        for count in [0, 1, 3, 4, 5, 8, 41] {
            // Rows of all lengths: with none, some and all of the topics.
            let rows: Vec<Vec<(u32, f32)>> = (0..count)
                .map(|_| {
                    let each = 1 + random.below(1 + topics as usize) as u32;
                    (0..topics as u32)
                        .filter(|topic| topic % each == each / 2)
                        .map(|topic| (topic, 1.0 + random.below(9) as f32))
                        .collect()
                })
                .collect();
            let words: Vec<WordRow<'_>> =
                rows.iter().map(|row| (1.0 + random.below(3) as f64, row.as_slice())).collect();
            let of_level = |level: SimdLevel| {
                level.during(|| {
                    let mut theta = Theta::new(&given);
                    // Nothing of the document before may be left.
                    theta.estimate(&words[words.len() / 2..], 1);
                    theta.estimate(&words, 3);
                    theta.shares().iter().map(|share| share.to_bits()).collect::<Vec<u64>>()
                })
            };
            let expected = naive(&words, &given, 3);
            let found = of_level(SimdLevel::available()[0]);
            for (&found, expected) in pairs(&found, &expected) {
                let found = f64::from_bits(found);
                assert!((found - expected).abs() <= 1e-12 * expected, "{found} {expected}");
            }
            for level in SimdLevel::available() {
                assert_eq!(of_level(level), found, "{topics} topics, {count} words, {}", level.name());
            }
        }
    }
}
