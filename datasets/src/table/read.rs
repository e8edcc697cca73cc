//! Reading a table whatever its format, and data as users name them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{Table, cache, generate, matrix_market, npy, npz, response};
use crate::error::ReadError;
use crate::source::Source;
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
    /// A folder in which parsed text is kept as binary files, named by the content's digest, and found again.
    pub cache: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self { format: None, y: None, threads: 1, zero_based: false, width: None, cache: None }
    }
}

/// A format of tables. Each may be compressed by gzip, npz aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `response index:value ...`, one row a line, as libsvm and svmlight.
    Libsvm,
    /// Numbers separated by `,`, `;` or tabs, with or without a header.
    Csv,
    /// One numpy array.
    Npy,
    /// numpy arrays `X` and `y`, or a sparse matrix of scipy.
    Npz,
    /// Matrix Market, coordinate or array.
    MatrixMarket,
}

impl Format {
    const ALL: [Self; 5] = [Self::Libsvm, Self::Csv, Self::Npy, Self::Npz, Self::MatrixMarket];

    /// The name that [`FromStr`] takes: `libsvm`, `csv`, `npy`, `npz` or `mtx`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Libsvm => "libsvm",
            Self::Csv => "csv",
            Self::Npy => "npy",
            Self::Npz => "npz",
            Self::MatrixMarket => "mtx",
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
    match source {
        "diabetes" => Ok(embedded::diabetes()),
        _ if source.starts_with("synth:") => Ok(generate::table(source)?),
        _ if registry::entry(source).is_some() => registry::load_with(source, options),
        _ if is_file(source) => read(source, options),
        _ => Err(registry::RegistryError::Unknown { name: source.into() }.into()),
    }
}

/// Whether users mean a file by this.
pub(super) fn is_file(source: &str) -> bool {
    let is_other = source.starts_with("synth:") || registry::entry(source).is_some();
    !is_other && (source.contains(['/', '\\', '.']) || Path::new(source).exists())
}

/// Reads a file of any known format, gzip or not.
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
    let (loaded, _) = cache::parsed(source, format, options)?;
    let (features, y) = response::part(loaded, options.y.as_deref(), &source.path)?;
    Ok(Table { x: features.x, y, feature_names: features.names, ..Table::described_by(source) })
}

/// Opens a file, and finds out its format.
pub(super) fn open(path: &Path, options: &Options) -> Result<(Source, Format), ReadError> {
    let source = Source::open(path)?;
    let unknown =
        "the format is not recognised: libsvm, csv, npy, npz and mtx are; if it is one of them, name it";
    let beginning = source.beginning(1 << 16)?;
    let format = options.format.or_else(|| recognise(&beginning));
    match format.ok_or_else(|| ReadError::file(&source.path, unknown))? {
        Format::Libsvm if options.y.is_some() => Err(ReadError::file(
            &source.path,
            "libsvm text has the response in every line: leave out `y` (--y)",
        )),
        format => Ok((source, format)),
    }
}

/// The format of a file that begins so.
pub(super) fn recognise(beginning: &[u8]) -> Option<Format> {
    for (magic, format) in
        [(npy::MAGIC, Format::Npy), (npz::MAGIC, Format::Npz), (matrix_market::MAGIC, Format::MatrixMarket)]
    {
        if beginning.starts_with(magic) {
            return Some(format);
        }
    }
    let (_, line) = first_line(beginning);
    let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let (response, pair) = (words.next()?, words.next());
    let is_pair = |word: &[u8]| {
        let colon = word.iter().position(|&byte| byte == b':');
        colon.is_some_and(|colon| word[..colon] == *b"qid" || word[..colon].iter().all(u8::is_ascii_digit))
    };
    let separated = line.iter().any(|byte| b",;\t".contains(byte));
    match pair {
        _ if line.contains(&0) => None,
        Some(pair) if is_pair(pair) => Some(Format::Libsvm),
        _ if separated => Some(Format::Csv),
        // A row without features, or one whose first feature is written wrongly: libsvm's reader says so.
        _ if crate::number::decimal(response).is_some() => Some(Format::Libsvm),
        _ => None,
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
