//! `lasso fit --changes`: a fit, and then the versions of its rows, each certified for exactly the rows there are.

use std::io::Write as _;
use std::path::Path;

use raddle::Ending;
use raddle::cli::{
    ChangeLine, ChangeStream, Data, Error, ExitStatus, Report, Session, Timed, Version, write_atomic,
};
use raddle_datasets::{Matrix, Table};
use raddle_lasso::{Fit, LiveTable, Problem, RowChange, Taken};

use super::coefficients::Coefficients;
use super::data;
use super::files::{self, VersionOf};
use super::fit::{Options, finished};
use super::problem::{self, Features, refuse_named};

struct Run<'a> {
    options: &'a Options,
    live: LiveTable,
    digest: String,
    /// The coefficients to start from, and how many columns they are of.
    start: Option<(Coefficients, usize)>,
    /// The report and the text of the last model that was committed.
    last: Option<(Report, String)>,
}

/// A version of the table, prepared.
struct Laid {
    problem: Problem,
    data: Data,
    features: Features,
}

/// How the fit of a version ended.
enum Ended {
    Committed,
    /// It was cut short: the model before stays.
    Short(Box<Report>),
}

/// Fits, and goes on from version to version.
pub(super) fn fit(options: &Options, mut session: Session) -> Result<ExitStatus, Error> {
    session.refuse_among("--changes", true)?;
    if options.problem.rows.is_given() {
        let why =
            "--weights and --offset are of rows that stay: --changes knows no values beside the features";
        return Err(Error::usage(why));
    }
    let base = options.problem.read(&mut session, &options.train, &[])?;
    let digest = base.digest.clone();
    let live = session.timed(Timed::Prepare, || LiveTable::new(base));
    let mut run = Run { options, live, digest, start: None, last: None };
    let done = run.resume(&mut session)?;
    if done.is_none() {
        let laid = run.lay_out(&mut session)?;
        if let Ended::Short(report) = run.version(&mut session, 0, laid)? {
            return end_short(session, *report);
        }
        if run.last.as_ref().is_some_and(|(report, _)| !is_whole(report.ending.name())) {
            return run.finish(session);
        }
    }
    let mut changes = ChangeStream::open(&options.changes, &mut session, &run.digest)?;
    while let Some(version) = changes.next(&session)? {
        let taken = match run.take(&version) {
            Ok(taken) => taken,
            Err((at, why)) => {
                changes.refuse(&version, Some(at), &why, &session)?;
                continue;
            }
        };
        if done.is_some_and(|done| version.number <= done) {
            changes.pass(&version);
            continue;
        }
        let laid = match run.lay_out(&mut session) {
            Ok(laid) => laid,
            Err(why) => {
                run.live.undo();
                changes.refuse(&version, None, &why.to_string(), &session)?;
                continue;
            }
        };
        changes.accept(&version, (taken.inserted, taken.retracted), &mut session)?;
        if let Ended::Short(report) = run.version(&mut session, version.number, laid)? {
            run.save_data()?;
            return end_short(session, *report);
        }
    }
    run.finish(session)
}

fn end_short(session: Session, report: Report) -> Result<ExitStatus, Error> {
    let text = format!(
        "{}\nthe model of the version before stays; --resume fits this one again",
        report.conclusion()
    );
    session.finish_without_model(report, &text)
}

fn is_whole(ending: &str) -> bool {
    [Ending::Target, Ending::Converged].iter().any(|whole| whole.name() == ending)
}

