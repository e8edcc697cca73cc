//! Reading of the table that a command line names.

use clap::{Arg, Args};
use raddle_cli::{Data, Error, Records, Session, Timed, TrainOptions};
use raddle_common::DialectArgs;
use raddle_datasets::{
    ColumnOptions, Encoding, Format, Missing, Options, StoredTable, Table, read_any, registry,
};
use serde::Serialize;
use serde_json::{Value, json};

/// The data set in the program, which is read if none is named.
pub const DEFAULT: &str = "diabetes";

/// Help text of DATA, which is this kind of data.
pub fn known(kind: &str) -> String {
    let formats = Format::readable().map(Format::name).collect::<Vec<_>>().join(", ");
    let names = registry::verified_names(registry::SetKind::Table);
    format!(
        "{kind}: a file, - for stdin, or the name of a dataset. Formats: {formats}; gzip and zstd are unpacked. \
         Datasets in the data folder (see `raddle data`): {names}, or any that `raddle data fetch` has fetched; \
         {DEFAULT} is also embedded, and names such as synth:groups:n=200,p=2000,s=10 are generated \
         (see `raddle data generate`)"
    )
}

/// Help text of DATA for training.
pub fn known_or_default() -> String {
    format!("{}. Default: the embedded {DEFAULT}", known("Data"))
}

/// Gives options of training the help that they have in a cross-validation, for clap's `mut_args`.
pub fn of_folds(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "data" => arg.help(known_or_default()),
        "checkpoint_every" => arg.help("Write a checkpoint to the run's folder after every N epochs of a fit. auto writes the first after 5 seconds, and then spends about a thirtieth of the time on checkpoints. Default: none"),
        "epochs" => arg.help("Stop each fit after N epochs. Default: no limit"),
        "time_limit" => arg.help("Stop the whole run after this time. No model is written if nothing is chosen yet"),
        "init" => arg.help("Start the final fit on all rows from the model in the folder of an earlier run"),
        "workers" => arg.help("Number of worker threads. They fit folds in parallel and never change the model. Default: the number of cores"),
        _ => arg,
    }
}

/// Options for reading text.
#[derive(Debug, Clone, Args, Serialize)]
pub struct TextArgs {
    #[command(flatten)]
    #[serde(flatten)]
    dialect: DialectArgs,
    /// Count indices of libsvm text from 0, as scikit-learn writes them by default. The model remembers it.
    #[arg(long)]
    pub zero_based: bool,
}

/// Options that say which columns are features, and how.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Options of the data")]
pub struct ColumnArgs {
    /// Use only these columns as features: names, prefixes of names (x*), or indices from 1.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    columns: Vec<String>,
    /// Leave out these columns: names, prefixes of names (x*), or indices from 1.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    drop: Vec<String>,
    /// One-hot encode these columns, as columns of text are, even if they hold numbers.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    categorical: Vec<String>,
    /// Leave out a text column with more than N different values.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    max_levels: usize,
    /// Treatment of missing numbers: refuse, mean (fill in the mean of the column's other values), or drop
    /// (leave out the row).
    #[arg(long, value_name = "RULE", default_value = "refuse", value_parser = str::parse::<Missing>)]
    missing: Missing,
    /// How text is read.
    #[command(flatten)]
    #[serde(flatten)]
    pub text: TextArgs,
}

impl TextArgs {
    /// Returns how to read the data, with this number of threads.
    ///
    /// # Errors
    /// If the format is unknown.
    pub fn options(&self, format: Option<&str>, y: Option<&str>, threads: usize) -> Result<Options, Error> {
        let format =
            format.map(str::parse).transpose().map_err(|why| Error::usage(format!("--format: {why}")))?;
        let (dialect, zero_based) = (self.dialect.dialect(), self.zero_based);
        Ok(Options { format, y: y.map(str::to_owned), threads, dialect, zero_based, ..Options::default() })
    }
}

impl ColumnArgs {
    /// Returns the columns that are asked for.
    pub fn chosen(&self) -> ColumnOptions {
        let Self { columns, drop, categorical, max_levels, missing, .. } = self.clone();
        ColumnOptions { columns, drop, categorical, max_levels, missing }
    }
}

