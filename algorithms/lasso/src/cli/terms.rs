//! The options that set the penalty of single coefficients by the names of columns: factors, bounds and
//! groups.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use clap::Args;
use raddle_cli::Error;
use raddle_common::number;
use raddle_lasso::Lasso;
use raddle_lasso::files::Features;
use serde::Serialize;

/// Largest number of names that a message lists.
const LISTED: usize = 8;

/// Options for factors, groups and bounds.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Options of the penalty")]
pub(crate) struct TermArgs {
    /// Multiply the penalty of columns by factors: a file with lines `name factor`. Columns without a line
    /// have the factor 1; the factor 0 is no penalty.
    #[arg(long, value_name = "FILE")]
    factors: Option<PathBuf>,
    /// Fit these columns without a penalty, as the intercept is.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    unpenalized: Vec<String>,
    /// Keep coefficients at 0 or above: those of all columns, or of these columns only (--nonnegative=a,b*).
    #[arg(long, value_name = "NAME,...", num_args = 0..=1, require_equals = true, default_missing_value = "*", value_delimiter = ',')]
    nonnegative: Vec<String>,
    /// Select columns by groups, with sqrt(size) |b_g|_2 in the penalty instead of |b_g|_1: a file with lines
    /// `name group`, or `columns`, which makes a group of each one-hot encoded column. Excludes bounds
    /// (--bounds, --nonnegative).
    #[arg(long, value_name = "FILE|columns")]
    groups: Option<String>,
    /// Bound coefficients, on the scale of the data: a file with lines `name lower upper`. 0 must lie between
    /// the bounds; inf and -inf are no bound.
    #[arg(long, value_name = "FILE")]
    bounds: Option<PathBuf>,
}

/// The columns, found by their names.
struct Columns<'a> {
    features: &'a Features,
    /// Number of columns that are fitted; the next field is the number of columns in the data.
    count: usize,
    width: usize,
    numbers: HashMap<&'a str, usize>,
}

/// The group of each fitted column, and (group, count) of the columns that are not fitted.
type Groups = (Vec<u32>, Vec<(u32, u32)>);

/// The columns that a name stands for.
struct Named {
    /// Places of the columns that are fitted.
    at: Vec<usize>,
    /// Number of columns that are all zeros, and so not fitted.
    absent: usize,
}

impl TermArgs {
    /// Adds the terms that are asked for to a Lasso of `count` columns.
    pub(crate) fn apply(&self, lasso: Lasso, features: &Features, count: usize) -> Result<Lasso, Error> {
        let columns = Columns::new(features, count);
        let mut lasso = lasso;
        let mut factors = vec![1.0; count];
        if let Some(file) = &self.factors {
            columns.each_line(file, parsed, |Named { at, .. }, [factor]: [f64; 1]| {
                if !(factor >= 0.0 && factor.is_finite()) {
                    return Err(format!(
                        "the factor is {}: it must be 0, for no penalty, or a number above 0",
                        number(factor)
                    ));
                }
                at.iter().for_each(|&j| factors[j] = factor);
                Ok(())
            })?;
        }
        for name in &self.unpenalized {
            let at = columns.named(name).map_err(|why| Error::usage(format!("--unpenalized: {why}")))?;
            at.at.into_iter().for_each(|j| factors[j] = 0.0);
        }
        if self.factors.is_some() || !self.unpenalized.is_empty() {
            lasso = lasso.factors(factors);
        }
        if let Some(groups) = &self.groups {
            let (groups, absent) = columns.groups(groups)?;
            lasso = lasso.groups(groups).absent(absent);
        }
        let mut bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); count];
        if let Some(file) = &self.bounds {
            columns.each_line(file, parsed, |Named { at, .. }, [lower, upper]: [f64; 2]| {
                if lower.is_nan() || upper.is_nan() {
                    return Err(format!(
                        "the bounds {lower} and {upper}: NaN bounds nothing: give numbers, or inf and -inf \
                         for none"
                    ));
                }
                if lower > upper {
                    return Err(format!(
                        "the lower bound {lower} is above the upper one, {upper}: exchange them"
                    ));
                }
                if lower > 0.0 || upper < 0.0 {
                    let why = "0 must lie between the bounds, for a penalty draws every coefficient to it";
                    return Err(format!("the bounds {lower} and {upper} exclude 0: {why}"));
                }
                at.iter().for_each(|&j| bounds[j] = (lower, upper));
                Ok(())
            })?;
        }
        for name in &self.nonnegative {
            let at = columns.named(name).map_err(|why| Error::usage(format!("--nonnegative: {why}")))?;
            at.at.into_iter().for_each(|j| bounds[j].0 = 0.0);
        }
        let is_bounded = self.bounds.is_some() || !self.nonnegative.is_empty();
        Ok(if is_bounded { lasso.bounds(bounds) } else { lasso })
    }

    pub(crate) fn has_groups(&self) -> bool {
        self.groups.is_some()
    }
}

