//! [`LiveTable`]: rows that are inserted and retracted, version by version.

use std::fmt::{self, Debug, Formatter};

use ndarray::{Array2, ShapeBuilder};
use raddle::changes::{Done, Key, Record, Refused, Roster, Rules, Taken, View};
use raddle_datasets::{Csc, Matrix, Table};
use serde::{Deserialize, Serialize};

/// Columns that a table may have: larger numbers are taken for mistakes.
const MOST_COLUMNS: usize = 1 << 26;

/// A row as the view knows it: its number, and the columns in which a sparse one has values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RowColumns {
    /// The row's number.
    pub row: u32,
    /// Columns, ascending; none of a dense table, where every row has all.
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

/// One change, by the ids of rows. Those of the table to begin with have their numbers from 1.
#[derive(Debug, Clone, PartialEq)]
pub enum RowChange {
    /// A row comes.
    Insert {
        /// Its id, which no row that is there has.
        id: String,
        /// Its response.
        y: f64,
        /// (column from 0, value), others are zero; a column beyond those there are is new.
        values: Vec<(u32, f64)>,
    },
    /// A row goes.
    Retract {
        /// Its id.
        id: String,
    },
}

/// A row behind those of the table to begin with.
#[derive(Debug, Clone)]
struct Added {
    y: f64,
    values: Vec<(u32, f64)>,
}

/// Rows that come and go.
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
    /// From the table to begin with.
    pub fn new(base: Table) -> Self {
        let rows = base.x.rows();
        let mut columns = vec![Vec::new(); rows];
        if let Matrix::Sparse(x) = &base.x {
            for (number, column) in (0..).zip(x.outer_iterator()) {
                column.iter().for_each(|(row, _)| columns[row].push(number));
            }
        }
        let width = base.x.cols();
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

    /// Takes changes in, in order: all of them or, where one is refused, none.
    ///
    /// # Errors
    /// If a row is retracted that is not there, one is inserted whose id is, or a value is not finite.
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

    /// Takes the changes back that were taken in last.
    pub fn undo(&mut self) {
        self.take_back();
        self.view.advance();
    }

    /// The rows that are there, in the order in which they came: the table that is read from a file of them.
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
        let x = edited(&self.base.x, &kept, &values, self.width);
        let Table { name, digest, path, format, encoding, classes, notes, .. } = &self.base;
        let mut records = self.base.records.clone();
        records.read = y.len() as u64 + (records.read - records.used());
        Table {
            name: name.clone(),
            x,
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

    /// The texts of a response of classes, if it is one.
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
                    return Err(format!("column {} stands there twice", two[0].0 + 1));
                }
                for &(column, value) in &values {
                    if !value.is_finite() {
                        return Err(format!("column {} is {value}: it must be a finite number", column + 1));
                    }
                    if column as usize >= MOST_COLUMNS {
                        return Err(format!("column {} is beyond {MOST_COLUMNS}", u64::from(column) + 1));
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

    fn enter(&mut self, id: String, columns: Vec<u32>) {
        let row = self.rows.insert(id);
        self.view.insert(row.into(), RowColumns { row, columns });
    }

    /// The columns of a row, as they were when it came.
    fn columns_of(&self, row: u32) -> RowColumns {
        let columns = match ((row as usize).checked_sub(self.base.x.rows()), &self.base.x) {
            (_, Matrix::Dense(_)) => Vec::new(),
            (Some(at), _) => self.added[at].values.iter().map(|&(column, _)| column).collect(),
            (None, Matrix::Sparse(x)) => {
                let has = |column: &u32| x.get(row as usize, *column as usize).is_some();
                (0..x.cols() as u32).filter(has).collect()
            }
        };
        RowColumns { row, columns }
    }

    /// Undoes what was done, and tells the view.
    fn take_back(&mut self) {
        for done in self.rows.take_back() {
            match done {
                Done::Inserted(row) => {
                    self.view.retract(row.into(), self.columns_of(row));
                    // It is the last one.
                    self.added.pop();
                }
                Done::Retracted(row) => self.view.insert(row.into(), self.columns_of(row)),
            }
        }
        self.width = self.width_before;
    }
}

/// Some rows of a matrix, which ascend, and others behind them; with `width` columns, as many as there are or more.
fn edited(x: &Matrix, rows: &[usize], new: &[&[(u32, f64)]], width: usize) -> Matrix {
    let count = rows.len() + new.len();
    match x.select_rows(rows) {
        Matrix::Dense(x) => {
            let mut all = Array2::zeros((count, width).f());
            for (from, mut to) in x.columns().into_iter().zip(all.columns_mut()) {
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            }
            for (row, values) in (rows.len()..).zip(new) {
                values.iter().for_each(|&(column, value)| all[(row, column as usize)] = value);
            }
            Matrix::Dense(all)
        }
        Matrix::Sparse(x) => {
            let mut of_column = vec![Vec::new(); width];
            for (row, values) in (rows.len() as u32..).zip(new) {
                values.iter().for_each(|&(column, value)| of_column[column as usize].push((row, value)));
            }
            let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
            for (column, new) in of_column.into_iter().enumerate() {
                if let Some(old) = x.outer_view(column) {
                    indices.extend_from_slice(old.indices());
                    values.extend_from_slice(old.data());
                }
                indices.extend(new.iter().map(|&(row, _)| row));
                values.extend(new.iter().map(|&(_, value)| value));
                starts.push(indices.len());
            }
            Matrix::Sparse(Csc::new_csc((count, width), starts, indices, values))
        }
    }
}
