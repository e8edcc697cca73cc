//! [`LiveTable`]: rows that are inserted and retracted, version by version.

use std::fmt::{self, Debug, Formatter};

use ndarray::{Array2, ArrayView2, ShapeBuilder};
use raddle::changes::{Done, Key, Record, Refused, Roster, Rules, Taken, View};
use raddle_datasets::{Csc, Matrix, Occurring, Table};
use serde::{Deserialize, Serialize};

/// Largest number of columns added to a table with column names: each gets a name.
const MOST_NAMED: usize = 1 << 16;

/// A dense table may grow by this many values, besides growing to [`TIMES_DENSE`] times its values.
const MOST_DENSE: usize = 1 << 24;
const TIMES_DENSE: usize = 4;

/// A row in the live view: its number, and the columns in which a sparse row has values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RowColumns {
    /// The row's number.
    pub row: u32,
    /// Columns, ascending; empty for a dense table, where every row has all columns.
    pub columns: Vec<u32>,
}

impl Record for RowColumns {
    type Id = u32;

    fn id(&self) -> u32 {
        self.row
    }

    fn keys(&self) -> Vec<(Key, u64)> {
        self.columns.iter().map(|&column| (Key::new(0, column), 1)).collect()
    }
}

/// A change of one row, by id. Rows of the initial table have the numbers from 1 as ids.
#[derive(Debug, Clone, PartialEq)]
pub enum RowChange {
    /// Inserts a row.
    Insert {
        /// Id of the row, which no present row has.
        id: String,
        /// Response of the row.
        y: f64,
        /// Values as (column from 0, value); others are zero, and a column beyond the table's is new.
        values: Vec<(u32, f64)>,
    },
    /// Retracts a row.
    Retract {
        /// Id of the row.
        id: String,
    },
}

/// A row inserted after those of the initial table.
#[derive(Debug, Clone)]
struct Added {
    y: f64,
    values: Vec<(u32, f64)>,
}

/// A table whose rows are inserted and retracted.
pub struct LiveTable {
    base: Table,
    added: Vec<Added>,
    width: usize,
    rows: Roster,
    view: View<RowColumns>,
    width_before: usize,
}

impl Debug for LiveTable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "LiveTable({} rows, {:?})", self.rows.count(), self.view)
    }
}

impl LiveTable {
    /// A live table that starts with the rows of `base`.
    pub fn new(base: Table) -> Self {
        let rows = base.x.rows();
        let mut columns = vec![Vec::new(); rows];
        if let Matrix::Sparse(x) = &base.x {
            for (place, column) in (0..).zip(x.outer_iterator()) {
                let number = base.occurring.as_ref().map_or(place, |some| some.number(place));
                column.iter().for_each(|(row, _)| columns[row].push(number));
            }
        }
        let width = base.width();
        let mut live = Self {
            added: Vec::new(),
            width,
            rows: Roster::default(),
            view: View::new(Rules::default()),
            width_before: width,
            base,
        };
        for (number, columns) in (1..).zip(columns) {
            live.enter(number.to_string(), columns);
        }
        live.view.advance();
        live
    }

    /// Applies changes in order: all of them or, if one is refused, none.
    ///
    /// # Errors
    /// If a retracted row is not present, an inserted row's id is, or a value is not finite.
    pub fn apply(&mut self, changes: &[RowChange]) -> Result<Taken<RowColumns>, Refused> {
        self.rows.begin();
        self.width_before = self.width;
        if let Err(refused) = Refused::first(changes, |change| self.change(change)) {
            self.take_back();
            return Err(refused);
        }
        let (inserted, retracted) = self.rows.counts();
        Ok(Taken { inserted, retracted, delta: self.view.advance() })
    }

    /// Reverts the changes that were applied last.
    pub fn undo(&mut self) {
        self.take_back();
        self.view.advance();
    }

