//! Results of a fit for the report and the screen.

use raddle_cli::{Report, number};
use raddle_lda::Fit;
use raddle_lda::files::symmetric;

use super::describe::Listing;

/// Limit on the numbers that a report lists; longer lists are in files.
const LISTED: usize = 20;

/// Adds the results of a fit to the report.
pub(crate) fn results(report: Report, fit: &Fit, listing: &Listing) -> Report {
    let tokens = fit.totals().iter().sum::<i64>().max(1);
    let mut report = report
        .result("count_drift", fit.count_drift())
        .result("state_bytes_per_token", fit.state_bytes() as f64 / tokens as f64)
        .result("beta", fit.beta())
        .result("level", raddle::simd_level::SimdLevel::current().name());
    let alpha = fit.alpha();
    report = match symmetric(alpha) {
        Some(alpha) => report.result("alpha", alpha),
        None if alpha.len() <= LISTED => report.result("alpha", alpha.to_vec()),
        None => report.result("alpha", "alpha.npy").result("alpha_sum", alpha.iter().sum::<f64>()),
    };
    if let Some(last) = fit.evaluations().last() {
        report = report
            .result("evaluated_epoch", last.epoch)
            .result("joint_log_likelihood", last.joint)
            .result("word_log_likelihood", last.words);
        for (set, value) in last.held_out() {
            report = report.result(&format!("{}_perplexity", short(set)), value);
        }
    }
    match listing.mean_coherence() {
        Some(mean) => report.result("u_mass", mean.u_mass).result("npmi", mean.npmi),
        None => report,
    }
}

/// Returns the name of a held-out set in one word.
pub(crate) fn short(set: &str) -> &str {
    set.strip_suffix(" documents").unwrap_or(set)
}

/// Says in a line or two how the run ended.
pub(crate) fn conclusion(report: &Report, fit: &Fit) -> String {
    let Some(last) = fit.evaluations().last() else { return report.conclusion() };
    let also = last.held_out().filter(|&(set, _)| set != report.metric.on);
    let also = also.map(|(set, value)| format!("{} perplexity {}; ", short(set), number(value)));
    let when =
        if last.epoch == report.epochs { String::new() } else { format!(" after epoch {}", last.epoch) };
    format!(
        "{}\nevaluated{when}: {}joint log-likelihood {} per token; count drift {}",
        report.conclusion(),
        also.collect::<String>(),
        number(last.joint),
        number(fit.count_drift())
    )
}
