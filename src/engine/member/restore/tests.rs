//! Properties of a resume on three processes: each makes what is placed on it and nothing else, and refuses
//! what does not fit.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::base::state::{Learned, Reader, StateError, Writer};
use crate::cluster::plan::Participant;
use crate::cluster::protocol::GenerationStart;
use crate::engine::{Engine, Lazy, LazyParts};
use crate::program::context::{Aggregate, Conclude, Evaluate, TaskOf};
use crate::program::restore::{RestoreByShard, Restoring};
use crate::program::verbs::{Update, Verbs};
use crate::program::verdict::{Metric, Verdict};
use crate::schedule::EachShard;

const SHARDS: u32 = 10;

/// A program whose shards add up numbers that they are made of. The pinned block has the sum of these
/// numbers, which a checkpoint leaves out. The program asks for them to restore it if `BY_SHARD`.
struct Adding<const BY_SHARD: bool> {
    /// A shard that does not fit.
    refused: Option<u32>,
}

/// The number that a shard is made of, and the number that it has learned.
type Shard = (u64, u64);

impl<const BY_SHARD: bool> Program for Adding<BY_SHARD> {
    type Shard = Shard;
    type Block = u64;
    type Pinned = u64;
    type Replica = u64;
    type Partial = u64;
    type Change = u64;
    type Phase = ();

    fn verbs() -> Verbs<Self> {
        let verbs = Verbs::new().update();
        if BY_SHARD { verbs.restore_by_shard() } else { verbs }
    }

    fn aggregate(&self, at: Aggregate<'_, Self>) -> u64 {
        *at.pinned + at.partials.sum()
    }

