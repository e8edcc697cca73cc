//! Parts of the verbs that train.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use raddle_cli::{Data, Report, Session};

use super::listing::many_classes;
use super::tables::summary;
use crate::files::Features;

/// Returns the parser of a value that has one of these names.
pub fn named_values<Value: Copy + Send + Sync + 'static>(
    all: &'static [(&'static str, Value)],
) -> impl TypedValueParser<Value = Value> {
    let names = PossibleValuesParser::new(all.iter().map(|(name, _)| *name));
    let value = |name: String| all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    names.try_map(move |name| value(name).ok_or("nothing has this name"))
}

/// Says how much memory many classes take, before anything is fitted.
pub fn tell_of_classes(session: &Session, classes: usize, bytes: usize, data: &mut Data) {
    if let Some(note) = many_classes(classes, bytes) {
        session.screen().tell(&note);
        data.notes.push(note);
    }
}

/// Adds how columns were encoded to a report, if some were.
pub fn encoding(features: &Features, report: Report) -> Report {
    match features.encoding.as_ref().filter(|encoding| !encoding.is_plain()) {
        Some(encoding) => report.result("encoding", summary(encoding)),
        None => report,
    }
}

/// Returns the end of a message on a class, with its text if the classes have texts.
pub fn class_text(texts: Option<&[String]>, class: f64) -> String {
    let text = texts.and_then(|texts| texts.get(class as usize));
    text.map_or(String::new(), |text| format!("; the class {class} is `{text}`"))
}
