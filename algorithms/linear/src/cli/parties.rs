//! `linear fit` as a party: its own rows, read by the schema that all parties have.

use std::path::Path;

use raddle_cli::{
    Column, ColumnValues, Data, Error, ExitStatus, PartiesFile, Session, Timed, digest_of, identity,
    refuse_without_effect,
};
use raddle_datasets::{Classes, EncodedColumn, Encoding, Options as Reading, Samples, read_samples};
use raddle_linear::files::Features;
use raddle_linear::{Counted, Fit, Linear, LinearError, Parties};
use serde_json::{Value, json};

use super::fit_options::Options;
use super::outcome::{Found, write};
use super::problem::FREE;
use super::refused::Named;

/// Columns and classes that all parties have, as the program reads and writes them.
struct Schema {
    features: Features,
    /// Least and greatest value of each feature.
    bounds: Vec<[f64; 2]>,
    /// Texts of the two classes, and their values.
    texts: Vec<String>,
    values: Vec<f64>,
}

impl Schema {
    fn of(file: &PartiesFile) -> Result<Self, Error> {
        let refuse = |why: String| Err(Error::input(format!("{}: {why}", file.path.display())));
        let mut classes = match file.classes.is_empty() {
            true => vec!["0".to_owned(), "1".to_owned()],
            false => file.classes.clone(),
        };
        if classes.len() != 2 {
            let count = classes.len();
            return refuse(format!("classes: there are {count}, and sums are those of two classes"));
        }
        if file.columns.is_empty() {
            return refuse("columns: there are none: give each its bounds or levels".into());
        }
        classes.sort();
        let mut numbers: Vec<f64> = classes.iter().filter_map(|class| class.parse().ok()).collect();
        let is_named = numbers.len() < 2 || numbers.iter().any(|number| !number.is_finite());
        if is_named {
            numbers = vec![0.0, 1.0];
        } else if numbers[0] > numbers[1] {
            numbers.reverse();
            classes.reverse();
        }
        let columns = file.columns.iter().zip(1..).map(|(column, place)| encoded(column, place));
        let columns: Vec<EncodedColumn> = columns.collect();
        let bounds = file.columns.iter().zip(&columns).flat_map(|(Column { values, .. }, column)| {
            let of = if let ColumnValues::Bounds(bounds) = values { *bounds } else { [0.0, 1.0] };
            vec![of; column.features().len()]
        });
        let bounds = bounds.collect();
        let encoding = Encoding { width: columns.len(), named: true, columns, ..Encoding::default() };
        let features = Features {
            names: Some(encoding.features()),
            encoding: Some(encoding),
            classes: is_named.then(|| classes.clone()),
            ..Features::default()
        };
        Ok(Self { features, bounds, texts: classes, values: numbers })
    }

    /// Reads the rows of a party.
    fn read(&self, path: &str, reading: Reading) -> Result<(Samples, Vec<bool>), Error> {
        let classes = Classes::Known(self.texts.clone());
        let reading = Reading { classes, repeat: self.features.encoding.clone(), ..reading };
        let mut samples = read_samples(path, &reading).map_err(Error::input)?;
        let refuse = |why: String| Err(Error::input(format!("{path}: {why}")));
        if let Some((text, rows)) = samples.unknown_classes.first() {
            return refuse(format!(
                "row {}: the class `{text}` is not among those of the parties, `{}`: correct the row, or leave \
                 it out",
                rows.first().map_or(1, |row| row + 1),
                self.texts.join("` and `")
            ));
        }
        if let Some(unseen) = samples.unseen.first() {
            return refuse(format!(
                "column {unseen}: a level is not among those of the parties: correct it, or have it declared"
            ));
        }
        let Some(y) = samples.y.take().filter(|y| !y.iter().any(|y| y.is_nan())) else {
            return refuse(
                "a row has no response: name the response with --y, and leave such rows out".into(),
            );
        };
        Ok((samples, y.iter().map(|y| *y == 1.0).collect()))
    }
}

/// Returns how a column becomes features.
fn encoded(Column { name, values }: &Column, place: usize) -> EncodedColumn {
    let levels = match values {
        ColumnValues::Bounds(_) => None,
        ColumnValues::Levels(levels) => {
            let mut levels = levels.clone();
            levels.sort();
            Some(levels)
        }
    };
    EncodedColumn { name: name.clone(), place, levels, ..EncodedColumn::default() }
}

/// Returns the parameters of the fit.
fn parameters(options: &Options, file: &PartiesFile, schema: &Schema) -> Result<Parties, Error> {
    let linear: Linear = options.linear()?;
    let weights = options.problem.class_weights(&schema.values, schema.features.classes.as_deref())?;
    let linear = linear.given(weights, Linear::class_weights);
    if options.problem.bias.is_free() {
        let why =
            "--bias free: dual values that follow from sums do not add up to 0: give a number, such as 100";
        return Err(Error::usage(why));
    }
    let (count, bounds) = (file.parties.len(), schema.bounds.clone());
    let parties = Parties::new(linear, count, bounds).bias(options.problem.bias.value());
    let parties = options.train.shards.into_iter().fold(parties, Parties::shards);
    let parties = options.least_rows.into_iter().fold(parties, Parties::least_rows);
    parties.check().map_err(|why| Error::usage(format!("--{why}")))?;
    Ok(parties)
}

