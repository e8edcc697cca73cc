//! How do I write a fourth algorithm? PageRank: pages furthest from their rank are updated first.
//! `cargo run --release --example own_program`

use raddle::prelude::*;

struct PageRank;
/// The first page here; for each page here, the pages that link to it, and how many links each of these has.
type Pages = (u32, Vec<Vec<(u32, f64)>>);
type Ranks = Vec<(u32, f64)>;

fn rank((first, linked_from): &Pages, page: u32, ranks: &[f64]) -> f64 {
    let sources = linked_from[(page - first) as usize].iter();
    0.15 + 0.85 * sources.map(|&(source, links)| ranks[source as usize] / links).sum::<f64>()
}

impl Program for PageRank {
    raddle::program!(
        Shard = Pages,
        Replica = Vec<f64>, // all ranks
        Partial = Ranks; // new ranks of some pages, or how far they are from them
        update
    );

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Ranks {
        at.partials.concat()
    }

    fn commit(&self, change: &Ranks, ranks: &mut Vec<f64>) {
        change.iter().for_each(|&(page, rank)| ranks[page as usize] = rank);
    }

    /// A page that has its rank need not be updated before the next boundary.
    fn deltas(&self, change: &Ranks, tell: &mut dyn FnMut(u32, f64)) {
        change.iter().for_each(|&(page, _)| tell(page, 0.0));
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> Ranks {
        let Evaluate { shard: pages, replica: ranks, .. } = at;
        let here = pages.0..pages.0 + pages.1.len() as u32;
        here.map(|page| (page, (rank(pages, page, ranks) - ranks[page as usize]).abs())).collect()
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Ranks> {
        let weights: Vec<(u32, f64)> = at.partials.concat();
        let off = weights.iter().map(|(_, distance)| distance).sum();
        Verdict { weights, ..Verdict::new(Metric::new("distance", off, "all pages").target(1e-6)) }
    }
}

impl Update for PageRank {
    fn update(&self, at: TaskOf<'_, Self>) -> Ranks {
        at.task.variables.iter().map(|&page| (page, rank(at.shard, page, at.replica))).collect()
    }
}

fn main() -> Result<(), EngineError> {
    let (count, mut stream) = (2000, Stream::new(&[1]));
    let mut linked_from = vec![Vec::new(); count];
    for page in 0..count {
        let links = 1 + stream.below(9);
        (0..links).for_each(|_| linked_from[stream.below(1 + page)].push((page as u32, links as f64)));
    }
    let variables = Variables::by_cost(linked_from.iter().map(|from| from.len() as u32).collect(), 8);
    let shard = |at: std::ops::Range<usize>| (at.start as u32, linked_from[at].to_vec());
    let run = || {
        let parts = Parts::new(variables.ranges().into_iter().map(shard).collect(), vec![1.0; count]);
        let settings = PrioritySettings { rho: None, ..PrioritySettings::new(100, 1) };
        Engine::new(PageRank, Priority::new(variables.clone(), settings), parts)
    };
    let outcome = run().workers(2).run()?;
    println!("{} updates, ranks {:.3?}", outcome.report.updates, &outcome.parts.replica[..5]);
    replay::check(|| run().epochs(6))
}
