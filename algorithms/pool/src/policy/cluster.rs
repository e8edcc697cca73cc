//! Nodes and their resources, and the amounts that a job takes of them.

/// Number of resources of a node: accelerators or slots, processor cores, gigabytes of memory.
pub const RESOURCES: usize = 3;

/// An amount of each resource.
pub type Amounts = [f64; RESOURCES];

/// Nodes with their capacities. A pool on one machine has one node, whose first resource counts workers.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// Capacity of each node.
    pub nodes: Vec<Amounts>,
}

impl Cluster {
    /// `nodes` equal nodes of `slots` slots each, without limits on the other resources.
    pub fn of_slots(nodes: usize, slots: u32) -> Self {
        Self { nodes: vec![[f64::from(slots), f64::INFINITY, f64::INFINITY]; nodes] }
    }

    /// Minimum number of nodes that together have `workers` slots; all nodes if there are too few slots.
    pub fn nodes_for(&self, workers: u32) -> u32 {
        let mut slots: Vec<u32> = self.nodes.iter().map(|node| node[0] as u32).collect();
        slots.sort_unstable_by_key(|slots| std::cmp::Reverse(*slots));
        let mut held = 0;
        let needed = slots.iter().take_while(|&&slots| {
            let is_needed = held < workers;
            held += slots;
            is_needed
        });
        needed.count() as u32
    }

    /// Number of slots of all nodes.
    pub fn slots(&self) -> u32 {
        self.nodes.iter().map(|node| node[0] as u32).sum()
    }
}

/// Resources that a worker and a parameter server of a job take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// Demand of a worker.
    pub worker: Amounts,
    /// Demand of a parameter server.
    pub server: Amounts,
    /// Maximum number of workers that share a parameter server; 0 for a job without servers.
    pub workers_per_server: u32,
}

impl Demand {
    /// One slot for each worker, and no servers.
    pub const SLOT: Self = Self { worker: [1.0, 0.0, 0.0], server: [0.0; RESOURCES], workers_per_server: 0 };

    /// Number of parameter servers that `workers` workers need.
    pub fn servers(&self, workers: u32) -> u32 {
        if self.workers_per_server == 0 { 0 } else { workers.div_ceil(self.workers_per_server) }
    }

    /// Amounts that `workers` workers and `servers` servers take together.
    pub fn of(&self, workers: u32, servers: u32) -> Amounts {
        let (workers, servers) = (f64::from(workers), f64::from(servers));
        std::array::from_fn(|r| workers * self.worker[r] + servers * self.server[r])
    }
}

/// Workers and servers of a job on one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Number of the node.
    pub node: u32,
    /// Number of workers on the node.
    pub workers: u32,
    /// Number of parameter servers on the node.
    pub servers: u32,
}

/// Workers and servers of a job by node, in the order in which they were allocated; empty for a job that
/// holds nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placement {
    /// Shares of the nodes that have workers or servers of the job.
    pub shares: Vec<Share>,
}

impl Placement {
    /// `workers` workers on the first node; an empty placement for 0.
    pub fn on_one(workers: u32) -> Self {
        let share = Share { node: 0, workers, servers: 0 };
        Self { shares: if workers == 0 { Vec::new() } else { vec![share] } }
    }

    /// Number of workers.
    pub fn workers(&self) -> u32 {
        self.shares.iter().map(|share| share.workers).sum()
    }

    /// Number of nodes that have workers or servers.
    pub fn nodes(&self) -> u32 {
        self.shares.len() as u32
    }
}
