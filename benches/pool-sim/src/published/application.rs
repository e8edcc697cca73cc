//! [`Application`]: seconds of an iteration by placement and batch size, and progress by epoch.

use std::collections::BTreeMap;

use super::rows::{Epoch, Placed, Scaled};

/// Maximum number of nodes with measured times.
const NODES: u32 = 16;
/// Number of replicas on a full node.
const ON_A_NODE: u32 = 4;

/// Seconds of a step, and of its synchronisation.
type Times = [f64; 2];

/// Times at ascending points, interpolated linearly and constant outside.
#[derive(Debug, Default)]
struct Curve(Vec<(f64, Times)>);

impl Curve {
    /// Averages the times at each point.
    fn of(points: &[(f64, Times)]) -> Self {
        let mut points = points.to_vec();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mean = |same: &[(f64, Times)]| {
            let sum =
                |which: usize| same.iter().map(|(_, times)| times[which]).sum::<f64>() / same.len() as f64;
            (same[0].0, [sum(0), sum(1)])
        };
        Self(points.chunk_by(|a, b| a.0 == b.0).map(mean).collect())
    }

    fn at(&self, point: f64) -> Times {
        let points = &self.0;
        match points.partition_point(|(at, _)| *at < point) {
            0 => points.first().map_or([f64::NAN; 2], |first| first.1),
            above if above == points.len() => points[above - 1].1,
            above => {
                let ((from, low), (to, high)) = (points[above - 1], points[above]);
                between(low, high, (point - from) / (to - from))
            }
        }
    }
}

/// Linear interpolation between two times.
fn between(low: Times, high: Times, share: f64) -> Times {
    [0, 1].map(|which| low[which] + share * (high[which] - low[which]))
}

/// Batch of an iteration. Each replica takes `atomic` samples at a time, and accumulates gradients
/// `accumulated` times before a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Configuration {
    pub(super) atomic: u32,
    pub(super) accumulated: u32,
    /// Number of samples of all replicas.
    pub(super) batch: u32,
}

/// Measured epochs at one batch size.
#[derive(Debug)]
struct Validated {
    batch: u32,
    epochs: Vec<Epoch>,
}

/// An application of the published workloads.
#[derive(Debug)]
pub(super) struct Application {
    /// Times by placement, of which the smallest rotation is the key.
    placements: BTreeMap<Vec<u32>, Curve>,
    /// Times by number of nodes, then of replicas: measured for this shape, or averaged over the placements
    /// that have it.
    shapes: BTreeMap<u32, BTreeMap<u32, Curve>>,
    validated: Vec<Validated>,
    /// Progress at which each epoch ends.
    ends: Vec<f64>,
    /// Minimum and maximum batch size.
    pub(super) batches: (u32, u32),
    /// Minimum and maximum batch size of a replica.
    pub(super) local: (u32, u32),
}

impl Application {
    /// An application of a number of epochs and of a maximum local batch size, by default the largest
    /// measured one; `None` if a table has no row for it.
    pub(super) fn new(
        placed: &[Placed],
        scaled: &[Scaled],
        epochs: &[Epoch],
        count: usize,
        most_local: Option<u32>,
    ) -> Option<Self> {
        let mut points: BTreeMap<Vec<u32>, Vec<(f64, Times)>> = BTreeMap::new();
        let mut of_shapes: BTreeMap<(u32, u32), Vec<(f64, Times)>> = BTreeMap::new();
        for row in placed {
            let digits: Vec<u32> = row.placement.chars().filter_map(|digit| digit.to_digit(10)).collect();
            let point = (row.local_bsz, [row.step_time, row.sync_time]);
            of_shapes.entry((digits.len() as u32, digits.iter().sum())).or_default().push(point);
            points.entry(smallest_rotation(&digits)).or_default().push(point);
        }
        for row in scaled {
            let point = (row.local_bsz, [row.step_time, row.sync_time]);
            of_shapes.entry((row.num_nodes, row.num_replicas)).or_default().push(point);
        }
        let mut shapes: BTreeMap<u32, BTreeMap<u32, Curve>> = BTreeMap::new();
        for ((nodes, replicas), points) in of_shapes {
            shapes.entry(nodes).or_default().insert(replicas, Curve::of(&points));
        }
        let local = |of: fn(f64, f64) -> f64| placed.iter().map(|row| row.local_bsz).reduce(of);
        let (least, most) = (local(f64::min)? as u32, local(f64::max)? as u32);
        let mut by_batch: BTreeMap<u32, Vec<Epoch>> = BTreeMap::new();
        epochs.iter().for_each(|row| by_batch.entry(row.batch_size).or_default().push(row.clone()));
        let count = by_batch.values().map(Vec::len).min()?.min(count);
        let end =
            |epoch: usize| by_batch.values().map(|rows| rows[epoch].progress).fold(f64::INFINITY, f64::min);
        Some(Self {
            ends: (0..count).map(end).collect(),
            batches: (*by_batch.first_key_value()?.0, *by_batch.last_key_value()?.0),
            validated: by_batch.into_iter().map(|(batch, epochs)| Validated { batch, epochs }).collect(),
            placements: points
                .iter()
                .map(|(placement, points)| (placement.clone(), Curve::of(points)))
                .collect(),
            shapes,
            local: (least, most_local.unwrap_or(most)),
        })
    }

