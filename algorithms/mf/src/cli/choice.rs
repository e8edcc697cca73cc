//! The choice of weight and regularisation, and the reason for it: for screen, report and summary.

use raddle_cli::{Error, Report, Summary, Table, count, number};
use raddle_mf::{Fit, Trial};

use super::options::ModelOptions;

/// Returns the choice in words, a line for each stage; nothing if everything was given.
pub(super) fn lines(fit: &Fit, options: &ModelOptions) -> String {
    let Some(weight) = fit.fold_in.implicit.filter(|_| options.is_chosen()) else { return String::new() };
    let setting = format!("W {} and reg {}", number(weight), number(fit.fold_in.reg));
    if fit.report.metric.name != options.metric() {
        return format!(
            "{setting}, as no held-out clicks are there to choose by: --validation 0.05 holds some out\n"
        );
    }
    let mut settings: Vec<(u64, u64)> =
        fit.trials.iter().map(|trial| (trial.weight.to_bits(), trial.reg.to_bits())).collect();
    settings.sort_unstable();
    settings.dedup();
    let epochs: u64 = fit.trials.iter().map(|trial| trial.epochs).sum();
    let verb = if fit.best.is_some() { "chosen" } else { "tried last, before anything was chosen" };
    let mut text = format!(
        "{setting} {verb} by the lists for the validation data (ndcg@10), of {} in {}:\n",
        count(settings.len() as u64, "setting"),
        count(epochs, "epoch")
    );
    for stage in fit.trials.chunk_by(|a, b| a.stage == b.stage) {
        let better = |a: &&Trial, b: &&Trial| a.ndcg.total_cmp(&b.ndcg);
        let Some(best) = stage.iter().rev().max_by(better) else { continue };
        text += &format!(
            "  {:>11} x {:<8}  best: W {}, reg {}, ndcg@10 {}\n",
            count(stage.len() as u64, "setting"),
            count(best.epochs, "epoch"),
            number(best.weight),
            number(best.reg),
            number(best.ndcg)
        );
    }
    text
}

/// Adds the weight and what was tried to report and summary.
pub(super) fn tell(fit: &Fit, report: Report, summary: Summary) -> Result<(Report, Summary), Error> {
    if fit.trials.is_empty() {
        return Ok((report, summary));
    }
    let trials = serde_json::to_value(&fit.trials).map_err(Error::failed)?;
    let report = report.result("weight", fit.fold_in.implicit).result("reg", fit.fold_in.reg);
    let mut table = Table::new("choice of weight and reg", &["stage", "weight", "reg", "epochs", "ndcg@10"]);
    for &Trial { stage, weight, reg, epochs, ndcg } in &fit.trials {
        table.row(vec![stage.into(), weight.into(), reg.into(), epochs.into(), ndcg.into()]);
    }
    Ok((report.result("trials", trials), summary.table(table)))
}
