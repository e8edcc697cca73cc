//! The evaluations of a fit, as a file has them.

use raddle_lda::Evaluation;

/// The evaluations as a table: a line each, between tabs; empty cells for sets that there are not.
pub(crate) fn table(evaluations: &[Evaluation]) -> String {
    let mut text = String::from(
        "epoch\tvalidation_perplexity\ttest_perplexity\tjoint_log_likelihood\tword_log_likelihood\tcount_drift\n",
    );
    let cell = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for one in evaluations {
        let (validation, test) = (cell(one.validation), cell(one.test));
        let Evaluation { epoch, joint, words, count_drift, .. } = one;
        text += &format!("{epoch}\t{validation}\t{test}\t{joint}\t{words}\t{count_drift}\n");
    }
    text
}