/// A table to fit.
#[derive(Debug)]
pub struct Given {
    /// The table; of a stored one all but its matrix.
    pub table: Table,
    /// The table in a file, from which each process reads its own parts.
    pub stored: Option<StoredTable>,
    /// The report's entry for it.
    pub data: Data,
}

impl Given {
    /// Reads DATA, or the data set in the program, into memory, and shows notes on how.
    ///
    /// # Errors
    /// If it cannot be read, as bad input.
    pub fn read(session: &mut Session, train: &TrainOptions, reading: &Options) -> Result<Self, Error> {
        let table = session.timed(Timed::Read, || read_any(source(train), reading)).map_err(Error::input)?;
        let data = described(&table);
        Ok(Self { table, stored: None, data }.shown(session))
    }

    /// Like [`read`](Self::read), but with several processes the table is stored, in the folder of the cache
    /// or else one that they share, to be read by parts. Standard input, which cannot be read twice, and a
    /// table of which rows are held out are read into memory.
    ///
    /// # Errors
    /// If it cannot be read, as bad input.
    pub fn open(session: &mut Session, train: &TrainOptions, reading: &Options) -> Result<Self, Error> {
        let is_whole = train.data.as_deref() == Some("-") || reading.held_out.is_some();
        let Some(shared) = session.shared_folder().filter(|_| !is_whole) else {
            return Self::read(session, train, reading);
        };
        let folder = reading.cache.clone().unwrap_or(shared);
        let open = || StoredTable::open(source(train), reading, &folder);
        let stored = session.timed(Timed::Read, open).map_err(Error::input)?;
        let table = stored.described().clone();
        let data = sized(&table, stored.rows(), stored.width(), stored.nonzeros());
        Ok(Self { table, stored: Some(stored), data }.shown(session))
    }

    fn shown(self, session: &Session) -> Self {
        self.data.notes.iter().for_each(|note| session.screen().tell(note));
        self
    }
}

/// Returns the name of the data.
fn source(train: &TrainOptions) -> &str {
    train.data.as_deref().unwrap_or(DEFAULT)
}

/// Summary of an encoding for the report: columns that are not plain numbers, and the first columns of each
/// kind that were left out.
pub(super) fn summary(encoding: &Encoding) -> Value {
    const LISTED: usize = 20;
    let columns: Vec<Value> = encoding
        .columns
        .iter()
        .filter(|column| column.levels.is_some() || column.missing > 0)
        .map(|column| match &column.levels {
            Some(levels) => json!({"name": column.name, "levels": levels.len(), "missing": column.missing}),
            None => json!({"name": column.name, "missing": column.missing, "mean": column.mean}),
        })
        .collect();
    let (more, left_out) = (columns.len().saturating_sub(LISTED), encoding.left_out.len());
    json!({
        "columns": columns.into_iter().take(LISTED).collect::<Vec<_>>(),
        "more_columns": more,
        "left_out": encoding.left_out.iter().take(LISTED).collect::<Vec<_>>(),
        "more_left_out": left_out.saturating_sub(LISTED),
        "rows_left_out": encoding.rows_left_out,
        "missing": encoding.missing,
    })
}

/// The report's entry for a table.
pub fn described(table: &Table) -> Data {
    sized(table, table.x.rows(), table.width(), table.x.nonzeros())
}

/// The report's entry for a table whose matrix is elsewhere.
fn sized(table: &Table, rows: usize, columns: usize, nonzeros: usize) -> Data {
    let sizes = [("rows", rows), ("columns", columns)];
    Data {
        path: table.path.as_ref().map_or_else(|| table.name.clone(), |path| path.display().to_string()),
        sizes: sizes.into_iter().map(|(name, size)| (name.to_owned(), size as u64)).collect(),
        nonzeros: nonzeros as u64,
        digest: table.digest.clone(),
        format: table.format.clone(),
        records: Records::new(table.records.read, table.records.left_out.clone()),
        notes: table.notes.clone(),
    }
}