impl<'a> Columns<'a> {
    fn new(features: &'a Features, count: usize) -> Self {
        let names = features.names.iter().flatten();
        let numbers = names.enumerate().map(|(j, name)| (name.as_str(), j)).collect();
        let width = features.layout(count, 0).columns;
        Self { features, count, width, numbers }
    }

    /// Finds the columns of a name, of an encoded column (all its levels), of a prefix (`x*`), or of a number
    /// from 1.
    fn named(&self, name: &str) -> Result<Named, String> {
        let fitted = |at: Vec<usize>| Ok(Named { at, absent: 0 });
        if let Some(&j) = self.numbers.get(name) {
            return fitted(vec![j]);
        }
        let names = self.features.names.as_deref().unwrap_or(&[]);
        let encoding = self.features.encoding.as_ref();
        let levels = encoding.and_then(|encoding| encoding.columns.iter().find(|column| column.name == name));
        let levels = levels.map(|column| column.features()).unwrap_or_default();
        let is_named = |column: &String| match name.strip_suffix('*') {
            Some(beginning) => column.starts_with(beginning),
            None => levels.contains(column),
        };
        let found: Vec<usize> =
            names.iter().enumerate().filter(|(_, column)| is_named(column)).map(|(j, _)| j).collect();
        let number = || name.parse::<usize>().ok()?.checked_sub(1).filter(|&j| j < self.width);
        match (found.is_empty(), number()) {
            (false, _) => fitted(found),
            (true, Some(j)) => Ok(self.numbered(j)),
            (true, None) if name == "*" => {
                Ok(Named { at: (0..self.count).collect(), absent: self.width - self.count })
            }
            (true, None) => Err(format!("there is no column `{name}`: {}", self.known())),
        }
    }

    /// Finds the column of the data with this number, from 0.
    fn numbered(&self, number: usize) -> Named {
        let place = match &self.features.occurring {
            None => Some(number),
            Some(some) => some.place(number as u32).map(|place| place as usize),
        };
        Named { at: place.into_iter().collect(), absent: usize::from(place.is_none()) }
    }

    fn known(&self) -> String {
        match self.features.names.as_deref() {
            Some(names) if names.len() > LISTED => {
                format!("the columns are {} and {} more", names[..LISTED].join(", "), names.len() - LISTED)
            }
            Some(names) => format!("the columns are {}", names.join(", ")),
            None => format!("the columns have no names; give their numbers, 1 to {}", self.width),
        }
    }

