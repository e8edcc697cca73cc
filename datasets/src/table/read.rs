//! Reading a table whatever its format, and data as users name them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::classes::{Beside, Classes, Labels, from_files};
use super::encoding::{ColumnOptions, Encoding};
use super::{Table, cache, generate, matrix_market, npy, npz, response, tabular};
use crate::dialect::beginning::Purpose;
use crate::dialect::{Dialect, Separator, divided_by};
use crate::error::ReadError;
use crate::foreign::{foreign, is_json, printed};
use crate::records::RecordCounts;
use crate::source::{Source, names_a_file};
use crate::{embedded, registry};

/// How to read a table.
#[derive(Clone, Debug)]
pub struct Options {
    /// The format; `None` recognises it by the content.
    pub format: Option<Format>,
    /// The response of formats that do not have it: a column's name, its index (from 1; -1 is the last), or a
    /// file with one value a row, tried in this order. `None` takes the column `y`, `target` or `label`.
    pub y: Option<String>,
    /// How many threads may compute; the result is the same for any number.
    pub threads: usize,
    /// Indices of libsvm text count from 0, as those of scikit-learn's `dump_svmlight_file` do unless told otherwise.
    pub zero_based: bool,
    /// The number of columns of libsvm text, which states none: values at larger indices are left out, and
    /// [`Samples::beyond`](super::Samples::beyond) counts them. `None` takes the largest index.
    pub width: Option<u32>,
    /// How delimited text is written, and how the bytes of any text are letters.
    pub dialect: Dialect,
    /// Which columns of delimited text and Parquet are features, and how.
    pub columns: ColumnOptions,
    /// Whether the response may be texts.
    pub classes: Classes,
    /// Columns that are no features, and are given beside them; with some, nothing is taken from the cache.
    pub beside: Vec<Beside>,
    /// What [`read_samples`](super::read_samples) repeats: the encoding of the table that a model was fitted to.
    pub repeat: Option<Encoding>,
    /// A folder in which parsed text is kept as binary files, named by the content's digest, and found again.
    pub cache: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: None,
            y: None,
            threads: 1,
            zero_based: false,
            width: None,
            dialect: Dialect::default(),
            columns: ColumnOptions::default(),
            classes: Classes::Refused,
            beside: Vec::new(),
            repeat: None,
            cache: None,
        }
    }
}

/// A format of tables. Each may be compressed by gzip or zstd, npz aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `response index:value ...`, one row a line, as libsvm and svmlight.
    Libsvm,
    /// Cells divided by one character or by blanks, with or without a header: a [`Dialect`].
    Csv,
    /// One numpy array.
    Npy,
    /// numpy arrays `X` and `y`, or a sparse matrix of scipy.
    Npz,
    /// Matrix Market, coordinate or array.
    MatrixMarket,
    /// Apache Parquet, of builds with the feature `parquet`.
    Parquet,
}

impl Format {
    const ALL: [Self; 6] = [Self::Libsvm, Self::Csv, Self::Npy, Self::Npz, Self::MatrixMarket, Self::Parquet];

    /// The formats that this build reads.
    pub fn readable() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|format| *format != Self::Parquet || cfg!(feature = "parquet"))
    }

    /// The name that [`FromStr`] takes: `libsvm`, `csv`, `npy`, `npz`, `mtx` or `parquet`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Libsvm => "libsvm",
            Self::Csv => "csv",
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::MatrixMarket => "mtx",
            Self::Parquet => "parquet",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || {
            format!(
                "`{name}` is no format: choose {}",
                Self::readable().map(Self::name).collect::<Vec<_>>().join(", ")
            )
        };
        let name = if name == "tsv" { "csv" } else { name };
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(known)
    }
}

/// Reads data as users name them: a `synth:` specification, a public set's name, or a file's path.
///
/// `diabetes` is the embedded sample. A file that has a public set's name is read as `./NAME`.
///
/// # Errors
/// Those of [`generate::table`], [`registry::load`] and [`read`].
///
/// ```
/// use raddle_datasets::{Options, read_any};
/// assert_eq!(read_any("diabetes", &Options::default())?.x.rows(), 442);
/// assert_eq!(read_any("synth:ar1:n=9,p=5,s=2,rho=0.5", &Options::default())?.x.cols(), 5);
/// # Ok::<(), raddle_datasets::ReadError>(())
/// ```
pub fn read_any(source: &str, options: &Options) -> Result<Table, ReadError> {
    check_no_file(source, options)?;
    let beside = |mut table: Table| {
        table.beside = beside_no_file(source, options, table.y.len())?;
        Ok(table)
    };
    match source {
        EMBEDDED => beside(embedded::diabetes()),
        _ if source.starts_with("synth:") => beside(generate::table(source)?),
        _ if registry::entry(source).is_some() => registry::load_with(source, options),
        _ if is_file(source) => read(source, options),
        _ => Err(registry::RegistryError::Unknown { name: source.into() }.into()),
    }
}