/// Runs the verb in a process that has the rows of one party or, without a launcher, of all.
pub(super) fn fit(options: &Options, file: &PartiesFile, mut session: Session) -> Result<ExitStatus, Error> {
    let train = &options.train;
    let given = [
        ("--parts", options.has_parts()),
        ("--init", train.init.is_some()),
        ("--scale", options.problem.scale),
        ("--rescale", train.rescale.is_some()),
        // A fit that is disturbed starts again.
        ("--checkpoint-every", train.checkpoint_every.is_some()),
    ];
    refuse_without_effect(&[&given[..], &options.problem.of_tables()].concat(), "over parties")?;
    let schema = Schema::of(file)?;
    let parties = parameters(options, file, &schema)?;
    session.set_metric_name("gap");
    let Some(path) = train.data.as_deref() else {
        return Err(Error::usage("give the rows of the party, as raddle join --data FILE"));
    };
    let reading = options.problem.reading_of_party(train)?;
    let (samples, is_second) = session.timed(Timed::Read, || schema.read(path, reading))?;
    let named = Named::new(path, options.problem.response(), &schema.features);
    let rows = session.timed(Timed::Prepare, || parties.rows(&samples.x, is_second));
    let rows = rows.map_err(|why| refused(&named, &schema, why))?;
    let data = data(path, &samples)?;
    let number = session.party().unwrap_or(0);
    let engine = parties.engine(vec![(number, rows.clone())]).map_err(|why| named.refuse(why))?;
    let read = [("data", "own"), ("schema", &file.schema())];
    let engine = engine.identity(identity("linear", options, FREE, &read)?).own_data(data.digest.clone());
    let is_open = options.sum.as_deref() == Some("exact");
    let engine = if is_open { engine.open_sums() } else { engine };
    let outcome = session.run(engine)?;
    let (fit, counted) = parties.finish(&rows, outcome).map_err(|why| refused(&named, &schema, why))?;
    Finished { options, file, schema, data, session }.report(fit, counted)
}

/// A fit that is over, at one of its parties.
struct Finished<'a> {
    options: &'a Options,
    file: &'a PartiesFile,
    schema: Schema,
    data: Data,
    session: Session,
}

impl Finished<'_> {
    /// Writes and reports the fit.
    fn report(self, mut fit: Fit, counted: Counted) -> Result<ExitStatus, Error> {
        let (crossed, there) = (self.crossed(&fit, &counted), self.there(&fit));
        let Self { options, schema, data, mut session, .. } = self;
        fit.classes.clone_from(&schema.values);
        let about = write(&mut session, &fit, &schema.features)?;
        let report = session.report(options, data, fit.digest(), &fit.report, &fit.trace)?;
        let found = Found { fit: &fit, about: &about, features: &schema.features };
        let all: u64 = counted.rows.iter().sum();
        let report = found
            .reported(report)
            .result("rows_of_all", all)
            .result("class_rows", counted.rows)
            .result("means", json!(counted.means))
            .result("parties", json!(there))
            .result("crossed", crossed);
        let (text, summary) = found.describe(&report.data.path, &session.place_of("coef.tsv"));
        let text = format!("{text}; it is the model of {all} rows of all parties\n{}", report.conclusion());
        session.finish(report, &summary, &text)
    }

    /// Returns what has left the party: numbers of sums, messages and bytes.
    fn crossed(&self, fit: &Fit, counted: &Counted) -> Value {
        let own = self.session.party().map(|party| party as u32 + 1);
        let mut members = fit.report.generations.last().into_iter().flat_map(|last| &last.members);
        let own = members.find(|member| Some(member.process) == own);
        json!({
            "rounds": counted.sums.len(),
            "counts_and_means": counted.sums.first().copied().unwrap_or(0),
            "sums": counted.sums.iter().skip(1).sum::<u64>(),
            "messages": own.map_or(0, |own| own.messages_sent),
            "bytes": own.map_or(0, |own| own.bytes_sent),
        })
    }

    /// Returns the names of the parties that have taken part to the end.
    fn there(&self, fit: &Fit) -> Vec<String> {
        let members = fit.report.generations.last().into_iter().flat_map(|last| &last.members);
        let name = |process: u32| self.file.parties.keys().nth((process as usize).checked_sub(1)?);
        members.filter_map(|member| name(member.process).cloned()).collect()
    }
}

/// Error of a fit, with the name of a column next to its number among the features.
fn refused(named: &Named, schema: &Schema, error: LinearError) -> Error {
    let of = |column: usize| schema.features.names.as_ref()?.get(column - 1);
    match error {
        LinearError::Beyond { column, .. } => {
            let name = of(column).map_or(String::new(), |name| format!("{name}: "));
            Error::input(format!("{}: {name}{error}", named.file))
        }
        error => named.refuse(error),
    }
}

/// The report's entry for the rows.
fn data(path: &str, samples: &Samples) -> Result<Data, Error> {
    let unread = |why| Error::input(format!("{path}: {why}"));
    let sizes = [("rows", samples.x.rows()), ("columns", samples.x.cols())];
    Ok(Data {
        path: path.to_owned(),
        sizes: sizes.into_iter().map(|(name, size)| (name.to_owned(), size as u64)).collect(),
        nonzeros: samples.x.nonzeros() as u64,
        digest: digest_of(Path::new(path)).map_err(unread)?,
        notes: samples.notes.clone(),
        ..Data::default()
    })
}
