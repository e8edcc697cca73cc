//! [`Features`]: the columns that are fitted, as a model keeps them.

use raddle::cli::Report;
use raddle_datasets::{Encoding, Occurring, Table};
use raddle_lasso::{Fit, Loss};

use super::coefficients::Layout;
use super::data;
use super::rows::Offset;

/// Columns of features as a model keeps them.
#[derive(Debug, Clone)]
pub(crate) struct Features {
    pub(crate) names: Option<Vec<String>>,
    /// Which columns of the data are fitted, where not all.
    pub(crate) occurring: Option<Occurring>,
    /// `None` where columns are numbers as they stand.
    pub(crate) encoding: Option<Encoding>,
    /// `true` if indices of libsvm text count from 0.
    pub(crate) zero_based: bool,
    /// The texts of a response of classes, sorted: its values are their numbers from 0.
    pub(crate) classes: Option<Vec<String>>,
    /// `true` if each of the classes has a score of its own.
    scores_each_class: bool,
    /// Where offsets are.
    pub(crate) offset: Option<Offset>,
}

impl Features {
    pub(super) fn of(table: &Table, zero_based: bool, offset: Option<Offset>, loss: Loss) -> Self {
        let Table { feature_names, occurring, encoding, classes, .. } = table;
        Self {
            names: feature_names.clone(),
            occurring: occurring.clone(),
            encoding: encoding.clone(),
            zero_based,
            classes: classes.clone(),
            scores_each_class: loss.scores_each_class(),
            offset,
        }
    }

    /// Layout by which a fit of this many columns, and classes that have scores, numbers coefficients.
    pub(crate) fn layout(&self, count: usize, classes: usize) -> Layout<'_> {
        let columns = self.occurring.as_ref().map_or(count, Occurring::width);
        Layout { columns, classes, occurring: self.occurring.as_ref() }
    }

    /// The digest of a model of these features.
    pub(crate) fn digest(&self, fit: &Fit) -> String {
        fit.digest_of(self.occurring.as_ref())
    }

    /// Notes on what was encoded, filled and left out, a sentence each.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut sentences = self.encoding.as_ref().map(Encoding::sentences).unwrap_or_default();
        if let (true, Some(classes)) = (self.scores_each_class, self.classes.as_deref()) {
            sentences.insert(0, format!("classes: {}", some(classes)));
        } else if let Some([low, high]) = self.classes.as_deref() {
            sentences.insert(0, format!("classes: {low} and {high}; scores above 0 speak for {high}"));
        }
        sentences
    }

    /// These notes below a text.
    pub(crate) fn below(&self, text: &str) -> String {
        match self.sentences() {
            none if none.is_empty() => text.to_owned(),
            sentences => format!("{text}\n\n{}", sentences.join("\n")),
        }
    }

    /// Report with these notes.
    pub(crate) fn reported(&self, report: Report) -> Report {
        match self.encoding.as_ref().filter(|encoding| !encoding.is_plain()) {
            Some(encoding) => report.result("encoding", data::summary(encoding)),
            None => report,
        }
    }
}

/// The first of some texts.
pub(super) fn some(texts: &[String]) -> String {
    const NAMED: usize = 5;
    let more = if texts.len() > NAMED { ", ..." } else { "" };
    format!("`{}`{more}", texts[..texts.len().min(NAMED)].join("`, `"))
}