    /// Returns the present rows in the order of their insertion: the table that is read from a file of them.
    pub fn table(&self) -> Table {
        let rows = self.base.x.rows();
        let (kept, added): (Vec<usize>, Vec<usize>) = self.rows.there().partition(|&row| row < rows);
        let added: Vec<&Added> = added.iter().map(|row| &self.added[row - rows]).collect();
        let values: Vec<&[(u32, f64)]> = added.iter().map(|row| &row.values[..]).collect();
        let mut y: Vec<f64> = kept.iter().map(|&row| self.base.y[row]).collect();
        y.extend(added.iter().map(|row| row.y));
        let mut names = self.base.feature_names.clone();
        if let Some(names) = &mut names {
            let new = names.len()..self.width;
            names.extend(new.map(|column| format!("column {}", column + 1)));
        }
        let (x, occurring) = match self.base.x.select_rows(&kept) {
            Matrix::Dense(x) => (Matrix::Dense(with_rows(x.view(), &values, self.width)), None),
            Matrix::Sparse(x) => {
                let own = self.base.occurring.as_ref();
                let (x, occurring) = with_sparse_rows(&x, own, &values, self.width, names.as_deref());
                (Matrix::Sparse(x), occurring)
            }
        };
        let Table { name, digest, path, format, encoding, classes, notes, .. } = &self.base;
        let mut records = self.base.records.clone();
        records.read = y.len() as u64 + (records.read - records.used());
        Table {
            name: name.clone(),
            x,
            occurring,
            y,
            feature_names: names,
            digest: digest.clone(),
            path: path.clone(),
            format: format.clone(),
            encoding: encoding.clone(),
            filled: Vec::new(),
            classes: classes.clone(),
            beside: Vec::new(),
            records,
            notes: notes.clone(),
        }
    }

    /// Returns the class names of the response, if it has classes.
    pub fn classes(&self) -> Option<&[String]> {
        self.base.classes.as_deref()
    }

    fn change(&mut self, change: &RowChange) -> Result<(), String> {
        match change {
            RowChange::Insert { id, .. } if self.rows.contains(id) => {
                Err(format!("row {id} is there already: retract it first"))
            }
            RowChange::Insert { y, .. } if !y.is_finite() => {
                Err(format!("the response is {y}: it must be a finite number"))
            }
            RowChange::Insert { id, y, values } => {
                let mut values = values.clone();
                values.sort_by_key(|&(column, _)| column);
                if let Some(two) = values.windows(2).find(|two| two[0].0 == two[1].0) {
                    return Err(format!("column {} is given twice", two[0].0 + 1));
                }
                for &(column, value) in &values {
                    if !value.is_finite() {
                        return Err(format!("column {} is {value}: it must be a finite number", column + 1));
                    }
                    let most = self.most_columns();
                    if column as usize >= most {
                        let number = u64::from(column) + 1;
                        return Err(format!(
                            "column {number} is beyond {most}, the most that this table can have: is the \
                             number a mistake?"
                        ));
                    }
                    self.width = self.width.max(column as usize + 1);
                }
                values.retain(|&(_, value)| value != 0.0);
                let columns = match self.base.x.is_sparse() {
                    true => values.iter().map(|&(column, _)| column).collect(),
                    false => Vec::new(),
                };
                self.added.push(Added { y: *y, values });
                self.enter(id.clone(), columns);
                Ok(())
            }
            RowChange::Retract { id } => {
                let row = self.rows.retract(id);
                let row = row.ok_or_else(|| format!("there is no row {id} that could be retracted"))?;
                self.view.retract(row.into(), self.columns_of(row));
                Ok(())
            }
        }
    }

    /// Returns the largest number of columns that the table may have: empty columns of a sparse table take no
    /// memory.
    fn most_columns(&self) -> usize {
        let Self { base, added, .. } = self;
        let most = match &base.x {
            Matrix::Sparse(_) => u32::MAX as usize,
            Matrix::Dense(x) => (TIMES_DENSE * x.len() + MOST_DENSE) / (x.nrows() + added.len() + 1),
        };
        let named = base.feature_names.as_ref().map_or(most, |names| names.len() + MOST_NAMED);
        most.min(named).max(base.width())
    }

