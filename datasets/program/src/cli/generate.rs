//! `raddle data generate`: writes generated data to a file from which the programs read the same data.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use raddle_cli::{Error, ExitStatus, Out, say, write_atomic};
use raddle_datasets::{Matrix, Ratings, RatingsOptions, Table, generate, read_any_ratings};

#[derive(Debug, Args)]
pub(super) struct Options {
    /// Specification synth:KIND:KEY=VALUE,..., such as synth:groups:n=500,p=5000,s=50. The kinds groups, ar1
    /// (with rho) and strads have n rows, p columns and s true features; ratings have users, items and n, as
    /// in synth:ratings:users=600,items=300,n=36000.
    #[arg(value_name = "SPEC")]
    spec: String,
    /// File to write: .csv or .tsv; all but ratings also as .svm or .libsvm.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// The format of the file, from its extension.
#[derive(Clone, Copy)]
enum Form {
    Cells(char),
    Libsvm,
}

/// Runs the verb.
pub(super) fn generate(options: &Options) -> Result<ExitStatus, Error> {
    let Options { spec, file } = options;
    if !spec.starts_with("synth:") {
        let form = "give a specification, as synth:groups:n=500,p=5000,s=50 or synth:ratings:users=600,items=300,n=36000";
        return Err(Error::usage(format!("{spec}: {form}")));
    }
    let is_ratings = spec.starts_with("synth:ratings:");
    let form = form(file, is_ratings)?;
    if file.exists() {
        return Err(Error::input(format!("{}: it exists: name another file, or remove it", file.display())));
    }
    if is_ratings {
        let made = read_any_ratings(spec, &RatingsOptions::default()).map_err(Error::input)?;
        let between = if let Form::Cells(between) = form { between } else { ',' };
        write_atomic(file, |out| ratings(out, &made, between))?;
        say(&format!("{}: {} ratings", file.display(), made.triples.len()))?;
    } else {
        let made = generate::table(spec).map_err(Error::input)?;
        write_atomic(file, |out| table(out, &made, form))?;
        say(&format!("{}: {} rows, {} columns", file.display(), made.x.rows(), made.x.cols()))?;
    }
    Ok(ExitStatus::Done)
}

fn form(file: &Path, is_ratings: bool) -> Result<Form, Error> {
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => Ok(Form::Cells(',')),
        Some("tsv") => Ok(Form::Cells('\t')),
        Some("svm" | "libsvm") if !is_ratings => Ok(Form::Libsvm),
        _ => {
            let known = if is_ratings {
                "ratings are written as .csv or .tsv"
            } else {
                "a table is written as .csv, .tsv, .svm or .libsvm"
            };
            Err(Error::usage(format!("{}: {known}", file.display())))
        }
    }
}

fn ratings(out: &mut Out, made: &Ratings, between: char) -> io::Result<()> {
    writeln!(out, "user{between}item{between}rating")?;
    for (user, item, value) in made.triples.iter() {
        let (user, item) = (made.users.name(user as usize), made.items.name(item as usize));
        writeln!(out, "{user}{between}{item}{between}{value}")?;
    }
    Ok(())
}

fn table(out: &mut Out, made: &Table, form: Form) -> io::Result<()> {
    match form {
        Form::Cells(between) => {
            for column in 1..=made.x.cols() {
                write!(out, "x{column}{between}")?;
            }
            writeln!(out, "y")?;
            in_rows(made, |values, y| {
                let mut next = 0;
                for (column, value) in values {
                    (next..*column).try_for_each(|_| write!(out, "0{between}"))?;
                    write!(out, "{value}{between}")?;
                    next = column + 1;
                }
                (next..made.x.cols()).try_for_each(|_| write!(out, "0{between}"))?;
                writeln!(out, "{y}")
            })
        }
        Form::Libsvm => {
            let mut is_first = true;
            in_rows(made, |values, y| {
                write!(out, "{y}")?;
                for (column, value) in values.iter().filter(|(_, value)| *value != 0.0) {
                    write!(out, " {}:{value}", column + 1)?;
                }
                let last = made.x.cols();
                // How wide the table is, where the last columns hold nothing.
                if is_first && values.last().is_none_or(|(column, value)| column + 1 < last || *value == 0.0)
                {
                    write!(out, " {last}:0")?;
                }
                is_first = false;
                writeln!(out)
            })
        }
    }
}

/// Hands out each row: its stored values with their columns, and its response.
fn in_rows(made: &Table, mut row: impl FnMut(&[(usize, f64)], f64) -> io::Result<()>) -> io::Result<()> {
    let mut values = Vec::new();
    match &made.x {
        Matrix::Dense(x) => {
            for (i, y) in made.y.iter().enumerate() {
                values.clear();
                values.extend(x.row(i).iter().copied().enumerate());
                row(&values, *y)?;
            }
        }
        Matrix::Sparse(x) => {
            let by_rows = x.to_csr();
            for (stored, y) in by_rows.outer_iterator().zip(&made.y) {
                values.clear();
                values.extend(stored.iter().map(|(column, value)| (column, *value)));
                row(&values, *y)?;
            }
        }
    }
    Ok(())
}
