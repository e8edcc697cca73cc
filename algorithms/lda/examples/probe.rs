//! probe
use std::time::Instant;
use raddle_lda::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let k: usize = args[2].parse().unwrap();
    let epochs: u64 = args[3].parse().unwrap();
    let shards: Option<usize> = args.get(4).and_then(|s| s.parse().ok());
    let every: u64 = args.get(5).and_then(|s| s.parse().ok()).unwrap_or(10);
    let workers: usize = args.get(6).and_then(|s| s.parse().ok()).unwrap_or(1);
    let corpus = raddle_datasets::read_any_corpus(&args[1], &Default::default()).unwrap();
    let t = Instant::now();
    let problem = Problem::new(&corpus, &Preparation { validation: Held::None, test: Held::Split, shards, ..Default::default() }).unwrap();
    println!("prepare {:.3} tokens {} shards {}", t.elapsed().as_secs_f64(), problem.tokens(), problem.shards());
    drop(corpus);
    let staged = std::env::var("NOSTAGE").is_err();
    let mut lda = Lda::params().topics(k).fixed_priors(true).epochs(epochs).evaluate_every(every).workers(workers).staged(staged);
    if let Ok(h) = std::env::var("HEAT") { lda = lda.heat(h.parse().unwrap()); }
    let tokens = problem.tokens();
    let fit = lda.fit(problem).unwrap();
    let mut last = 0.0;
    for r in &fit.trace {
        println!("epoch {} s {:.3} (+{:.3}) ppl {:.1} busy {:.3} rate {:.2}", r.epoch, r.seconds, r.seconds - last, r.certificate, r.load.iter().sum::<f64>(), tokens as f64/1e6/(r.seconds-last));
        last = r.seconds;
    }
    for e in fit.evaluations() { println!("{e:?}"); }
    println!("totals {:?}", &fit.totals()[..5.min(k)]);
}
