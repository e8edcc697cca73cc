//! [`PartiesFile`]: who takes part in a run over parties, and what their tables have in common. Every party
//! and the coordinator have the same file.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use raddle::ModelDigest;
use raddle::parties::{Keyring, PrivateKey, PublicKey};
use serde::Deserialize;
use toml::Spanned;

use crate::environment::PARTIES;
use crate::exit::Error;

/// Content of a parties file: keys, and the schema of the tables.
#[derive(Debug, Clone, PartialEq)]
pub struct PartiesFile {
    /// Path of the file, for messages.
    pub path: PathBuf,
    /// The public key of the coordinator.
    pub coordinator: PublicKey,
    /// The public keys of the parties, by name.
    pub parties: BTreeMap<String, PublicKey>,
    /// The columns, in the order of the file, which is that of the model.
    pub columns: Vec<Column>,
    /// The classes of the response, in the order of the file; empty for a response of numbers.
    pub classes: Vec<String>,
}

/// A column that all tables have.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name of the column.
    pub name: String,
    /// Values that it may have.
    pub values: ColumnValues,
}

/// Values of a column.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "give a column its bounds, as [0, 120], or its levels, as [\"no\", \"yes\"]")]
pub enum ColumnValues {
    /// Numbers from the first bound to the second.
    Bounds([f64; 2]),
    /// Texts, in the order of the file.
    Levels(Vec<String>),
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    coordinator: Spanned<String>,
    parties: BTreeMap<Spanned<String>, Spanned<String>>,
    classes: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    columns: BTreeMap<Spanned<String>, Spanned<ColumnValues>>,
}

/// Reason why a file is refused, with the bytes that are at fault.
type Refusal = (Option<Range<usize>>, String);

impl PartiesFile {
    /// Reads the file.
    ///
    /// # Errors
    /// If it cannot be read, or has other content than it should; the text names the line.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text =
            fs::read_to_string(path).map_err(|why| Error::input(format!("{}: {why}", path.display())))?;
        Self::parse(path, &text).map_err(|(at, why)| {
            let line = at.map_or(String::new(), |at| {
                format!(":{}", 1 + text[..at.start.min(text.len())].matches('\n').count())
            });
            Error::input(format!("{}{line}: {why}", path.display()))
        })
    }

    /// Reads the file of the run over parties that this process belongs to; `None` in any other process.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn from_environment() -> Result<Option<Self>, Error> {
        env::var_os(PARTIES).map(|path| Self::read(Path::new(&path))).transpose()
    }

    fn parse(path: &Path, text: &str) -> Result<Self, Refusal> {
        let written: Written = toml::from_str(text).map_err(|why| (why.span(), why.message().to_owned()))?;
        let mut parties = BTreeMap::new();
        for (name, text) in written.parties {
            check_name(name.get_ref()).map_err(|why| (Some(name.span()), why))?;
            parties.insert(name.into_inner(), key(text)?);
        }
        let classes = written.classes.map(|classes| {
            let at = classes.span();
            check_levels("classes", classes.get_ref()).map_err(|why| (Some(at), why))?;
            Ok(classes.into_inner())
        });
        let mut columns: Vec<_> = written.columns.into_iter().collect();
        columns.sort_by_key(|(name, _)| name.span().start);
        let column = |(name, values): (Spanned<String>, Spanned<ColumnValues>)| {
            let (at, name, values) = (values.span(), name.into_inner(), values.into_inner());
            match &values {
                ColumnValues::Bounds([min, max]) if min < max && min.is_finite() && max.is_finite() => Ok(()),
                ColumnValues::Bounds(_) => {
                    Err(format!("{name}: give two finite bounds, the lower one first"))
                }
                ColumnValues::Levels(levels) => check_levels(&name, levels),
            }
            .map_err(|why| (Some(at), why))?;
            Ok(Column { name, values })
        };
        Ok(Self {
            path: path.to_owned(),
            coordinator: key(written.coordinator)?,
            parties,
            classes: classes.transpose()?.unwrap_or_default(),
            columns: columns.into_iter().map(column).collect::<Result<_, _>>()?,
        })
    }

    /// Returns the keyring of a party, or of the coordinator where `me` is `None`.
    ///
    /// # Errors
    /// If the party is not in the file, or the private key is another's.
    pub fn keyring(&self, me: Option<&str>, private: PrivateKey) -> Result<Keyring, Error> {
        Keyring::new(self.coordinator, &self.parties, me, private)
            .map_err(|why| Error::usage(format!("{}: {why}", self.path.display())))
    }

    /// Returns what the file says, a line for each thing: the same text for files that differ in layout.
    pub fn text(&self) -> String {
        let mut lines = vec![format!("coordinator {}", self.coordinator)];
        lines.extend(self.parties.iter().map(|(name, key)| format!("party {name} {key}")));
        lines.extend(self.columns.iter().map(|Column { name, values }| match values {
            ColumnValues::Bounds([min, max]) => format!("column {name:?} from {min} to {max}"),
            ColumnValues::Levels(levels) => format!("column {name:?} of {levels:?}"),
        }));
        lines.push(format!("classes {:?}", self.classes));
        lines.join("\n") + "\n"
    }

    /// Returns what the file says for the identity of a run. Each line is a word, so that a difference names
    /// its column and no other.
    pub fn schema(&self) -> String {
        let words: Vec<String> = self.text().lines().map(|line| line.replace(' ', "_")).collect();
        words.join(" with ")
    }

    /// Returns the digest of what the file says, a part of the identity of a run.
    pub fn digest(&self) -> String {
        ModelDigest::default().bytes(self.text().as_bytes()).finish()
    }
}

