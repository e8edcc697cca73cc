//! Instances with the distributions of the paper, and work scaled to the cluster.

use std::sync::Arc;

use raddle::random::Stream;
use raddle_pool::policy::{Amounts, Cluster, Demand, Job, JobId, Utility};

use super::instance::{Instance, Rates};
use super::spec::Spec;

/// Random numbers of an instance.
struct Draw(Stream);

impl Draw {
    /// Draws an integer of a range, both ends included.
    fn whole(&mut self, from: u32, to: u32) -> u32 {
        from + self.0.below((to - from) as usize + 1) as u32
    }

    /// Draws a number of a range.
    fn real(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.0.unit()
    }

    /// Draws amounts of accelerators, cores and memory.
    fn amounts(&mut self, ranges: [(u32, u32); 3]) -> Amounts {
        ranges.map(|(from, to)| f64::from(self.whole(from, to)))
    }

    /// The sigmoid of the paper: 10 % of the jobs do not depend on the time, 55 % depend on it a little, 35 %
    /// are worthless when late.
    fn utility(&mut self, latest: f64) -> Utility {
        let kind = self.0.unit();
        let steepness = match kind {
            _ if kind < 0.1 => 0.0,
            _ if kind < 0.65 => self.real(0.01, 1.0),
            _ => self.real(4.0, 6.0),
        };
        let value = self.real(1.0, 100.0);
        // The paper counts the slots before the last one; here a job ends at the end of its last slot.
        let middle = self.real(1.0, latest) + 1.0;
        Utility::Sigmoid { value, steepness, middle }
    }
}

impl Spec {
    /// Generates the instances.
    pub fn instances(&self) -> Vec<Instance> {
        (0..self.seeds).map(|more| self.instance(self.seed + u64::from(more))).collect()
    }

    /// Generates the instance of a seed.
    fn instance(&self, seed: u64) -> Instance {
        let mut draw = Draw(Stream::new(&[seed, u64::from(self.tiny)]));
        let node = if self.tiny { [4.0, 8.0, 16.0] } else { [8.0, 40.0, 128.0] };
        let last = if self.tiny { self.slots / 2 } else { self.slots * 3 / 4 };
        let mut arrivals: Vec<u32> = (0..self.jobs).map(|_| draw.whole(0, last)).collect();
        arrivals.sort_unstable();
        let job = |(id, slot): (u32, u32)| {
            if self.tiny { tiny(&mut draw, id, slot) } else { self.medium(&mut draw, id, slot) }
        };
        let jobs = (0..).zip(arrivals).map(job).collect();
        Instance {
            cluster: Cluster { nodes: vec![node; self.nodes as usize] },
            slot: 1.0,
            slots: self.slots,
            jobs,
        }
    }

    fn medium(&self, draw: &mut Draw, id: u32, slot: u32) -> Job {
        let most = draw.whole(1, 16);
        let demand = Demand {
            worker: draw.amounts([(0, 4), (1, 10), (2, 32)]),
            server: draw.amounts([(0, 0), (1, 10), (2, 32)]),
            workers_per_server: draw.whole(1, 10),
        };
        let work = self.load * f64::from(most) * draw.real(1.0, 15.0);
        let speed = Arc::new(Rates { inside: 1.0, across: draw.real(self.lo, 0.9) });
        let requested = draw.whole(1, 30);
        let (arrival, utility) = (f64::from(slot), draw.utility(15.0));
        Job { arrival, requested, demand, utility, left: Some(work), ..Job::new(JobId(id), most, speed) }
    }
}

fn tiny(draw: &mut Draw, id: u32, slot: u32) -> Job {
    let most = draw.whole(1, 4);
    let demand = Demand {
        worker: draw.amounts([(0, 2), (1, 3), (1, 6)]),
        server: draw.amounts([(0, 0), (1, 3), (1, 6)]),
        workers_per_server: draw.whole(1, 3),
    };
    let work = f64::from(draw.whole(3, 8));
    let requested = draw.whole(1, 4);
    let (arrival, utility) = (f64::from(slot), draw.utility(5.0));
    let speed = Arc::new(Rates { inside: 2.0, across: 1.0 });
    Job { arrival, requested, demand, utility, left: Some(work), ..Job::new(JobId(id), most, speed) }
}
