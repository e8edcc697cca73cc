//! [`ListMetric`]: measures during training how well a model of implicit feedback recommends held-out clicks.

use raddle::random::splitmix64;

use super::course::USERS;
use super::shard::SideShard;
use super::sides::FactorMatrices;
use crate::error::MfError;
use crate::input::problem::Problem;
use crate::ranking::{Gains, top};
use raddle_kernels::factors::{TOGETHER, Vector, scores};

/// Name of the metric.
pub(super) const NAME: &str = "ndcg@10";

/// Length of a list.
const AT: usize = 10;

/// Number of the random stream that chooses users.
const CHOICE: u64 = 0x6a75_6467_6564;

/// NDCG at 10, over all users with held-out clicks, or over a random 2,000 of them (where settings are
/// chosen, as many as their [`Turn`](super::course::Turn) says), drawn by a hash of user and seed. Items that
/// a user has clicked in training are left out.
///
/// For a user with t held-out clicks, it is the sum of `1 / log2(1 + place)` over the clicks among the first
/// 10 of the list, divided by its largest possible value, that of min(t, 10) hits at the first places.
#[derive(Debug)]
pub(crate) struct ListMetric {
    /// Users, ascending, each with its place in the order in which they are drawn.
    users: Vec<(u32, u32)>,
    gains: Gains,
}

impl ListMetric {
    /// Chooses among the users of a problem's held-out clicks; `None` if there are none.
    pub(super) fn of(problem: &Problem, seed: u64) -> Result<Option<Self>, MfError> {
        let Some(held_out) = problem.held_out() else { return Ok(None) };
        let mut users = Vec::with_capacity(held_out.len());
        held_out.each(|user, _, _| users.push(user))?;
        Ok(Some(Self::new(users, seed)))
    }

    /// Draws from these users, of whom one may occur several times.
    fn new(mut users: Vec<u32>, seed: u64) -> Self {
        users.sort_unstable();
        users.dedup();
        let key = splitmix64(seed ^ CHOICE);
        users.sort_by_key(|&user| splitmix64(key ^ u64::from(user)));
        let mut users: Vec<(u32, u32)> = users.into_iter().zip(0..).collect();
        users.sort_unstable();
        Self { users, gains: Gains::new(AT) }
    }

    /// Returns the number of users whose lists are measured, unless settings are compared.
    pub(super) fn users(&self) -> usize {
        self.users.len().min(USERS as usize)
    }

    /// Returns the sum over the users of a shard, and their number; rows have `chunks` vectors.
    pub(super) fn measure(&self, shard: &SideShard, sides: &FactorMatrices, chunks: usize) -> (f64, u64) {
        let (first, end) = (shard.first as u32, (shard.first + shard.len()) as u32);
        let from = |user: u32| self.users.partition_point(|&(other, _)| other < user);
        let most = sides.turn.map_or(USERS, |turn| turn.users);
        let drawn = self.users[from(first)..from(end)].iter().filter(|&&(_, place)| u64::from(place) < most);
        let users: Vec<u32> = drawn.map(|&(user, _)| user).collect();
        if users.is_empty() {
            return (0.0, 0);
        }
        let mut clicks: Vec<(u32, u32)> = shard.held.iter().map(|&(user, item, _)| (user, item)).collect();
        clicks.sort_unstable();
        let row = |user: u32| shard.own_row((user - first) as usize, chunks);
        let mut all: [Vec<f32>; TOGETHER] = Default::default();
        let (mut names, mut list, mut wanted, mut sum) = (Vec::new(), Vec::new(), Vec::new(), 0.0);
        for some in users.chunks(TOGETHER) {
            // The last user may fill several places.
            let rows: [&[Vector]; TOGETHER] = std::array::from_fn(|at| row(some[at.min(some.len() - 1)]));
            scores(rows, &sides.rows[1].0, chunks, &mut all);
            for (&user, scores) in some.iter().zip(&mut all) {
                for &item in shard.named.read((user - first) as usize, &mut names) {
                    scores[item as usize] = f32::NEG_INFINITY;
                }
                top(scores, AT, &mut list);
                let start = clicks.partition_point(|&(other, _)| other < user);
                wanted.clear();
                wanted.extend(
                    clicks[start..].iter().take_while(|&&(other, _)| other == user).map(|click| click.1),
                );
                sum += self.gains.share(&list, &wanted);
            }
        }
        (sum, users.len() as u64)
    }
}
