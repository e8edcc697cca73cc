//! A checkpoint with a right hash and wrong content is refused by its reader, or the run continues; it never
//! panics.

use raddle::random::Stream;
use raddle::{Engine, EngineError};
use raddle_common::testing::Checkpoint;
use raddle_datasets::Corpus;
use raddle_lda::{Fit, HoldOut, Lda, LdaError, LdaProgram, Preparation, Problem};

use crate::combinations::all_combinations;

fn problem() -> Problem {
    let documents =
        (0..40u32).map(|d| (0..6).map(|w| ((w * 5 + d / 10 * 3) % 30, 1 + u64::from((w + d) % 3))).collect());
    let corpus = Corpus::from_documents(32, documents).unwrap();
    let preparation =
        Preparation { validation: HoldOut::Fraction(0.2), shards: Some(3), ..Preparation::default() };
    Problem::new(&corpus, &preparation).unwrap()
}

fn runs(lda: &Lda, set: impl FnOnce(Engine<LdaProgram>) -> Engine<LdaProgram>) -> Result<Fit, LdaError> {
    lda.clone().fit_with(problem(), |engine| set(engine).identity("this run"))
}

#[test]
fn forged_checkpoints_are_refused_or_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    // Few topics, whose documents have dense rows; many; priors; a model to start from, with words that
    // nobody has.
    let base = Lda::params().epochs(6).evaluate_every(2);
    let kinds = [
        base.clone().topics(4),
        base.clone().topics(150),
        base.clone().topics(4).word_priors(vec![(3, 1, 2.0), (9, 2, 1.0)]).fixed_priors(true),
        base.topics(3).init(vec![(0, 1, 9), (31, 2, 4)]),
    ];
    let (mut refused, mut ran, mut tried) = (0, 0, 0);
    for (number, lda) in (0..).zip(&kinds) {
        runs(lda, |engine| engine.epochs(3).checkpoint(1, &path)).unwrap();
        let whole = Checkpoint::last(&path);
        whole.forge(0, |_, _| {});
        let honest = runs(lda, |engine| engine.resume(&path)).unwrap();
        assert_eq!(honest.topic_words(), runs(lda, |engine| engine).unwrap().topic_words());
        for turn in 0..if all_combinations() { 700 } else { 175 } {
            tried += 1;
            let mut stream = Stream::new(&[7, number, turn]);
            let at = (stream.bits() as usize) % whole.length();
            whole.forge(at, |bytes, at| {
                let at = at.min(bytes.len() - 8);
                match turn % 3 {
                    0 => bytes[at] ^= 1 << (stream.bits() % 8),
                    1 => bytes[at..at + 4].copy_from_slice(&(stream.bits() as u32).to_le_bytes()),
                    _ => bytes[at..at + 8].copy_from_slice(&(stream.bits() % 40).to_le_bytes()),
                }
            });
            match runs(lda, |engine| engine.resume(&path)) {
                Ok(_) => ran += 1,
                Err(LdaError::Engine(EngineError::Checkpoint { .. })) => refused += 1,
                Err(error) => panic!("kind {number}, turn {turn}, byte {at}: {error}"),
            }
        }
    }
    assert!(28 * refused > 15 * tried && 140 * ran > tried, "{refused} refused, {ran} ran of {tried}");
}
