//! The evaluations of a fit in a file.

use crate::run::pinned::Evaluation;

const HEAD: &str =
    "epoch\tvalidation_perplexity\ttest_perplexity\tjoint_log_likelihood\tword_log_likelihood\tcount_drift";

/// Formats the evaluations as a tab-separated table, one line each; cells of missing sets are empty.
pub(super) fn table(evaluations: &[Evaluation]) -> String {
    let mut text = format!("{HEAD}\n");
    let cell = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for one in evaluations {
        let (validation, test) = (cell(one.validation), cell(one.test));
        let Evaluation { epoch, joint, words, count_drift, .. } = one;
        text += &format!("{epoch}\t{validation}\t{test}\t{joint}\t{words}\t{count_drift}\n");
    }
    text
}

/// Parses such a table.
pub(super) fn parsed(text: &[u8]) -> Option<Vec<Evaluation>> {
    let mut lines = std::str::from_utf8(text).ok()?.lines();
    let number = |cell: &str| cell.parse::<f64>().ok();
    let optional = |cell: &str| if cell.is_empty() { Some(None) } else { number(cell).map(Some) };
    let one = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [epoch, validation, test, joint, words, count_drift] = cells[..] else { return None };
        Some(Evaluation {
            epoch: epoch.parse().ok()?,
            validation: optional(validation)?,
            test: optional(test)?,
            joint: number(joint)?,
            words: number(words)?,
            count_drift: number(count_drift)?,
        })
    };
    if lines.next() == Some(HEAD) { lines.map(one).collect() } else { None }
}
