//! [`Room`]: free capacity of nodes, and the packing of gangs.

use super::cluster::{Amounts, Cluster, Demand, Placement, Share};

/// Tolerance of sums of amounts, as a share of the capacity.
const TOLERANCE: f64 = 1e-9;

/// Free amounts of each node.
#[derive(Debug, Clone)]
pub struct Room {
    capacity: Vec<Amounts>,
    free: Vec<Amounts>,
}

impl Room {
    /// An empty cluster.
    pub fn of(cluster: &Cluster) -> Self {
        Self { capacity: cluster.nodes.clone(), free: cluster.nodes.clone() }
    }

    /// A cluster of which `taken` is taken, by node.
    pub fn without(cluster: &Cluster, taken: &[Amounts]) -> Self {
        let mut room = Self::of(cluster);
        for (free, taken) in room.free.iter_mut().zip(taken) {
            free.iter_mut().zip(taken).for_each(|(free, taken)| *free -= taken);
        }
        room
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.free.len()
    }

    /// Free amounts of a node.
    pub fn free(&self, node: usize) -> &Amounts {
        &self.free[node]
    }

    /// `true` if `workers` workers and `servers` servers fit on a node.
    pub fn fits(&self, node: usize, demand: &Demand, workers: u32, servers: u32) -> bool {
        let needed = demand.of(workers, servers);
        (0..needed.len()).all(|r| needed[r] <= self.free[node][r] + slack(self.capacity[node][r]))
    }

    /// Number of workers or servers, at most `most`, that fit on a node if each takes `each`.
    fn count(&self, node: usize, each: &Amounts, most: u32) -> u32 {
        let counts = (0..each.len()).filter(|&r| each[r] > 0.0).map(|r| {
            let room = self.free[node][r] + slack(self.capacity[node][r]);
            (room / each[r]).max(0.0) as u32 // saturates for rooms without end
        });
        counts.fold(most, u32::min)
    }

    /// Number of workers, at most `most`, that fit on a node without servers.
    pub fn workers(&self, node: usize, demand: &Demand, most: u32) -> u32 {
        self.count(node, &demand.worker, most)
    }

    /// Number of servers, at most `most`, that fit on a node.
    pub fn servers(&self, node: usize, demand: &Demand, most: u32) -> u32 {
        self.count(node, &demand.server, most)
    }

    /// Number of workers, at most `most`, that fit on a node with the servers that they need.
    pub fn with_servers(&self, node: usize, demand: &Demand, most: u32) -> u32 {
        let mut workers = self.workers(node, demand, most);
        while workers > 0 && !self.fits(node, demand, workers, demand.servers(workers)) {
            workers -= 1;
        }
        workers
    }

    /// Takes the amounts of a share.
    pub fn take(&mut self, demand: &Demand, share: Share) {
        let taken = demand.of(share.workers, share.servers);
        if let Some(free) = self.free.get_mut(share.node as usize) {
            free.iter_mut().zip(taken).for_each(|(free, taken)| *free -= taken);
        }
    }

    /// Takes the amounts of a placement, even if they are not free: then [`Self::is_exceeded`] returns
    /// `true`.
    pub fn take_all(&mut self, demand: &Demand, placement: &Placement) {
        placement.shares.iter().for_each(|&share| self.take(demand, share));
    }

    /// `true` if more was taken of a node than its capacity.
    pub fn is_exceeded(&self) -> bool {
        let pairs = self.free.iter().flatten().zip(self.capacity.iter().flatten());
        pairs.into_iter().any(|(free, &capacity)| *free < -slack(capacity))
    }

    /// Takes `workers` workers from the node that fits the most, then from the next one, and so on; of equal
    /// nodes, the first. Returns the shares in this order, without servers; `None`, with nothing taken, if
    /// not all workers fit.
    pub fn spread(&mut self, demand: &Demand, workers: u32) -> Option<Placement> {
        let mut room: Vec<u32> = (0..self.nodes()).map(|node| self.workers(node, demand, u32::MAX)).collect();
        let mut missing = workers;
        let mut shares = Vec::new();
        while missing > 0 {
            let node = (0..room.len()).rev().max_by_key(|&node| room[node])?;
            let taken = room[node].min(missing);
            if taken == 0 {
                return None;
            }
            shares.push(Share { node: node as u32, workers: taken, servers: 0 });
            room[node] = 0;
            missing -= taken;
        }
        let placement = Placement { shares };
        self.take_all(demand, &placement);
        Some(placement)
    }

    /// Takes a placement if all of it fits, and returns whether it did.
    pub fn try_take(&mut self, demand: &Demand, placement: &Placement) -> bool {
        let fits = placement.shares.iter().all(|share| {
            let node = share.node as usize;
            node < self.nodes() && self.fits(node, demand, share.workers, share.servers)
        });
        if fits {
            self.take_all(demand, placement);
        }
        fits
    }

    /// Free share of a node's resources, summed over the limited ones.
    pub fn emptiness(&self, node: usize) -> f64 {
        let (free, capacity) = (&self.free[node], &self.capacity[node]);
        (0..free.len())
            .filter(|&r| capacity[r].is_finite() && capacity[r] > 0.0)
            .map(|r| free[r] / capacity[r])
            .sum()
    }

    /// Nodes by their free share, the emptiest first.
    pub fn emptiest_first(&self) -> Vec<usize> {
        let mut nodes: Vec<usize> = (0..self.nodes()).collect();
        nodes.sort_by(|&a, &b| self.emptiness(b).total_cmp(&self.emptiness(a)));
        nodes
    }

    /// Placement of a gang: the fullest node on which it fits whole, else the emptiest nodes in turn; `None`
    /// if it does not fit.
    pub fn pack(&self, demand: &Demand, workers: u32) -> Option<Placement> {
        let nodes = self.emptiest_first();
        let whole = |&&node: &&usize| self.fits(node, demand, workers, demand.servers(workers));
        if let Some(&node) = nodes.iter().rev().find(whole) {
            let share = Share { node: node as u32, workers, servers: demand.servers(workers) };
            return Some(Placement { shares: vec![share] });
        }
        let mut left = workers;
        let mut shares = Vec::new();
        for node in nodes {
            let here = self.with_servers(node, demand, left);
            if here > 0 {
                shares.push(Share { node: node as u32, workers: here, servers: demand.servers(here) });
                left -= here;
            }
        }
        shares.sort_by_key(|share| share.node);
        (left == 0).then_some(Placement { shares })
    }
}

fn slack(capacity: f64) -> f64 {
    if capacity.is_finite() { TOLERANCE * capacity } else { 0.0 }
}
