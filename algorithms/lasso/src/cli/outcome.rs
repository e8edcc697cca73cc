//! The outcome of a fit at one lambda: its model files, its report, its tables and its text.

use std::path::Path;

use raddle_cli::{
    Data, Error, Report, Session, Summary, Table as Listing, VersionOf, aligned, count, number,
};
use raddle_lasso::Fit;
use raddle_lasso::files::{About, Coefficient, Features, ModelFacts as _, Schema};
use raddle_tabular::cli::{LISTED, by_size, encoding, field, listed, place_of_all, short, strongest};
use serde_json::{Value, json};

use super::features;
use super::fit_options::Options;
use super::held_out::TestSet;

/// Writes the model of a version of the data, if they change, measures it on test rows, if there are any, and
/// describes the outcome for the report, as tables and as text.
pub(super) fn finished(
    session: &mut Session,
    options: &Options,
    fit: &Fit,
    data: Data,
    features: &Features,
    version: Option<VersionOf>,
    test: Option<TestSet>,
) -> Result<(Report, Summary, String), Error> {
    let model = About { version, ..About::new(fit, features) };
    let tested = test.map(|test| test.measure(fit, &model));
    fit.write(session, &model)?;
    let report =
        session.report(options, data, fit.digest_of(features.occurring.as_ref()), &fit.report, &fit.trace)?;
    let report = reported(report, fit, &model, features);
    let (text, summary) = describe(fit, &model, &options.title(), &report.data.path, options.train.folder());
    let mut text = features::below(features, fit, &text) + "\n\n";
    let (report, summary) = match &tested {
        Some(tested) => {
            text += &(tested.text() + "\n");
            (tested.reported(report), summary.table(tested.table()))
        }
        None => (report, summary),
    };
    text += &report.conclusion();
    Ok((report, summary, text))
}

/// Adds the results of a fit to a report.
pub(crate) fn reported(report: Report, fit: &Fit, model: &About, features: &Features) -> Report {
    let report = encoding(features, report)
        .result("lambda", fit.lambda)
        .result("lambda_max", fit.lambda_max)
        .result("nonzeros", fit.coefficients.len() as u64)
        .result("coefficients", largest(fit, model));
    let report = match &fit.intercepts[..] {
        [] => report.result("intercept", fit.intercept),
        all => report.result("intercepts", all.to_vec()),
    };
    let report = match fit.gradient {
        Some(slope) => report.result("gradient", slope),
        None => report,
    };
    match fit.explained {
        (name, Ok(share)) => report.result(&field(name), share),
        (_, Err(_)) => report,
    }
}

/// The largest coefficients for the report, each with its class (if each class has a score), column from 1,
/// name and value. All coefficients are in coef.tsv.
fn largest(fit: &Fit, model: &About) -> Value {
    let schema = model.schema();
    let entry = |of: &Coefficient| {
        let name = named(schema, of);
        let mut entry = json!({"column": of.column + 1, "name": name, "coefficient": of.value});
        if schema.scored > 0 {
            entry["class"] = schema.labels.value(of.class as usize);
        }
        entry
    };
    by_size(schema.layout().of_data(&fit.coefficients)).iter().take(LISTED).map(entry).collect()
}

/// The name of a coefficient: that of its column, with its class if each class has a score.
fn named(schema: Schema<'_>, of: &Coefficient) -> String {
    match schema.scored {
        0 => schema.name(of.column),
        _ => format!("{} (class {})", schema.name(of.column), schema.labels.shown(of.class as usize)),
    }
}

/// Says why every lambda gives the same coefficients, which are all zero or not.
pub(crate) fn no_penalty(fit: &Fit) -> &'static str {
    match fit.coefficients.is_empty() && fit.points.iter().all(|point| point.coefficients.is_empty()) {
        true => "lambda_max is 0: no column varies with the response",
        false => {
            "lambda_max is 0: no column with a penalty varies with what those without leave of the response"
        }
    }
}

/// The outcome as text and as generic tables, which the run's folder has, too.
pub(crate) fn describe(
    fit: &Fit,
    model: &About,
    method: &str,
    data: &str,
    folder: Option<&Path>,
) -> (String, Summary) {
    let schema = model.schema();
    let order = by_size(schema.layout().of_data(&fit.coefficients));
    let title = format!("{method} on {data}");
    let place = match fit.lambda_max > 0.0 {
        true => format!("lambda_max / {}", number(fit.lambda_max / fit.lambda)),
        false if fit.l1_ratio == 0.0 => "without an l1 norm".into(),
        false => no_penalty(fit).into(),
    };
    let (nonzeros, columns) =
        (fit.coefficients.len(), count((model.columns * model.labels.len().max(1)) as u64, "coefficient"));
    let are = if nonzeros == 1 { "is" } else { "are" };
    let mut text =
        format!("{title}: {nonzeros} of {columns} {are} not zero at lambda {} ({place})", number(fit.lambda));
    if let (name, Ok(share)) = fit.explained {
        text += &format!(", {name} {}", number(share));
    }
    if let Some(slope) = fit.gradient {
        text += &format!("; the largest slope of the mean loss is {}", short(slope));
    }
    text += "\n\n";
    if fit.intercept != 0.0 || !fit.intercepts.is_empty() || nonzeros > 0 {
        text += &format!("{:>14}  of\n", "coefficient");
    }
    if fit.intercept != 0.0 {
        text += &format!("{:>14}  (intercept)\n", aligned(fit.intercept));
    }
    for (class, intercept) in fit.intercepts.iter().enumerate().take(LISTED) {
        let class = schema.labels.shown(class);
        text += &format!("{:>14}  (intercept, class {class})\n", aligned(*intercept));
    }
    let mut table = Listing::new("coefficients", &["column", "name", "coefficient"]);
    for of in &order {
        table.row(vec![(of.column + 1).into(), named(schema, of).into(), of.value.into()]);
    }
    text += &listed(&order, |of| named(schema, of), &place_of_all("coef.tsv", folder));
    let quality = Listing::of_metric(&fit.report.metric);
    let summary = Summary { pictures: strongest(&order, schema), ..Summary::new(title) };
    (text.trim_end().to_owned(), summary.table(quality).table(table))
}
