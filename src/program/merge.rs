//! Verbs of programs whose partials of neighbouring shards become one: [`Merge`], and [`Additive`] for exact
//! sums over rows.

use crate::program::Program;

/// A program whose partials of neighbouring shards can become one, such as a sum of numbers or a list. Where
/// its shards are on several processes, fewer bytes then go to the first one, and less is left to do there.
///
/// Partials are merged along a fixed binary tree over the numbers of shards: a node of level `l` has the
/// shards from `k 2^l` up to `(k + 1) 2^l`, without those beyond the last. Its value is that of its left
/// half, into which that of its right half is merged; where only one of the two has a value, because no other
/// shard answered, it is that one. So the result depends on the shards that answered, and never on where they
/// are: a process merges what it has of each subtree that it holds whole, and the rest is merged where rounds
/// are aggregated, up to one value. [`aggregate`](Program::aggregate) and [`conclude`](Program::conclude) get
/// that value alone, as the partial of the first shard that answered, and no partial where none did; also
/// with one worker.
///
/// ```
/// use raddle::prelude::*;
///
/// /// The columns' sums of rows that lie in shards.
/// struct Sums;
///
/// impl Program for Sums {
///     raddle::program!(Shard = Vec<Vec<u64>>, Replica = Vec<u64>, Partial = Vec<u64>; update, merge);
///
///     fn aggregate(&self, at: Aggregate<'_, Self>) -> Vec<u64> {
///         assert!(at.partials.len() == 1);
///         at.partials.sum()
///     }
///     fn commit(&self, change: &Vec<u64>, sums: &mut Vec<u64>) { sums.clone_from(change); }
///     fn evaluate(&self, _: Evaluate<'_, Self>) -> Vec<u64> { Vec::new() }
///     fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Vec<u64>> {
///         Metric::new("sum", at.replica.iter().sum::<u64>() as f64, "all rows").into()
///     }
/// }
///
/// impl Update for Sums {
///     fn update(&self, at: TaskOf<'_, Self>) -> Vec<u64> {
///         Partials::from((0..).zip(at.shard.iter().cloned()).collect::<Vec<_>>()).sum()
///     }
/// }
///
/// impl Merge for Sums {
///     fn merge(&self, _: Option<&()>, left: &mut Vec<u64>, right: Vec<u64>) {
///         left.iter_mut().zip(right).for_each(|(sum, part)| *sum += part);
///     }
/// }
///
/// let make = || {
///     let parts = Parts::new((0..5).map(|shard| vec![vec![shard, 1]; 3]).collect(), Vec::new());
///     Engine::new(Sums, EachShard::new(5), parts).epochs(1)
/// };
/// assert_eq!(make().workers(2).run()?.parts.replica, [30, 15]);
/// replay::check(make)?;
/// # Ok::<(), raddle::EngineError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` names the verb `merge`, but does not implement `Merge`",
    label = "`Merge` is not implemented for `{Self}`"
)]
pub trait Merge: Program {
    /// Merges the partial of the shards on the right into that of the shards on the left, whose numbers are
    /// lower, within a round of this phase, or, with `None`, a boundary. If a plan is aggregated once,
    /// `phase` is that of its last round.
    fn merge(&self, phase: Option<&Self::Phase>, left: &mut Self::Partial, right: Self::Partial);

    /// `true` if partials of rounds of this phase, or, with `None`, those of a boundary's
    /// [`evaluate`](Program::evaluate), are merged; else the partial of every shard is passed on unchanged.
    /// True unless overridden.
    fn merges(&self, phase: Option<&Self::Phase>) -> bool {
        let _ = phase;
        true
    }

    /// `true` if any grouping of neighbours gives the same bits, as with sums of integers, maxima and lists:
    /// [`replay::check`](crate::replay::check) then verifies that. A program that adds floating-point
    /// numbers, whose sums are rounded, overrides it with `false`. The result of a run does not depend on it.
    /// True unless overridden.
    fn is_associative(&self) -> bool {
        true
    }
}

