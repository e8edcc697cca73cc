//! Outcome of a fit: written, for the report, as tables and as text.

use raddle::cli::{Data, Error, Report, Session, Summary, Table, aligned, count, number};
use raddle_lasso::files::Features;
use raddle_linear::Fit;
use raddle_linear::files::About;
use serde_json::{Value, json};

use super::fit_options::Options;

/// Coefficients listed on the screen.
const LISTED: usize = 20;

/// Writes the model, and says what was found.
pub(super) fn finished(
    session: &mut Session,
    options: &Options,
    fit: &Fit,
    (data, features): (Data, &Features),
) -> Result<(Report, Summary, String), Error> {
    let about = About::new(fit, features);
    fit.write(session, &about)?;
    let report = session.report(options, data, fit.digest(), &fit.report, &fit.trace)?;
    let order = by_size(fit);
    let entry = |&(column, value): &(u32, f64)| -> Value {
        json!({"column": about.layout().place(column).1 + 1, "name": about.name(column), "coefficient": value})
    };
    let largest: Vec<Value> = order.iter().take(LISTED).map(entry).collect();
    let report = report
        .result("C", fit.c)
        .result("objective", fit.objective)
        .result("support", fit.support() as u64)
        .result("intercept", fit.intercept)
        .result("nonzeros", fit.coefficients.len() as u64)
        .result("coefficients", largest);
    let title = format!("Linear classifier ({} loss) on {}", fit.loss.name(), report.data.path);
    let mut table = Table::new("coefficients", &["column", "name", "coefficient"]);
    for &(column, value) in &order {
        table.row(vec![(about.layout().place(column).1 + 1).into(), about.name(column).into(), value.into()]);
    }
    let summary = Summary::new(title.clone()).table(Table::of_metric(&fit.report.metric)).table(table);
    let rows = count(fit.dual.len() as u64, "row");
    let mut text = format!(
        "{title}: C {}, {} of {rows} support it; scores above 0 speak for {}\n\n",
        number(fit.c),
        fit.support(),
        about.class_name(true)
    );
    text += &format!("{:>14}  of\n{:>14}  (intercept)\n", "coefficient", aligned(fit.intercept));
    for &(column, value) in order.iter().take(LISTED) {
        text += &format!("{:>14}  {}\n", aligned(value), about.name(column));
    }
    if order.len() > LISTED {
        let all = session.place_of("coef.tsv");
        text += &format!("{:>14}  and {} more; all are {all}\n", "...", order.len() - LISTED);
    }
    text += &format!("\n{}", report.conclusion());
    Ok((report, summary, text))
}

/// Coefficients, the strongest first.
fn by_size(fit: &Fit) -> Vec<(u32, f64)> {
    let mut order = fit.coefficients.clone();
    order.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    order
}
