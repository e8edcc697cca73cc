//! [`Score`]: the only score of a model, or that of a class.

use raddle_lasso::files::About;

/// Largest number of classes with pictures of their own: the first ones.
const PICTURED: usize = 6;

/// The only score of a model, or the score of a class; each score has a picture of its own.
pub(super) struct Score<'a> {
    model: &'a About,
    class: usize,
}

/// Returns the scores with pictures: the only one, or those of the first classes.
pub(super) fn scores(model: &About) -> impl Iterator<Item = Score<'_>> {
    let count = model.labels.len().clamp(1, PICTURED);
    (0..count).map(move |class| Score { model, class })
}

impl Score<'_> {
    /// Returns the columns of the data and the coefficients of this score.
    pub(super) fn of(&self, coefficients: &[(u32, f64)]) -> impl Iterator<Item = (u32, f64)> {
        let layout = self.model.layout();
        let places = coefficients.iter().map(move |&(at, value)| (layout.place(at), value));
        places.filter(|((class, _), _)| *class == self.class).map(|((_, column), value)| (column, value))
    }

    /// Formats a caption, with the class if each class has a score.
    pub(super) fn title(&self, title: &str) -> String {
        match self.model.labels.is_empty() {
            true => title.to_owned(),
            false => format!("{title}, class {}", self.model.class_labels().shown(self.class)),
        }
    }

    /// Joins these sentences and one on the classes without a picture.
    pub(super) fn note(&self, parts: impl IntoIterator<Item = String>) -> String {
        let classes = self.model.labels.len();
        let left_out =
            (classes > PICTURED).then(|| format!("the first {PICTURED} of {classes} classes have a picture"));
        parts.into_iter().chain(left_out).collect::<Vec<_>>().join("; ")
    }
}
