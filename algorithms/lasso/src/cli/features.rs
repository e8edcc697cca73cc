//! Notes on the columns that are fitted.

use raddle_datasets::Encoding;
use raddle_lasso::files::Features;
use raddle_lasso::{Fit, Loss};

/// Notes on columns that were encoded, filled or left out, one sentence each.
pub(super) fn sentences(features: &Features, loss: Loss) -> Vec<String> {
    let mut sentences = features.encoding.as_ref().map(Encoding::sentences).unwrap_or_default();
    if let (true, Some(classes)) = (loss.scores_each_class(), features.classes.as_deref()) {
        sentences.insert(0, format!("classes: {}", some(classes)));
    } else if let Some([low, high]) = features.classes.as_deref() {
        sentences.insert(0, format!("classes: {low} and {high}; scores above 0 speak for {high}"));
    }
    sentences
}

/// Appends the notes to a text about a fit.
pub(crate) fn below(features: &Features, fit: &Fit, text: &str) -> String {
    match sentences(features, fit.loss) {
        none if none.is_empty() => text.to_owned(),
        sentences => format!("{text}\n\n{}", sentences.join("\n")),
    }
}

/// Lists the first of some texts.
pub(super) fn some(texts: &[String]) -> String {
    const NAMED: usize = 5;
    let more = if texts.len() > NAMED { ", ..." } else { "" };
    format!("`{}`{more}", texts[..texts.len().min(NAMED)].join("`, `"))
}
