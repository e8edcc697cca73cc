//! The ids of users and items: as `model.json` has them, and those of a model with those of other data behind them.

use std::fmt::Formatter;

use raddle_datasets::Ids;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The ids of all rows, row by row: a list of whole numbers where all of them are, else a list of texts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IdList(pub(crate) Ids);

impl Serialize for IdList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Ids::Dense(count) => serializer.collect_seq(0..*count),
            Ids::Integers(ids) => serializer.collect_seq(ids),
            Ids::Names(ids) => serializer.collect_seq(ids),
        }
    }
}

impl<'de> Deserialize<'de> for IdList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(List)
    }
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
    type Value = IdList;

    fn expecting(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        to.write_str("a list of ids, all of them whole numbers or all of them texts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<IdList, A::Error> {
        let (mut numbers, mut names) = (Vec::new(), Vec::new());
        while let Some(id) = list.next_element()? {
            match id {
                Id::Number(number) => numbers.push(number),
                Id::Name(name) => names.push(name),
            }
        }
        let ids = match (numbers.is_empty(), names.is_empty()) {
            (false, false) => return Err(A::Error::custom("ids are of two kinds, numbers and texts")),
            (_, true) => of_numbers(numbers),
            (true, false) => Ids::Names(names),
        };
        let mut rows = ids.index().rows_of(&ids).into_iter().zip(0..);
        match rows.all(|(row, own)| row == Some(own)) {
            true => Ok(IdList(ids)),
            false => Err(A::Error::custom("an id stands there twice")),
        }
    }
}

/// Whole numbers as ids of rows.
fn of_numbers(ids: Vec<u32>) -> Ids {
    match ids.iter().copied().eq(0..ids.len() as u32) {
        true => Ids::Dense(ids.len() as u32),
        false => Ids::Integers(ids),
    }
}

/// The ids of a model with those that data has besides behind them, in the order of the data.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) ids: Ids,
    /// For each row of the data, the row that its id has here.
    pub(crate) rows: Vec<u32>,
    /// Rows of the model that the data does not name.
    pub(crate) kept: usize,
    /// Rows of the data that the model does not have.
    pub(crate) new: usize,
}

impl Joined {
    pub(crate) fn new(model: &Ids, data: &Ids) -> Self {
        let before = model.len();
        let known = model.index().rows_of(data);
        let new: Vec<usize> = (0..data.len()).filter(|&row| known[row].is_none()).collect();
        // Texts such as 7 and 07 may both be the model's number 7.
        let mut is_named = vec![false; before];
        known.iter().flatten().for_each(|&row| is_named[row as usize] = true);
        let kept = is_named.into_iter().filter(|&named| !named).count();
        let mut next = before as u32;
        let place = |row: Option<u32>| {
            row.unwrap_or_else(|| {
                next = next.saturating_add(1);
                next - 1
            })
        };
        let rows = known.into_iter().map(place).collect();
        let ids = if new.is_empty() { model.clone() } else { behind(model, data, &new) };
        Self { ids, rows, kept, new: new.len() }
    }
}

/// The ids of a model, and behind them those of these rows of the data.
fn behind(model: &Ids, data: &Ids, rows: &[usize]) -> Ids {
    let numbers = |ids: &Ids| -> Option<Vec<u32>> {
        match ids {
            Ids::Dense(count) => Some((0..*count).collect()),
            Ids::Integers(ids) => Some(ids.clone()),
            Ids::Names(_) => None,
        }
    };
    match (numbers(model), numbers(data)) {
        (Some(mut ids), Some(data)) => {
            ids.extend(rows.iter().map(|&row| data[row]));
            of_numbers(ids)
        }
        _ => {
            let old = (0..model.len()).map(|row| model.name(row));
            Ids::Names(old.chain(rows.iter().map(|&row| data.name(row))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_common::testing::pairs;

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

    #[test]
    fn what_data_has_besides_comes_behind_what_a_model_has() {
        let joined = |model: &Ids, data: &Ids| {
            let Joined { ids, rows, kept, new } = Joined::new(model, data);
            assert!(pairs(ids.index().rows_of(data).iter(), &rows).all(|(found, row)| *found == Some(*row)));
            assert!(
                model.index().rows_of(&ids)[..model.len()].iter().zip(0..).all(|(at, row)| *at == Some(row))
            );
            (ids, rows, kept, new)
        };
        assert_eq!(joined(&Ids::Dense(3), &Ids::Dense(2)), (Ids::Dense(3), vec![0, 1], 1, 0));
        assert_eq!(joined(&Ids::Dense(2), &Ids::Dense(3)), (Ids::Dense(3), vec![0, 1, 2], 0, 1));
        assert_eq!(
            joined(&Ids::Dense(2), &Ids::Integers(vec![9, 1])),
            (Ids::Integers(vec![0, 1, 9]), vec![2, 1], 1, 1)
        );
        assert_eq!(
            joined(&names(&["a", "7"]), &Ids::Integers(vec![8, 7])),
            (names(&["a", "7", "8"]), vec![2, 1], 1, 1)
        );
        assert_eq!(
            joined(&Ids::Integers(vec![5, 3]), &names(&["x", "3"])),
            (names(&["5", "3", "x"]), vec![2, 1], 1, 1)
        );
    }
}
