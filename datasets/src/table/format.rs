//! [`Format`]: the file formats of tables.

use std::fmt;
use std::str::FromStr;

/// A file format of tables. Files may be compressed with gzip or zstd, except npz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `response index:value ...`, one row per line, as in libsvm and svmlight.
    Libsvm,
    /// Cells separated by one character or by blanks, with or without a header: a
    /// [`Dialect`](crate::Dialect).
    Csv,
    /// One numpy array.
    Npy,
    /// The numpy arrays `X` and `y`, or a sparse matrix of scipy.
    Npz,
    /// Matrix Market, in coordinate or array format.
    MatrixMarket,
    /// Apache Parquet, in builds with the feature `parquet`.
    Parquet,
}

impl Format {
    const ALL: [Self; 6] = [Self::Libsvm, Self::Csv, Self::Npy, Self::Npz, Self::MatrixMarket, Self::Parquet];

    /// Returns the formats that this build reads.
    pub fn readable() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|format| *format != Self::Parquet || cfg!(feature = "parquet"))
    }

    /// Returns the name that [`FromStr`] parses: `libsvm`, `csv`, `npy`, `npz`, `mtx` or `parquet`.
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
