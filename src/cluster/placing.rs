//! The places of workers and shards: [`Workers`] in processes, and shards by the speeds of workers.

/// The threads of each process, and process and thread of each worker; consecutive workers share a process.
pub(crate) struct Workers {
    pub(crate) threads: u32,
    pub(crate) process_of: Vec<u32>,
    pub(crate) thread_of: Vec<u32>,
}

impl Workers {
    /// Makes so many workers for each process, whose machine has so many cores.
    pub(crate) fn of(shares: &[u32], cores: u32) -> Self {
        let threads = shares.iter().copied().max().unwrap_or(1).min(cores).max(1);
        let (mut process_of, mut thread_of) = (Vec::new(), Vec::new());
        for (process, &own) in (0..).zip(shares) {
            let threads_used = own.min(threads);
            process_of.extend((0..own).map(|_| process));
            thread_of.extend((0..own).map(|worker| worker * threads_used / own));
        }
        Self { threads, process_of, thread_of }
    }
}

/// The worker of each shard: contiguous ranges, in the order of the workers and none of them empty, for which
/// the slowest worker's seconds (cost over speed) are least. There are no fewer shards than workers.
pub(crate) fn place_by_speed(costs: &[u64], speeds: &[f64]) -> Vec<u32> {
    let (all, total) = (costs.iter().sum::<u64>() as f64, speeds.iter().sum::<f64>());
    let slowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
    // A time that is too short for all shards, and one that is enough.
    let (mut short, mut enough) = (0.0, all / slowest + 1.0);
    let mut best = fill(costs, speeds, enough).unwrap_or_else(|| vec![0; costs.len()]);
    // Bisection to a millionth of the even share.
    while enough - short > 1e-6 * all / total {
        let half = 0.5 * (short + enough);
        match fill(costs, speeds, half) {
            Some(placement) => (best, enough) = (placement, half),
            None => short = half,
        }
    }
    best
}

/// Gives each worker one shard or more, no more than it can do in so many seconds; `None` if that is not
/// possible.
fn fill(costs: &[u64], speeds: &[f64], seconds: f64) -> Option<Vec<u32>> {
    let mut before = vec![0.0];
    before.extend(costs.iter().scan(0.0, |sum, &cost| {
        *sum += cost as f64;
        Some(*sum)
    }));
    // For each worker the ends that its range can have, each with the beginning for which its range is
    // shortest. Of two beginnings the later one reaches every end that the earlier one does.
    let mut ends: Vec<Vec<Option<usize>>> = vec![vec![None; before.len()]];
    ends[0][0] = Some(0);
    for (worker, speed) in speeds.iter().enumerate() {
        let mut reached = vec![None; before.len()];
        let mut from = None;
        for end in worker + 1..=costs.len() {
            from = ends[worker][end - 1].map(|_| end - 1).or(from);
            reached[end] = from.filter(|&from| before[end] - before[from] <= speed * seconds);
        }
        ends.push(reached);
    }
    let mut placement = vec![0; costs.len()];
    let mut end = costs.len();
    for worker in (0..speeds.len()).rev() {
        let from = ends[worker + 1][end]?;
        placement[from..end].fill(worker as u32);
        end = from;
    }
    (end == 0).then_some(placement)
}
