//! A task in lockstep has, to the bit, the result of its definition, carried out token by token.

use raddle::random::splitmix64;
use raddle::simd_level::SimdLevel;

use super::{corpus, drive, order, problem, word_of};
use crate::params::Lda;
use raddle_kernels::topics::counts::packing::LANES;
use raddle_kernels::topics::counts::priors::WordPriors;
use raddle_kernels::topics::counts::tokens::Slice;
use raddle_kernels::topics::{Draws, Sample, TopicParams};

/// Returns the uniform number for a token of a stream.
fn unit(start: u64, step: usize, stream: usize) -> f32 {
    let at = (2 * step + stream / 2) as u64;
    let bits = splitmix64(splitmix64(start).wrapping_add(at.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let bits = if stream.is_multiple_of(2) { bits >> 40 } else { bits >> 8 & 0xff_ffff };
    bits as f32 / (1 << 24) as f32
}

/// Returns the topic at this point of the cumulated masses; of 16 N masses, the first `topics` belong to
/// topics.
fn pick(masses: &[f32], unit: f32, topics: usize) -> usize {
    let lines: Vec<&[f32]> = masses.chunks(LANES).collect();
    let column = |lane: usize, upto: usize| lines[..=upto].iter().fold(0.0f32, |sum, line| sum + line[lane]);
    let whole: Vec<f32> = (0..LANES).map(|lane| column(lane, lines.len() - 1)).collect();
    // Prefix sums within four lanes, then over the four sums of four, in two steps each.
    let prefix =
        |of: &[f32]| [of[0], of[1] + of[0], (of[2] + of[1]) + of[0], (of[3] + of[2]) + (of[1] + of[0])];
    let fours: Vec<[f32; 4]> = whole.chunks(4).map(prefix).collect();
    let ends = prefix(&fours.iter().map(|four| four[3]).collect::<Vec<_>>());
    let start = |lane: usize| if lane < 4 { 0.0 } else { ends[lane / 4 - 1] };
    let upto = |lane: usize| start(lane) + fours[lane / 4][lane % 4];
    let before =
        |lane: usize| start(lane) + if lane.is_multiple_of(4) { 0.0 } else { fours[lane / 4][lane % 4 - 1] };
    let point = unit * ends[3];
    let lane = (0..LANES - 1).filter(|&lane| upto(lane) <= point).count();
    let line = (0..lines.len() - 1).filter(|&line| column(lane, line) <= point - before(lane)).count();
    (line * LANES + lane).min(topics - 1)
}

/// Carries out one task token by token; returns the topics of its tokens.
fn by_hand(
    slice: &Slice,
    (in_document, in_word): (&mut [Vec<f32>], &mut [Vec<f32>]),
    given: TopicParams<'_>,
    start: u64,
) -> Vec<u16> {
    let (topics, mut now) = (given.norms.len(), slice.topics.clone());
    for (step, stream, token) in order(slice) {
        let (document, word) = (usize::from(slice.documents[token]), word_of(slice, token));
        let old = usize::from(now[token]);
        in_document[document][old] -= 1.0;
        in_word[word][old] -= 1.0;
        let mut masses = vec![0.0f32; topics.next_multiple_of(LANES)];
        for topic in 0..topics {
            let norm = given.norms[topic] - f64::from(u8::from(topic == old));
            let weight = (in_word[word][topic] + given.beta as f32) * (1.0 / norm) as f32;
            masses[topic] = (in_document[document][topic] + given.alphas[topic] as f32) * weight;
        }
        let new = pick(&masses, unit(start, step, stream), topics);
        in_document[document][new] += 1.0;
        in_word[word][new] += 1.0;
        now[token] = new as u16;
    }
    now
}

#[test]
fn a_task_in_lockstep_is_its_definition_to_the_bit() {
    for (topics, documents) in [(5, 60), (16, 10), (20, 100), (100, 40), (113, 40), (200, 40)] {
        for seed in 0..3 {
            let lda = Lda::params()
                .topics(topics)
                .fixed_priors(true)
                .beta_anneal(1.0)
                .progressive(false)
                .seed(seed);
            let mut made = lda.parts(problem(&corpus(documents), 2, 1)).expect("parameters in range");
            drive(&mut made, 0..3, |_| ());
            let (program, _, parts) = made;
            let alphas: Vec<f64> = (0..topics).map(|k| 0.03 + 0.1 * (k % 7) as f64).collect();
            let norms = program.spec.norms(&parts.replica, 0.07, false);
            let given = TopicParams { norms: &norms, alphas: &alphas, beta: 0.07 };
            let (shard, block) = (&parts.shards[0], &parts.blocks[0]);
            let dense = |row: &mut dyn Iterator<Item = (u32, u32)>| {
                let mut counts = vec![0.0; topics];
                row.for_each(|(topic, count)| counts[topic as usize] = count as f32);
                counts
            };
            let mut in_document: Vec<Vec<f32>> = (0..shard.documents.len())
                .map(|document| dense(&mut shard.rows.of(document, topics)))
                .collect();
            let mut in_word: Vec<Vec<f32>> =
                (0..block.rows.words()).map(|word| dense(&mut block.rows.of(word))).collect();
            let start = 99 + seed;
            let expected = by_hand(&shard.slices[0], (&mut in_document, &mut in_word), given, start);
            assert_ne!(expected, shard.slices[0].topics, "nothing has moved");
            for level in SimdLevel::available() {
                let (mut shard, mut words) = (shard.clone(), block.rows.clone());
                let has = shard.documents.len();
                let sample = Sample {
                    given,
                    rows: &mut shard.rows,
                    slice: &mut shard.slices[0],
                    words: &mut words,
                    word_priors: &WordPriors::default(),
                    had: has,
                    has,
                    uniform: false,
                    draws: Draws::new(start),
                };
                level.during(|| sample.run());
                assert_eq!(shard.slices[0].topics, expected, "{topics} topics, {}", level.name());
                for (document, counts) in in_document.iter().enumerate() {
                    assert_eq!(&dense(&mut shard.rows.of(document, topics)), counts);
                }
                for (word, counts) in in_word.iter().enumerate() {
                    assert_eq!(&dense(&mut words.of(word)), counts);
                }
            }
        }
    }
}