    /// Number of epochs.
    pub(super) fn epochs(&self) -> usize {
        self.ends.len()
    }

    /// Progress at which an epoch ends; the total after the last epoch.
    pub(super) fn end(&self, epoch: usize) -> f64 {
        self.ends.get(epoch).or(self.ends.last()).copied().unwrap_or(0.0)
    }

    /// Progress of a whole job.
    pub(super) fn total(&self) -> f64 {
        self.end(self.epochs())
    }

    /// Number of iterations at a batch size up to the end of an epoch.
    pub(super) fn iterations(&self, batch: u32, epoch: usize) -> f64 {
        self.interpolated(batch, epoch, |row| row.iteration)
    }

    /// Configuration of a batch on `replicas` replicas.
    pub(super) fn configured(&self, batch: u32, replicas: u32) -> Configuration {
        let local = batch.div_ceil(replicas);
        let accumulated = local.div_ceil(self.local.1).saturating_sub(1);
        let is_alone = replicas == 1 && batch > self.batches.0;
        let accumulated = accumulated.max(u32::from(is_alone));
        let atomic = local.div_ceil(accumulated + 1).min(self.batches.1 / (replicas * (accumulated + 1)));
        Configuration { atomic, accumulated, batch: replicas * atomic * (accumulated + 1) }
    }

    /// Seconds of an iteration on a placement.
    pub(super) fn seconds(&self, placement: &[u32], configuration: Configuration) -> f64 {
        let [step, sync] = self.times(placement, f64::from(configuration.atomic));
        step + f64::from(configuration.accumulated) * (step - sync)
    }

    /// Progress of an iteration in an epoch: its gain over an iteration at the minimum batch size.
    pub(super) fn gain(&self, batch: u32, epoch: usize) -> f64 {
        let variance = self.interpolated(batch, epoch, |row| row.grad_var);
        let square = self.interpolated(batch, epoch, |row| row.grad_sqr);
        let times = f64::from(batch) / f64::from(self.batches.0);
        (variance + square) / (variance / times + square)
    }

    /// Value of a column after an epoch, interpolated linearly between two measured batch sizes.
    fn interpolated(&self, batch: u32, epoch: usize, of: impl Fn(&Epoch) -> f64) -> f64 {
        let above = self.validated.partition_point(|validated| validated.batch < batch);
        let above = above.min(self.validated.len() - 1);
        let value = |at: usize| {
            let Validated { batch, epochs } = &self.validated[at];
            (f64::from(*batch), of(&epochs[epoch.min(epochs.len() - 1)]))
        };
        let (to, high) = value(above);
        if f64::from(batch) >= to || above == 0 {
            return high;
        }
        let (from, low) = value(above - 1);
        low + (f64::from(batch) - from) / (to - from) * (high - low)
    }

    fn times(&self, placement: &[u32], local: f64) -> Times {
        match self.placements.get(&smallest_rotation(placement)) {
            Some(curve) => curve.at(local),
            None => self.times_of_shape(placement.len() as u32, placement.iter().sum(), local),
        }
    }

    /// Times of a placement that was not measured: interpolated in the nodes, with as many replicas on each
    /// node.
    fn times_of_shape(&self, nodes: u32, replicas: u32, local: f64) -> Times {
        let nodes = nodes.min(NODES);
        let at = |measured: u32| {
            let scaled = f64::from(replicas) * f64::from(measured) / f64::from(nodes);
            self.shapes.get(&measured).map_or([f64::NAN; 2], |by_replicas| {
                let points = by_replicas.iter().map(|(&count, curve)| (f64::from(count), curve.at(local)));
                Curve(points.collect()).at(scaled)
            })
        };
        let below = self.shapes.range(..=nodes).next_back().map(|(&below, _)| below);
        let above = self.shapes.range(nodes..).next().map(|(&above, _)| above);
        match (below, above) {
            (Some(below), Some(above)) if below < above => {
                between(at(below), at(above), f64::from(nodes - below) / f64::from(above - below))
            }
            (Some(one), _) | (None, Some(one)) => at(one),
            (None, None) => [f64::NAN; 2],
        }
    }
}

/// Placement of replicas on as few nodes as possible.
pub(super) fn packed(replicas: u32) -> Vec<u32> {
    let mut nodes = vec![ON_A_NODE; (replicas / ON_A_NODE) as usize];
    if !replicas.is_multiple_of(ON_A_NODE) {
        nodes.push(replicas % ON_A_NODE);
    }
    nodes
}

fn smallest_rotation(placement: &[u32]) -> Vec<u32> {
    let rotated = |by: usize| [&placement[by..], &placement[..by]].concat();
    (0..placement.len()).map(rotated).min().unwrap_or_default()
}
