//! Generated ratings with known expected values, specified as
//! `synth:ratings:users=600,items=300,n=36000,...`.
//!
//! With U(stream, a, b) uniform and N(stream, a, b) nearly normal numbers of the seed, draw t is the pair of
//! user floor(users U(1,0,t)^2) and item floor(items U(2,0,t)^3), so that some are far more popular than
//! others. Repeated pairs are skipped until there are n. The rating of a pair is `3.5 + 0.4 N(3,0,u) + 0.4
//! N(4,0,i) + s/sqrt(rank) sum_f N(5,u,f) N(6,i,f) + noise N(7,0,t)`, where s is the `signal`.

use super::data::{Ratings, Triples};
use super::ids::Ids;
use crate::bytes::memory::room;
use crate::bytes::source;
use crate::counter::Counter;
use crate::records::RecordCounts;
use crate::table::spec::{Parameters, WHOLE};

pub use crate::error::SpecError;

/// Generated ratings and the model that generated them.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The ratings.
    pub ratings: Ratings,
    /// The model that generated them.
    pub truth: Truth,
}

/// The model of generated ratings: the expected rating of every pair.
#[derive(Clone, Debug)]
pub struct Truth {
    /// Rank of the true factors.
    pub rank: usize,
    /// Standard deviation of the noise.
    pub noise: f64,
    signal: f64,
    counter: Counter,
}

impl Truth {
    /// Returns the expected rating of a pair. No prediction has a smaller expected squared error.
    pub fn expected(&self, user: u32, item: u32) -> f64 {
        let (user, item) = (u64::from(user), u64::from(item));
        let bias = 0.4 * (self.counter.line(3, 0).normal(user) + self.counter.line(4, 0).normal(item));
        let (p, q) = (self.counter.line(5, user), self.counter.line(6, item));
        let product: f64 = (0..self.rank as u64).map(|f| p.normal(f) * q.normal(f)).sum();
        3.5 + bias + self.signal / (self.rank as f64).sqrt() * product
    }

    /// Returns the root mean squared error of the expected ratings on these observations, which is due to
    /// noise; 0 for none.
    pub fn rmse(&self, triples: &Triples) -> f64 {
        let squared =
            |(user, item, value): (u32, u32, f32)| (f64::from(value) - self.expected(user, item)).powi(2);
        (triples.iter().map(squared).sum::<f64>() / triples.len().max(1) as f64).sqrt()
    }
}

/// Generates the ratings that `spec` describes. Their name is the text of `spec`, their digest that of the
/// text.
///
/// # Errors
/// If a kind or parameter does not exist, or a parameter is missing, given twice or out of range.
///
/// ```
/// let made = raddle_datasets::ratings::generate::ratings("synth:ratings:users=100,items=50,n=2000,rank=3")?;
/// assert!((made.truth.rmse(&made.ratings.triples) - made.truth.noise).abs() < 0.05);
/// # Ok::<(), raddle_datasets::generate::SpecError>(())
/// ```
pub fn ratings(spec: &str) -> Result<Generated, SpecError> {
    ratings_less(spec, 0.0)
}

/// Generates ratings and subtracts a number.
pub(crate) fn ratings_less(spec: &str, offset: f64) -> Result<Generated, SpecError> {
    let drawn = Drawn::of(spec)?.less(offset);
    // Each pair is kept in a set of pairs, too.
    room::<[u32; 7]>(drawn.count, "so many ratings")
        .map_err(|message| SpecError { spec: spec.into(), message })?;
    let triples = draw(&drawn);
    Ok(Generated { ratings: Ratings { triples, ..drawn.described(spec) }, truth: drawn.truth })
}

/// Returns the model that `spec` describes, without drawing ratings.
///
/// # Errors
/// The errors of [`ratings`].
pub fn truth(spec: &str) -> Result<Truth, SpecError> {
    Ok(Drawn::of(spec)?.truth)
}

/// The distribution of generated ratings.
pub(crate) struct Drawn {
    pub(super) truth: Truth,
    pub(super) users: u32,
    pub(super) items: u32,
    pub(super) count: usize,
    /// Number subtracted from the ratings.
    pub(crate) offset: f64,
}

impl Drawn {
    /// Subtracts a number from the ratings.
    pub(crate) fn less(self, offset: f64) -> Self {
        Self { offset, ..self }
    }

    pub(crate) fn of(spec: &str) -> Result<Self, SpecError> {
        checked(spec).map_err(|message| SpecError { spec: spec.into(), message })
    }

    /// Returns the ratings' metadata, without observations.
    pub(crate) fn described(&self, spec: &str) -> Ratings {
        Ratings {
            name: spec.into(),
            offset: self.offset,
            users: Ids::Dense(self.users),
            items: Ids::Dense(self.items),
            digest: source::digest(spec.as_bytes()),
            format: "generated".into(),
            records: RecordCounts::of(self.count),
            ..Ratings::default()
        }
    }

    /// Returns the pair of draw `t`.
    #[inline]
    pub(super) fn pair(&self, t: u64) -> (u32, u32) {
        let counter = self.truth.counter;
        let (u, i) = (counter.line(1, 0).uniform(t), counter.line(2, 0).uniform(t));
        // The rarest pairs may never come by popularity: after many draws pairs are drawn uniformly.
        let (u, i) = if t < 8 * self.count as u64 { (u * u, i * i * i) } else { (u, i) };
        ((f64::from(self.users) * u) as u32, (f64::from(self.items) * i) as u32)
    }

    /// Returns the rating of draw `t`, whose pair is given.
    pub(super) fn rating(&self, t: u64, user: u32, item: u32) -> f32 {
        let Truth { noise, counter, .. } = self.truth;
        let rating = (self.truth.expected(user, item) + noise * counter.line(7, 0).normal(t)) as f32;
        (f64::from(rating) - self.offset) as f32
    }
}

fn checked(text: &str) -> Result<Drawn, String> {
    const FORM: &str = "expected synth:ratings:users=600,items=300,n=36000,...";
    let list = text.strip_prefix("synth:ratings:").ok_or(FORM)?;
    let given = Parameters::parse(list, &["users", "items", "n", "rank", "noise", "signal", "seed"])?;
    let most = f64::from(u32::MAX);
    let users = given.number("users", None, 1.0, most)? as u32;
    let items = given.number("items", None, 1.0, most)? as u32;
    let count = given.number("n", None, 1.0, most)? as usize;
    let rank = given.number("rank", Some(4.0), 0.0, 4096.0)? as usize;
    let noise = given.real("noise", Some(0.5), 0.0, f64::from(f32::MAX))?;
    let signal = given.real("signal", Some(0.8), 0.0, f64::from(f32::MAX))?;
    let seed = given.number("seed", Some(1.0), 0.0, WHOLE)? as u64;
    // Pairs are drawn until there are enough, which takes too long if nearly all pairs are wanted.
    if count as f64 > 0.5 * f64::from(users) * f64::from(items) {
        return Err(format!("n={count}: choose at most half of users times items"));
    }
    let truth = Truth { rank, noise, signal, counter: Counter::new(seed) };
    Ok(Drawn { truth, users, items, count, offset: 0.0 })
}

fn draw(drawn: &Drawn) -> Triples {
    let mut seen = std::collections::HashSet::with_capacity(drawn.count);
    let mut triples = Triples::with_capacity(drawn.count);
    for t in 0.. {
        if triples.len() == drawn.count {
            break;
        }
        let (user, item) = drawn.pair(t);
        if seen.insert((user, item)) {
            triples.push(user, item, drawn.rating(t, user, item));
        }
    }
    triples
}