    /// Reads the group of each column from a file or `columns`, and counts the columns of each group that are
    /// not fitted. A column without a line is a group of its own.
    fn groups(&self, option: &str) -> Result<Groups, Error> {
        let mut groups: Vec<u32> = (0..self.count as u32).collect();
        if option != "columns" {
            let (mut numbers, mut absent) = (HashMap::<String, u32>::new(), Vec::new());
            let count = self.count as u32;
            self.each_line(Path::new(option), labelled, |named, label: String| {
                let next = count + numbers.len() as u32;
                let group = *numbers.entry(label).or_insert(next);
                named.at.iter().for_each(|&j| groups[j] = group);
                if named.absent > 0 {
                    absent.push((group, named.absent as u32));
                }
                Ok(())
            })?;
            return Ok((groups, absent));
        }
        let encoded = self.features.encoding.iter().flat_map(|encoding| &encoding.columns);
        let mut is_any = false;
        for (number, column) in (self.count as u32..).zip(encoded.filter(|column| column.levels.is_some())) {
            let levels = column.features();
            let at = levels.iter().filter_map(|level| self.numbers.get(level.as_str()));
            at.for_each(|&j| groups[j] = number);
            is_any = true;
        }
        match is_any {
            true => Ok((groups, Vec::new())),
            false => Err(Error::usage(
                "--groups columns: no column is encoded by levels: name groups by a file with lines `name \
                 group`",
            )),
        }
    }

    /// Reads lines of a name and its values, and gives each to `take`. Names may contain blanks, and no
    /// column may be named twice.
    fn each_line<V>(
        &self,
        file: &Path,
        parse: impl for<'l> Fn(&'l str) -> Result<(&'l str, V), String>,
        mut take: impl FnMut(&Named, V) -> Result<(), String>,
    ) -> Result<(), Error> {
        let shown = file.display();
        let text = raddle_datasets::read_text(file).map_err(|why| Error::input(why.to_string()))?;
        let mut taken = vec![0; self.count];
        // Lines of columns that are not fitted, by name, so that none is named twice.
        let mut absent: BTreeMap<Option<&str>, usize> = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let refuse = |why: String| Error::input(format!("{shown}:{number}: {why}"));
            let (name, values) = parse(line).map_err(refuse)?;
            let named = self.named(name).map_err(refuse)?;
            let (is_all, is_one) = (named.absent > 0 && name == "*", named.absent > 0 && name != "*");
            let before = named.at.iter().map(|&j| taken[j]).find(|before| *before > 0);
            let before = before.or_else(|| {
                let of_one = || absent.get(&Some(name)).or(absent.get(&None)).copied();
                if is_all { absent.values().min().copied() } else { of_one().filter(|_| is_one) }
            });
            if let Some(before) = before {
                return Err(refuse(format!(
                    "`{name}` is named twice, first in line {before}: keep one line"
                )));
            }
            named.at.iter().for_each(|&j| taken[j] = number);
            if named.absent > 0 {
                absent.insert(is_one.then_some(name), number);
            }
            take(&named, values).map_err(refuse)?;
        }
        Ok(())
    }
}

/// Splits a line into a name and the group after it, separated by a tab or a blank.
fn labelled(line: &str) -> Result<(&str, String), String> {
    let (name, group) = line
        .trim()
        .rsplit_once(char::is_whitespace)
        .ok_or_else(|| format!("expected a name and a group after it: `{}`", line.trim()))?;
    Ok((name.trim_end(), group.to_owned()))
}

/// Splits a line into a name and the numbers after it, separated by tabs or blanks.
fn parsed<const N: usize>(line: &str) -> Result<(&str, [f64; N]), String> {
    let expected = || {
        let values = if N == 1 { "a number" } else { "two numbers" };
        format!("expected a name and {values} after it: `{}`", line.trim())
    };
    let (mut rest, mut values) = (line.trim(), [0.0; N]);
    for value in values.iter_mut().rev() {
        let (before, last) = rest.rsplit_once(char::is_whitespace).ok_or_else(expected)?;
        *value = last.parse().map_err(|_| expected())?;
        rest = before.trim_end();
    }
    if rest.is_empty() { Err(expected()) } else { Ok((rest, values)) }
}