/// The name of the embedded sample.
pub(super) const EMBEDDED: &str = "diabetes";

/// Refuses options of files where a table is none.
pub(super) fn check_no_file(source: &str, options: &Options) -> Result<(), ReadError> {
    let Options { dialect, zero_based, columns, .. } = options;
    let is_none = source == EMBEDDED || source.starts_with("synth:");
    if is_none && (*dialect != Dialect::default() || *zero_based || *columns != ColumnOptions::default()) {
        let why = "it is no file: --separator, --decimal, --thousands, --encoding, --no-header, --zero-based, --columns, \
                   --drop, --categorical, --max-levels and --missing have no effect on it";
        return Err(ReadError::file(Path::new(source), why));
    }
    Ok(())
}

/// The columns beside a table that is no file.
pub(super) fn beside_no_file(source: &str, options: &Options, rows: usize) -> Result<Vec<Labels>, ReadError> {
    from_files(options, rows, &format!("{source}, which is no file,"), Path::new(source))
}

/// Whether users mean a file by this.
pub(super) fn is_file(source: &str) -> bool {
    let is_other = source.starts_with("synth:") || registry::entry(source).is_some();
    !is_other && names_a_file(source)
}

/// Reads a file of any known format, compressed by gzip or zstd or not; `-` is standard input.
///
/// # Errors
/// A format that is not recognised, a response that is not chosen or not there, rows and responses that are not
/// as many, and whatever the format's reader finds; the message names the file and, in text, the line.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("small.csv");
/// use raddle_datasets::{Options, read};
/// std::fs::write(&path, "age,height,weight\n31,1.70,68\n45,1.82,80\n")?;
/// let table = read(&path, &Options { y: Some("weight".into()), ..Options::default() })?;
/// assert_eq!(table.y, [68.0, 80.0]);
/// assert_eq!(table.feature_names.unwrap(), ["age", "height"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: impl AsRef<Path>, options: &Options) -> Result<Table, ReadError> {
    let (source, format) = open(path.as_ref(), options)?;
    table(&source, format, options)
}

/// The table in a file that is open.
pub(crate) fn table(source: &Source, format: Format, options: &Options) -> Result<Table, ReadError> {
    let described = Table { format: format.to_string(), ..Table::described_by(source) };
    if matches!(format, Format::Csv | Format::Parquet) {
        let read = tabular::load(source, format, options)?;
        let tabular::Read { features, y, encoding, filled, classes, beside, records, notes } = read;
        return Ok(Table {
            x: features.x,
            y,
            feature_names: features.names,
            encoding,
            filled,
            classes,
            beside,
            records,
            notes,
            ..described
        });
    }
    if options.columns != ColumnOptions::default() {
        let why = format!(
            "{format} has no columns with names: --columns, --drop, --categorical, --max-levels and --missing are for csv \
             and parquet"
        );
        return Err(ReadError::file(&source.path, why));
    }
    if let Some(Beside { option, name }) =
        options.beside.iter().find(|beside| options.y.as_ref() == Some(&beside.name))
    {
        let why = format!(
            "{option}: the file `{name}` is the response already, and cannot be both: name another one"
        );
        return Err(ReadError::file(&source.path, why));
    }
    let (loaded, _) = cache::parsed(source, format, options)?;
    let (features, (y, classes)) = response::part(loaded, options, &source.path)?;
    let beside = from_files(options, y.len(), format.name(), &source.path)?;
    let response::Loaded { x, occurring, names: feature_names, .. } = features;
    let records = RecordCounts::of(y.len());
    Ok(Table { x, occurring, y, classes, beside, feature_names, records, ..described })
}

/// Opens a file, and finds out its format.
pub(super) fn open(path: &Path, options: &Options) -> Result<(Source, Format), ReadError> {
    let source = Source::open_text(path, options.dialect.encoding)?;
    let beginning = source.beginning(1 << 16)?;
    let refuse = |why: String| Err(ReadError::file(&source.path, why));
    options.dialect.check().map_err(|why| ReadError::file(&source.path, why))?;
    let format = options.format.or_else(|| recognise(&beginning, &options.dialect));
    match format {
        Some(format) if options.dialect.is_of_tables() && format != Format::Csv => {
            refuse(format!("this is {format}: {} is for delimited text", options.dialect.first_given()))
        }
        Some(format) if options.zero_based && format != Format::Libsvm => {
            refuse(format!("this is {format}: --zero-based is for libsvm text"))
        }
        Some(Format::Npz) if source.is_packed() => {
            refuse("this is npz inside another archive: unpack it, npz is compressed itself".into())
        }
        Some(Format::Npz) if source.is_stdin() => {
            refuse("npz cannot come by a pipe: give it as a file".into())
        }
        Some(Format::Parquet) if !cfg!(feature = "parquet") => refuse(foreign(b"PAR1").unwrap_or_default()),
        Some(format @ (Format::Libsvm | Format::Csv | Format::MatrixMarket)) => match foreign(&beginning) {
            Some(why) => refuse(why),
            None if format == Format::Libsvm && options.y.is_some() => {
                refuse("libsvm text has the response in every line: leave out `y` (--y)".into())
            }
            None => Ok((source, format)),
        },
        Some(format) => Ok((source, format)),
        None => refuse(unknown(&beginning)),
    }
}

