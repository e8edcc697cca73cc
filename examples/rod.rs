//! How warm does a rod become that is heated in two places? A linear system, solved cell by cell, with a
//! bound on the error of every cell. Page 5 of the guide (`examples/guide`) takes this program apart.
//!
//! `cargo run --release --example rod`, and `cargo run --release --example rod -- --schedule cyclic --out
//! cyclic`

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;
use raddle::files::ModelFiles as _;
use raddle::prelude::*;
use raddle_cli::{
    self as cli, Axis, Error, ExitStatus, ModelDigest, Picture, PictureKind, Series, Session, TrainOptions,
};

/// Share of its warmth that a cell loses to the air.
const LOSS: f64 = 0.1;

/// The heat balance: (2 + LOSS) t[i] = t[i - 1] + t[i + 1] + heat[i].
struct Rod;

/// Neighbouring cells: the first one's number, and the heat that each is given.
#[derive(Clone)]
struct Piece {
    first: u32,
    heat: Vec<f64>,
}
raddle::state!(Piece { first, heat });

/// Cells with a number each: a new temperature, or how much heat is missing.
type Cells = Vec<(u32, f64)>;

/// The heat that a cell gets less what it gives away: 0 where its temperature is right.
fn missing(piece: &Piece, cell: u32, t: &[f64]) -> f64 {
    let i = cell as usize;
    let neighbour = |at: Option<usize>| at.and_then(|at| t.get(at)).unwrap_or(&0.0);
    let heat = piece.heat[i - piece.first as usize];
    neighbour(i.checked_sub(1)) + neighbour(Some(i + 1)) + heat - (2.0 + LOSS) * t[i]
}

impl Update for Rod {
    fn update(&self, at: TaskOf<'_, Self>) -> Cells {
        let t = at.replica;
        let right = |cell: u32| t[cell as usize] + missing(at.shard, cell, t) / (2.0 + LOSS);
        at.task.variables.iter().map(|&cell| (cell, right(cell))).collect()
    }
}

impl Program for Rod {
    raddle::program!(Shard = Piece, Replica = Vec<f64>, Partial = Cells; update, relate);

    fn aggregate(&self, at: Aggregate<'_, Self>) -> Cells {
        at.partials.concat()
    }

    fn commit(&self, new: &Cells, t: &mut Vec<f64>) {
        new.iter().for_each(|&(cell, value)| t[cell as usize] = value);
    }

    /// A cell that is right need not be updated again before the next boundary weighs it again.
    fn deltas(&self, new: &Cells, tell: &mut dyn FnMut(u32, f64)) {
        new.iter().for_each(|&(cell, _)| tell(cell, 0.0));
    }

    fn evaluate(&self, at: Evaluate<'_, Self>) -> Cells {
        let cells = at.shard.first..at.shard.first + at.shard.heat.len() as u32;
        cells.map(|cell| (cell, missing(at.shard, cell, at.replica).abs())).collect()
    }

    fn conclude(&self, at: Conclude<'_, Self>) -> Verdict<Cells> {
        let weights: Cells = at.partials.concat();
        let worst = weights.iter().map(|&(_, missing)| missing).max_by(f64::total_cmp);
        let bound = Metric::new("error", worst.unwrap_or(0.0) / LOSS, "all cells").target(1e-6).certified();
        Verdict { weights, ..bound.into() }
    }
}

impl Relate for Rod {
    fn gather(&self, _: &Task<()>, _: &Piece) -> Cells {
        Cells::new() // the cells' numbers suffice
    }

    fn relate(&self, _: &(), candidates: &[u32], _: Partials<Cells>) -> Dependencies {
        Dependencies::of_pairs(candidates, |a, b| if a.abs_diff(b) == 1 { 0.5 } else { 0.0 })
    }
}

/// A thousand cells of eight pieces, two of them over a flame.
fn rod() -> (Variables, Parts<Rod>) {
    let cells = Variables::evenly(1000, 8);
    let heat = |cell| if cell == 300 || cell == 320 { 25.0 } else { 0.0 };
    let piece = |at: std::ops::Range<usize>| Piece { first: at.start as u32, heat: at.map(heat).collect() };
    let pieces = cells.ranges().into_iter().map(piece).collect();
    (cells, Parts::new(pieces, vec![0.0; 1000]))
}

fn engine(options: &TrainOptions) -> Result<Engine<Rod>, Error> {
    let (cells, parts) = rod();
    let (many, seed) = (options.parallelism.unwrap_or(25), options.seed);
    // The cells are weighed again every four rounds.
    let settings = PrioritySettings { rounds: Some(4), ..PrioritySettings::new(many, seed) };
    let settings = PrioritySettings { rho: options.rho_or(0.1), explain: options.explain, ..settings };
    Ok(match options.schedule_from(&[("auto", 0), ("priority", 0), ("shuffled", 1), ("cyclic", 2)])? {
        0 => Engine::new(Rod, Priority::new(cells, settings), parts),
        1 => Engine::new(Rod, Shuffled::new(cells, many, seed), parts),
        _ => Engine::new(Rod, Cyclic::new(cells, many), parts),
    })
}

#[derive(Parser)]
#[command(name = "rod", version)]
enum Verb {
    /// Finds the temperatures.
    Fit(TrainOptions),
    /// Runs it in every way that the engine has, and compares all bits.
    Check(TrainOptions),
}

fn fit(options: &TrainOptions) -> Result<ExitStatus, Error> {
    let given = [("DATA", options.data.is_some()), ("--shards", options.shards.is_some())];
    cli::refuse_without_effect(&given, "on a rod of eight pieces")?;
    let mut session = Session::begin("rod", env!("CARGO_PKG_VERSION"), options)?;
    let identity = cli::identity("rod", options, cli::Free::default(), &[])?;
    let outcome = session.run(engine(options)?.identity(identity))?;
    let t = outcome.parts.replica;
    session.write("temperatures.txt", |out| t.iter().try_for_each(|value| writeln!(out, "{value}")))?;
    let along = Series::new("temperature", (0..1000).map(f64::from).collect(), t.clone());
    let picture = Picture::new("Temperature along the rod", PictureKind::Lines)
        .axes(Axis::linear("cell"), Axis::linear("degrees"))
        .series(along);
    let digest = ModelDigest::default().f64s(&t).finish();
    let report = session.report(options, cli::Data::default(), digest, &outcome.report, &outcome.trace)?;
    let run = &outcome.report;
    let text = format!(
        "cell 310 has {:.3} degrees, and no cell is off by more than {:.1e}: {} updates in {} epochs",
        t[310], run.metric.value, run.updates, run.epochs
    );
    session.finish(report, &cli::Summary::new("The rod").picture(picture), &text)
}

fn check(options: &TrainOptions) -> Result<ExitStatus, Error> {
    replay::check(|| engine(options).expect("a schedule that exists").epochs(4))?;
    println!("the same bits in every way");
    Ok(ExitStatus::Done)
}

fn main() -> ExitCode {
    let line = cli::CommandLine { default: "fit", ..Default::default() };
    cli::main("rod", || match line.parse() {
        Verb::Fit(options) => fit(&options),
        Verb::Check(options) => check(&options),
    })
}
