//! The ids of all rows in `model.json`: a list of whole numbers if all of them are, else a list of texts.

use std::fmt::Formatter;

use raddle_datasets::Ids;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serializer};

/// Makes ids from distinct whole numbers.
pub fn integer_ids(ids: Vec<u32>) -> Ids {
    match ids.iter().copied().eq(0..ids.len() as u32) {
        true => Ids::Dense(ids.len() as u32),
        false => Ids::Integers(ids),
    }
}

/// Writes the ids, row by row.
pub(super) fn serialize<S: Serializer>(ids: &Ids, serializer: S) -> Result<S::Ok, S::Error> {
    match ids {
        Ids::Dense(count) => serializer.collect_seq(0..*count),
        Ids::Integers(ids) => serializer.collect_seq(ids),
        Ids::Names(ids) => serializer.collect_seq(ids),
    }
}

/// Reads the ids, row by row.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ids, D::Error> {
    deserializer.deserialize_seq(List)
}

/// One id of a list.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(u32),
    Name(String),
}

struct List;

impl<'de> Visitor<'de> for List {
    type Value = Ids;

    fn expecting(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        to.write_str("a list of ids, all of them whole numbers or all of them texts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Ids, A::Error> {
        let (mut numbers, mut names) = (Vec::new(), Vec::new());
        while let Some(id) = list.next_element()? {
            match id {
                Id::Number(number) => numbers.push(number),
                Id::Name(name) => names.push(name),
            }
        }
        let ids = match (numbers.is_empty(), names.is_empty()) {
            (false, false) => return Err(A::Error::custom("ids are of two kinds, numbers and texts")),
            (_, true) => integer_ids(numbers),
            (true, false) => Ids::Names(names),
        };
        let mut rows = ids.index().rows_of(&ids).into_iter().zip(0..);
        match rows.all(|(row, own)| row == Some(own)) {
            true => Ok(ids),
            false => Err(A::Error::custom("an id occurs twice")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(transparent)]
    struct IdList(#[serde(with = "super")] Ids);

    fn names(ids: &[&str]) -> Ids {
        Ids::Names(ids.iter().map(|&id| id.to_owned()).collect())
    }

    #[test]
    fn ids_are_a_list_of_one_kind_whatever_they_are() {
        for (ids, text) in [
            (Ids::Dense(3), "[0,1,2]"),
            (Ids::Integers(vec![7, 4_000_000_000]), "[7,4000000000]"),
            (names(&["7", "b"]), r#"["7","b"]"#),
            (Ids::Dense(0), "[]"),
        ] {
            let list = IdList(ids);
            assert_eq!(serde_json::to_string(&list).unwrap(), text);
            assert_eq!(serde_json::from_str::<IdList>(text).unwrap(), list);
        }
        for wrong in [r#"[1,"b"]"#, "[1,2,1]", r#"["a","a"]"#, "3", "[-1]", "[1.5]", "[null]"] {
            assert!(serde_json::from_str::<IdList>(wrong).is_err(), "{wrong}");
        }
    }
}
