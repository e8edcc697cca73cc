//! Errors of a fit in the words of its command line: with the file, the response and the names of classes.

use raddle_cli::Error;
use raddle_linear::LinearError;
use raddle_linear::files::Features;
use raddle_tabular::cli::class_text;

/// Names of data in messages.
#[derive(Debug, Clone)]
pub(super) struct Named {
    /// The file.
    pub(super) file: String,
    /// The response, as the options name it, or by its place.
    response: Option<String>,
    /// Texts of the classes.
    classes: Option<Vec<String>>,
}

impl Named {
    /// Names of a table that was read from this file.
    pub(super) fn new(file: &str, y: Option<&str>, features: &Features) -> Self {
        let place = features.encoding.as_ref().and_then(|encoding| encoding.response);
        let response = match y {
            Some(y) => Some(format!("--y {y}")),
            None => place.map(|place| format!("column {place}")),
        };
        Self { file: file.to_owned(), response, classes: features.classes.clone() }
    }

    /// Error of a fit: a parameter out of range is bad usage, data that cannot be fitted are bad input.
    pub(super) fn refuse(&self, error: LinearError) -> Error {
        let file = &self.file;
        match error {
            LinearError::Parameter { .. } => Error::usage(format!("--{error}")),
            LinearError::Engine(error) => Error::from(error),
            LinearError::Read(why) => Error::input(why),
            LinearError::NoClasses { .. } => {
                let response = self.response.iter().map(|of| format!("{of}: ")).collect::<String>();
                Error::input(format!("{file}: {response}{error}"))
            }
            LinearError::OneClass { class }
            | LinearError::NoRows { class }
            | LinearError::FoldClass { class, .. } => {
                Error::input(format!("{file}: {error}{}", class_text(self.classes.as_deref(), class)))
            }
            error => Error::input(format!("{file}: {error}")),
        }
    }
}
