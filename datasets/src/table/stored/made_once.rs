//! [`StoredTable::made_once`]: numbers that take a pass over all columns, stored in a file next to the
//! table's.

use sha2::{Digest, Sha256};

use super::StoredTable;
use crate::arrays::pieces::{Array, Pieces, PiecesWriter, open_or_make};
use crate::error::ReadError;

const NUMBERS: Array<'static, f64> = Array::new("numbers");

impl StoredTable {
    /// Returns numbers that take a pass over all columns, from a file next to the table: of several processes
    /// that ask, one makes the file with `make`, and the others read it. The file is named after `of`, which
    /// must identify everything besides the table that the numbers depend on, including their formula.
    ///
    /// ```
    /// use raddle_datasets::{Options, ReadError, StoredTable};
    /// let folder = tempfile::tempdir()?;
    /// let open = || StoredTable::open("diabetes", &Options::default(), folder.path());
    /// let sizes = |table: &StoredTable| Ok::<_, ReadError>(vec![table.columns(0..10)?.nonzeros() as f64]);
    /// let (first, other) = (open()?, open()?);
    /// let made = first.made_once(&[b"nonzeros"], || sizes(&first))?;
    /// assert_eq!(other.made_once(&[b"nonzeros"], || Ok::<_, ReadError>(Vec::new()))?, made);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of `make`, and a file that cannot be read or written.
    pub fn made_once<E: From<ReadError>>(
        &self,
        of: &[&[u8]],
        make: impl FnOnce() -> Result<Vec<f64>, E>,
    ) -> Result<Vec<f64>, E> {
        let mut name = Sha256::new();
        for part in of {
            name.update((part.len() as u64).to_le_bytes());
            name.update(part);
        }
        let name: String = name.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let path = self.path().with_extension(format!("{name}.numbers"));
        let fits = |pieces: &Pieces, count: &usize| Some(pieces.count(NUMBERS) == *count);
        let (pieces, _) = open_or_make(&path, fits, |path| -> Result<_, E> {
            let numbers = make()?;
            let mut out = PiecesWriter::create(path, [NUMBERS.entry()])?;
            out.push(NUMBERS, &numbers)?;
            Ok((out.finish(&numbers.len())?, numbers.len()))
        })?;
        let numbers = pieces.all(NUMBERS)?;
        self.count_read(pieces.bytes_read());
        Ok(numbers)
    }
}
