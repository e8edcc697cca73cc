//! Small problems, and runners that set engines in many ways.

use std::any::Any;
use std::path::PathBuf;

use raddle::changes::Delta;
use raddle::{Engine, EngineError, Outcome, Program};
use raddle_datasets::Triples;
use raddle_datasets::ratings::generate;
use raddle_mf::{Carried, Equations, Fit, Method, Mf, MfError, Pair, Problem, Runner, ScheduleKind};

/// Ratings of 90 users and 60 items with a known truth.
pub(crate) fn ratings() -> Triples {
    let made = generate::ratings("synth:ratings:users=90,items=60,n=1800,rank=2,noise=0.3,seed=5").unwrap();
    // None is negative, so that they may be taken for counts, too.
    made.ratings.triples.iter().map(|(user, item, value)| (user, item, value.max(0.25))).collect()
}

/// Ratings so noisy that a run of unknown length ends soon, but after its second restart.
pub(crate) fn few() -> Problem {
    noisy("synth:ratings:users=90,items=60,n=1800,rank=2,noise=0.8,seed=3")
}

/// Ratings of [`few`], with a share held out.
pub(crate) fn problem() -> Problem {
    few().validate_on_share(0.1, 7).unwrap()
}

/// Ratings on which a run of unknown length ends without a restart.
pub(crate) fn soon_over() -> Problem {
    let noisy = noisy("synth:ratings:users=90,items=60,n=1800,rank=2,noise=0.9,seed=2");
    noisy.validate_on_share(0.1, 7).unwrap()
}

fn noisy(spec: &str) -> Problem {
    let positive = |(user, item, value): (u32, u32, f32)| (user, item, value.max(0.25));
    Problem::new(90, 60, generated(spec).iter().map(positive).collect::<Triples>()).unwrap()
}

/// Ratings of this specification of the generator.
pub(crate) fn generated(spec: &str) -> Triples {
    generate::ratings(spec).unwrap().ratings.triples
}

/// Two or three ratings per user and item: biases start from means.
pub(crate) const SPARSE: &str = "synth:ratings:users=400,items=300,n=900,rank=1,noise=0.3,seed=5";

/// Thousands of ratings per item and few per user: the steps of items are smaller.
pub(crate) const UNEVEN: &str = "synth:ratings:users=3000,items=10,n=15000,rank=1,noise=0.3,seed=5";

/// Settings of an engine.
#[derive(Debug, Clone, Default)]
pub(crate) struct How {
    pub workers: usize,
    pub threads: Option<usize>,
    pub serialized: bool,
    pub rescale: Vec<(u64, usize)>,
    pub epochs: Option<u64>,
    pub checkpoint: Option<PathBuf>,
    pub resume: Option<PathBuf>,
}

impl How {
    pub(crate) fn workers(workers: usize) -> Self {
        Self { workers, ..Self::default() }
    }
}

impl Runner for How {
    type Error = MfError;

    fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, MfError> {
        let mut engine = engine
            .identity("this run")
            .workers(self.workers.max(1))
            .serialized(self.serialized)
            .rescale(&self.rescale);
        if let Some(threads) = self.threads {
            engine = engine.threads(threads);
        }
        if let Some(epochs) = self.epochs {
            engine = engine.epochs(epochs);
        }
        if let Some(file) = &self.checkpoint {
            engine = engine.checkpoint(1, file);
        }
        if let Some(file) = &self.resume {
            engine = engine.resume(file);
        }
        Ok(engine.run()?)
    }
}

pub(crate) fn fit(mf: &Mf, problem: &Problem, mut how: How) -> Fit {
    mf.fit_on(problem, &mut how).unwrap()
}

/// Everything of a model, as bits.
pub(crate) fn bits(fit: &Fit) -> Vec<u32> {
    let model = &fit.model;
    let values = [&model.user_factors, &model.item_factors, &model.user_biases, &model.item_biases];
    let mut bits: Vec<u32> = values.into_iter().flatten().map(|value| value.to_bits()).collect();
    bits.extend([model.mean.to_bits() as u32, (model.mean.to_bits() >> 32) as u32]);
    bits
}

/// Every method and setting of a fit, with enough shards that workers have something to exchange.
pub(crate) fn ways() -> Vec<(&'static str, Mf)> {
    let mf = || Mf::params().rank(5).shards(5);
    vec![
        ("sgd", mf().epochs(6)),
        ("sgd of unknown length", mf()),
        ("sgd by priority", mf().epochs(6).schedule(ScheduleKind::Priority)),
        ("sgd, uneven steps", mf().epochs(5).count_power(0.4).blocks(3)),
        ("sgd, not negative", mf().epochs(5).non_negative(true).biases(false).rank(20)),
        ("als", mf().epochs(4).method(Method::Als)),
        ("als by gradients", mf().epochs(4).method(Method::Als).equations(Equations::Gradients(3)).rank(20)),
        ("als, implicit", mf().epochs(4).method(Method::Als).implicit(5.0)),
        ("als, implicit, chosen", mf().epochs(3).method(Method::Als).clicks(None, None)),
        ("als, not negative", mf().epochs(3).method(Method::Als).non_negative(true)),
        ("ccd", mf().epochs(3).method(Method::Ccd).inner(2)),
    ]
}

/// Takes the engine of a fit and runs nothing.
#[derive(Default)]
struct Taking(Option<Box<dyn Any>>);

impl Runner for Taking {
    type Error = MfError;

    fn run<P: Program>(&mut self, engine: Engine<P>) -> Result<Outcome<P>, MfError> {
        self.0 = Some(Box::new(engine));
        Err(MfError::Engine(EngineError::Setting("it is only taken".into())))
    }
}

/// Returns the engine of a fit, for its program.
pub(crate) fn taken<P: Program>(mf: &Mf, problem: &Problem) -> Engine<P> {
    taken_from(|runner| assert!(mf.fit_on(problem, runner).is_err()))
}

/// Returns the engine of a version of the ratings that continues from the one before.
pub(crate) fn taken_on<P: Program>(mf: &Mf, problem: &Problem, from: &(Carried, Delta<Pair>)) -> Engine<P> {
    taken_from(|runner| assert!(mf.go_on(problem, &from.0, &from.1, runner).is_err()))
}

fn taken_from<P: Program>(fit: impl FnOnce(&mut Taking)) -> Engine<P> {
    let mut taking = Taking::default();
    fit(&mut taking);
    *taking.0.unwrap().downcast::<Engine<P>>().unwrap()
}
