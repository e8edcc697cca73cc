//! Ids that options name, and [`Filters`]: the rows that a list may hold.

use std::path::Path;

use raddle::cli::Error;
use raddle_datasets::Ids;
use raddle_mf::Query;

/// The rows that a list may hold, by `--only` and `--without`.
pub(super) struct Filters {
    only: Option<Vec<u32>>,
    without: Vec<u32>,
}

impl Filters {
    /// From what the options name; `what` is an `item` or a `user`.
    pub(super) fn new(
        only: Option<&str>,
        without: Option<&str>,
        ids: &Ids,
        what: &str,
    ) -> Result<Self, Error> {
        let only = only.map(|given| rows("--only", given, ids, what)).transpose()?;
        let without = without.map_or(Ok(Vec::new()), |given| rows("--without", given, ids, what))?;
        let left_out: std::collections::HashSet<u32> = without.iter().copied().collect();
        let is_in = |row: &u32| !left_out.contains(row);
        let is_empty = match &only {
            Some(only) => !only.iter().any(is_in),
            None => !without.is_empty() && !(0..ids.len() as u32).any(|row| is_in(&row)),
        };
        match is_empty {
            true => Err(Error::usage(format!("--only and --without leave no {what} to choose"))),
            false => Ok(Self { only, without }),
        }
    }

    /// A query for this number of rows.
    pub(super) fn query(&self, count: usize) -> Query<'_> {
        let query = Query::best(count).without(&self.without);
        self.only.as_ref().map_or(query, |only| query.only(only))
    }
}

/// Rows of the ids that an option names, each of which the model must have.
pub(super) fn rows(option: &str, given: &str, of: &Ids, what: &str) -> Result<Vec<u32>, Error> {
    let index = of.index();
    let row = |id: String| {
        index.row(&id).ok_or_else(|| Error::input(format!("{option}: the model has no {what} `{id}`")))
    };
    ids(option, given)?.into_iter().map(row).collect()
}

/// Ids in a list divided by commas, where one with a comma stands in double quotes; or in a file, one a line.
pub(super) fn ids(option: &str, given: &str) -> Result<Vec<String>, Error> {
    let ids: Vec<String> = if Path::new(given).is_file() {
        let text = raddle_datasets::read_text(Path::new(given))
            .map_err(|why| Error::input(format!("{option} {why}")))?;
        text.lines().map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect()
    } else {
        listed(given).map_err(|why| Error::usage(format!("{option} {given}: {why}")))?
    };
    match ids.is_empty() {
        true => {
            Err(Error::usage(format!("{option} `{given}`: there is no id in it: name one, or leave it out")))
        }
        false => Ok(ids),
    }
}

/// The ids of a list. Two double quotes within quotes are one.
fn listed(list: &str) -> Result<Vec<String>, &'static str> {
    let (mut ids, mut rest) = (Vec::new(), list);
    loop {
        rest = rest.trim_start();
        let id = match rest.strip_prefix('"') {
            Some(quoted) => {
                let mut id = String::new();
                let mut left = quoted;
                rest = loop {
                    let (part, behind) = left.split_once('"').ok_or("a double quote is not closed")?;
                    id += part;
                    match behind.strip_prefix('"') {
                        Some(behind) => (id, left) = (id + "\"", behind),
                        None => break behind.trim_start(),
                    }
                };
                if !(rest.is_empty() || rest.starts_with(',')) {
                    return Err("write a comma behind a closing double quote");
                }
                id
            }
            None => {
                let (id, behind) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
                rest = behind;
                id.trim_end().to_owned()
            }
        };
        if !id.is_empty() {
            ids.push(id);
        }
        match rest.strip_prefix(',') {
            Some(behind) => rest = behind,
            None => return Ok(ids),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_listed_or_in_a_file() {
        assert_eq!(ids("--users", "a, b,,c").unwrap(), ["a", "b", "c"]);
        let quoted = "\"Lee, Ann\" ,7, \"a \"\"b\"\"\",it's \"so\"";
        assert_eq!(ids("--users", quoted).unwrap(), ["Lee, Ann", "7", "a \"b\"", "it's \"so\""]);
        for (wrong, why) in [
            ("", "there is no id in it"),
            (" , ,", "there is no id in it"),
            ("\"a", "a double quote is not closed"),
            ("\"a\"b,c", "write a comma behind"),
        ] {
            assert!(ids("--users", wrong).unwrap_err().to_string().contains(why), "{wrong}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ids");
        std::fs::write(&path, "x\n\ny\n").unwrap();
        assert_eq!(ids("--users", path.to_str().unwrap()).unwrap(), ["x", "y"]);
    }
}