    fn enter(&mut self, id: String, columns: Vec<u32>) {
        let row = self.rows.insert(id);
        self.view.insert(row.into(), RowColumns { row, columns });
    }

    /// Returns the columns of a row, as they were when it was inserted.
    fn columns_of(&self, row: u32) -> RowColumns {
        let columns = match ((row as usize).checked_sub(self.base.x.rows()), &self.base.x) {
            (_, Matrix::Dense(_)) => Vec::new(),
            (Some(at), _) => self.added[at].values.iter().map(|&(column, _)| column).collect(),
            (None, Matrix::Sparse(x)) => {
                let has = |place: &u32| x.get(row as usize, *place as usize).is_some();
                let number = |place| self.base.occurring.as_ref().map_or(place, |some| some.number(place));
                (0..x.cols() as u32).filter(has).map(number).collect()
            }
        };
        RowColumns { row, columns }
    }

    /// Undoes changes in the table and in the view.
    fn take_back(&mut self) {
        for done in self.rows.take_back() {
            match done {
                Done::Inserted(row) => {
                    self.view.retract(row.into(), self.columns_of(row));
                    // The last added row is the one to remove.
                    self.added.pop();
                }
                Done::Retracted(row) => self.view.insert(row.into(), self.columns_of(row)),
            }
        }
        self.width = self.width_before;
    }
}

/// Returns a matrix with new rows after its own, and `width` columns, at least as many as it has.
fn with_rows(x: ArrayView2<'_, f64>, new: &[&[(u32, f64)]], width: usize) -> Array2<f64> {
    let mut all = Array2::zeros((x.nrows() + new.len(), width).f());
    for (from, mut to) in x.columns().into_iter().zip(all.columns_mut()) {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    }
    for (row, values) in (x.nrows()..).zip(new) {
        values.iter().for_each(|&(column, value)| all[(row, column as usize)] = value);
    }
    all
}

/// Returns the columns of a sparse matrix with new rows; if it is much wider than its content and has no
/// column names, only the columns that occur. `own` has the columns of the matrix, if not all.
fn with_sparse_rows(
    x: &Csc,
    own: Option<&Occurring>,
    new: &[&[(u32, f64)]],
    width: usize,
    names: Option<&[String]>,
) -> (Csc, Option<Occurring>) {
    let rows = x.rows() as u32..;
    let entries =
        rows.zip(new).flat_map(|(row, values)| values.iter().map(move |&(column, x)| (column, row, x)));
    let mut entries: Vec<(u32, u32, f64)> = entries.collect();
    entries.sort_unstable_by_key(|&(column, row, _)| (column, row));
    let with_values = || {
        let old = (0..).zip(x.outer_iterator()).filter(|(_, column)| column.nnz() > 0);
        let old = old.map(|(place, _)| own.map_or(place, |some| some.number(place)));
        old.chain(entries.iter().map(|&(column, ..)| column)).collect()
    };
    let occurring = match names {
        Some(_) => None,
        None => Occurring::of(width, x.nnz() + entries.len(), with_values),
    };
    let cols = occurring.as_ref().map_or(width, |some| some.numbers().len());
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut rest = &entries[..];
    for place in 0..cols as u32 {
        let number = occurring.as_ref().map_or(place, |some| some.number(place));
        let before = own.map_or(Some(number), |some| some.place(number));
        if let Some(old) = before.and_then(|place| x.outer_view(place as usize)) {
            indices.extend_from_slice(old.indices());
            values.extend_from_slice(old.data());
        }
        let here = rest.partition_point(|&(column, ..)| column <= number);
        indices.extend(rest[..here].iter().map(|&(_, row, _)| row));
        values.extend(rest[..here].iter().map(|&(.., value)| value));
        rest = &rest[here..];
        starts.push(indices.len());
    }
    (Csc::new_csc((x.rows() + new.len(), cols), starts, indices, values), occurring)
}