/// A program whose partials are sums over rows, to the bit: numbers of each row, rounded once to a [`Grid`]
/// and added as integers ([`exact`](crate::exact)). How its rows are ordered, and cut into shards, then
/// changes no bit of a run. It is named in place of [`Merge`]: partials of neighbouring shards
/// are added, word by word, and a sum that overflows ends the run. [`replay::check`](crate::replay::check)
/// cuts the rows otherwise and compares all but the shards.
///
/// ```
/// use raddle::exact::{ExactSums, Grid};
/// use raddle::prelude::*;
///
/// /// The mean of numbers of at most 10, of which there are six.
/// struct Mean;
/// const COUNT: u64 = 6;
/// fn grid() -> Grid { Grid::new(10.0, COUNT).unwrap() }
///
/// impl Program for Mean {
///     raddle::program!(Shard = Vec<f64>, Replica = f64, Partial = Vec<i64>, Change = f64; update, additive);
///
///     fn aggregate(&self, at: Aggregate<'_, Self>) -> f64 {
///         grid().value(at.partials.sum()[0]) / COUNT as f64
///     }
///     fn commit(&self, change: &f64, mean: &mut f64) { *mean = *change; }
///     fn evaluate(&self, _: Evaluate<'_, Self>) -> Vec<i64> { Vec::new() }
///     fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<f64> {
///         Metric::new("mean", *at.replica, "all numbers").into()
///     }
/// }
///
/// impl Update for Mean {
///     fn update(&self, at: TaskOf<'_, Self>) -> Vec<i64> {
///         let mut sums = ExactSums::new(grid(), 1);
///         at.shard.iter().for_each(|number| sums.add(&[*number]).unwrap());
///         sums.words()
///     }
/// }
///
/// impl Additive for Mean {
///     fn words<'a>(&self, partial: &'a mut Vec<i64>) -> &'a mut [i64] { partial }
///     fn recut(&self, shards: Vec<Vec<f64>>, ends: &[f64]) -> Vec<Vec<f64>> {
///         raddle::exact::recut(shards.concat(), ends)
///     }
/// }
///
/// let make = |shards: Vec<Vec<f64>>| {
///     Engine::new(Mean, EachShard::new(shards.len() as u32), Parts::new(shards, 0.0)).epochs(1)
/// };
/// let one = make(vec![vec![0.1, 0.2, 0.3, 0.4, 0.5, 9.7]]).run()?;
/// let two = make(vec![vec![9.7], vec![0.4, 0.1, 0.5, 0.3, 0.2]]).run()?;
/// assert_eq!(one.parts.replica.to_bits(), two.parts.replica.to_bits());
/// replay::check(|| make(vec![vec![0.1; 3], vec![0.7; 2], vec![9.9]]))?;
/// # Ok::<(), raddle::EngineError>(())
/// ```
///
/// [`Grid`]: crate::exact::Grid
#[diagnostic::on_unimplemented(
    message = "`{Self}` names the verb `additive`, but does not implement `Additive`",
    label = "`Additive` is not implemented for `{Self}`"
)]
pub trait Additive: Program {
    /// Returns the numbers of a partial, the [words](crate::exact::ExactSums::words) of sums on grids that
    /// were made for the terms of all shards: bounds and grids follow from the program, the round and the
    /// replica.
    fn words<'a>(&self, partial: &'a mut Self::Partial) -> &'a mut [i64];

    /// Returns the rows of all shards in as many shards that end at these shares of the rows, which rise up
    /// to 1, such as by [`exact::recut`](crate::exact::recut): for [`replay::check`](crate::replay::check)
    /// alone.
    fn recut(&self, shards: Vec<Self::Shard>, ends: &[f64]) -> Vec<Self::Shard>;
}

/// Adds the words of a partial to those of another.
fn add_words<P: Additive>(
    program: &P,
    left: &mut P::Partial,
    mut right: P::Partial,
    add: fn(i64, i64) -> Option<i64>,
) {
    let (left, right) = (program.words(left), program.words(&mut right));
    assert!(left.len() == right.len(), "partials have {} and {} words", left.len(), right.len());
    for (at, (sum, word)) in left.iter_mut().zip(right).enumerate() {
        let Some(both) = add(*sum, *word) else {
            panic!("the sum of word {at} overflows: make its grid for the terms of all shards")
        };
        *sum = both;
    }
}

type RecutOf<P> = fn(&P, Vec<<P as Program>::Shard>, &[f64]) -> Vec<<P as Program>::Shard>;

type WordsOf<P> = for<'a> fn(&P, &'a mut <P as Program>::Partial) -> &'a mut [i64];

type MergesOf<P> = fn(&P, Option<&<P as Program>::Phase>) -> bool;
type MergeTwo<P> =
    fn(&P, Option<&<P as Program>::Phase>, &mut <P as Program>::Partial, <P as Program>::Partial);

/// Functions of a program that merges partials.
pub(crate) struct MergeOf<P: Program> {
    pub(crate) merge: MergeTwo<P>,
    pub(crate) merges: MergesOf<P>,
    pub(crate) is_associative: fn(&P) -> bool,
    /// Cuts the rows of a program with exact sums otherwise.
    pub(crate) recut: Option<RecutOf<P>>,
    /// Functions of a program with exact sums, where parties mask them.
    pub(crate) masked: Option<MaskedOf<P>>,
}

/// Functions of a program whose exact sums are masked.
pub(crate) struct MaskedOf<P: Program> {
    pub(crate) words: WordsOf<P>,
    /// Adds words modulo 2^64: masked ones are as large as any.
    pub(crate) add: fn(&P, &mut P::Partial, P::Partial),
}

impl<P: Program> Clone for MaskedOf<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Program> Copy for MaskedOf<P> {}

impl<P: Program> Clone for MergeOf<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Program> Copy for MergeOf<P> {}

impl<P: Merge> MergeOf<P> {
    /// Returns the functions of a program that names `merge`.
    pub(crate) fn merging() -> Self {
        Self {
            merge: P::merge,
            merges: P::merges,
            is_associative: P::is_associative,
            recut: None,
            masked: None,
        }
    }
}

impl<P: Additive> MergeOf<P> {
    /// Returns the functions of a program that names `additive`.
    pub(crate) fn adding() -> Self {
        let add = |program: &P, left: &mut P::Partial, right| {
            add_words(program, left, right, |sum, word| Some(sum.wrapping_add(word)));
        };
        Self {
            merge: |program, _, left, right| add_words(program, left, right, i64::checked_add),
            merges: |_, _| true,
            is_associative: |_| true,
            recut: Some(P::recut),
            masked: Some(MaskedOf { words: P::words, add }),
        }
    }
}
