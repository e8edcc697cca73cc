//! The outcome of a fit: files, report, tables, pictures and text.

use raddle_cli::{Error, Report, Session, Summary, Table, aligned, count, number};
use raddle_linear::files::{About, Coefficient, Features, ModelFacts as _};
use raddle_linear::{Fit, Problem, Scorer};
use raddle_tabular::cli::{LISTED, by_size, encoding, listed, strongest};
use serde_json::{Value, json};

use super::problem::sentences;

/// Writes the model; returns its metadata.
pub(super) fn write(session: &mut Session, fit: &Fit, features: &Features) -> Result<About, Error> {
    let about = About::new(fit, features);
    fit.write(session, &about)?;
    Ok(about)
}

/// A note on data whose classes a linear classifier tells apart without an error.
const SEPARABLE: &str = "the classes are separable: coefficients grow without end as C does";

/// Ratio of column sizes from which on a fit that misses its target gets a hint to scale.
const UNEVEN: f64 = 1e3;

/// Adds a hint to the report if columns differ much in size and the fit missed its target; also returns the
/// hint as a line of text.
pub(super) fn hinted(mut report: Report, problem: &Problem, about: &About) -> (Report, String) {
    let spread = if report.metric.is_missed() { problem.spread() } else { None };
    let Some((ratio, largest)) = spread.filter(|(ratio, _)| *ratio >= UNEVEN) else {
        return (report, String::new());
    };
    let note = format!(
        "the largest column, {}, is {} times the smallest: --scale divides columns by their standard \
         deviations, and the fit comes closer, sooner",
        about.schema().name(about.schema().layout().place(largest).1),
        number(ratio)
    );
    let line = format!("\n{note}");
    report.notes.push(note);
    (report, line)
}

/// A fit that was written.
pub(super) struct Found<'a> {
    pub(super) fit: &'a Fit,
    pub(super) about: &'a About,
    pub(super) features: &'a Features,
}

impl Found<'_> {
    fn is_several(&self) -> bool {
        self.fit.scorers.len() > 1
    }

    /// Returns the number of the class that scores above 0 stand for.
    fn class(&self, scorer: usize) -> usize {
        if self.is_several() { scorer } else { 1 }
    }

    /// Returns a class as JSON, with its type.
    fn label(&self, scorer: usize) -> Value {
        self.about.schema().labels.value(self.class(scorer))
    }

    /// Returns the class as text for the screen.
    fn shown(&self, scorer: usize) -> String {
        self.about.schema().labels.shown(self.class(scorer))
    }

    /// Returns the coefficients in descending order of size.
    fn by_size(&self) -> Vec<Coefficient> {
        by_size(self.fit.coefficients(self.features.occurring.as_ref()))
    }

    /// Adds the results to the report.
    pub(super) fn reported(&self, report: Report) -> Report {
        let (Self { fit, features, .. }, schema) = (self, self.about.schema());
        let order = self.by_size();
        let entry = |&Coefficient { class, column, value }: &Coefficient| -> Value {
            let (class, name) = (self.label(class as usize), schema.name(column));
            json!({"class": class, "column": column + 1, "name": name, "coefficient": value})
        };
        let of_scorers = |of: &dyn Fn(&Scorer) -> f64| fit.scorers.iter().map(of).collect::<Vec<_>>();
        let report = report
            .result("C", fit.c)
            .result("objective", fit.objective())
            .result("support", fit.support() as u64)
            .result("distinct_rows", fit.distinct as u64)
            .result("intercepts", first(of_scorers(&|of| of.intercept)))
            .result("gaps", first(of_scorers(&|of| of.gap)))
            .result("nonzeros", order.len() as u64)
            .result("training_error", fit.training_error)
            .result("coefficients", order.iter().take(LISTED).map(entry).collect::<Vec<_>>());
        let mut report = encoding(features, report);
        report.notes.extend(fit.is_separable().then(|| SEPARABLE.to_owned()));
        report
    }

    /// Returns text for the screen, without the conclusion, and tables and pictures; `all` says where all
    /// coefficients are.
    pub(super) fn describe(&self, data: &str, all: &str) -> (String, Summary) {
        let (Self { fit, features, .. }, schema) = (self, self.about.schema());
        let order = self.by_size();
        let title = format!("Linear classifier ({} loss) on {data}", fit.loss.name());
        let mut table = Table::new("coefficients", &["class", "column", "name", "coefficient"]);
        for &Coefficient { class, column, value } in &order {
            let (class, name) = (self.label(class as usize), schema.name(column));
            table.row(vec![class, (column + 1).into(), name.into(), value.into()]);
        }
        let pictures = strongest(&order, schema);
        let summary = Summary { pictures, ..Summary::new(title.clone()) };
        let summary = summary.table(Table::of_metric(&fit.report.metric)).table(table);
        let (rows, support) = (count(fit.costs.len() as u64, "row"), fit.scorers[0].support());
        let meaning = match self.is_several() {
            true => format!("{} scorers, one a class; the largest score wins", fit.scorers.len()),
            false => format!("{support} of {rows} support it; scores above 0 speak for {}", self.shown(0)),
        };
        let mut text = format!("{title}: C {}, {meaning}\n\n", number(fit.c));
        let of = |scorer: usize, name: &str| match self.is_several() {
            true => format!("{}: {name}", self.shown(scorer)),
            false => name.to_owned(),
        };
        text += &format!("{:>14}  of\n", "coefficient");
        for (scorer, one) in fit.scorers.iter().enumerate().take(LISTED).filter(|_| fit.bias.value() != 0.0) {
            let error = error_of(fit.errors.as_ref().and_then(|errors| errors.intercept));
            text += &format!("{:>14}  {}{error}\n", aligned(one.intercept), of(scorer, "(intercept)"));
        }
        let named = |one: &Coefficient| {
            let place = features.occurring.as_ref().map_or(Some(one.column), |some| some.place(one.column));
            let error = fit.errors.as_ref().zip(place).map(|(errors, at)| errors.columns[at as usize]);
            of(one.class as usize, &schema.name(one.column)) + &error_of(error)
        };
        text += &listed(&order, named, &format!("all are {all}"));
        sentences(features).iter().enumerate().for_each(|(at, sentence)| {
            text += if at == 0 { "\n" } else { "" };
            text += &format!("{sentence}\n");
        });
        let wrong = 100.0 * fit.training_error;
        text += &format!("\n{wrong:.2} % of the rows it was fitted to are of another class than it says");
        if fit.is_separable() {
            text += &format!("\n{SEPARABLE}");
        }
        (text, summary)
    }
}

/// Returns what stands after the name of a coefficient with a standard error.
fn error_of(error: Option<f64>) -> String {
    error.map_or(String::new(), |error| format!(", standard error {}", number(error)))
}

/// Returns the first numbers, as a report lists only a few.
fn first(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.truncate(LISTED);
    numbers
}
