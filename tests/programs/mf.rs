//! Matrix factorization with biases by stochastic gradient descent, as a rotation without barriers.
//!
//! `r ~ mean + b_u + c_i + p_u . q_i`: users with their ratings and factors are shards, items are blocks. A
//! second rotation an epoch, of [`Phase::Measure`], adds up the squared errors.

use raddle::random::Stream;
use raddle::schedule::{Rotation, even_parts};
use raddle::{
    Aggregate, BlockTaskOf, Conclude, Evaluate, Fold, Metric, Parts, Program, UpdateBlock, Verdict,
    Visibility,
};

/// Purpose of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Train,
    Measure,
}

raddle::state!(
    enum Phase {
        Train,
        Measure,
    }
);

pub(crate) struct Mf {
    pub(crate) rank: usize,
    pub(crate) mean: f32,
    pub(crate) step: f32,
    pub(crate) decay: f32,
}

/// Rows of the model: a bias and a factor each.
pub(crate) struct Rows {
    pub(crate) biases: Vec<f32>,
    pub(crate) factors: Vec<f32>,
}

pub(crate) struct Users {
    pub(crate) rows: Rows,
    /// For each block, (user here, item there, rating less the mean).
    pub(crate) ratings: Vec<Vec<(u32, u32, f32)>>,
}

raddle::state!(Rows { biases, factors });
raddle::state!(Users { rows, ratings });

/// Squared errors and how many.
type Errors = (f64, u64);

impl Rows {
    fn start(count: usize, rank: usize, stream: &mut Stream) -> Self {
        let factor = |_| (stream.unit() as f32 - 0.5) * 0.4 / (rank as f32).sqrt();
        Self { biases: vec![0.0; count], factors: (0..count * rank).map(factor).collect() }
    }
    /// The bias and the factor of a row.
    fn row(&mut self, row: u32, rank: usize) -> (&mut f32, &mut [f32]) {
        let row = row as usize;
        (&mut self.biases[row], &mut self.factors[row * rank..][..rank])
    }
}

impl Program for Mf {
    raddle::program!(
        Shard = Users, Block = Rows, Replica = Errors, Partial = Errors, Phase = Phase;
        update_block, fold
    );

    fn visibility(&self) -> Visibility {
        Visibility::AtBoundary
    }

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Errors {
        at.partials.into_iter().fold((0.0, 0), |sum: Errors, part| (sum.0 + part.0, sum.1 + part.1))
    }

    fn commit(&self, change: &Errors, replica: &mut Errors) {
        *replica = *change;
    }

    fn evaluate(&self, _: Evaluate<'_, Self>) -> Errors {
        (0.0, 0)
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Errors> {
        let &(sum, count) = at.replica;
        match count {
            0 => Verdict::unmeasured("rmse", "training data"),
            _ => Verdict::new(Metric::new("rmse", (sum / count as f64).sqrt(), "training data")),
        }
    }
}

impl UpdateBlock for Mf {
    fn update_block(&self, at: BlockTaskOf<'_, Self>) -> Errors {
        let BlockTaskOf { task, shard, block: items, .. } = at;
        let mut errors = (0.0, 0);
        for &(user, item, rating) in &shard.ratings[task.block.unwrap() as usize] {
            let (b, p) = shard.rows.row(user, self.rank);
            let (c, q) = items.row(item, self.rank);
            let product: f32 = p.iter().zip(&*q).map(|(p, q)| p * q).sum();
            let error = rating - *b - *c - product;
            if task.phase == Phase::Measure {
                errors = (errors.0 + f64::from(error * error), errors.1 + 1);
                continue;
            }
            *b += 0.3 * self.step * (error - self.decay * *b);
            *c += 0.3 * self.step * (error - self.decay * *c);
            for (p, q) in p.iter_mut().zip(q) {
                let before = *p;
                *p += self.step * (error * *q - self.decay * *p);
                *q += self.step * (error * before - self.decay * *q);
            }
        }
        errors
    }
}

impl Fold for Mf {
    fn fold(&self, so_far: &mut Errors, next: Errors) {
        *so_far = (so_far.0 + next.0, so_far.1 + next.1);
    }
}

/// A problem whose ratings come from a known truth of rank 2 with a little noise.
pub(crate) struct Problem {
    pub(crate) users: usize,
    pub(crate) items: usize,
    pub(crate) ratings_per_user: usize,
    pub(crate) rank: usize,
    pub(crate) shards: u32,
    pub(crate) blocks: u32,
    pub(crate) seed: u64,
}

impl Problem {
    pub(crate) fn small(seed: u64) -> Self {
        Self { users: 120, items: 80, ratings_per_user: 30, rank: 4, shards: 6, blocks: 4, seed }
    }

    /// (user, item, rating), user by user.
    pub(crate) fn ratings(&self) -> Vec<(u32, u32, f32)> {
        let mut truth = Stream::new(&[self.seed, 0]);
        let mut row = || [(); 3].map(|()| 2.0 * truth.unit() as f32 - 1.0);
        let users: Vec<_> = (0..self.users).map(|_| row()).collect();
        let items: Vec<_> = (0..self.items).map(|_| row()).collect();
        let mut draw = Stream::new(&[self.seed, 1]);
        let mut ratings = Vec::new();
        for (user, p) in users.iter().enumerate() {
            for _ in 0..self.ratings_per_user {
                let item = draw.below(self.items);
                let q = items[item];
                let noise = 0.1 * (draw.unit() as f32 - 0.5);
                ratings.push((
                    user as u32,
                    item as u32,
                    3.0 + p[0] + q[0] + p[1] * q[1] + p[2] * q[2] + noise,
                ));
            }
        }
        ratings
    }

    pub(crate) fn parts(&self) -> (Mf, Parts<Mf>) {
        let ratings = self.ratings();
        let mean = ratings.iter().map(|rating| rating.2).sum::<f32>() / ratings.len() as f32;
        let user_ranges = even_parts(&vec![1; self.users], self.shards as usize);
        let item_ranges = even_parts(&vec![1; self.items], self.blocks as usize);
        let mut stream = Stream::new(&[self.seed, 2]);
        let mut shards: Vec<Users> = user_ranges
            .iter()
            .map(|range| Users {
                rows: Rows::start(range.len(), self.rank, &mut stream),
                ratings: vec![Vec::new(); self.blocks as usize],
            })
            .collect();
        let rows = |range: &std::ops::Range<usize>| Rows::start(range.len(), self.rank, &mut stream);
        let blocks = item_ranges.iter().map(rows).collect();
        for (user, item, rating) in ratings {
            let holds = |row: u32| move |range: &std::ops::Range<usize>| range.contains(&(row as usize));
            let shard = user_ranges.iter().position(holds(user)).unwrap();
            let block = item_ranges.iter().position(holds(item)).unwrap();
            let user = user - user_ranges[shard].start as u32;
            let item = item - item_ranges[block].start as u32;
            shards[shard].ratings[block].push((user, item, rating - mean));
        }
        let program = Mf { rank: self.rank, mean, step: 0.05, decay: 0.02 };
        (program, Parts { shards, blocks, pinned: (), replica: (0.0, 0) })
    }

    pub(crate) fn schedule(&self) -> Rotation<Phase> {
        Rotation::new(self.shards, self.blocks).phase(Phase::Train).then(Phase::Measure)
    }
}