impl Run<'_> {
    /// Takes the model of a run up that goes on: the number of its version, or nothing where its first fit is to be done.
    fn resume(&mut self, session: &mut Session) -> Result<Option<u64>, Error> {
        let folder = session.folder().path().filter(|_| session.is_resumed());
        let Some(folder) = folder.filter(|folder| folder.join("model.json").exists()).map(Path::to_owned)
        else {
            return Ok(None);
        };
        let fitted = files::read_start(&folder)?;
        let Some(of) = fitted.about.version.filter(|_| is_whole(&fitted.about.ending)) else {
            return Ok(None);
        };
        self.start = Some((fitted.coefficients, fitted.about.columns));
        session.resume_behind(of.data_version, of.epochs);
        Ok(Some(of.data_version))
    }

    /// Takes the lines of a version in, all or none; tells which is wrong.
    fn take(&mut self, version: &Version) -> Result<Taken, (usize, String)> {
        let parse = |(at, line): (usize, &ChangeLine)| self.parse(line).map_err(|why| (at, why));
        let changes: Vec<RowChange> =
            version.lines.iter().enumerate().map(parse).collect::<Result<_, _>>()?;
        self.live.apply(&changes).map_err(|refused| (refused.at, refused.why))
    }

    /// `id y j:x ...`, columns from 1; `id` where it retracts.
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

    fn lay_out(&self, session: &mut Session) -> Result<Laid, Error> {
        let options = self.options;
        let table = self.live.table();
        if table.y.is_empty() {
            return Err(Error::input("it leaves no rows to train on"));
        }
        let (data, features) = (data::describe(&table), options.problem.features(&table));
        let preparation = options.problem.preparation();
        let problem = session.timed(Timed::Prepare, || Problem::new(table.x, table.y, preparation));
        let problem = problem.map_err(|why| refuse_named(why, &data.path, &features))?;
        Ok(Laid { problem, data, features })
    }

    /// Fits one version and puts its model in the place of the one before.
    fn version(&mut self, session: &mut Session, number: u64, laid: Laid) -> Result<Ended, Error> {
        let options = self.options;
        let Laid { problem, data, features } = laid;
        let mut lasso = options.lasso()?;
        let columns = problem.columns();
        let start = self.start.take().filter(|_| !options.changes.cold);
        // Coefficients of several classes are numbered by the columns there are.
        if let Some((start, of)) = start
            && (of == columns || start.iter().all(|&(column, _)| (column as usize) < of))
        {
            lasso = lasso.init(start);
        }
        let lasso = options.problem.terms.apply(lasso, &features, columns)?;
        let engine = session.timed(Timed::Fit, || lasso.engine(&problem));
        let engine = engine.map_err(|why| refuse_named(why, &data.path, &features))?;
        let identity = problem::identity(options, super::FREE, &self.digest, &options.train)?;
        let fit = Fit::new(&problem, session.run(engine.identity(identity))?);
        if number > 0 && !is_whole(fit.report.ending.name()) {
            let report = session.report(options, data, String::new(), &fit.report, &fit.trace)?;
            return Ok(Ended::Short(Box::new(report)));
        }
        self.start = Some((fit.coefficients.clone(), columns));
        let of = VersionOf { data_version: number, epochs: session.epochs() };
        let (mut report, summary, text) =
            finished(session, options, &fit, &problem, (data, &features), Some(of))?;
        report = report.result("data_version", number);
        session.commit(&mut report, &summary, &text)?;
        self.last = Some((report, text));
        Ok(Ended::Committed)
    }

    /// The rows that are left, as libsvm text.
    fn save_data(&self) -> Result<(), Error> {
        let Some(path) = &self.options.changes.save_data else { return Ok(()) };
        let Table { x, y, .. } = self.live.table();
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); y.len()];
        match &x {
            Matrix::Dense(x) => {
                for ((row, column), &value) in x.indexed_iter().filter(|(_, value)| **value != 0.0) {
                    rows[row].push((column, value));
                }
            }
            Matrix::Sparse(x) => {
                for (column, values) in x.outer_iterator().enumerate() {
                    values.iter().for_each(|(row, &value)| rows[row].push((column, value)));
                }
            }
        }
        write_atomic(path, |out| {
            for (y, row) in y.iter().zip(&rows) {
                write!(out, "{y}")?;
                row.iter().try_for_each(|(column, value)| write!(out, " {}:{value}", column + 1))?;
                writeln!(out)?;
            }
            Ok(())
        })
    }

    fn finish(self, session: Session) -> Result<ExitStatus, Error> {
        self.save_data()?;
        let is_interrupted = session.is_interrupted();
        let status = match &self.last {
            Some((report, text)) => session.finish_committed(report, text)?,
            None => session.finish_again()?,
        };
        Ok(if is_interrupted { ExitStatus::Interrupted } else { status })
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}
