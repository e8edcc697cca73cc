//! [`ListMetric`]: measures during training how well a model of implicit feedback recommends held-out clicks.

use raddle::random::splitmix64;

use super::shard::SideShard;
use super::sides::FactorMatrices;
use crate::error::MfError;
use crate::input::problem::Problem;
use crate::params::Choice;
use crate::ranking::{Gains, top};
use raddle_kernels::factors::{TOGETHER, Vector, scores};

/// Name of the metric.
pub(super) const NAME: &str = "ndcg@10";

/// Length of a list.
const AT: usize = 10;

/// Largest number of users for whom lists are made: a list costs as much as solving hundreds of rows.
/// Settings that are compared need more, as they differ by less than epochs do.
const USERS: usize = 2000;
const USERS_OF_CHOICE: usize = 5000;

/// Number of the random stream that chooses users.
const CHOICE: u64 = 0x6a75_6467_6564;

/// NDCG at 10, over all users with held-out clicks, or over a random 2,000 of them (5,000 where settings are
/// chosen), drawn by a hash of user and seed. Items that a user has clicked in training are left out.
///
/// For a user with t held-out clicks, it is the sum of `1 / log2(1 + place)` over the clicks among the first
/// 10 of the list, divided by its largest possible value, that of min(t, 10) hits at the first places.
#[derive(Debug)]
pub(crate) struct ListMetric {
    /// Users, ascending.
    users: Vec<u32>,
    gains: Gains,
}

impl ListMetric {
    /// Chooses among the users of a problem's held-out clicks; `None` if there are none.
    pub(super) fn of(problem: &Problem, choice: Option<Choice>, seed: u64) -> Result<Option<Self>, MfError> {
        let Some(held_out) = problem.held_out() else { return Ok(None) };
        let mut users = Vec::with_capacity(held_out.len());
        held_out.each(|user, _, _| users.push(user))?;
        let most = choice.map_or(USERS, |_| USERS_OF_CHOICE);
        Ok(Some(Self::new(users, most, seed)))
    }

    /// Chooses so many of these users, of whom one may occur several times.
    fn new(mut users: Vec<u32>, most: usize, seed: u64) -> Self {
        users.sort_unstable();
        users.dedup();
        if users.len() > most {
            let key = splitmix64(seed ^ CHOICE);
            users.sort_by_key(|&user| splitmix64(key ^ u64::from(user)));
            users.truncate(most);
            users.sort_unstable();
        }
        Self { users, gains: Gains::new(AT) }
    }

    /// Returns the number of users.
    pub(super) fn users(&self) -> usize {
        self.users.len()
    }

    /// Returns the sum over the users of a shard, and their number; rows have `chunks` vectors.
    pub(super) fn measure(&self, shard: &SideShard, sides: &FactorMatrices, chunks: usize) -> (f64, u64) {
        let (first, end) = (shard.first as u32, (shard.first + shard.len()) as u32);
        let from = |user: u32| self.users.partition_point(|&other| other < user);
        let users = &self.users[from(first)..from(end)];
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