fn key(text: Spanned<String>) -> Result<PublicKey, Refusal> {
    PublicKey::parse(text.get_ref()).ok_or_else(|| {
        let why = format!("{:?} is no public key: copy the line that raddle key printed", text.get_ref());
        (Some(text.span()), why)
    })
}

/// Checks a name that is shown on screens and is a word of command lines.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    match (1..=64).contains(&name.len()) && name.bytes().all(is_plain) && !name.starts_with('-') {
        true => Ok(()),
        false => Err(format!("{name:?}: name a party by at most 64 letters, digits, - or _")),
    }
}

fn check_levels(of: &str, levels: &[String]) -> Result<(), String> {
    let distinct: BTreeSet<&String> = levels.iter().collect();
    match levels.len() > 1 && distinct.len() == levels.len() {
        true => Ok(()),
        false => Err(format!("{of}: give at least two names, each once")),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails so")]

    use super::*;

    const KEYS: [&str; 3] = [
        "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a",
        "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f",
        "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742",
    ];

    fn parse(text: &str) -> Result<PartiesFile, (usize, String)> {
        let [one, two, three] = KEYS;
        let text = text.replace("ONE", one).replace("TWO", two).replace("THREE", three);
        let line = |at: Option<Range<usize>>| at.map_or(0, |at| 1 + text[..at.start].matches('\n').count());
        PartiesFile::parse(Path::new("parties.toml"), &text).map_err(|(at, why)| (line(at), why))
    }

    const FILE: &str = "coordinator = \"ONE\"\nclasses = [\"well\", \"ill\"]\n[parties]\nsouth = \"TWO\"\n\
                        north = \"THREE\"\n[columns]\nweight = [-1.5, 300]\nage = [0, 120]\nsex = [\"m\", \"f\"]\n";

    #[test]
    fn columns_keep_their_order_and_layout_does_not_count() {
        let file = parse(FILE).unwrap();
        assert_eq!(file.parties.keys().collect::<Vec<_>>(), ["north", "south"]);
        let names: Vec<&str> = file.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["weight", "age", "sex"]);
        assert_eq!(file.columns[1].values, ColumnValues::Bounds([0.0, 120.0]));
        assert_eq!(file.classes, ["well", "ill"]);
        let other = parse(&FILE.replace("age = [0, 120]", "# years\nage = [ 0.0, 1.2e2 ]")).unwrap();
        assert_eq!(other.digest(), file.digest());
        for (from, to) in
            [("120", "121"), ("\"m\", \"f\"", "\"f\", \"m\""), ("TWO", "ONE"), ("south", "west")]
        {
            assert_ne!(parse(&FILE.replace(from, to)).unwrap().digest(), file.digest(), "{from}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (from, to, line, why) in [
            ("TWO", "two", 4, "is no public key"),
            ("\"ONE\"", "1", 1, "expected a string"),
            ("south", "\"so uth\"", 4, "name a party by"),
            ("-1.5, 300", "300, -1.5", 7, "weight: give two finite bounds"),
            ("0, 120", "0, inf", 8, "age: give two finite bounds"),
            ("[0, 120]", "7", 8, "give a column its bounds"),
            ("\"m\", \"f\"", "\"m\", \"m\"", 9, "sex: give at least two names"),
            ("\"well\", ", "", 2, "classes: give at least two names"),
            ("classes", "klasses", 2, "unknown field `klasses`"),
            ("coordinator = \"ONE\"\n", "", 1, "missing field `coordinator`"),
            ("north", "south", 5, "duplicate key"),
        ] {
            let (at, said) = parse(&FILE.replacen(from, to, 1)).unwrap_err();
            assert!(at == line && said.contains(why), "{from} -> {to}: {at}: {said}");
        }
    }
}
