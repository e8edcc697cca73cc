//! Ids that options name, and [`Filters`]: the rows that a list may contain.

use std::path::Path;

use raddle_cli::Error;
use raddle_datasets::Ids;
use raddle_mf::Query;

/// The rows that a list may contain, by `--only` and `--without`.
pub(super) struct Filters {
    only: Option<Vec<u32>>,
    without: Vec<u32>,
}

impl Filters {
    /// Filters from the values of the options; `what` is `item` or `user`.
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

    /// Makes a query for `count` rows.
    pub(super) fn query(&self, count: usize) -> Query<'_> {
        let query = Query::best(count).without(&self.without);
        self.only.as_ref().map_or(query, |only| query.only(only))
    }
}

/// Returns the rows of the ids that an option names; the model must have each of them.
pub(super) fn rows(option: &str, given: &str, of: &Ids, what: &str) -> Result<Vec<u32>, Error> {
    let index = of.index();
    let row = |id: String| {
        index.row(&id).ok_or_else(|| Error::input(format!("{option}: the model has no {what} `{id}`")))
    };
    ids(option, given)?.into_iter().map(row).collect()
}

/// Returns the ids in a list separated by commas, or in a file with one id per line. An id that contains the
/// separator, or that starts or ends with a blank, is in double quotes, as `mf recommend` and CSV write it.
pub(super) fn ids(option: &str, given: &str) -> Result<Vec<String>, Error> {
    let ids: Vec<String> = if Path::new(given).is_file() {
        let text = raddle_datasets::read_text(Path::new(given))
            .map_err(|why| Error::input(format!("{option} {why}")))?;
        listed(&text, '\n').map_err(|why| Error::input(format!("{option} {given}: {why}")))?
    } else {
        listed(given, ',').map_err(|why| Error::usage(format!("{option} {given}: {why}")))?
    };
    match ids.is_empty() {
        true => {
            Err(Error::usage(format!("{option} `{given}`: there is no id in it: name one, or leave it out")))
        }
        false => Ok(ids),
    }
}

/// Splits a list into ids. Within quotes, two double quotes stand for one.
fn listed(list: &str, between: char) -> Result<Vec<String>, String> {
    let (mut ids, mut rest) = (Vec::new(), list);
    let blanks = |text: &'_ str| text.find(|letter: char| letter == between || !letter.is_whitespace());
    loop {
        rest = &rest[blanks(rest).unwrap_or(rest.len())..];
        let id = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (id, behind) = unquoted(quoted)?;
                rest = &behind[blanks(behind).unwrap_or(behind.len())..];
                if !(rest.is_empty() || rest.starts_with(between)) {
                    let what = if between == ',' { "a comma" } else { "a line break" };
                    return Err(format!("write {what} after a closing double quote"));
                }
                id
            }
            None => {
                let (id, behind) = rest.split_at(rest.find(between).unwrap_or(rest.len()));
                rest = behind;
                id.trim_end().to_owned()
            }
        };
        if !id.is_empty() {
            ids.push(id);
        }
        match rest.strip_prefix(between) {
            Some(behind) => rest = behind,
            None => return Ok(ids),
        }
    }
}

/// Returns the text up to a closing double quote, with doubled quotes replaced by one, and the text after it.
fn unquoted(mut left: &str) -> Result<(String, &str), String> {
    let mut text = String::new();
    loop {
        let (part, behind) = left.split_once('"').ok_or("a double quote is not closed")?;
        text += part;
        match behind.strip_prefix('"') {
            Some(behind) => (text, left) = (text + "\"", behind),
            None => return Ok((text, behind)),
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
            ("\"a\"b,c", "write a comma after"),
        ] {
            assert!(ids("--users", wrong).unwrap_err().to_string().contains(why), "{wrong}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ids");
        std::fs::write(&path, "x\r\n\n y, z \n\"new\nline\"\n\" a\"\"b\"\n").unwrap();
        assert_eq!(ids("--users", path.to_str().unwrap()).unwrap(), ["x", "y, z", "new\nline", " a\"b"]);
    }
}
