//! `lasso fit --changes`: a fit, and then a fit of each version of its rows, certified for exactly the rows
//! of that version.

use std::io::Write as _;
use std::path::Path;

use raddle_cli::{
    ChangeLine, Data, Error, ExitStatus, ModelFolder, Session, Timed, Version, VersionEnd, Versions,
    fit_versions, is_short, refuse_without_effect, write_atomic,
};
use raddle_datasets::{Matrix, Table};
use raddle_lasso::files::{Coefficient, Features, Saved};
use raddle_lasso::{Fit, Lasso, LiveTable, Problem, RowChange};
use raddle_tabular::cli::described;

use super::fit_options::Options;
use super::outcome::finished;
use super::problem;
use super::refused::refuse_named;

struct Run<'a> {
    options: &'a Options,
    live: LiveTable,
    digest: String,
    /// The coefficients to start from, and the number of columns of the data that they were fitted on.
    start: Option<(Vec<Coefficient>, usize)>,
}

/// A version of the table, prepared.
struct Prepared {
    problem: Problem,
    data: Data,
    features: Features,
}

/// Fits the first version, and then each next one.
pub(super) fn fit(options: &Options, mut session: Session) -> Result<ExitStatus, Error> {
    if options.problem.rows.is_given() {
        let why = "--weights, --class-weights and --offset are of rows that stay: --changes has no values but features and response";
        return Err(Error::usage(why));
    }
    let why = "with --changes, whose rows come and go";
    refuse_without_effect(&[("--test", options.test.is_some())], why)?;
    let base = options.problem.read(&mut session, &options.train, &[])?.table;
    let digest = base.digest.clone();
    let live = session.timed(Timed::Prepare, || LiveTable::new(base));
    let mut run = Run { options, live, digest: digest.clone(), start: None };
    fit_versions(&mut run, &options.changes, &digest, session)
}

impl Run<'_> {
    /// Parses a line `id y j:x ...`, with columns from 1; a line with only `id` retracts.
    fn parse(&self, line: &ChangeLine) -> Result<RowChange, String> {
        let mut words = line.text.split_whitespace();
        let id = words.next().unwrap_or_default().to_owned();
        if !line.inserts {
            return match words.next() {
                None => Ok(RowChange::Retract { id }),
                Some(_) => Err("more than an id: write `- id`".into()),
            };
        }
        let y = words.next().ok_or("there is no response: write `+ id y j:x ...`")?;
        let y = match self.live.classes() {
            Some(classes) => {
                let class = classes.iter().position(|class| class == y);
                class.ok_or_else(|| format!("`{y}` is none of the classes"))? as f64
            }
            None => finite(y).ok_or_else(|| format!("the response `{y}` is no finite number"))?,
        };
        let values = words.map(|word| {
            let (column, value) =
                word.split_once(':').ok_or_else(|| format!("`{word}`: write column:value"))?;
            let number: u32 = column
                .parse()
                .ok()
                .filter(|&number| number > 0)
                .ok_or_else(|| format!("`{word}`: columns are numbers from 1"))?;
            let value = finite(value).ok_or_else(|| format!("`{word}`: the value is no finite number"))?;
            Ok((number - 1, value))
        });
        Ok(RowChange::Insert { id, y, values: values.collect::<Result<_, String>>()? })
    }
}

impl Versions for Run<'_> {
    type Prepared = Prepared;

    fn take_up(&mut self, model: &ModelFolder) -> Result<(), Error> {
        let fitted = Saved::read(model, None)?;
        self.start = Some((fitted.coefficients, fitted.about.columns));
        Ok(())
    }

    fn take(&mut self, version: &Version) -> Result<(u64, u64), (usize, String)> {
        let changes = version.changes(|line| self.parse(line))?;
        let taken = self.live.apply(&changes).map_err(|refused| (refused.at, refused.why))?;
        Ok((taken.inserted, taken.retracted))
    }

    fn undo(&mut self) {
        self.live.undo();
    }

    fn prepare(&mut self, session: &mut Session, _: u64) -> Result<Prepared, Error> {
        let options = self.options;
        let table = self.live.table();
        if table.y.is_empty() {
            return Err(Error::input("it leaves no rows to train on"));
        }
        let mut data = described(&table);
        let features = options.problem.features(&table, &mut data);
        let preparation = options.problem.preparation();
        let problem = session.timed(Timed::Prepare, || Problem::new(table.x, table.y, preparation));
        let problem = problem.map_err(|why| refuse_named(why, &data.path, &features))?;
        Ok(Prepared { problem, data, features })
    }

    fn fit(&mut self, session: &mut Session, number: u64, prepared: Prepared) -> Result<VersionEnd, Error> {
        let options = self.options;
        let Prepared { problem, data, features } = prepared;
        let columns = problem.columns();
        let lasso = options.problem.of_columns(options.lasso()?, &options.train, &features, columns)?;
        let layout = features.layout(columns, 0);
        let start = self.start.take().filter(|_| !options.changes.cold);
        // Coefficients of several classes are numbered by the columns of their data.
        let start = start.filter(|(start, of)| *of == layout.columns || start.iter().all(|of| of.class == 0));
        let lasso = lasso.given(start.map(|(start, _)| layout.of_fit(&start)), Lasso::init);
        let engine = session.timed(Timed::Fit, || lasso.engine(&problem));
        let engine = engine.map_err(|why| refuse_named(why, &data.path, &features))?;
        let identity = problem::identity(options, problem::FREE, &self.digest, &options.train)?;
        let fit = Fit::new(&problem, session.run(engine.identity(identity))?);
        if is_short(number, &fit.report) {
            return VersionEnd::short(session, options, data, &fit.report, &fit.trace);
        }
        let layout = features.layout(columns, fit.labels.len());
        self.start = Some((layout.of_data(&fit.coefficients), layout.columns));
        let of = session.version_of();
        let (report, summary, text) = finished(session, options, &fit, data, &features, Some(of), None)?;
        Ok(VersionEnd::Fitted(Box::new(report), summary, text))
    }

    /// Writes the remaining rows as libsvm text.
    fn save_data(&self, path: &Path) -> Result<(), Error> {
        let Table { x, occurring, y, .. } = self.live.table();
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); y.len()];
        match &x {
            Matrix::Dense(x) => {
                for ((row, column), &value) in x.indexed_iter().filter(|(_, value)| **value != 0.0) {
                    rows[row].push((column, value));
                }
            }
            Matrix::Sparse(x) => {
                for (place, values) in (0..).zip(x.outer_iterator()) {
                    let column = occurring.as_ref().map_or(place, |some| some.number(place)) as usize;
                    values.iter().for_each(|(row, &value)| rows[row].push((column, value)));
                }
            }
        }
        Ok(write_atomic(path, |out| {
            for (y, row) in y.iter().zip(&rows) {
                write!(out, "{y}")?;
                row.iter().try_for_each(|(column, value)| write!(out, " {}:{value}", column + 1))?;
                writeln!(out)?;
            }
            Ok(())
        })?)
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}
