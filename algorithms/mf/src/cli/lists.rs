//! Lists of the best rows, as lines and as JSON.

use std::fmt::{Display, Formatter};
use std::io::{self, Write};

use raddle_cli::{Error, write_atomic};
use raddle_common::to_stdout;
use raddle_datasets::{Field, Ids};
use raddle_mf::{MfError, TopK};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::usage::{ListOutput, unwritten};

/// Largest number of rows held at a time, over all lists together.
const HELD: usize = 1 << 20;

/// Largest number of lists at a time.
const BATCH: usize = 4096;

/// Kinds of rows in lists: `who` is the row asked about and `what` a row listed, each `item` or `user`.
#[derive(Clone, Copy)]
pub(super) struct Kind<'a> {
    pub(super) who: &'static str,
    pub(super) what: &'static str,
    /// The ids of the rows listed.
    pub(super) ids: &'a Ids,
    /// A number that is added to each score.
    pub(super) offset: f64,
}

/// The best rows for a user or an item, the best first.
pub(super) struct Listed<'a> {
    kind: Kind<'a>,
    who: &'a str,
    best: Vec<(u32, f32)>,
}

impl<'a> Listed<'a> {
    pub(super) fn of(kind: Kind<'a>, who: &'a str, best: Vec<(u32, f32)>) -> Self {
        Self { kind, who, best }
    }

    fn rows(&self) -> impl Iterator<Item = (&str, String, Score)> {
        let score = |score: f32| match self.kind.offset {
            0.0 => Score::Single(score),
            offset => Score::Double(f64::from(score) + offset),
        };
        self.best.iter().map(move |&(row, found)| (self.who, self.kind.ids.name(row as usize), score(found)))
    }
}

/// A score, printed in as few digits as identify it.
#[derive(Serialize)]
#[serde(untagged)]
enum Score {
    Single(f32),
    /// A score that single precision cannot represent distinctly.
    Double(f64),
}

impl Display for Score {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Single(score) => score.fmt(to),
            Self::Double(score) => score.fmt(to),
        }
    }
}

/// Writes a line for each row.
impl Display for Listed<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        self.rows()
            .try_for_each(|(who, name, score)| writeln!(to, "{}\t{}\t{score}", Field(who), Field(&name)))
    }
}

impl Serialize for Listed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows: Vec<Scored> =
            self.rows().map(|(_, name, score)| Scored(self.kind.what, name, score)).collect();
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry(self.kind.who, self.who)?;
        map.serialize_entry(&format!("{}s", self.kind.what), &rows)?;
        map.end()
    }
}

/// Kind, name and score of a row.
struct Scored(&'static str, String, Score);

impl Serialize for Scored {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(what, name, score) = self;
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry(what, name)?;
        map.serialize_entry("score", score)?;
        map.end()
    }
}

/// Lists that are computed in batches.
pub(super) struct Lists<'a, F> {
    pub(super) kind: Kind<'a>,
    /// Names of those asked about, and their rows.
    pub(super) names: &'a [String],
    pub(super) rows: &'a [u32],
    /// Largest length of a list.
    pub(super) top: usize,
    /// Computes the lists of some rows.
    pub(super) find: F,
}

impl<F: Fn(&[u32]) -> Result<TopK, MfError>> Lists<'_, F> {
    /// Writes the lists to a file, and then prints `said`, or `found` as JSON; or writes them to stdout, as
    /// JSON under this key, with the notes that were `found`.
    pub(super) fn write(
        &self,
        ListOutput { out, uses, .. }: &ListOutput,
        key: &str,
        said: &str,
        found: &serde_json::Value,
    ) -> Result<(), Error> {
        if let Some(file) = out {
            write_atomic(file, |out| self.each(|listed| write!(out, "{listed}")))?;
            return uses.say(said, found);
        }
        to_stdout(|out| {
            if !uses.json {
                return self.each(|listed| write!(out, "{listed}"));
            }
            write!(out, "{{\"notes\":{},\"{key}\":[", found["notes"])?;
            let mut between = "";
            self.each(|listed| {
                write!(out, "{}", std::mem::replace(&mut between, ","))?;
                Ok(serde_json::to_writer(&mut *out, &listed)?)
            })?;
            writeln!(out, "]}}")
        })
        .map_err(unwritten)
    }

    /// Calls `take` with the lists, one after another.
    fn each(&self, mut take: impl FnMut(Listed<'_>) -> io::Result<()>) -> io::Result<()> {
        let batch = (HELD / self.top.min(self.kind.ids.len()).max(1)).clamp(1, BATCH);
        for (names, rows) in self.names.chunks(batch).zip(self.rows.chunks(batch)) {
            let found = (self.find)(rows).map_err(io::Error::other)?;
            names.iter().zip(found).try_for_each(|(name, best)| take(Listed::of(self.kind, name, best)))?;
        }
        Ok(())
    }
}
