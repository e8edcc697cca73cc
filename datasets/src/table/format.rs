//! [`Format`]: the file formats of tables.

use crate::names::named;

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

named! {
    pub Format {
        Libsvm = "libsvm", Csv = "csv", Npy = "npy", Npz = "npz", MatrixMarket = "mtx", Parquet = "parquet",
        Csv = "tsv",
    }
    unknown
}

impl Format {
    /// Returns the formats that this build reads.
    pub fn readable() -> impl Iterator<Item = Self> {
        let is_read = |format: &Self| *format != Self::Parquet || cfg!(feature = "parquet");
        Self::ALL.iter().filter(|(name, _)| *name != "tsv").map(|&(_, format)| format).filter(is_read)
    }
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = Format::readable().map(Format::name).collect();
    format!("`{name}` is no format: choose {}", known.join(", "))
}
