//! Tests of masks: they cancel, they hide, and no stream comes twice.

#![allow(clippy::unwrap_used, reason = "a test fails so")]

use std::collections::{BTreeMap, BTreeSet};

use super::{Keyring, KeyringError, Masks, MasksError, Moment, PrivateKey, PublicKey};

/// Numbers that are the same in every run.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn key(&mut self) -> PrivateKey {
        let digits: String = (0..4).map(|_| format!("{:016x}", self.next())).collect();
        PrivateKey::parse(&digits).unwrap()
    }
}

/// The keyrings of so many parties, and that of the coordinator.
fn keyrings(parties: u64, draws: &mut Draws) -> (Vec<Keyring>, Keyring) {
    let privates: Vec<(String, PrivateKey)> =
        (0..parties).map(|number| (format!("party-{number:02}"), draws.key())).collect();
    let publics: BTreeMap<String, PublicKey> =
        privates.iter().map(|(name, key)| (name.clone(), key.public())).collect();
    let coordinator = draws.key();
    let ring = |me: Option<&str>, key: &PrivateKey| {
        Keyring::new(coordinator.public(), &publics, me, key.clone()).unwrap()
    };
    (privates.iter().map(|(name, key)| ring(Some(name), key)).collect(), ring(None, &coordinator))
}

const FIRST: Moment = Moment { epoch: 0, round: Some(0) };

/// The masks of a party among these, whose connections are bound by this number.
fn masks(ring: &Keyring, among: &[u32], binding: u8) -> Result<Masks, MasksError> {
    let me = ring.number();
    let others = among.iter().filter(|&&party| Some(party) != me);
    Masks::new(ring, &others.map(|&party| (party, [binding; 32])).collect())
}

#[test]
fn masked_sums_are_the_sums_of_the_words() {
    let draws = &mut Draws(1);
    for parties in 3..=16 {
        let (rings, _) = keyrings(parties, draws);
        // 1,008 cases in all.
        for generation in 0..6 {
            // Some take part, as after a loss.
            let mut among: Vec<u32> = (1..=parties as u32).collect();
            while among.len() > 3 && draws.below(3) == 0 {
                among.remove(draws.below(among.len() as u64) as usize);
            }
            let ring = |&party: &u32| masks(&rings[party as usize - 1], &among, generation).unwrap();
            let all: Vec<Masks> = among.iter().map(ring).collect();
            for epoch in 0..12 {
                let (at, length) = (Moment { epoch, round: Some(draws.next()) }, draws.below(200));
                let mut sums = vec![[0_i64; 2]; length as usize];
                for masks in &all {
                    let words: Vec<i64> =
                        sums.iter().map(|_| draws.next() as i64 >> draws.below(64)).collect();
                    let mut masked = words.clone();
                    masks.add_to(at, &mut masked).unwrap();
                    for (sum, words) in sums.iter_mut().zip(words.into_iter().zip(masked)) {
                        *sum = [sum[0].wrapping_add(words.0), sum[1].wrapping_add(words.1)];
                    }
                }
                assert!(sums.iter().all(|[sum, masked]| sum == masked), "{parties} parties, {at:?}");
            }
        }
    }
}