/// What is said of a file whose format is not recognised.
fn unknown(beginning: &[u8]) -> String {
    let line = lines(beginning).next().unwrap_or_default();
    if let Some(why) = foreign(beginning).or_else(|| printed(beginning).map(str::to_owned)) {
        return why;
    }
    if is_json(beginning) {
        return "this is JSON: write the table as CSV, with pandas.read_json(...).to_csv(...)".into();
    }
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    match words {
        2.. => "blanks divide the first line, and not each line into as many cells: name what divides them by --separator, \
                or the format by --format"
            .into(),
        _ => {
            let known: Vec<&str> = Format::readable().map(Format::name).collect();
            format!("the format is not recognised: {} are; if it is one of them, name it by --format", known.join(", "))
        }
    }
}

/// The format of a file that begins so.
pub(super) fn recognise(beginning: &[u8], dialect: &Dialect) -> Option<Format> {
    for (magic, format) in [
        (npy::MAGIC, Format::Npy),
        (&b"PAR1"[..], Format::Parquet),
        (matrix_market::MAGIC, Format::MatrixMarket),
    ] {
        if beginning.starts_with(magic) {
            return Some(format);
        }
    }
    if beginning.starts_with(npz::MAGIC) {
        let is_foreign = foreign(beginning).is_some_and(|what| what.contains("xlsx"));
        return (!is_foreign).then_some(Format::Npz);
    }
    if foreign(beginning).is_some() || is_json(beginning) {
        return None;
    }
    let has_rows = lines(beginning).any(|line| !line.starts_with(b"#"));
    let rows: Vec<&[u8]> = lines(beginning).filter(|line| !has_rows || !line.starts_with(b"#")).collect();
    let first = words(rows.first()?);
    if dialect.separator.is_some() {
        return Some(Format::Csv);
    }
    let is_number =
        |word: &[u8]| crate::number::decimal(word).is_some_and(|(_, length)| length == word.len());
    let is_blank = || divided_by(beginning, Purpose::Table) == Separator::Blanks;
    match &first[..] {
        [_, pair, ..] if is_pair(pair) => match !has_pairs_alone(&rows) && is_blank() {
            true => Some(Format::Csv),
            false => Some(Format::Libsvm),
        },
        _ if rows[0].iter().any(|byte| b",;|\t".contains(byte)) => Some(Format::Csv),
        // Without a response, or with several: libsvm's reader says so.
        [response, ..] if is_pair(response) => Some(Format::Libsvm),
        [response, second, ..] => {
            let has_pairs = rows.iter().any(|row| words(row).get(1).is_some_and(|word| is_pair(word)));
            match is_number(response) && has_pairs {
                true => Some(Format::Libsvm),
                false if is_blank() || is_number(response) && is_number(second) => Some(Format::Csv),
                false => None,
            }
        }
        // One word a line: a column of numbers, unless a row of libsvm text without features begins it.
        _ => {
            let mut rest = rows.iter().skip(1).map(|row| words(row));
            match rest.any(|words| words.get(1).is_some_and(|pair| is_pair(pair))) {
                true => Some(Format::Libsvm),
                false => {
                    let mut all = lines(beginning).map(words);
                    all.any(|words| words.first().is_some_and(|word| is_number(word))).then_some(Format::Csv)
                }
            }
        }
    }
}

/// `true` if a word is `index:value` or `qid:number`, right or wrong.
fn is_pair(word: &[u8]) -> bool {
    let Some(colon) = word.iter().position(|&byte| byte == b':') else { return false };
    let (index, value) = word.split_at(colon);
    (index == b"qid" || index.iter().all(u8::is_ascii_digit))
        && !value.iter().any(|byte| b",;|".contains(byte))
}

/// `true` if pairs stand behind the first word of each row wherever one has a pair.
fn has_pairs_alone(rows: &[&[u8]]) -> bool {
    let rows: Vec<Vec<&[u8]>> = rows.iter().map(|row| words(row)).collect();
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    (1..width).all(|at| rows.iter().any(|row| row.get(at).is_some_and(|word| is_pair(word))))
}

/// The words of a line.
fn words(line: &[u8]) -> Vec<&[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect()
}

/// The lines that are not empty.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.trim_ascii().is_empty())
}