    fn commit(&self, change: &u64, sum: &mut u64) {
        *sum += change;
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> u64 {
        at.shard.1
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<u64> {
        Verdict::new(Metric::new("sum", at.partials.sum() as f64, "itself"))
    }

    fn save_state(&self, shard: &Shard, out: &mut Learned<Writer>) {
        out.write(&shard.1);
    }

    fn load_state(&self, shard: &mut Shard, from: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        shard.1 = from.read()?;
        Ok(())
    }

    fn save_pinned(&self, _: &u64, _: &mut Learned<Writer>) {}

    fn load_pinned(&self, pinned: &mut u64, _: &mut Learned<Reader<'_>>) -> Result<(), StateError> {
        *pinned = 0;
        Ok(())
    }
}

impl<const BY_SHARD: bool> Update for Adding<BY_SHARD> {
    fn update(&self, at: TaskOf<'_, Self>) -> u64 {
        at.shard.1 = at.shard.1 * 3 + at.shard.0 + at.replica;
        at.shard.1
    }
}

/// Asks first for the numbers that shards are made of, and then passes their sum to all.
impl<const BY_SHARD: bool> RestoreByShard for Adding<BY_SHARD> {
    type Question = u64;
    type Answer = u64;

    fn ask(&self, run: Restoring<'_, Self>) -> Result<Option<u64>, StateError> {
        match run.question {
            None => Ok(Some(0)),
            Some(0) => {
                *run.pinned = run.shards.sum();
                Ok(Some(*run.pinned))
            }
            Some(sum) => {
                assert!(run.shards.iter().all(|&heard| heard == sum) && run.shards.len() == SHARDS as usize);
                assert_eq!(run.blocks, [(0, 7), (1, 7), (2, 7), (3, 7)]);
                Ok(None)
            }
        }
    }

    fn answer(&self, sum: &u64, number: u32, shard: &mut Shard, _: &u64) -> Result<u64, StateError> {
        match self.refused {
            Some(refused) if refused == number => Err(StateError::new("a shard that fits")),
            _ => Ok(if *sum == 0 { shard.0 } else { *sum }),
        }
    }

    fn answer_of_block(
        &self,
        sum: &u64,
        _: u32,
        block: &mut u64,
        _: &u64,
    ) -> Result<Option<u64>, StateError> {
        Ok((*sum != 0).then_some(*block))
    }
}

/// Builds a run whose shards and blocks are counted as they are made.
fn engine<const BY_SHARD: bool>(
    folder: &Path,
    refused: Option<u32>,
) -> (Engine<Adding<BY_SHARD>>, [Arc<AtomicU32>; 2]) {
    let made: [Arc<AtomicU32>; 2] = Default::default();
    let [shards, blocks] = made.clone();
    let shard = move |number: u32| {
        shards.fetch_add(1, Ordering::Relaxed);
        Ok::<_, String>((u64::from(number) + 1, 0))
    };
    let block = move |_| {
        blocks.fetch_add(1, Ordering::Relaxed);
        Ok::<_, String>(7)
    };
    let (shards, blocks) = (Lazy::new(SHARDS as usize, shard), Lazy::new(4, block));
    let parts = LazyParts { shards, blocks, pinned: 55, replica: 0 };
    let engine = Engine::new(Adding { refused }, EachShard::new(SHARDS), parts);
    (engine.identity("adding").checkpoint(1, folder), made)
}

/// Members of three processes that resume, and how many shards and blocks each has made.
type Resumed<const BY_SHARD: bool> = Vec<(Member<Adding<BY_SHARD>>, [u32; 2])>;

/// Resumes on three processes, with the program of one that may refuse a shard.
fn resume<const BY_SHARD: bool>(folder: &Path, refused: Option<u32>) -> Result<Resumed<BY_SHARD>, String> {
    let participants: Vec<Participant> =
        (0..3).map(|id| Participant { id, address: String::new(), capacity: 1 }).collect();
    let plan = GenerationPlan::new(9, participants, (3, 3), &[1; SHARDS as usize], 4, None, None);
    let (mut members, mut made, mut under_way) = (Vec::new(), Vec::new(), VecDeque::new());
    for index in 0..3 {
        let (engine, counts) = engine::<BY_SHARD>(folder, refused);
        let mut member = Member::new(engine, index, Arc::default());
        let start = GenerationStart {
            plan: plan.clone(),
            from: Some(folder.to_str().unwrap().to_owned()),
            warnings: Vec::new(),
            change: None,
            checkpoint_result: None,
            deadline: 1.0,
            held: false,
        };
        under_way.push_back((index, member.begin(start, None).map_err(|why| why.to_string())?));
        members.push(member);
        made.push(counts);
    }
    while let Some((from, transfers)) = under_way.pop_front() {
        for (to, transfers) in transfers {
            for one in transfers {
                let (tag, number, bytes) = one.pack();
                let one = Transfer::unpack(tag, number, bytes)?;
                members[to as usize].take(from, one, 0).map_err(|why| why.to_string())?;
                under_way.push_back((to, members[to as usize].restore_on().map_err(|why| why.to_string())?));
            }
        }
        let more = members[from as usize].restore_on().map_err(|why| why.to_string())?;
        if !more.is_empty() {
            under_way.push_back((from, more));
        }
    }
    let counts = made.into_iter().map(|counts| counts.map(|count| count.load(Ordering::Relaxed)));
    Ok(members.into_iter().zip(counts).collect())
}

/// Writes a checkpoint of two epochs; returns the shards and the pinned block then.
fn write(folder: &Path) -> (Vec<Shard>, u64) {
    let outcome = engine::<true>(folder, None).0.epochs(2).run().unwrap();
    assert_eq!(outcome.report.checkpoints.count, 2);
    (outcome.parts.shards, outcome.parts.pinned)
}

#[test]
fn a_process_that_resumes_makes_its_own_shards_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (shards, pinned) = write(folder.path());
    let resumed = resume::<true>(folder.path(), None).unwrap();
    assert_eq!(resumed.iter().map(|(_, [shards, _])| shards).sum::<u32>(), SHARDS);
    assert_eq!(resumed.iter().map(|(_, [_, blocks])| blocks).sum::<u32>(), 4);
    let mut all = vec![None; SHARDS as usize];
    for (member, [made, _]) in &resumed {
        assert!((3..=4).contains(made), "{made} of {SHARDS}");
        assert!(member.restores_with().is_empty() && member.restoring.is_none());
        let local = member.local.as_ref().unwrap();
        assert_eq!(local.shards.iter().flatten().count() as u32, *made);
        for (slot, shard) in all.iter_mut().zip(&local.shards) {
            *slot = slot.or(*shard);
        }
    }
    assert_eq!(all, shards.into_iter().map(Some).collect::<Vec<_>>());
    let hubs: Vec<u64> = resumed.iter().filter_map(|(member, _)| Some(member.hub.as_ref()?.pinned)).collect();
    assert_eq!(hubs, [pinned]);
}

#[test]
fn without_the_verb_each_process_makes_its_own_shards_too_and_nothing_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let (shards, _) = write(folder.path());
    let resumed = resume::<false>(folder.path(), None).unwrap();
    assert_eq!(resumed.iter().map(|(_, [shards, _])| shards).sum::<u32>(), SHARDS);
    let mut all = vec![None; SHARDS as usize];
    for (member, [made, _]) in &resumed {
        assert!((3..=4).contains(made) && member.restoring.is_none(), "{made} of {SHARDS}");
        let local = member.local.as_ref().unwrap();
        all.iter_mut().zip(&local.shards).for_each(|(slot, shard)| *slot = slot.or(*shard));
    }
    assert_eq!(all, shards.into_iter().map(Some).collect::<Vec<_>>());
    let hubs: Vec<u64> = resumed.iter().filter_map(|(member, _)| Some(member.hub.as_ref()?.pinned)).collect();
    assert_eq!(hubs, [0], "what is loaded, and nothing made anew");
}

#[test]
fn a_shard_that_does_not_fit_is_named_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    for shard in [0, 4, SHARDS - 1] {
        let Err(why) = resume::<true>(folder.path(), Some(shard)) else { panic!("shard {shard} is taken") };
        assert!(why.contains(&format!("shard {shard}: ")) && why.contains("a shard that fits"), "{why}");
        assert!(why.contains(folder.path().join("2.2").to_str().unwrap()), "{why}");
    }
}