/// Chi-square of counts that are all expected to be equal, in standard deviations from its mean.
fn deviation(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    let square = |&count: &u64| (count as f64 - expected).powi(2) / expected;
    let freedom = counts.len() as f64 - 1.0;
    (counts.iter().map(square).sum::<f64>() - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn words_of_one_party_are_uniform() {
    let (rings, _) = keyrings(3, &mut Draws(2));
    let mut words = vec![0_i64; 1_000_000];
    masks(&rings[1], &[1, 2, 3], 0).unwrap().add_to(FIRST, &mut words).unwrap();
    // Small numbers under masks, as a party's sums are.
    (0..).zip(&mut words).for_each(|(number, word)| *word = word.wrapping_add(number % 7));
    for byte in 0..8 {
        let mut counts = [0; 256];
        words.iter().for_each(|word| counts[usize::from(word.to_le_bytes()[byte])] += 1);
        assert!(deviation(&counts).abs() < 5.0, "byte {byte}: {}", deviation(&counts));
    }
    // Neighbours do not depend on each other.
    let mut counts = vec![0; 1 << 12];
    words.windows(2).for_each(|pair| counts[(pair[0] as usize & 63) << 6 | pair[1] as usize & 63] += 1);
    assert!(deviation(&counts).abs() < 5.0, "pairs: {}", deviation(&counts));
    // Words that are not masked fail the same test.
    let mut counts = [0; 256];
    (0..1_000_000).for_each(|number| counts[number % 7] += 1);
    assert!(deviation(&counts) > 5.0);
}

#[test]
fn no_stream_comes_twice_in_a_thousand_epochs_with_losses() {
    let draws = &mut Draws(3);
    let (rings, _) = keyrings(4, draws);
    let (mut seen, mut repeated, mut generation, mut here) = (BTreeSet::new(), 0, 0, Vec::new());
    let mut epoch = 0;
    for _ in 0..1000 {
        if here.is_empty() || draws.below(20) == 0 {
            // A loss: others take part in a generation of its own, and some epochs are done again.
            (generation, epoch) = (generation + 1, epoch - draws.below(10).min(epoch));
            let among: &[u32] = if draws.below(2) == 0 { &[1, 2, 3, 4] } else { &[1, 2, 4] };
            here = among
                .iter()
                .map(|&party| masks(&rings[party as usize - 1], among, generation).unwrap())
                .collect();
        }
        for round in [None, Some(0), Some(1), Some(0)] {
            let at = Moment { epoch, round };
            for party in &here {
                let mut words = [0; 4];
                match party.add_to(at, &mut words) {
                    Ok(()) => assert!(seen.insert(words), "epoch {epoch}, round {round:?}"),
                    Err(why) => {
                        assert_eq!((why, words), (MasksError::Reused(at), [0; 4]));
                        repeated += 1;
                    }
                }
            }
        }
        epoch += 1;
    }
    // The round that is named twice is refused, and no other.
    assert_eq!(seen.len(), 3 * repeated);
}

#[test]
fn a_moment_is_masked_once() {
    let (rings, _) = keyrings(3, &mut Draws(4));
    let masks = masks(&rings[0], &[1, 2, 3], 0).unwrap();
    assert_eq!(masks.add_to(FIRST, &mut [1, 2]), Ok(()));
    let mut again = [1, 3];
    assert_eq!(masks.add_to(FIRST, &mut again), Err(MasksError::Reused(FIRST)));
    assert_eq!(again, [1, 3]);
}

#[test]
fn under_three_parties_nothing_is_masked() {
    let (rings, coordinator) = keyrings(3, &mut Draws(5));
    let among = |ring: &Keyring, among: &[u32]| masks(ring, among, 0).map(drop).unwrap_err();
    assert_eq!(among(&rings[0], &[1, 2]), MasksError::TooFew(2));
    assert_eq!(among(&rings[0], &[1, 2, 4]), MasksError::Unlike);
    assert_eq!(among(&rings[0], &[1, 2, u32::MAX]), MasksError::Unlike);
    assert_eq!(among(&coordinator, &[1, 2, 3]), MasksError::Unlike);
}

#[test]
fn only_the_two_of_a_pair_have_its_secrets() {
    let (rings, coordinator) = keyrings(3, &mut Draws(6));
    let link = |ring: &Keyring, other: u32| ring.link(other).unwrap().token;
    let mut tokens = BTreeSet::new();
    for (one, ring) in (1..).zip(&rings) {
        for (other, there) in (1..).zip(&rings).filter(|&(other, _)| other != one) {
            assert_eq!(link(ring, other), link(there, one));
            tokens.insert(link(ring, other));
        }
        assert_eq!(link(ring, u32::MAX), link(&coordinator, one));
        tokens.insert(link(ring, u32::MAX));
        // Nobody connects to oneself, or to who is not there.
        assert!([one, 0, 4].iter().all(|&other| ring.link(other).is_none()));
    }
    assert_eq!(tokens.len(), 6);
}

#[test]
fn keys_that_do_not_fit_are_refused() {
    let draws = &mut Draws(7);
    let (north, south, coordinator) = (draws.key(), draws.key(), draws.key());
    let parties = |south: PublicKey| {
        BTreeMap::from([("north".to_owned(), north.public()), ("south".to_owned(), south)])
    };
    let ring = |south: PublicKey, me: Option<&str>, key: &PrivateKey| {
        Keyring::new(coordinator.public(), &parties(south), me, key.clone()).map(drop).unwrap_err()
    };
    let unknown = KeyringError::Unknown("west".into(), "north, south".into());
    assert_eq!(ring(south.public(), Some("west"), &north), unknown);
    let wrong = KeyringError::Wrong("south".into(), north.public());
    assert_eq!(ring(south.public(), Some("south"), &north), wrong);
    let wrong = KeyringError::Wrong("the coordinator".into(), north.public());
    assert_eq!(ring(south.public(), None, &north), wrong);
    let twice = KeyringError::Twice("north".into(), "south".into());
    assert_eq!(ring(north.public(), Some("north"), &north), twice);
    assert_eq!(ring(PublicKey([0; 32]), Some("north"), &north), KeyringError::Weak("south".into()));
}

#[test]
fn a_keyring_comes_through_its_text() {
    let (rings, coordinator) = keyrings(3, &mut Draws(8));
    for ring in rings.iter().chain([&coordinator]) {
        let text = format!("coordinator 127.0.0.1:1\n{}", *ring.text());
        let read = Keyring::parse(&text).unwrap();
        assert_eq!((read.number(), read.parties()), (ring.number(), 3));
        assert_eq!(read.text(), ring.text());
    }
    assert!(Keyring::parse("coordinator 127.0.0.1:1\n").is_none());
}
