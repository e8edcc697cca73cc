//! [`LazyParts`]: the parts with which a run starts, made on the process that needs them.

use std::fmt::Display;

use super::Parts;
use crate::base::error::EngineError;
use crate::base::panic_context;
use crate::program::Program;

/// Parts with which a run starts, whose shards and blocks are functions: each part is made once, on the
/// process that holds it first, so that no process of several holds more than its share. [`Parts`] convert to
/// lazy parts that are made already.
///
/// ```
/// use raddle::{Lazy, LazyParts};
/// # use raddle::prelude::*;
/// # struct Sum;
/// # impl Program for Sum {
/// #     raddle::program!(Shard = Vec<f64>, Replica = f64, Partial = f64; update);
/// #     fn aggregate(&self, at: Aggregate<'_, Self>) -> f64 { at.partials.sum() }
/// #     fn commit(&self, change: &f64, sum: &mut f64) { *sum += change; }
/// #     fn evaluate(&self, _: Evaluate<'_, Self>) -> f64 { 0.0 }
/// #     fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<f64> {
/// #         Metric::new("sum", *at.replica, "all numbers").into()
/// #     }
/// # }
/// # impl Update for Sum { fn update(&self, at: TaskOf<'_, Self>) -> f64 { at.shard.iter().sum() } }
///
/// let numbers = |shard: u32| Ok::<_, std::io::Error>(vec![f64::from(shard); 10]); // say, from a file
/// let shards = Lazy::new(3, numbers);
/// let parts = LazyParts { shards, blocks: Vec::new().into(), pinned: (), replica: 0.0 };
/// let outcome = Engine::new(Sum, EachShard::new(3), parts).epochs(1).run()?;
/// assert_eq!(outcome.parts.replica, 30.0);
/// # Ok::<(), raddle::EngineError>(())
/// ```
pub struct LazyParts<P: Program> {
    /// The shards, by their number.
    pub shards: Lazy<P::Shard>,
    /// The travelling blocks, by their number.
    pub blocks: Lazy<P::Block>,
    /// The block that stays where rounds are aggregated.
    pub pinned: P::Pinned,
    /// The replica, of which every worker has a copy.
    pub replica: P::Replica,
}

impl<P: Program> From<Parts<P>> for LazyParts<P> {
    fn from(parts: Parts<P>) -> Self {
        let Parts { shards, blocks, pinned, replica } = parts;
        Self { shards: shards.into(), blocks: blocks.into(), pinned, replica }
    }
}

/// Values that are made already, or a function that makes them by their number.
pub struct Lazy<T>(Source<T>);

enum Source<T> {
    Ready(Vec<Option<T>>),
    EachOnDemand(usize, Make<T>),
    AllOnDemand(usize, MakeAll<T>),
}

type MakeAll<T> = Box<dyn FnOnce(&[u32]) -> Result<Vec<T>, String> + Send>;

type Make<T> = Box<dyn FnMut(u32) -> Result<T, String> + Send>;

impl<T> From<Vec<T>> for Lazy<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Source::Ready(values.into_iter().map(Some).collect()))
    }
}

impl<T> Lazy<T> {
    /// Describes `count` values, each made by `make`, which is called where and when a value is needed, at
    /// most once for each number. A value may depend only on its number.
    pub fn new<E: Display>(count: usize, mut make: impl FnMut(u32) -> Result<T, E> + Send + 'static) -> Self {
        Self(Source::EachOnDemand(count, Box::new(move |number| make(number).map_err(|why| why.to_string()))))
    }

    /// Describes `count` values that are made together, in one pass over the data: `make` is called at most
    /// once, with the ascending numbers of the values that are needed, and returns these values in that
    /// order.
    ///
    /// ```
    /// let lines = ["0 7", "2 5", "0 1"]; // say, of a file: a shard, and a value for it
    /// let values = raddle::Lazy::together(3, move |numbers: &[u32]| {
    ///     let mut shards = vec![Vec::new(); numbers.len()];
    ///     for line in lines {
    ///         let (shard, value) = line.split_once(' ').ok_or("a line without a value")?;
    ///         let here = numbers.iter().position(|number| number.to_string() == shard);
    ///         here.into_iter().for_each(|at| shards[at].push(value));
    ///     }
    ///     Ok::<_, &str>(shards)
    /// });
    /// assert_eq!(values.len(), 3);
    /// ```
    pub fn together<E: Display>(
        count: usize,
        make: impl FnOnce(&[u32]) -> Result<Vec<T>, E> + Send + 'static,
    ) -> Self {
        Self(Source::AllOnDemand(
            count,
            Box::new(move |numbers| make(numbers).map_err(|why| why.to_string())),
        ))
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        match &self.0 {
            Source::Ready(values) => values.len(),
            Source::EachOnDemand(count, _) | Source::AllOnDemand(count, _) => *count,
        }
    }

    /// `true` if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes the values for whose numbers `here` is `true`; `None` for all others.
    pub(crate) fn make(
        self,
        what: &'static str,
        here: impl Fn(u32) -> bool,
    ) -> Result<Vec<Option<T>>, EngineError> {
        match self.0 {
            Source::Ready(mut values) => {
                (0..)
                    .zip(&mut values)
                    .filter(|&(number, _)| !here(number))
                    .for_each(|(_, value)| *value = None);
                Ok(values)
            }
            Source::EachOnDemand(count, mut make) => {
                let mut made = |number| {
                    let one = panic_context::guarded(|| make(number));
                    one.map_err(|why| EngineError::Make { what, number, why })
                };
                (0..count as u32).map(|number| here(number).then(|| made(number)).transpose()).collect()
            }
            Source::AllOnDemand(count, make) => {
                let numbers: Vec<u32> = (0..count as u32).filter(|&number| here(number)).collect();
                let mut values: Vec<Option<T>> = (0..count).map(|_| None).collect();
                let Some(&number) = numbers.first() else { return Ok(values) };
                let refused = |why| EngineError::Make { what, number, why };
                let made = panic_context::guarded(|| make(&numbers)).map_err(refused)?;
                if made.len() != numbers.len() {
                    let why = format!("of {} that live here {} were made", numbers.len(), made.len());
                    return Err(refused(why));
                }
                numbers.iter().zip(made).for_each(|(&number, value)| values[number as usize] = Some(value));
                Ok(values)
            }
        }
    }

    /// Returns the values that are made already; empty if they would have to be made.
    pub(crate) fn there(self) -> Vec<T> {
        match self.0 {
            Source::Ready(values) => values.into_iter().flatten().collect(),
            Source::EachOnDemand(..) | Source::AllOnDemand(..) => Vec::new(),
        }
    }

    /// Makes all values.
    pub(crate) fn all(self, what: &'static str) -> Result<Vec<T>, EngineError> {
        Ok(self.make(what, |_| true)?.into_iter().flatten().collect())
    }
}
