//! Reading a table whatever its format, and data as users name them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::classes::{Beside, Classes, Labels, from_files};
use super::csv::is_delimited;
use super::encoding::{ColumnOptions, Encoding};
use super::{Table, cache, generate, matrix_market, npy, npz, response, tabular};
use crate::encoding::TextEncoding;
use crate::error::ReadError;
use crate::foreign::{foreign, is_json};
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
    /// How the bytes of text are letters; `None` takes UTF-8, and UTF-16 where its mark is.
    pub encoding: Option<TextEncoding>,
    /// The first line of delimited text is data, whatever it holds.
    pub no_header: bool,
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
            encoding: None,
            no_header: false,
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
    /// Cells divided by `,`, `;`, `|` or tabs, with or without a header.
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
        let known = || format!("`{name}` is no format: choose {}", Self::ALL.map(Self::name).join(", "));
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
    let Options { encoding, no_header, zero_based, columns, .. } = options;
    let is_none = source == EMBEDDED || source.starts_with("synth:");
    if is_none && (encoding.is_some() || *no_header || *zero_based || *columns != ColumnOptions::default()) {
        let why = "it is no file: --encoding, --no-header, --zero-based, --columns, --drop, --categorical, --max-levels \
                   and --missing have no effect on it";
        return Err(ReadError::file(Path::new(source), why));
    }
    Ok(())
}

/// The columns beside a table that is no file.
pub(super) fn beside_no_file(source: &str, options: &Options, rows: usize) -> Result<Vec<Labels>, ReadError> {
    from_files(&options.beside, rows, &format!("{source}, which is no file,"), Path::new(source))
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
    if options.columns != ColumnOptions::default() || options.no_header {
        let why = format!(
            "{format} has no columns with names: --no-header, --columns, --drop, --categorical, --max-levels and --missing \
             are for csv and parquet"
        );
        return Err(ReadError::file(&source.path, why));
    }
    let (loaded, _) = cache::parsed(source, format, options)?;
    let (features, (y, classes)) = response::part(loaded, options, &source.path)?;
    let beside = from_files(&options.beside, y.len(), format.name(), &source.path)?;
    let response::Loaded { x, occurring, names: feature_names, .. } = features;
    let records = RecordCounts::of(y.len());
    Ok(Table { x, occurring, y, classes, beside, feature_names, records, ..described })
}

/// Opens a file, and finds out its format.
pub(super) fn open(path: &Path, options: &Options) -> Result<(Source, Format), ReadError> {
    let source = Source::open_text(path, options.encoding)?;
    let beginning = source.beginning(1 << 16)?;
    let refuse = |why: String| Err(ReadError::file(&source.path, why));
    let format = options.format.or_else(|| recognise(&beginning));
    match format {
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
    let (_, line) = first_line(beginning);
    if let Some(why) = foreign(beginning) {
        return why;
    }
    if is_json(beginning) {
        return "this is JSON: write the table as CSV, with pandas.read_json(...).to_csv(...)".into();
    }
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count();
    match words {
        2.. => "the cells of the first line are divided by blanks: divide them by commas, semicolons, `|` or tabs (or name \
                the format by --format)"
            .into(),
        _ => "the format is not recognised: libsvm, csv, npy, npz, mtx and parquet are; if it is one of them, name it by \
              --format"
            .into(),
    }
}

/// The format of a file that begins so.
pub(super) fn recognise(beginning: &[u8]) -> Option<Format> {
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
    let (_, line) = first_line(beginning);
    let words = |line: &[u8]| {
        let mut words =
            line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(<[u8]>::to_vec);
        Some((words.next()?, words.next()))
    };
    let (response, pair) = words(line)?;
    let is_pair = |word: &[u8]| {
        let colon = word.iter().position(|&byte| byte == b':');
        colon.is_some_and(|colon| word[..colon] == *b"qid" || word[..colon].iter().all(u8::is_ascii_digit))
    };
    let is_number =
        |word: &[u8]| crate::number::decimal(word).is_some_and(|(_, length)| length == word.len());
    match pair {
        Some(pair) if is_pair(&pair) => Some(Format::Libsvm),
        _ if is_delimited(line) => Some(Format::Csv),
        // Without a response, or with several: libsvm's reader says so.
        _ if is_pair(&response) => Some(Format::Libsvm),
        Some(_) if crate::number::decimal(&response).is_some() => Some(Format::Libsvm),
        Some(_) => None,
        // One word a line: a column of numbers, unless a row of libsvm text without features begins it.
        None => {
            let rest = beginning.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b"#")).skip(1);
            let mut rest = rest.filter_map(words);
            match rest.any(|(_, pair)| pair.is_some_and(|pair| is_pair(&pair))) {
                true => Some(Format::Libsvm),
                false if is_number(&response) => Some(Format::Csv),
                false => {
                    let mut rest = beginning.split(|&byte| byte == b'\n').filter_map(words);
                    rest.any(|(word, _)| is_number(&word)).then_some(Format::Csv)
                }
            }
        }
    }
}

/// What lies before a line.
pub(super) struct Before {
    pub(super) bytes: usize,
    pub(super) lines: usize,
}

/// The first line that is neither empty nor a `#` comment, without its end.
pub(super) fn first_line(text: &[u8]) -> (Before, &[u8]) {
    let mut before = Before { bytes: 0, lines: 0 };
    for line in text.split(|&byte| byte == b'\n') {
        if !line.trim_ascii().is_empty() && !line.starts_with(b"#") {
            return (before, line);
        }
        before.bytes += line.len() + 1;
        before.lines += 1;
    }
    before.bytes = before.bytes.min(text.len());
    (before, &[])
}
