//! Outcome of a fit: written, for the report, as tables and as text.

use raddle::cli::{Data, Error, Report, Session, Summary, Table, aligned, count, number};
use raddle_lasso::files::Features;
use raddle_linear::files::About;
use raddle_linear::{Fit, Scorer};
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
    let column = |column: u32| about.layout().place(column).1 + 1;
    let is_several = fit.scorers.len() > 1;
    let class = |scorer: usize| about.class_name(if is_several { scorer } else { 1 });
    let entry = |&(scorer, at, value): &Strength| -> Value {
        json!({"class": class(scorer), "column": column(at), "name": about.name(at), "coefficient": value})
    };
    let support = fit.scorers.iter().map(Scorer::support).sum::<usize>();
    let largest: Vec<Value> = order.iter().take(LISTED).map(entry).collect();
    let of_scorers = |of: &dyn Fn(&Scorer) -> f64| fit.scorers.iter().map(of).collect::<Vec<_>>();
    let report = report
        .result("C", fit.c)
        .result("objective", of_scorers(&|of| of.objective).iter().sum::<f64>())
        .result("support", support as u64)
        .result("intercepts", of_scorers(&|of| of.intercept))
        .result("gaps", of_scorers(&|of| of.gap))
        .result("nonzeros", order.len() as u64)
        .result("training_error", fit.training_error)
        .result("coefficients", largest);
    let title = format!("Linear classifier ({} loss) on {}", fit.loss.name(), report.data.path);
    let mut table = Table::new("coefficients", &["class", "column", "name", "coefficient"]);
    for &(scorer, at, value) in &order {
        table.row(vec![class(scorer).into(), column(at).into(), about.name(at).into(), value.into()]);
    }
    let summary = Summary::new(title.clone()).table(Table::of_metric(&fit.report.metric)).table(table);
    let rows = count(fit.costs.len() as u64, "row");
    let meaning = match is_several {
        true => format!("{} scorers, one a class; the largest score wins", fit.scorers.len()),
        false => format!("{support} of {rows} support it; scores above 0 speak for {}", class(0)),
    };
    let mut text = format!("{title}: C {}, {meaning}\n\n", number(fit.c));
    let of = |scorer: usize, name: &str| {
        if is_several { format!("{}: {name}", class(scorer)) } else { name.to_owned() }
    };
    text += &format!("{:>14}  of\n", "coefficient");
    for (scorer, one) in fit.scorers.iter().enumerate().take(LISTED).filter(|_| fit.bias != 0.0) {
        text += &format!("{:>14}  {}\n", aligned(one.intercept), of(scorer, "(intercept)"));
    }
    for &(scorer, at, value) in order.iter().take(LISTED) {
        text += &format!("{:>14}  {}\n", aligned(value), of(scorer, &about.name(at)));
    }
    if order.len() > LISTED {
        let all = session.place_of("coef.tsv");
        text += &format!("{:>14}  and {} more; all are {all}\n", "...", order.len() - LISTED);
    }
    text += &format!(
        "\n{:.2} % of the rows it was fitted to are of another class than it says\n",
        100.0 * fit.training_error
    );
    text += &report.conclusion();
    Ok((report, summary, text))
}

/// Scorer, column as the fit numbers it, and coefficient.
type Strength = (usize, u32, f64);

/// Coefficients, the strongest first.
fn by_size(fit: &Fit) -> Vec<Strength> {
    let of = |(scorer, of): (usize, &Scorer)| -> Vec<Strength> {
        of.coefficients.iter().map(|&(column, value)| (scorer, column, value)).collect()
    };
    let mut order: Vec<Strength> = fit.scorers.iter().enumerate().flat_map(of).collect();
    order.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()).then((a.0, a.1).cmp(&(b.0, b.1))));
    order
}
