//! [`Format`]: the formats of tables.

use std::fmt;
use std::str::FromStr;

/// A format of tables. Each may be compressed by gzip or zstd, npz aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `response index:value ...`, one row a line, as libsvm and svmlight.
    Libsvm,
    /// Cells divided by one character or by blanks, with or without a header: a [`Dialect`](crate::Dialect).
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
